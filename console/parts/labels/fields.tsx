import { useId } from "preact/hooks";
import { listed } from "../../said.ts";
import { fieldsOf } from "../form-fields.tsx";
import { type LabelDraft, useLabelsInUse } from "./labels.ts";

/** Name, environment, tags and note of a key. */
export function LabelFields({ draft, set, errors }: {
  draft: LabelDraft;
  set: (change: Partial<LabelDraft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const id = useId();
  const { environments, tags } = useLabelsInUse();
  return fieldsOf<LabelDraft>({ draft, set, errors }, [
    { of: "name", label: "Name", hint: "The developer sees it too.", maxLength: 100 },
    {
      of: "environment",
      label: "Environment",
      hint: "Such as production or test.",
      maxLength: 50,
      list: `${id}-environments`,
      autocomplete: "off",
    },
    <datalist key="environments" id={`${id}-environments`}>
      {environments.map((one) => <option key={one} value={one} />)}
    </datalist>,
    {
      of: "tags",
      label: "Tags",
      hint: tags.length === 0
        ? "Up to 10, with commas between."
        : `Up to 10, with commas between. In use: ${listed(tags.slice(0, 8))}.`,
    },
    {
      of: "note",
      label: "Note",
      hint: "For administrators. No developer sees it.",
      rows: 3,
      maxLength: 2000,
    },
  ]);
}
