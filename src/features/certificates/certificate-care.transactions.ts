import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { nameSome, setCare } from "./certificate-care.store.ts";
import { certificateNames } from "./certificate-title.ts";
import { allotPositions, lockCertificate } from "./certificates.store.ts";
import {
  countRange,
  findMiscounted,
  findUncounted,
  forgetNames,
} from "./certificate-name-ranges.store.ts";
import type { StoredTexts } from "./stored-certificate.ts";

/**
 * Sets who cares for a certificate, and its tags, in place of those it had. Throws
 * `certificate_not_found`.
 */
export const changeCare = defineTransaction(
  "certificates.change-care",
  async (
    tx,
    input: { actor: Actor; fingerprint: string; owner: string; tags: readonly string[] },
  ) => {
    const { actor, fingerprint, owner, tags } = input;
    const known = await lockCertificate(tx, { org_id: actor.org_id, fingerprint });
    if (!known) throw new Failure("certificate_not_found");
    await changeLockedCare(tx, actor, { ...known, fingerprint }, { owner, tags });
    return null;
  },
);

/** Changes the owner and tags of a certificate that the transaction has locked. */
export async function changeLockedCare(
  tx: Tx,
  actor: Actor,
  { fingerprint, ...known }: StoredTexts & { fingerprint: string },
  { owner, tags }: { owner: string; tags: readonly string[] },
): Promise<void> {
  const { org_id } = actor;
  await setCare(tx, { org_id, fingerprint }, { owner, tags });
  await recordChange(tx, actor, {
    action: "certificate.updated",
    object_id: org_id + fingerprint,
    detail: { owner, tags: tags.join(", ") },
    names: certificateNames(known),
  });
}

/** Notes the names of some certificates that earlier code added; gives how many. */
export const nameCertificates = defineTransaction(
  "certificates.name",
  async (tx, _: null) => await nameSome(tx),
);

/**
 * Counts some certificates by name that earlier code did not count, or did not count right; gives
 * how many.
 */
export const countNames = defineTransaction(
  "certificates.count-names",
  async (tx, _: null): Promise<number> => {
    const waiting = await findUncounted(tx) ?? await findMiscounted(tx);
    if (!waiting) return 0;
    const { org_id } = waiting;
    await allotPositions(tx, org_id, 0);
    // Another process may have counted them while this one waited.
    const uncounted = await findUncounted(tx);
    if (uncounted?.org_id === org_id) {
      return await countRange(tx, { ...uncounted, position: Number(uncounted.position) });
    }
    if ((await findMiscounted(tx))?.org_id === org_id) await forgetNames(tx, org_id);
    return 0;
  },
);
