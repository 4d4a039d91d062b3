import type { ComponentChildren } from "preact";
import { exportKeyRequests } from "../../api/endpoints.ts";
import { known, mayYet } from "../../api/session.ts";
import { beginWith } from "../../api/turn.ts";
import { ExportButton } from "../../parts/export-button.tsx";
import { FilterChip, FilterLine, useApiFilter, usePlanFilter } from "../../parts/filter-line.tsx";
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

const turns = [
  { value: "", text: "Anybody's turn" },
  { value: "mine", text: "Mine or waits for me" },
  { value: "me", text: "Waits for me" },
  { value: "nobody", text: "No one can decide" },
];

/** The filters of a turn. A person with steps begins with their last choice. */
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
  /** The content at its end. */
  children: ComponentChildren;
}) {
  const turn = turnOf(filters);
  const isMine = turn === "me" && known()?.in_steps;
  return (
    <FilterLine
      filters={filters}
      onChange={onChange}
      cleared={isNarrowed(filters) && cleared()}
      of={[
        isMine
          ? (
            <FilterChip
              label="Waits for me: show all instead"
              onClear={() => onChange(toTurn("", filters))}
            >
              Waits for me
            </FilterChip>
          )
          : tabOf(filters) === "pending" && mayYet("approve") && {
            of: "turn",
            label: "Whose turn",
            value: turn,
            options: turns,
            change: (chosen) => toTurn(chosen, filters),
          },
        useApiFilter(),
        usePlanFilter(),
        { of: "assignee", label: "Assignee", options: assignees },
        { of: "age", label: "Age", options: ages },
        { of: "sort", label: "Order", value: orderOf(filters), options: ordersOf(filters) },
      ]}
    >
      {children}
      <ExportButton of={exportKeyRequests.path} query={exportQueryOf(filters)} />
    </FilterLine>
  );
}
