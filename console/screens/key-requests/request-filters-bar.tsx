import { usePlanList } from "../../api/plans.ts";
import { Button } from "../../parts/button.tsx";
import { Filter } from "../../parts/fields.tsx";
import { ages, type Filters, isNarrowed } from "./request-filters.ts";

/** Filters by plan, API and age, and the order. */
export function RequestFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const plans = usePlanList();
  const apis = new Map(
    plans.flatMap((plan) =>
      plan.apiIds.map((id, index): [string, string] => [id, plan.apiNames[index] ?? id])
    ),
  );
  const byName = (a: { text: string }, b: { text: string }) => a.text.localeCompare(b.text);
  return (
    <>
      {plans.length > 0 && (
        <>
          <Filter
            label="API"
            value={filters.api}
            options={[
              { value: "", text: "Any API" },
              ...[...apis].map(([value, text]) => ({ value, text })).sort(byName),
            ]}
            onChange={(api) => onChange({ api })}
          />
          <Filter
            label="Plan"
            value={filters.plan}
            options={[
              { value: "", text: "Any plan" },
              ...plans.map(({ id, name }) => ({ value: id, text: name })).sort(byName),
            ]}
            onChange={(plan) => onChange({ plan })}
          />
        </>
      )}
      <Filter
        label="Age"
        value={filters.age}
        options={ages}
        onChange={(age) => onChange({ age })}
      />
      <Filter
        label="Order"
        value={filters.sort === "oldest" ? "oldest" : ""}
        options={[{ value: "", text: "Newest first" }, { value: "oldest", text: "Oldest first" }]}
        onChange={(sort) => onChange({ sort })}
      />
      {isNarrowed(filters) && (
        <Button
          kind="quiet"
          onClick={() => onChange({ q: "", plan: "", api: "", age: "" })}
        >
          Clear filters
        </Button>
      )}
    </>
  );
}
