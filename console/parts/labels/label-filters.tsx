import { say } from "../../said.ts";
import { Filter } from "../fields.tsx";
import { useLabelsInUse } from "./labels.ts";

/** What narrows a list of keys by environment, tag and what was searched for. */
export default function LabelFilters({ environment, tag, q, onChange }: {
  environment: string;
  tag: string;
  q: string;
  onChange: (change: { environment?: string; tag?: string; q?: string }) => void;
}) {
  const inUse = useLabelsInUse();
  return (
    <>
      <OneOf
        label="Environment"
        any="Any environment"
        value={environment}
        known={inUse.environments}
        onChange={(value) => onChange({ environment: value })}
      />
      <OneOf
        label="Tag"
        any="Any tag"
        value={tag}
        known={inUse.tags}
        onChange={(value) => onChange({ tag: value })}
      />
      {q !== "" && (
        <button
          type="button"
          class="filter-chip"
          aria-label={say`Found by ${q}; show all keys`}
          onClick={() => onChange({ q: "" })}
        >
          “{q}” <span aria-hidden="true">×</span>
        </button>
      )}
    </>
  );
}

function OneOf({ label, any, value, known, onChange }: {
  label: string;
  any: string;
  value: string;
  known: readonly string[];
  onChange: (value: string) => void;
}) {
  // Where nobody files keys there is nothing to choose.
  if (known.length === 0 && value === "") return null;
  const values = known.includes(value) || value === "" ? known : [value, ...known];
  return (
    <Filter
      label={label}
      value={value}
      options={[{ value: "", text: any }, ...values.map((one) => ({ value: one, text: one }))]}
      onChange={onChange}
    />
  );
}
