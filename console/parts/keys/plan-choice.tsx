import { useState } from "preact/hooks";
import { limitsOf, type PlanFacts, usePlanList, usePlans } from "../../api/plans.ts";
import { CheckField, TextField } from "../fields.tsx";
import { listed, say } from "../../said.ts";

/** More plans than this are searched instead of looked through. */
const FEW = 8;

/** A choice of plans; only those that a key of these auth types can have. */
export function PlanChoice({ chosen, authTypes, opening, error, onChange }: {
  chosen: readonly string[];
  /** The API that should be opened: plans that do so stand first, and say so. */
  opening?: string | undefined;
  authTypes: readonly string[];
  error: string;
  onChange: (plans: string[]) => void;
}) {
  const plans = usePlans();
  const [q, setQ] = useState("");
  const opens = ({ apiIds }: PlanFacts) => opening !== undefined && apiIds.includes(opening);
  const fitting = usePlanList()
    .filter(({ authType }) => authTypes.includes(authType))
    .sort((a, b) => a.name.localeCompare(b.name))
    .sort((a, b) => Number(opens(b)) - Number(opens(a)));
  const unknown = chosen.filter((id) => !plans.has(id));
  const found = fitting.filter(({ id, name }) =>
    `${name} ${id}`.toLowerCase().includes(q.trim().toLowerCase())
  );
  // A key may name a plan by either id.
  const isOf = (id: string) => (one: string) => (plans.get(one)?.id ?? one) === id;
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((one) => !isOf(id)(one)));
  return (
    <fieldset class="plan-choice">
      <legend class="field-label">Plans</legend>
      {fitting.length > FEW && <TextField label="Search plans" value={q} onInput={setQ} />}
      <div class="plan-list">
        {unknown.map((id) => (
          <CheckField
            key={id}
            label={id}
            checked
            onChange={(value) => toggle(id, value)}
          />
        ))}
        {found.map((plan) => (
          <CheckField
            key={plan.id}
            label={opens(plan) ? say`${plan.name} is valid for ${opening ?? ""}` : plan.name}
            hint={listed([plan.apis, limitsOf(plan)].filter(Boolean), " · ")}
            checked={chosen.some(isOf(plan.id))}
            onChange={(value) => toggle(plan.id, value)}
          />
        ))}
        {found.length + unknown.length === 0 && <p class="field-hint">There is no such plan.</p>}
      </div>
      <p class="field-error" role="alert">{error}</p>
    </fieldset>
  );
}
