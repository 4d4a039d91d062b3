import { useRef } from "preact/hooks";
import type { TemporaryAccessProof } from "../../../src/contract/temporary-access.ts";
import { api, decisionKey } from "../../api/client.ts";
import {
  createTemporaryAccessRule,
  updateTemporaryAccessRule,
} from "../../api/temporary-access-endpoints.ts";
import { CheckField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import type { TemporaryAccessRule } from "./temporary-access-rule.ts";
import { usePeople } from "./people-names.ts";
import { RoleField } from "./role-field.tsx";

const PLACES = {
  role: "role",
  unknown_role: "role",
  permission_not_held: "role",
  people: "people",
  seconds: "seconds",
  receivers: "receivers",
};

/** Adds a rule, or changes the one that there was `before`. */
export function TemporaryAccessRuleForm({ before, onSaved, onClose }: {
  before: TemporaryAccessRule | undefined;
  onSaved: () => Promise<void>;
  onClose: () => void;
}) {
  const once = useRef(decisionKey());
  return (
    <FormDialog
      name={`temporary access rule ${before?.id ?? ""}`}
      title={before ? say`Change ${before.name}` : "Add a rule of temporary access"}
      note="Every administrator is notified. Temporary access gives what the role gives, but never changes what people may do."
      action={before ? "Save" : "Add"}
      initial={{
        name: before?.name ?? "",
        people: before?.people ?? [],
        role: before?.role ?? "",
        minutes: String(before?.minutes ?? 60),
        proof: before?.proof ?? "passkey" as TemporaryAccessProof,
        seconds: before?.seconds ?? [],
        receivers: before?.receivers ?? [],
      }}
      places={PLACES}
      onSave={async (draft) => {
        const name = draft.name.trim();
        const minutes = Number(draft.minutes);
        if (name === "") throw new Unfit({ name: "Write a name here." });
        if (draft.people.length === 0) throw new Unfit({ people: "Tick at least one." });
        if (draft.role === "") throw new Unfit({ role: "Choose a role." });
        if (!(Number.isInteger(minutes) && minutes > 0 && minutes <= 480)) {
          throw new Unfit({ minutes: "Write a number from 1 to 480." });
        }
        const isBySecond = draft.proof === "second_person";
        if (isBySecond && draft.seconds.length === 0) {
          throw new Unfit({ seconds: "Tick at least one." });
        }
        const { people, role, proof, receivers } = draft;
        const seconds = isBySecond ? draft.seconds : [];
        const body = { name, people, role, minutes, proof, seconds, receivers };
        await (before
          ? api.call(updateTemporaryAccessRule, { params: { id: before.id }, body })
          : api.call(createTemporaryAccessRule, { body, headers: once.current })).finally(onSaved);
        toast({ text: before ? say`${name} is changed.` : say`${name} is added.` });
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
        <Ticked
          key="people"
          legend="Who may get temporary access"
          held={draft.people}
          error={errors.people}
          onChange={(people) => set({ people })}
        />,
        <RoleField
          key="role"
          value={draft.role}
          before={before?.role ?? null}
          none="Choose a role"
          error={errors.role}
          onChange={(role) => set({ role })}
        />,
        {
          of: "minutes",
          label: "Minutes at most",
          type: "number",
          min: 1,
          max: 480,
          required: true,
        },
        {
          of: "proof",
          label: "Proof",
          options: [
            { value: "passkey", text: "A passkey of theirs signs it" },
            { value: "second_person", text: "A second person says yes" },
          ],
        },
        draft.proof === "second_person" && (
          <Ticked
            legend="Who may say yes"
            held={draft.seconds}
            error={errors.seconds}
            onChange={(seconds) => set({ seconds })}
          />
        ),
        <Ticked
          key="receivers"
          legend="Who is notified, besides administrators"
          held={draft.receivers}
          error={errors.receivers}
          onChange={(receivers) => set({ receivers })}
        />,
      ]}
    />
  );
}

/** People to tick; who was named before and is not among them stays until they are unticked. */
function Ticked({ legend, held, error, onChange }: {
  legend: string;
  held: readonly string[];
  error: string | undefined;
  onChange: (held: string[]) => void;
}) {
  const people = usePeople().filter(({ state }) => state === "active");
  const others = held.filter((id) => people.every((one) => one.id !== id))
    .map((id) => ({ id, name: id }));
  return (
    <fieldset class="permissions">
      <legend class="field-label">{legend}</legend>
      {[...people, ...others].map(({ id, name }) => (
        <CheckField
          key={id}
          label={name}
          checked={held.includes(id)}
          onChange={(checked) =>
            onChange(checked ? [...held, id] : held.filter((one) => one !== id))}
        />
      ))}
      {error && <p class="field-error" role="alert">{error}</p>}
    </fieldset>
  );
}
