import { useState } from "preact/hooks";
import { LabelFields } from "./fields.tsx";
import { NO_LABELS, sentOf } from "./labels.ts";

/** Name and tags of a key that is about to be issued, folded: most go without. */
export default function LabelFold({ onChange }: {
  /** Called with what calls take. */
  onChange: (labels: ReturnType<typeof sentOf>) => void;
}) {
  const [draft, setDraft] = useState(NO_LABELS);
  return (
    <details class="label-fold">
      <summary>Name and tags</summary>
      <div class="label-fields">
        <LabelFields
          draft={draft}
          set={(change) => {
            const next = { ...draft, ...change };
            setDraft(next);
            onChange(sentOf(next));
          }}
          errors={{}}
        />
      </div>
    </details>
  );
}
