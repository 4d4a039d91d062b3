import { api } from "../../api/client.ts";
import type { JobFilter } from "../../api/jobs.ts";
import { countSelection } from "../../api/job-endpoints.ts";
import { selectAllOf, SelectionBar } from "../../parts/bulk-bar.tsx";
import { Button } from "../../parts/button.tsx";
import { type Filters, isOfJobs, queryOf } from "./request-filters.ts";
import type { BulkSelection, Matching } from "../../parts/bulk-selection.ts";
import type { RequestRow } from "./request.ts";

/** What can be done to the selected ones; stands in the place of the filters. */
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
      onSelectAll={isOfJobs(filters) ? () => selectMatching(filters, selection) : undefined}
    >
      <Button kind="primary" shortcut="A" onClick={onApprove}>Approve</Button>
      <Button kind="danger" shortcut="D" onClick={onDecline}>Decline</Button>
      <Button onClick={onAssign}>Assign…</Button>
    </SelectionBar>
  );
}

/** Selects all pending requests that the filters let through, and says how many. */
export async function selectMatching(
  filters: Filters,
  selection: BulkSelection<RequestRow>,
): Promise<void> {
  await selectAllOf(selection, () => countMatching(filters));
}

/**
 * How many pending requests the filters let through by now, and the moment that makes them stay the
 * same.
 */
async function countMatching(filters: Filters): Promise<Matching> {
  // as: the texts of a query are texts.
  const { q, plan, api: ofApi, assignee, late, waits_for, asked_after, asked_before: until } =
    queryOf(
      filters,
      undefined,
    ) as JobFilter & { api?: string };
  const filter = {
    q,
    plan,
    api: ofApi,
    assignee,
    late,
    waits_for,
    asked_after,
    asked_before: until,
  };
  const query = { kind: "approve", ...filter } as const;
  const { asked_before, ...counted } = await api.call(countSelection, { query });
  return { ...counted, filter: { ...filter, asked_before } };
}
