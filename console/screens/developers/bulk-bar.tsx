import type { JobFilter } from "../../api/jobs.ts";
import { selectAllOf, SelectionBar } from "../../parts/bulk-bar.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import { Button } from "../../parts/button.tsx";
import type { BulkAct } from "./bulk-dialog.tsx";
import type { DeveloperRow } from "./developer.ts";

/** The actions on the selected developers; replaces the filters. */
export default function BulkBar({ filter, selection, onAct }: {
  filter: JobFilter;
  selection: BulkSelection<DeveloperRow>;
  onAct: (act: BulkAct) => void;
}) {
  return (
    <SelectionBar
      label="Selected developers"
      selection={selection}
      onSelectAll={() => selectMatching(filter, selection)}
    >
      <Button onClick={() => onAct("deactivate")}>Deactivate…</Button>
      <Button onClick={() => onAct("reactivate")}>Reactivate…</Button>
      <Button onClick={() => onAct("tags")}>Tags…</Button>
    </SelectionBar>
  );
}

/** Selects all developers that the filters let through by now, and says how many. */
export const selectMatching = selectAllOf("tag_developers");
