import { useState } from "preact/hooks";
import { api, wordsOf } from "../../api/client.ts";
import type { JobFilter } from "../../api/jobs.ts";
import { countSelection } from "../../api/job-endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { toast } from "../../parts/toasts.tsx";
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
  const [busy, setBusy] = useState(false);
  const { matching, rows, loaded } = selection;
  const selectAll = async () => {
    setBusy(true);
    await selectMatching(filters, selection);
    setBusy(false);
  };
  return (
    <div class="bulk" role="group" aria-label="Selected requests">
      <span class="bulk-count" role="status">
        {matching
          ? `All ${grouped(matching.total)}${matching.complete ? "" : " or more"} that match`
          : `${grouped(rows.length)} selected`}
      </span>
      <Button kind="primary" shortcut="A" onClick={onApprove}>Approve</Button>
      <Button kind="danger" shortcut="D" onClick={onDecline}>Decline</Button>
      <Button onClick={onAssign}>Assign…</Button>
      {(matching || rows.length < loaded) && (
        <Button onClick={selection.selectLoaded}>
          {matching ? "Only" : "Select"} the {grouped(loaded)} loaded
        </Button>
      )}
      {!matching && isOfJobs(filters) && (selection.isMore || rows.length < loaded) && (
        <Button
          shortcut="M"
          busy={busy}
          onClick={() => void selectAll()}
        >
          Select all that match
        </Button>
      )}
      <Button kind="quiet" onClick={selection.clear}>Clear</Button>
    </div>
  );
}

/** Selects all pending requests that the filters let through, and says how many. */
export async function selectMatching(
  filters: Filters,
  selection: BulkSelection<RequestRow>,
): Promise<void> {
  try {
    const all = await countMatching(filters);
    selection.selectMatching(all);
    announce(`All ${grouped(all.total)} that match are selected`);
  } catch (error) {
    toast({ text: wordsOf(error), kind: "bad" });
  }
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
