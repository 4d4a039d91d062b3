import { useState } from "preact/hooks";
import { api, wordsOf } from "../../api/client.ts";
import { countSelection } from "../../api/job-endpoints.ts";
import type { JobFilter } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { announce } from "../../parts/announcer.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.ts";
import { Button } from "../../parts/button.tsx";
import type { Key } from "../../parts/keys/key.ts";
import { toast } from "../../parts/toasts.tsx";
import type { BulkAct } from "./bulk-dialog.tsx";

const acts: readonly { act: BulkAct; text: string; isDanger?: true }[] = [
  { act: "suspend", text: "Suspend…" },
  { act: "resume", text: "Resume…" },
  { act: "rotate", text: "Rotate…" },
  { act: "plans", text: "Plans…" },
  { act: "end", text: "End…" },
  { act: "tags", text: "Tags…" },
  { act: "revoke", text: "Revoke…", isDanger: true },
];

/** What can be done to the selected keys; stands in the place of the filters. */
export default function BulkBar({ filter, selection, onAct }: {
  filter: Omit<JobFilter, "asked_before">;
  selection: BulkSelection<Key>;
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
    <div class="bulk" role="group" aria-label="Selected keys">
      <span class="bulk-count" role="status">
        {matching
          ? `All ${grouped(matching.total)}${matching.complete ? "" : " or more"} that match`
          : `${grouped(rows.length)} selected`}
      </span>
      {acts.map(({ act, text, isDanger }) => (
        <Button
          key={act}
          kind={isDanger ? "danger" : "plain"}
          onClick={() => onAct(act)}
        >
          {text}
        </Button>
      ))}
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

/** Selects all keys that the filters let through by now, and says how many. */
export async function selectMatching(
  filter: Omit<JobFilter, "asked_before">,
  selection: BulkSelection<Key>,
): Promise<void> {
  try {
    // Any key may be tagged: this counts all that match. What can be done to them comes after.
    const query = { ...filter, kind: "tag_keys" } as const;
    const { asked_before, ...counted } = await api.call(countSelection, { query });
    selection.selectMatching({ ...counted, filter: { ...filter, asked_before } });
    announce(`All ${grouped(counted.total)} that match are selected`);
  } catch (error) {
    toast({ text: wordsOf(error), kind: "bad" });
  }
}
