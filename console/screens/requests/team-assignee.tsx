import { useState } from "preact/hooks";
import { api, codeOf, wordsOf } from "../../api/client.ts";
import { assignKeyRequest } from "../../api/decision-endpoints.ts";
import { getKeyRequest } from "../../api/endpoints.ts";
import { known } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { useTeam } from "./team-people.ts";
import type { RequestDetail } from "./request.ts";

/** The assignee of a request: taken, handed over or dropped by one choice. */
export default function TeamAssignee({ request, onAssigned }: {
  request: RequestDetail;
  onAssigned: (request: RequestDetail) => void;
}) {
  const [busy, setBusy] = useState(false);
  const team = useTeam(request.id);
  const { id, assignee } = request;
  const me = known()?.person.id;
  const options = team.filter((one) => one.may_decide || one.id === assignee?.id)
    .map((one) => ({ value: one.id, text: one.id === me ? say`${one.name} (you)` : one.name }));
  if (assignee && !options.some(({ value }) => value === assignee.id)) {
    options.push({ value: assignee.id, text: assignee.name });
  }
  const assign = async (value: string) => {
    setBusy(true);
    try {
      const body = { assignee: value, instead_of: assignee?.id ?? "nobody" };
      const now = await api.call(assignKeyRequest, { params: { id }, body });
      onAssigned(now);
      announce(now.assignee ? say`Assigned to ${now.assignee.name}.` : "Assigned to no one.");
    } catch (error) {
      toast({ text: say`Not assigned. ${wordsOf(error)}`, kind: "bad" });
      if (codeOf(error) === "assigned_meanwhile") {
        onAssigned(await api.call(getKeyRequest, { params: { id } }));
      }
    }
    setBusy(false);
  };
  return (
    <SelectField
      label="Assigned to"
      value={busy ? "nobody" : assignee?.id ?? "nobody"}
      options={[{ value: "nobody", text: busy ? "Assigning…" : "No one" }, ...options]}
      onChange={(value) => void assign(value)}
    />
  );
}
