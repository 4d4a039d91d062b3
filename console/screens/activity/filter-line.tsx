import { api } from "../../api/client.ts";
import { listPeople } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { LinkButton } from "../../parts/button.tsx";
import { FilterLine } from "../../parts/filter-line.tsx";
import { TimeFilter } from "../../parts/time-filter.tsx";
import {
  filterNames,
  type Filters,
  isNarrowed,
  lastDays,
  noFilters,
  single,
} from "./activity-filters.ts";
import { kinds } from "./kinds.ts";
import { actionsOf } from "./words.ts";

/** The line of filters. */
export function ActivityFilters({ filters, onChange }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
}) {
  const people = useQuery({
    queryKey: ["people", "names"],
    queryFn: () => api.call(listPeople, { query: { limit: 100 } }),
    // Who audits need not administer.
    enabled: may("admin:read"),
    staleTime: 60_000,
  }).data?.data ?? [];
  const who = [
    ...people.map(({ id, name }) => ({ value: id, text: name })),
    { value: "operator", text: "The operator" },
    { value: "unknown", text: "Somebody unknown" },
  ];
  const objects = Object.entries(kinds).map(([value, { plural }]) => ({ value, text: plural }));
  return (
    <>
      <FilterLine
        filters={filters}
        onChange={onChange}
        of={[
          { of: "actor", label: "Who", any: "Anybody", options: who },
          {
            of: "object",
            label: "About what",
            any: "Everything",
            options: objects,
            change: (object) => ({ object, action: "" }),
          },
          {
            of: "action",
            label: "What was done",
            any: "Whatever was done",
            options: actionsOf(filters.object),
            isOptional: true,
          },
        ]}
      />
      <TimeFilter value={filters} onChange={onChange} />
      <span class="event-days" role="group" aria-label="One day">
        {lastDays(Date.now()).map(({ day, name, short }) => {
          const isIt = filters.time === "between" && filters.from === day && filters.to === day;
          return (
            <button
              key={day}
              type="button"
              class="event-day"
              aria-pressed={isIt}
              title={name}
              onClick={() =>
                onChange(
                  isIt ? { time: "", from: "", to: "" } : { time: "between", from: day, to: day },
                )}
            >
              {short}
            </button>
          );
        })}
      </span>
      {filterNames.map((name) =>
        name in single && filters[name] !== "" && (
          <button
            key={name}
            type="button"
            class="chip"
            onClick={() => onChange({ [name]: "" })}
          >
            {Reflect.get(single, name)} <span class="unseen">, show all</span>
            <span aria-hidden="true">×</span>
          </button>
        )
      )}
      {isNarrowed(filters) && <LinkButton onClick={() => onChange(noFilters)}>Clear</LinkButton>}
    </>
  );
}
