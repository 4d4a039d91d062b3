import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { countSelection } from "../api/job-endpoints.ts";
import type { JobFilter } from "../api/jobs.ts";
import { grouped } from "../api/numbers.ts";
import { announce } from "./announcer.tsx";
import type { BulkKind } from "./bulk-confirm.tsx";
import type { BulkSelection } from "./bulk-selection.tsx";
import { Button } from "./button.tsx";
import { toastFailure } from "./toasts.tsx";

/** The bar of a selection with its actions; replaces the filters. */
export function SelectionBar<Row>({ label, selection, onSelectAll, children }: {
  label: string;
  selection: BulkSelection<Row>;
  /** Absent: all that match can't be selected. */
  onSelectAll?: (() => Promise<void>) | undefined;
  children: ComponentChildren;
}) {
  const [busy, setBusy] = useState(false);
  const { matching, rows, loaded } = selection;
  const selectAll = async () => {
    setBusy(true);
    await onSelectAll?.();
    setBusy(false);
  };
  return (
    <div class="bulk" role="group" aria-label={label}>
      <span class="bulk-count" role="status">
        {matching
          ? `All ${grouped(matching.total)}${matching.complete ? "" : " or more"} that match`
          : `${grouped(rows.length)} selected`}
      </span>
      {children}
      {(matching || rows.length < loaded) && (
        <Button onClick={selection.selectLoaded}>
          {matching ? "Only" : "Select"} the {grouped(loaded)} loaded
        </Button>
      )}
      {!matching && onSelectAll && (selection.isMore || rows.length < loaded) && (
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

/**
 * Selects all that match, as a job of this kind counts them now, and says how many. A kind that can
 * be done to any: what can be done to them comes after.
 */
export const selectAllOf =
  (kind: BulkKind) => async (filter: JobFilter, selection: Selecting): Promise<void> => {
    try {
      const query = { ...filter, kind } as const;
      const { created_before, ...counted } = await api.call(countSelection, { query });
      selection.selectMatching({ ...counted, filter: { ...filter, created_before } });
      announce(`All ${grouped(counted.total)} that match are selected`);
    } catch (error) {
      toastFailure(error);
    }
  };

type Selecting = Pick<BulkSelection<unknown>, "selectMatching">;
