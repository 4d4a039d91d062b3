import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { setKeyExpiry } from "../../api/endpoints.ts";
import { Confirm } from "../confirm.tsx";
import { CheckField, TextField } from "../fields.tsx";
import { toast } from "../toasts.tsx";
import { typed, useField } from "../use-field.ts";
import { type Key, ownerOf } from "./key.ts";
import { IN_ZONE } from "../zone.ts";

/** Sets when a key ends. */
export function ExpiryDialog({ of: key, onChanged, onClose }: {
  of: Key;
  onChanged: (key: Key) => void;
  onClose: () => void;
}) {
  const [never, setNever] = useState(key.expires_at === null);
  const at = useField(key.expires_at === null ? "" : localTime(key.expires_at));
  return (
    <Confirm
      title="When does this key expire?"
      note={
        <>
          <code>{key.mask}</code> of{" "}
          {ownerOf(key)}. A later expiry makes an expired key valid again.
        </>
      }
      action="Save"
      onClose={onClose}
      onConfirm={async () => {
        const end = new Date(at.value);
        if (!never && !(end.getTime() > Date.now())) {
          return at.refuse("Choose a time to come. To stop it now, revoke it.");
        }
        const body = never ? {} : { expires_at: end.toISOString() };
        onChanged(await api.call(setKeyExpiry, { params: { key_id: key.key_id }, body }));
        toast({ text: never ? "The key does not expire." : "The key has its new expiry." });
      }}
    >
      {key.replaced_by === null && <CheckField label="Never" checked={never} onChange={setNever} />}
      {!never && (
        <TextField
          label="Expires"
          hint={IN_ZONE}
          type="datetime-local"
          {...typed(at)}
        />
      )}
    </Confirm>
  );
}

/** A time as the field takes it: minutes, in the zone of whoever looks. */
function localTime(at: string): string {
  const date = new Date(at);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
