import { useId } from "preact/hooks";
import { listed } from "../../said.ts";
import { TextField } from "../fields.tsx";
import { type LabelDraft, useLabelsInUse } from "./labels.ts";

/** Name, environment, tags and note of a key. */
export function LabelFields({ draft, set, errors }: {
  draft: LabelDraft;
  set: (change: Partial<LabelDraft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const id = useId();
  const { environments, tags } = useLabelsInUse();
  return (
    <>
      <TextField
        label="Name"
        hint="The developer sees it too."
        maxLength={100}
        error={errors["name"]}
        value={draft.name}
        onInput={(name) => set({ name })}
      />
      <TextField
        label="Environment"
        hint="Such as production or test."
        maxLength={50}
        list={`${id}-environments`}
        autocomplete="off"
        error={errors["environment"]}
        value={draft.environment}
        onInput={(environment) => set({ environment })}
      />
      <datalist id={`${id}-environments`}>
        {environments.map((one) => <option key={one} value={one} />)}
      </datalist>
      <TextField
        label="Tags"
        hint={tags.length === 0
          ? "Up to 10, with commas between."
          : `Up to 10, with commas between. In use: ${listed(tags.slice(0, 8))}.`}
        error={errors["tags"]}
        value={draft.tags}
        onInput={(text) => set({ tags: text })}
      />
      <TextField
        label="Note"
        hint="For administrators. No developer sees it."
        rows={3}
        maxLength={2000}
        error={errors["note"]}
        value={draft.note}
        onInput={(note) => set({ note })}
      />
    </>
  );
}
