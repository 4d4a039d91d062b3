import { useState } from "preact/hooks";
import { keep, kept } from "../api/kept.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { SPREADSHEETS } from "./export-link.tsx";
import { CheckField } from "./fields.tsx";

/** Whether a CSV file is for a spreadsheet, and the file. */
export default function ExportFile({ of: path, query, onClose }: {
  of: string;
  query: URLSearchParams;
  onClose: () => void;
}) {
  const [mark, setMark] = useState(kept(SPREADSHEETS) === "true");
  const asked = new URLSearchParams(query);
  if (mark) asked.set("bom", "true");
  return (
    <Dialog title="Export as CSV" onClose={onClose}>
      <CheckField
        label="For Excel"
        hint="A byte-order mark at its beginning makes Excel read the file as UTF-8. Leave it out for scripts."
        checked={mark}
        onChange={(checked) => {
          keep(SPREADSHEETS, String(checked));
          setMark(checked);
        }}
      />
      <DialogButtons>
        <Button kind="quiet" onClick={onClose}>Cancel</Button>
        <a
          class="button is-primary"
          href={asked.size > 0 ? `${path}?${asked}` : path}
          download
          onClick={() => setTimeout(onClose)}
        >
          Download
        </a>
      </DialogButtons>
    </Dialog>
  );
}
