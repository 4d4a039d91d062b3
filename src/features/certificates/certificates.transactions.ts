import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordAlone, recordChange } from "../../changes/record-change.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { certificateNames } from "./certificate-title.ts";
import type { CertificateEntry } from "./certificate-entry.ts";
import { certificateRevision, kindOf, refusalOf, stateOf } from "./certificate.ts";
import {
  addChain,
  addPrivateKey,
  allotPositions,
  insertCertificate,
  lockCertificate,
  removeCertificate,
} from "./certificates.store.ts";
import { parseDetails, patchDetails, toCare } from "./stored-certificate.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { findMute, putMute } from "../../changes/alert-mutes.store.ts";
import { setCare } from "./certificate-care.store.ts";
import { renewedOf } from "./certificate-renewals.store.ts";
import { secondAt } from "./selection.ts";

/** The result for one certificate: `key_added` if it was known and had no private key before. */
export type Added = "added" | "key_added" | "exists";

/**
 * Adds certificates in their order, or a key to one that has none, with the chain where it stood
 * alone; with audit and outbox, or nothing at all. Throws `certificate_exists` where `refusesKnown`
 * and one of them changes nothing.
 */
export const addCertificates = defineTransaction(
  "certificates.add",
  async (
    tx,
    input: {
      actor: Actor;
      entries: readonly CertificateEntry[];
      refusesKnown?: boolean;
      /** False: no one hears of it but the audit log. */
      isLogged?: boolean;
      /** False: none takes over what the one that it renews has. */
      takesOver?: boolean;
      idempotency?: IdempotentCall | null;
    },
  ): Promise<Added[]> => {
    const { actor, entries, refusesKnown = false, isLogged = true, idempotency = null } = input;
    const { takesOver = true } = input;
    const record = isLogged ? recordChange : recordAlone;
    return await once(tx, idempotency, async () => {
      const results = await addEntries(tx, actor, entries, { record, takesOver });
      const known = refusesKnown ? entries[results.indexOf("exists")] : undefined;
      if (known) throw certificateExists(actor.org_id + known.fingerprint);
      return results;
    });
  },
);

/** Deletes a certificate with its key; `ifMatch` as ifMatchOf gives it. */
export const removeTransaction = defineTransaction(
  "certificates.remove",
  async (tx, input: { actor: Actor; fingerprint: string; ifMatch?: string[] | null }) => {
    const { actor, fingerprint, ifMatch = null } = input;
    await allotPositions(tx, actor.org_id, 0);
    const known = await lockCertificate(tx, { org_id: actor.org_id, fingerprint });
    if (known && ifMatch !== null) requireRevision(ifMatch, certificateRevision(known));
    if (!await removeCertificate(tx, actor.org_id, fingerprint)) {
      throw new Failure("certificate_not_removed");
    }
    await recordChange(tx, actor, {
      action: "certificate.deleted",
      object_id: actor.org_id + fingerprint,
      names: known && certificateNames(known),
    });
  },
);

async function addEntries(
  tx: Tx,
  actor: Actor,
  entries: readonly CertificateEntry[],
  { record, takesOver }: { record: typeof recordChange; takesOver: boolean },
): Promise<Added[]> {
  // First of all: who adds waits here for others who do, and then sees what they added.
  let position = await allotPositions(tx, actor.org_id, entries.length);
  const results: Added[] = [];
  for (const entry of entries) {
    const known = await lockCertificate(tx, {
      org_id: actor.org_id,
      fingerprint: entry.fingerprint,
    });
    if (known) {
      results.push(await addKeyTo(tx, actor, entry, known, record));
      continue;
    }
    const place = { position: position++, kind: kindOf(entry.private_key !== null, entry.is_ca) };
    await insertCertificate(tx, actor.org_id, sealed(tx.sealer, actor.org_id, entry), place);
    const detail = takesOver ? await takeOver(tx, actor, entry) : undefined;
    await record(tx, actor, {
      action: "certificate.added",
      object_id: actor.org_id + entry.fingerprint,
      detail,
      names: certificateNames(entry),
    });
    results.push("added");
  }
  return results;
}

function certificateExists(id: string): Failure {
  const message = `Could not create certificate. Certificate with ${id} ID already exists.`;
  return new Failure("certificate_exists", { message });
}

type Known = NonNullable<Awaited<ReturnType<typeof lockCertificate>>>;

async function addKeyTo(
  tx: Tx,
  actor: Actor,
  entry: CertificateEntry,
  known: Known,
  record: typeof recordChange,
): Promise<Added> {
  const { org_id } = actor;
  const { fingerprint } = entry;
  const { private_key } = sealed(tx.sealer, org_id, entry);
  if (private_key === null || refusalOf("addWithKey", stateOf(known))) return "exists";
  // The list has earlier additions of this transaction only at its end.
  await addPrivateKey(tx, { org_id, fingerprint }, known, private_key);
  const { chain_length } = parseDetails(entry);
  if (chain_length > 1 && parseDetails(known).chain_length === 1) {
    const details = patchDetails(known, { chain_length });
    await addChain(tx, { org_id, fingerprint }, entry.chain, details);
  }
  await record(tx, actor, {
    action: "certificate.key_added",
    object_id: actor.org_id + fingerprint,
    names: certificateNames(entry),
  });
  return "key_added";
}

function sealed(sealer: Sealer, org_id: string, entry: CertificateEntry): CertificateEntry {
  if (entry.private_key === null) return entry;
  const place = {
    table: "certificate_files",
    org_id,
    id: entry.fingerprint,
    column: "private_key",
  };
  return { ...entry, private_key: sealer.seal(place, entry.private_key) };
}

/**
 * Gives a certificate that was just added the owner, tags and mute of the one that it renews: of
 * several the one that ends last. Gives what the audit row says of it; undefined: it renews none
 * that has any.
 */
async function takeOver(
  tx: Tx,
  { org_id, now }: Actor,
  { fingerprint, renewal_names: names, not_before, not_after }: CertificateEntry,
): Promise<Record<string, string> | undefined> {
  if (not_after <= secondAt(now) || not_after <= not_before) return undefined;
  const before = await renewedOf(tx, { org_id, fingerprint, names, not_after });
  if (!before) return undefined;
  const object_id = org_id + before.fingerprint;
  const { owner, tags } = toCare(before);
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
