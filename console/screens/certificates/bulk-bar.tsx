import type { JobFilter } from "../../api/jobs.ts";
import { selectAllOf, SelectionBar } from "../../parts/bulk-bar.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import { Button } from "../../parts/button.tsx";
import type { BulkAct } from "./bulk-dialog.tsx";
import type { CertificateRow } from "./certificate.ts";

const acts: readonly { act: BulkAct; text: string }[] = [
  { act: "owner", text: "Owner…" },
  { act: "no_owner", text: "No owner…" },
  { act: "mute", text: "Mute…" },
  { act: "unmute", text: "Unmute…" },
];

/** The actions on the selected certificates; replaces the filters. */
export default function BulkBar({ filter, selection, onAct }: {
  filter: JobFilter;
  selection: BulkSelection<CertificateRow>;
  onAct: (act: BulkAct) => void;
}) {
  return (
    <SelectionBar
      label="Selected certificates"
      selection={selection}
      onSelectAll={() => selectMatching(filter, selection)}
    >
      {acts.map(({ act, text }) => <Button key={act} onClick={() => onAct(act)}>{text}</Button>)}
    </SelectionBar>
  );
}

/** Selects all certificates that the filters let through by now, and says how many. */
export const selectMatching = selectAllOf("set_certificate_owner");
