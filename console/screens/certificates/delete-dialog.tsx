import { api } from "../../api/client.ts";
import { deleteCertificate, getCertificate } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { CheckField } from "../../parts/fields.tsx";
import { useField } from "../../parts/use-field.ts";
import { say } from "../../said.ts";
import { useIssued } from "./certificate-drawer.tsx";
import { nameOf } from "./certificate.ts";
import { Missed } from "./uses.tsx";

/**
 * Deletes a certificate, after saying what goes with it and what depends on it. Only what was
 * looked at is deleted.
 */
export function DeleteDialog({ of: { id, name }, onDeleted, onClose }: {
  of: { id: string; name: string };
  onDeleted: () => void;
  onClose: () => void;
}) {
  const certificate = useCall(["certificates", "one", id], getCertificate, { params: { id } }).data;
  const issued = useIssued(id);
  const hasCopy = useField(false);
  const known = certificate !== undefined;
  return (
    <Confirm
      title={say`Delete ${name}?`}
      note="It is gone for good. To have it back, upload it again."
      action="Delete for good"
      danger
      onClose={onClose}
      onConfirm={async () => {
        if (!known) return false;
        if (certificate.has_private && !hasCopy.value) {
          return hasCopy.refuse("The private key is nowhere else in Keydesk. Tick the box first.");
        }
        const headers = { "if-match": `"${certificate.revision}"` };
        await api.call(deleteCertificate, { params: { id }, headers });
        onDeleted();
      }}
    >
      <Missed id={id} />
      {issued && issued.data.length > 0 && (
        <div class="notice is-warning">
          <div>
            <p>
              {issued.next_cursor !== null
                ? `More than ${issued.data.length} certificates name`
                : issued.data.length === 1
                ? "One certificate names"
                : `${issued.data.length} certificates name`}{" "}
              it as the issuer. They stay, without their authority:
            </p>
            <ul class="depends">
              {issued.data.map((one) => <li key={one.id}>{nameOf(one)}</li>)}
            </ul>
          </div>
        </div>
      )}
      {issued && issued.data.length === 0 && certificate?.is_ca && (
        <p class="notice">No certificate in Keydesk names it as its issuer.</p>
      )}
      {certificate?.has_private && (
        <>
          <CheckField
            label="Its private key may go too"
            hint="It can't be downloaded from Keydesk. Keep a copy before you delete it."
            checked={hasCopy.value}
            onChange={hasCopy.set}
          />
          <p class="field-error" role="alert">{hasCopy.error}</p>
        </>
      )}
    </Confirm>
  );
}
