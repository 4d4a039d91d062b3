import { useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getDeveloper, setDeveloperTags } from "../../api/endpoints.ts";
import { saveUnlessChanged } from "../../parts/conflict.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed } from "../../said.ts";
import { type DeveloperDetail, forgetDevelopers, nameOf } from "./developer.ts";
import { TagsField, tagsOf } from "./tags-field.tsx";

/** Files a developer under other tags. */
export default function TagsDialog({ developer, onSaved, onClose }: {
  developer: DeveloperDetail;
  onSaved: (developer: DeveloperDetail) => void;
  onClose: () => void;
}) {
  const seen = useRef(developer.revision);
  const params = { id: developer.id };
  return (
    <FormDialog
      name={`tags ${developer.id}`}
      title="Tags"
      note={`Of ${listed([nameOf(developer)])}.`}
      action="Save"
      initial={draftOf(developer)}
      onSave={async ({ tags }) => {
        const saved = await saveUnlessChanged(
          developer.id,
          () =>
            api.call(setDeveloperTags, {
              params,
              body: { tags: tagsOf(tags) },
              headers: { "if-match": `"${seen.current}"` },
            }),
          async () => {
            const now = await api.call(getDeveloper, { params });
            seen.current = now.revision;
            return draftOf(now);
          },
        );
        onSaved(saved);
        forgetDevelopers();
        toast({ text: "Tags are saved." });
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => (
        <TagsField
          value={draft.tags}
          error={errors["tags"]}
          onInput={(tags) => set({ tags })}
        />
      )}
    />
  );
}

function draftOf({ tags }: DeveloperDetail) {
  return { tags: tags.join(", ") };
}
