import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { isPublicKey } from "./certificate.ts";
import { dropOtherSaid, dropSaid, putSaid } from "./certificate-renewals.store.ts";
import { certificateNames } from "./certificate-title.ts";
import { allotPositions, lockCertificate } from "./certificates.store.ts";
import { secondAt } from "./selection.ts";
import { parseBasics } from "./stored-certificate.ts";

/**
 * Notes what a person says of two certificates; null: nothing any more. Throws
 * `certificate_not_found`, and `invalid_input` where the other can't renew it.
 */
export const sayRenewal = defineTransaction(
  "certificates.say-renewal",
  async (
    tx,
    input: { actor: Actor; fingerprint: string; renewal: string; renews: boolean | null },
  ) => {
    const { actor, fingerprint, renewal, renews } = input;
    const { org_id, now } = actor;
    // No certificate is removed meanwhile.
    await allotPositions(tx, org_id, 0);
    const known = await lockCertificate(tx, { org_id, fingerprint });
    if (!known) throw new Failure("certificate_not_found");
    const other = await lockCertificate(tx, { org_id, fingerprint: renewal });
    if (!other || renewal === fingerprint) throw wrong("expected the id of another certificate");
    const { not_before } = parseBasics(other);
    if (renews && (isPublicKey(known) || isPublicKey(other))) {
      throw wrong("a bare public key has no end, so nothing renews it and it renews nothing");
    }
    if (renews && other.not_after <= known.not_after) {
      throw wrong("expected a certificate that ends later");
    }
    if (renews && (other.not_after <= secondAt(now) || other.not_after <= not_before)) {
      throw wrong("expected a certificate that is valid or will be");
    }
    const pair = { org_id, fingerprint, renewal };
    if (renews === null) await dropSaid(tx, pair);
    else {
      const said = { said_by: actor.user_id, said_at: toTimestamp(now) };
      await putSaid(tx, { ...pair, renews: renews ? 1 : 0, ...said });
    }
    if (renews) await dropOtherSaid(tx, pair);
    await recordChange(tx, actor, {
      action: "certificate.updated",
      object_id: org_id + fingerprint,
      detail: { renewal: org_id + renewal, renews },
      names: certificateNames(known),
    });
    return null;
  },
);

function wrong(message: string): Failure {
  const whole = `certificate: ${message}`;
  return new Failure("invalid_input", { message: whole, details: [whole] });
}
