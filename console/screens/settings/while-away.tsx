import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { deleteDelegation, getDelegation, putDelegation } from "../../api/policy-endpoints.ts";
import { queries, useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { dayOf } from "../../parts/time.tsx";
import { toastFailure } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";

const KEY = ["delegation"];

/** Who gives one's approvals while one is away, and for whom one does. */
export default function WhileAway() {
  const [names, setNames] = useState(false);
  const { data } = useCall(KEY, getDelegation, {});
  if (!data) return null;
  const { delegate, decides_for, candidates } = data;
  const end = () =>
    void api.call(deleteDelegation, {}).then((now) => queries.setQueryData(KEY, now), toastFailure);
  return (
    <>
      <h2 class="group-title">While you are away</h2>
      <Facts>
        <Fact name="In your place">
          {delegate
            ? (
              <>
                {say`${delegate.name} approves`} until {dayOf(delegate.until)}
              </>
            )
            : "No one approves"}
        </Fact>
        <Fact name="You approve for">{listed(decides_for.map(({ name }) => name))}</Fact>
      </Facts>
      <div class="settings-action">
        {candidates.length > 0 && (
          <Button onClick={() => setNames(true)}>
            {delegate ? "Name another delegate" : "Name a delegate"}
          </Button>
        )}
        {delegate && <Button onClick={end}>I am back</Button>}
      </div>
      {names && (
        <FormDialog
          name="delegation"
          title="Who approves while you are away?"
          note="They approve in your place, never a request of yours. They are notified by mail. It holds for 90 days at the most."
          action="Save"
          initial={{ delegate_id: delegate?.id ?? candidates[0]?.id ?? "", until: "" }}
          onSave={async ({ delegate_id, until }) => {
            // The whole of the day, wherever one is.
            const body = { delegate_id, until: new Date(`${until}T23:59:59`).toISOString() };
            queries.setQueryData(KEY, await api.call(putDelegation, { body }));
            setNames(false);
          }}
          onClose={() => setNames(false)}
          fields={[
            {
              of: "delegate_id",
              label: "Who",
              options: candidates.map(({ id, name }) => ({ value: id, text: name })),
            },
            { of: "until", label: "Until", type: "date", required: true },
          ]}
        />
      )}
    </>
  );
}
