import type { JobFilter } from "../../api/jobs.ts";
import { selectAllOf, SelectionBar } from "../../parts/bulk-bar.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import { Button } from "../../parts/button.tsx";
import type { Key } from "../../parts/keys/key.ts";
import type { BulkAct } from "./bulk-dialog.tsx";

const acts: readonly { act: BulkAct; text: string; isDanger?: true }[] = [
  { act: "suspend", text: "Suspend…" },
  { act: "resume", text: "Resume…" },
  { act: "rotate", text: "Rotate…" },
  { act: "plans", text: "Plans…" },
  { act: "end", text: "Expiry…" },
  { act: "tags", text: "Tags…" },
  { act: "revoke", text: "Revoke…", isDanger: true },
];

/** The actions on the selected keys; replaces the filters. */
export default function BulkBar({ filter, selection, onAct }: {
  filter: JobFilter;
  selection: BulkSelection<Key>;
  onAct: (act: BulkAct) => void;
}) {
  return (
    <SelectionBar
      label="Selected keys"
      selection={selection}
      onSelectAll={() => selectMatching(filter, selection)}
    >
      {acts.map(({ act, text, isDanger }) => (
        <Button
          key={act}
          kind={isDanger ? "danger" : "plain"}
          onClick={() => onAct(act)}
        >
          {text}
        </Button>
      ))}
    </SelectionBar>
  );
}

/** Selects all keys that the filters let through by now, and says how many. */
export const selectMatching = selectAllOf("tag_keys");
