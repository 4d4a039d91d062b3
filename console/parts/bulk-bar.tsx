import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { wordsOf } from "../api/client.ts";
import { grouped } from "../api/numbers.ts";
import { announce } from "./announcer.tsx";
import type { BulkSelection, Matching } from "./bulk-selection.ts";
import { Button } from "./button.tsx";
import { toast } from "./toasts.tsx";

/** What is selected and can be done to it; stands in the place of the filters. */
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

/** Selects all that match, as they are counted now, and says how many. */
export async function selectAllOf<Row>(
  selection: BulkSelection<Row>,
  count: () => Promise<Matching>,
): Promise<void> {
  try {
    const all = await count();
    selection.selectMatching(all);
    announce(`All ${grouped(all.total)} that match are selected`);
  } catch (error) {
    toast({ text: wordsOf(error), kind: "bad" });
  }
}
