import { selectAllOf, SelectionBar } from "../../parts/bulk-bar.tsx";
import { Button } from "../../parts/button.tsx";
import { type Filters, isOfJobs, jobFilterOf } from "./request-filters.ts";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import type { RequestRow } from "./request.ts";

/** The actions on the selected requests; replaces the filters. */
export default function BulkBar({ filters, selection, onApprove, onDecline, onAssign }: {
  filters: Filters;
  selection: BulkSelection<RequestRow>;
  onApprove: () => void;
  onDecline: () => void;
  onAssign: () => void;
}) {
  return (
    <SelectionBar
      label="Selected requests"
      selection={selection}
      onSelectAll={isOfJobs(filters)
        ? () => selectMatching(jobFilterOf(filters), selection)
        : undefined}
    >
      <Button kind="primary" shortcut="A" onClick={onApprove}>Approve</Button>
      <Button kind="danger" shortcut="D" onClick={onDecline}>Decline</Button>
      <Button onClick={onAssign}>Assign…</Button>
    </SelectionBar>
  );
}

/** Selects all pending requests that the filters let through by now, and says how many. */
export const selectMatching = selectAllOf("approve");
