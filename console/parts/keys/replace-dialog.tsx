import { useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { reissueKey, rotateKey } from "../../api/endpoints.ts";
import { Confirm } from "../confirm.tsx";
import { DeliveryChoice, useDelivery } from "../delivery.tsx";
import { SelectField } from "../fields.tsx";
import { useKeyEnd } from "../key-end.tsx";
import { exactTime } from "../time.tsx";
import { say } from "../../said.ts";
import { FreshKey } from "./fresh-key.tsx";
import { type Fresh, type Key, ownerOf } from "./key.ts";
import { ExpiryFacts } from "./key-expiry.tsx";

const overlaps = [
  { value: "86400", text: "1 day" },
  { value: "604800", text: "7 days" },
  { value: "2592000", text: "30 days" },
  { value: "3600", text: "1 hour" },
  { value: "0", text: "Not at all: it expires now" },
];

/**
 * Puts a fresh key instead of another: with an overlap, or because the first never arrived.
 */
export function ReplaceDialog({ of: key, how, onIssued, onClose }: {
  of: Key;
  how: "rotate" | "reissue";
  onIssued: (id: string) => void;
  onClose: () => void;
}) {
  const [overlap, setOverlap] = useState("86400");
  const [fresh, setFresh] = useState<Fresh>();
  // Another overlap or delivery is another decision; the same one again is the same.
  const [deliver, setDeliver] = useDelivery();
  const end = useKeyEnd("as above");
  const headers = useMemo(decisionKey, [overlap, deliver, end.text]);
  if (fresh) {
    const old = fresh.replaces.find(({ key_id }) => key_id === key.key_id)?.expires_at;
    return (
      <FreshKey
        title={say`A fresh key for ${ownerOf(key)}`}
        note={how === "rotate" && overlap !== "0" && old
          ? `The old one lives on until ${exactTime(old)}.`
          : "The old one is no longer valid."}
        fresh={fresh}
        to={ownerOf(key)}
        onDone={() => onIssued(fresh.key_id)}
      />
    );
  }
  const rotates = how === "rotate";
  return (
    <Confirm
      title={rotates ? "Rotate this key?" : "Issue this key anew?"}
      note={rotates
        ? (
          <>
            {ownerOf(key)} gets a fresh key for the same plans instead of <code>{key.mask}</code>.
          </>
        )
        : (
          <>
            For when the answer of the approval was lost. <code>{key.mask}</code>{" "}
            is revoked at once, and a fresh key takes its place.
          </>
        )}
      action={rotates ? "Rotate" : "Revoke & issue anew"}
      danger={!rotates}
      onClose={onClose}
      onConfirm={async () => {
        const ends = end.sent();
        if (!ends) return false;
        setFresh(
          rotates
            ? await api.call(rotateKey, {
              params: { key_id: key.key_id },
              body: { overlap_seconds: Number(overlap), deliver, ...ends },
              headers,
            })
            : await api.call(reissueKey, {
              params: { id: key.key_request_id ?? "" },
              query: { deliver },
              headers,
            }),
        );
        return false;
      }}
    >
      {rotates && (
        <SelectField
          label="The old key lives on for"
          hint="Time to bring the new one to wherever the old one is used."
          value={overlap}
          options={overlaps}
          onChange={setOverlap}
        />
      )}
      <ExpiryFacts keyId={key.key_id} after="rotation" />
      {rotates && end.field}
      <DeliveryChoice to={ownerOf(key)} value={deliver} onChange={setDeliver} />
    </Confirm>
  );
}
