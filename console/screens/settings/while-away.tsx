import { api } from "../../api/client.ts";
import { deleteDelegation, getDelegation, putDelegation } from "../../api/policy-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Unfit } from "../../parts/form-problems.ts";
import { listed, say } from "../../said.ts";
import { InPlace } from "./in-place.tsx";
import { endOfDay, ENDS_IN_ZONE } from "../../parts/zone.ts";

const KEY = ["delegation"];

/** The person who approves in one's absence, and the people for whom one approves. */
export default function WhileAway() {
  const { data } = useCall(KEY, getDelegation, {});
  if (!data) return null;
  const { delegate, decides_for, candidates } = data;
  if (candidates.length === 0 && !delegate && decides_for.length === 0) return null;
  const isOffered = candidates.some(({ id }) => id === delegate?.id);
  const others = delegate && !isOffered ? [delegate, ...candidates] : candidates;
  return (
    <InPlace
      name="delegation"
      title="While you are away"
      note={
        <>
          Another person approves in your place, never a request of yours, for 90 days at the most.
          They are notified by mail.
          {decides_for.length > 0 &&
            say` You approve for ${listed(decides_for.map(({ name }) => name))}.`}
        </>
      }
      needs=""
      base={{ delegate_id: delegate?.id ?? "", until: delegate ? dayHere(delegate.until) : "" }}
      onSave={async ({ delegate_id, until }) => {
        if (delegate_id !== "" && until === "") throw new Unfit({ until: "Choose a day." });
        queries.setQueryData(
          KEY,
          delegate_id === ""
            ? await api.call(deleteDelegation, {})
            : await api.call(putDelegation, {
              body: { delegate_id, until: endOfDay(until) ?? until },
            }),
        );
      }}
      fields={({ draft }) => [
        {
          of: "delegate_id",
          label: "Approves in your place",
          options: [
            { value: "", text: "No one: I am here" },
            ...others.map(({ id, name }) => ({ value: id, text: name })),
          ],
        },
        draft.delegate_id !== "" && {
          of: "until",
          label: "Until",
          hint: ENDS_IN_ZONE,
          type: "date",
          required: true,
        },
      ]}
    />
  );
}

/** The day of a moment where one is, as a field takes it. */
function dayHere(moment: string): string {
  const at = new Date(moment);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
