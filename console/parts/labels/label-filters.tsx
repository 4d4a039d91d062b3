import { say } from "../../said.ts";
import { FilterChip, FilterLine } from "../filter-line.tsx";
import { useLabelsInUse } from "./labels.ts";

type Names = "environment" | "tag" | "q";

const choicesOf = (all: readonly string[]) => all.map((value) => ({ value, text: value }));

/** Filters of a list of keys by environment, tag and search text. */
export default function LabelFilters({ filters, onChange }: {
  filters: Readonly<Record<Names, string>>;
  onChange: (changes: Partial<Record<Names, string>>) => void;
}) {
  const { environments, tags } = useLabelsInUse();
  const { q } = filters;
  // Without labels there is nothing to choose.
  return (
    <FilterLine
      filters={filters}
      onChange={onChange}
      of={[
        {
          of: "environment",
          label: "Environment",
          any: "Any environment",
          options: choicesOf(environments),
          isOptional: true,
        },
        { of: "tag", label: "Tag", any: "Any tag", options: choicesOf(tags), isOptional: true },
        q !== "" && (
          <FilterChip
            label={say`Found by ${q}; show all keys`}
            onClear={() => onChange({ q: "" })}
          >
            “{q}”
          </FilterChip>
        ),
      ]}
    />
  );
}
