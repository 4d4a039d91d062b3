import { Buffer } from "node:buffer";
import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Connection } from "../../storage/storage.ts";
import { fingerprintOf, isAuthority } from "./certificate.ts";
import { alternativeNames, namedBy } from "./certificate-names.ts";
import { findSaid, findWithFile, renewalsOf } from "./certificate-renewals.store.ts";
import { sayRenewal } from "./certificate-renewals.transactions.ts";
import { findCertificate } from "./certificates.store.ts";
import { secondAt } from "./selection.ts";
import type { renewalFacts } from "./v1.contract.ts";

/** How a certificate renews another. */
type RenewalFacts = z.output<typeof renewalFacts>;

/** How one renews the other, both by their fingerprints; null where one of them is gone. */
async function renewalFactsOf(
  db: Connection,
  org_id: string,
  { fingerprint, renewal }: { fingerprint: string; renewal: string },
): Promise<RenewalFacts | null> {
  const before = await findWithFile(db, { org_id, fingerprint });
  const after = await findWithFile(db, { org_id, fingerprint: renewal });
  if (!before || !after) return null;
  const said = await findSaid(db, { org_id, fingerprint, renewal });
  const [old, fresh] = [namedBy(before), namedBy(after)];
  const known = new Set(alternativeNames(old));
  const isAuthority = old.is_ca && fresh.is_ca;
  return {
    by_hand: Number(said) === 1,
    added_names: isAuthority ? [] : alternativeNames(fresh).filter((name) => !known.has(name))
      .map((name) => name.slice(name.indexOf(":") + 1)),
    new_key: await publicKeyOf(before.certificate) !== await publicKeyOf(after.certificate),
  };
}

/** The renewal of a certificate, and its description. Throws `certificate_not_found`. */
export async function renewalOf(
  ctx: RequestContext,
  id: string,
): Promise<{ renewed_by: string | null; renewal: RenewalFacts | null; says: string }> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const fingerprint = fingerprintOf(org_id, id);
  const row = fingerprint && await findCertificate(reader, { org_id, fingerprint });
  if (!row) throw new Failure("certificate_not_found");
  const now = secondAt(clock.now());
  const found = (await renewalsOf(reader, { org_id, now }, [row.fingerprint]))
    .get(row.fingerprint);
  if (found === undefined) return { renewed_by: null, renewal: null, says: "" };
  const pair = { fingerprint: row.fingerprint, renewal: found };
  const renewal = await renewalFactsOf(reader, org_id, pair);
  const says = renewal ? saysOf(renewal, isAuthority(row.kind)) : "";
  return { renewed_by: org_id + found, renewal, says };
}

/** The description of a renewal; "": none. */
function saysOf({ by_hand, added_names, new_key }: RenewalFacts, is_ca: boolean): string {
  return [
    by_hand ? " A person said so." : "",
    is_ca && new_key ? " It has the same name and a new key." : "",
    added_names.length > 0 ? ` It adds names: ${added_names.slice(0, 10).join(", ")}.` : "",
  ].join("");
}

/** Base64 of the SubjectPublicKeyInfo of a certificate, which is given as base64 of its DER. */
async function publicKeyOf(certificate: string): Promise<string> {
  // Loaded where a renewal is shown: reading X.509 costs memory.
  const { isContext, parseAsn1, sequence, toDer } = await import("../../../packages/x509/asn1.ts");
  const members = sequence(sequence(parseAsn1(Buffer.from(certificate, "base64")))[0]);
  const key = members[isContext(members[0], 0) ? 6 : 5];
  return key ? Buffer.from(toDer(key)).toString("base64") : "";
}

/**
 * Notes what a person says of two certificates: that one renews the other, that it does not, or
 * nothing any more (null). Throws `certificate_not_found` and `invalid_input`.
 */
export async function setRenewal(
  ctx: RequestContext,
  id: string,
  { certificate, renews = null }: { certificate: string; renews?: boolean | null | undefined },
): Promise<void> {
  const { org_id } = ctx.principal;
  const fingerprint = fingerprintOf(org_id, id);
  if (fingerprint === undefined) throw new Failure("certificate_not_found");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const renewal = fingerprintOf(org_id, certificate) ?? "";
  await ctx.storage.commit(sayRenewal, { actor, fingerprint, renewal, renews });
}
