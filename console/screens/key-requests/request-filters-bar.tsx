import type { ComponentChildren } from "preact";
import { alphabetical } from "../../api/alphabetical.ts";
import { exportKeyRequests } from "../../api/endpoints.ts";
import { usePlanList } from "../../api/plans.ts";
import { known, may } from "../../api/session.ts";
import { beginWith } from "../../api/turn.ts";
import { Button } from "../../parts/button.tsx";
import { ExportButton } from "../../parts/export-button.tsx";
import { Filter } from "../../parts/fields.tsx";
import {
  ages,
  assignees,
  cleared,
  exportQueryOf,
  type Filters,
  isNarrowed,
  orderOf,
  ordersOf,
  tabOf,
  turnOf,
} from "./request-filters.ts";

const byText = (a: { text: string }, b: { text: string }) => alphabetical(a.text, b.text);

/** What leads to whose turn. Whoever has steps begins with what they chose last. */
function toTurn(turn: string, filters: Filters): Partial<Filters> {
  if (known()?.in_steps && (turn === "" || turn === "me")) {
    beginWith(turn || "all");
    return { turn: "" };
  }
  // One's own work is read oldest first, until another order is chosen.
  return turn === "mine" && orderOf(filters) === "" ? { turn, sort: "oldest" } : { turn };
}

/** Filters by plan, API and age, the order, and the whole of it as a file. */
export function RequestFilters({ filters, onChange, children }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
  /** What stands at its end. */
  children: ComponentChildren;
}) {
  const plans = usePlanList();
  const apis = new Map(
    plans.flatMap((plan) =>
      plan.apiIds.map((id, index): [string, string] => [id, plan.apiNames[index] ?? id])
    ),
  );
  return (
    <>
      {turnOf(filters) === "me" && known()?.in_steps
        ? (
          <button
            type="button"
            class="filter-chip"
            aria-label="Waits for me: show all instead"
            onClick={() => onChange(toTurn("", filters))}
          >
            Waits for me <span aria-hidden="true">×</span>
          </button>
        )
        : tabOf(filters) === "pending" && may("approve") && (
          <Filter
            label="Whose turn"
            value={turnOf(filters)}
            options={[
              { value: "", text: "Anybody's turn" },
              { value: "mine", text: "Mine or waits for me" },
              { value: "me", text: "Waits for me" },
              { value: "nobody", text: "Nobody can decide" },
            ]}
            onChange={(turn) => onChange(toTurn(turn, filters))}
          />
        )}
      <Filter
        label="API"
        isRead
        value={filters.api}
        options={[
          { value: "", text: "Any API" },
          ...[...apis].map(([value, text]) => ({ value, text })).sort(byText),
        ]}
        onChange={(api) => onChange({ api })}
      />
      <Filter
        label="Plan"
        isRead
        value={filters.plan}
        options={[
          { value: "", text: "Any plan" },
          ...plans.map(({ id, name }) => ({ value: id, text: name })).sort(byText),
        ]}
        onChange={(plan) => onChange({ plan })}
      />
      <Filter
        label="Assignee"
        value={filters.assignee}
        options={assignees}
        onChange={(assignee) => onChange({ assignee })}
      />
      <Filter
        label="Age"
        value={filters.age}
        options={ages}
        onChange={(age) => onChange({ age })}
      />
      <Filter
        label="Order"
        value={orderOf(filters)}
        options={ordersOf(filters)}
        onChange={(sort) => onChange({ sort })}
      />
      {isNarrowed(filters) && (
        <Button kind="quiet" onClick={() => onChange(cleared())}>
          Clear<span class="unseen">filters</span>
        </Button>
      )}
      {children}
      <ExportButton of={exportKeyRequests.path} query={exportQueryOf(filters)} />
    </>
  );
}
