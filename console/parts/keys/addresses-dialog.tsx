import { api } from "../../api/client.ts";
import { setKeyAddresses } from "../../api/endpoints.ts";
import { LinkButton } from "../button.tsx";
import { Confirm } from "../confirm.tsx";
import { TextField } from "../fields.tsx";
import { toast } from "../toasts.tsx";
import { typed, useField } from "../use-field.ts";
import { type Key, ownerOf } from "./key.ts";

/** Sets from where a key opens that opens from some addresses alone. */
export function AddressesDialog({ of: key, seen, onChanged, onClose }: {
  of: Key;
  /** The network of a visitor who was refused: one press adds it. */
  seen?: string | undefined;
  onChanged: (key: Key) => void;
  onClose: () => void;
}) {
  const text = useField(key.conditions?.addresses?.join("\n") ?? "");
  const addresses = text.value.split(/[\s,]+/).filter((one) => one !== "");
  return (
    <Confirm
      title="From where is this key valid?"
      note={
        <>
          <code>{key.mask}</code> of {ownerOf(key)}, within a second.
        </>
      }
      action="Save addresses"
      onClose={onClose}
      onConfirm={async () => {
        if (addresses.length === 0) {
          return text.refuse(
            "A key that is valid from nowhere is of no use. To stop it, suspend it.",
          );
        }
        const call = { params: { key_id: key.key_id }, body: { addresses } };
        onChanged(await api.call(setKeyAddresses, call));
        toast({ text: "The key has its new addresses." });
      }}
    >
      <TextField
        label="Addresses and networks"
        hint="One a line, such as 192.0.2.0/24."
        rows={5}
        {...typed(text)}
      />
      {seen !== undefined && !addresses.includes(seen) && (
        <p>
          A call from <code>{seen}</code> was denied.{" "}
          <LinkButton onClick={() => text.set(`${text.value.trimEnd()}\n${seen}`.trimStart())}>
            Add it
          </LinkButton>
        </p>
      )}
    </Confirm>
  );
}
