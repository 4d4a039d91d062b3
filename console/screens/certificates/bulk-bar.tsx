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
import type { CertificateRow } from "./certificate.ts";

const acts: readonly { act: BulkAct; text: string }[] = [
  { act: "owner", text: "Owner…" },
  { act: "no_owner", text: "No owner…" },
  { act: "mute", text: "Mute…" },
  { act: "unmute", text: "Unmute…" },
];

/** What can be done to the selected certificates; stands in the place of the filters. */
export default function BulkBar({ filter, selection, onAct }: {
  filter: Omit<JobFilter, "asked_before">;
  selection: BulkSelection<CertificateRow>;
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
    <div class="bulk" role="group" aria-label="Selected certificates">
      <span class="bulk-count" role="status">
        {matching
          ? `All ${grouped(matching.total)}${matching.complete ? "" : " or more"} that match`
          : `${grouped(rows.length)} selected`}
      </span>
      {acts.map(({ act, text }) => <Button key={act} onClick={() => onAct(act)}>{text}</Button>)}
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

/** Selects all certificates that the filters let through by now, and says how many. */
export async function selectMatching(
  filter: Omit<JobFilter, "asked_before">,
  selection: BulkSelection<CertificateRow>,
): Promise<void> {
  try {
    // Any may get an owner: this counts all that match. What can be done to them comes after.
    const query = { ...filter, kind: "set_certificate_owner" } as const;
    const { asked_before, ...counted } = await api.call(countSelection, { query });
    selection.selectMatching({ ...counted, filter: { ...filter, asked_before } });
    announce(`All ${grouped(counted.total)} that match are selected`);
  } catch (error) {
    toast({ text: wordsOf(error), kind: "bad" });
  }
}
