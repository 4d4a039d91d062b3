import { useState } from "preact/hooks";
import { api, wordsOf } from "../../api/client.ts";
import { countSelection } from "../../api/job-endpoints.ts";
import type { JobFilter } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { announce } from "../../parts/announcer.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.ts";
import { Button } from "../../parts/button.tsx";
import { toast } from "../../parts/toasts.tsx";
import type { BulkAct } from "./bulk-dialog.tsx";
import type { DeveloperRow } from "./developer.ts";

/** What can be done to the selected developers; stands in the place of the filters. */
export default function BulkBar({ filter, selection, onAct }: {
  filter: Omit<JobFilter, "asked_before">;
  selection: BulkSelection<DeveloperRow>;
  onAct: (act: BulkAct) => void;
}) {
  const [busy, setBusy] = useState(false);
  const { matching, rows, loaded } = selection;
  const selectAll = async () => {
    setBusy(true);
    await selectMatching(filter, selection);
    setBusy(false);
  };
  return (
    <div class="bulk" role="group" aria-label="Selected developers">
      <span class="bulk-count" role="status">
        {matching
          ? `All ${grouped(matching.total)}${matching.complete ? "" : " or more"} that match`
          : `${grouped(rows.length)} selected`}
      </span>
      <Button onClick={() => onAct("deactivate")}>Deactivate…</Button>
      <Button onClick={() => onAct("reactivate")}>Reactivate…</Button>
      {(matching || rows.length < loaded) && (
        <Button onClick={selection.selectLoaded}>
          {matching ? "Only" : "Select"} the {grouped(loaded)} loaded
        </Button>
      )}
      {!matching && (selection.isMore || rows.length < loaded) && (
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

/** Selects all developers that the filters let through by now, and says how many. */
export async function selectMatching(
  filter: Omit<JobFilter, "asked_before">,
  selection: BulkSelection<DeveloperRow>,
): Promise<void> {
  try {
    // Each is active or inactive: those of one kind and of the other, at one moment, are all.
    const count = (kind: `${BulkAct}_developers`, asked_before?: string) =>
      api.call(countSelection, { query: { ...filter, kind, asked_before } });
    const { asked_before, ...active } = await count("deactivate_developers");
    const inactive = await count("reactivate_developers", asked_before);
    const total = active.total + inactive.total;
    selection.selectMatching({
      ...active,
      total,
      complete: active.complete && inactive.complete,
      filter: { ...filter, asked_before },
    });
    announce(`All ${grouped(total)} that match are selected`);
  } catch (error) {
    toast({ text: wordsOf(error), kind: "bad" });
  }
}
