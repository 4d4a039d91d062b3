import { alphabetical } from "../api/alphabetical.ts";
import { getDeveloper, getKey } from "../api/endpoints.ts";
import { usePlanList } from "../api/plans.ts";
import { useCall } from "../api/queries.ts";
import { say } from "../said.ts";
import { Filter } from "./fields.tsx";

interface Choice {
  value: string;
  text: string;
}

/** A choice of plans by their names. */
export function PlanFilter({ value, onChange }: {
  value: string;
  onChange: (value: string) => void;
}) {
  const plans = usePlanList().map(({ id, name }) => ({ value: id, text: name }));
  return <OneOf label="Plan" any="Any plan" known={plans} value={value} onChange={onChange} />;
}

/** A choice of the APIs that plans name, by their names. */
export function ApiFilter({ value, onChange }: {
  value: string;
  onChange: (value: string) => void;
}) {
  const names = new Map(
    usePlanList().flatMap(({ apiIds, apiNames }) =>
      apiIds.map((id, index): [string, string] => [id, apiNames[index] ?? id])
    ),
  );
  const apis = [...names].map(([id, name]) => ({ value: id, text: name }));
  return <OneOf label="API" any="Any API" known={apis} value={value} onChange={onChange} />;
}

/** A choice of what is known, by name; what the address says is always among it. */
export function OneOf({ label, any, known, value, onChange }: {
  label: string;
  any: string;
  known: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
}) {
  const isKnown = value === "" || known.some((one) => one.value === value);
  return (
    <Filter
      label={label}
      isRead
      value={value}
      options={[
        { value: "", text: any },
        ...isKnown ? [] : [{ value, text: value }],
        ...known.toSorted((a, b) => alphabetical(a.text, b.text)),
      ]}
      onChange={onChange}
    />
  );
}

/** The developer whose things alone are listed; `what`: what these are. */
export function DeveloperChip({ id, what, onClear }: {
  id: string;
  what: string;
  onClear: () => void;
}) {
  const developer = useCall(["developers", id], getDeveloper, { params: { id } }).data;
  const name = developer?.email || id;
  return <Chip name={name} label={say`${what} of ${name}; show everybody's`} onClear={onClear} />;
}

/** The key whose things alone are listed; `what`: what these are. */
export function KeyChip({ id, what = "Refusals", onClear }: {
  id: string;
  what?: string;
  onClear: () => void;
}) {
  const key = useCall(["keys", id], getKey, { params: { key_id: id } }).data;
  const name = key?.name || key?.mask || `…${id.slice(-8)}`;
  return (
    <Chip name={name} label={say`${what} of ${name}; show those of all keys`} onClear={onClear} />
  );
}

function Chip({ name, label, onClear }: { name: string; label: string; onClear: () => void }) {
  return (
    <button type="button" class="filter-chip" aria-label={label} onClick={onClear}>
      Of {name} <span aria-hidden="true">×</span>
    </button>
  );
}
