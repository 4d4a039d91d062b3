import type { Actor } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import { findMute, putMute } from "../../changes/alert-mutes.store.ts";
import { setCare } from "./certificate-care.store.ts";
import type { CertificateEntry } from "./certificate-entry.ts";
import { renewedOf } from "./certificate-renewals.store.ts";
import { secondAt } from "./selection.ts";
import { showCare } from "./stored-certificate.ts";

/**
 * Gives a certificate that was just added the owner, tags and mute of the one that it renews: of
 * several the one that ends last. Gives what the audit row says of it; undefined: it renews none
 * that has any.
 */
export async function takeOver(
  tx: Tx,
  { org_id, now }: Actor,
  { fingerprint, renewal_names: names, not_before, not_after }: CertificateEntry,
): Promise<Record<string, string> | undefined> {
  if (not_after <= secondAt(now) || not_after <= not_before) return undefined;
  const before = await renewedOf(tx, { org_id, fingerprint, names, not_after });
  if (!before) return undefined;
  const object_id = org_id + before.fingerprint;
  const { owner, tags } = showCare(before);
  const of = { org_id, object: "certificate" as const };
  const mute = await findMute(tx, { ...of, object_id, now: toTimestamp(now) });
  if (owner === "" && tags.length === 0 && !mute) return undefined;
  await setCare(tx, { org_id, fingerprint }, { owner, tags });
  if (mute) await putMute(tx, { ...of, object_id: org_id + fingerprint, ...mute });
  return {
    renews: object_id,
    owner,
    tags: tags.join(", "),
    muted_until: mute?.expires_at ?? "",
  };
}
