import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { chooseSpreadsheets, isForSpreadsheets } from "./csv-mark.ts";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { CheckField } from "./fields.tsx";

/** Whether a CSV file is for a spreadsheet, and the file. */
export default function ExportFile({ of: path, query, onClose }: {
  of: string;
  query: URLSearchParams;
  onClose: () => void;
}) {
  const [mark, setMark] = useState(isForSpreadsheets);
  const asked = new URLSearchParams(query);
  if (mark) asked.set("bom", "true");
  return (
    <Dialog title="Export as CSV" onClose={onClose}>
      <CheckField
        label="For Excel"
        hint="A byte-order mark at its beginning makes Excel read the file as UTF-8. Leave it out for scripts."
        checked={mark}
        onChange={(checked) => {
          chooseSpreadsheets(checked);
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
