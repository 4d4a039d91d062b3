import type { z } from "zod";
import type { key as keySchema } from "../../../src/features/keys/keys.contract.ts";
import { useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getKey, setKeyLabels } from "../../api/endpoints.ts";
import { saveUnlessChanged } from "../conflict.ts";
import { FormDialog } from "../form-dialog.tsx";
import { toast } from "../toasts.tsx";
import { LabelFields } from "./fields.tsx";
import { draftOf, sentOf } from "./labels.ts";

type Key = z.output<typeof keySchema>;

/** Changes what a key is called and filed under. */
export default function LabelDialog({ of: key, onChanged, onClose }: {
  of: Key;
  onChanged: (key: Key) => void;
  onClose: () => void;
}) {
  const seen = useRef(key.revision);
  const params = { key_id: key.key_id };
  return (
    <FormDialog
      name={`labels ${key.key_id}`}
      title="Name and tags"
      note={
        <>
          Of <code>{key.mask}</code>. The APIs it is valid for stay the same.
        </>
      }
      action="Save"
      initial={draftOf(key)}
      onSave={async (draft) => {
        const saved = await saveUnlessChanged(
          key.key_id,
          () =>
            api.call(setKeyLabels, {
              params,
              body: sentOf(draft),
              headers: { "if-match": `"${seen.current}"` },
            }),
          async () => {
            const now = await api.call(getKey, { params });
            seen.current = now.revision;
            return draftOf(now);
          },
        );
        onChanged(saved);
        toast({ text: "Name and tags are saved." });
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => <LabelFields draft={draft} set={set} errors={errors} />}
    />
  );
}
