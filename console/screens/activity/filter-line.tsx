import { api } from "../../api/client.ts";
import { listPeople } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Filter } from "../../parts/fields.tsx";
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
    { value: "", text: "Anybody" },
    ...people.map(({ id, name }) => ({ value: id, text: name })),
    { value: "operator", text: "The operator" },
    { value: "unknown", text: "Somebody unknown" },
  ];
  const actions = actionsOf(filters.object);
  return (
    <>
      <Filter
        label="Who"
        value={filters.actor}
        options={withChosen(who, filters.actor)}
        onChange={(actor) => onChange({ actor })}
      />
      <Filter
        label="About what"
        value={filters.object}
        options={withChosen([
          { value: "", text: "Everything" },
          ...Object.entries(kinds).map(([value, { plural }]) => ({ value, text: plural })),
        ], filters.object)}
        onChange={(object) => onChange({ object, action: "" })}
      />
      {(actions.length > 0 || filters.action !== "") && (
        <Filter
          label="What was done"
          value={filters.action}
          options={withChosen(
            [{ value: "", text: "Whatever was done" }, ...actions],
            filters.action,
          )}
          onChange={(action) => onChange({ action })}
        />
      )}
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

/** What the address says is always among the choices. */
function withChosen(options: { value: string; text: string }[], chosen: string) {
  return options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, text: chosen }];
}
