import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { may } from "../../calls/principal.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Connection } from "../../storage/storage.ts";
import { rowsOf } from "../../storage/touched-rows.ts";
import { type Use, usedAmong } from "../certificates/used-among.service.ts";
import { calledBy } from "../certificates/certificate-title.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { cutsOf } from "../certificates/selection.ts";
import { type DueCertificate, dueCertificates } from "./expiries.store.ts";
import type { getExpiriesResponse } from "./insight.contract.ts";

type Due = NonNullable<z.output<typeof getExpiriesResponse>["certificates"]>["due"];

/** Those that are named. */
const NAMED = 4;

/**
 * The certificates of these kinds to renew: those that have expired, and those that expire within
 * 30 days; of both without those that have a longer-lived one of the same names.
 */
export async function dueOf(
  ctx: RequestContext,
  kinds: readonly number[],
  now: number,
): Promise<Due> {
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const { expired, soon } = await expiryOf(reader, org_id, kinds, now);
  const ended = await namedOf(ctx, expired);
  const next = [...ended, ...soon.map((one) => ({ ...one, used_by: null }))].slice(0, NAMED);
  return {
    ended: ended.length,
    expired: expired.length - ended.length,
    within_30_days: soon.length,
    next: await Promise.all(next.map(async ({ used_by, ...one }) => ({
      ...await namedCertificate(reader, org_id, one),
      used_by: used_by?.object === "key" && !may(principal, "portal:read")
        ? { ...used_by, id: "" }
        : used_by,
    }))),
  };
}

/** Of these kinds, what has expired, newest first, and what expires within 30 days. */
export async function expiryOf(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  time: number,
): Promise<{ expired: DueCertificate[]; soon: DueCertificate[] }> {
  const { ended: now, soon } = cutsOf(time);
  return {
    expired: await dueCertificates(db, org_id, kinds, { from: "", to: now, now }, true),
    soon: await dueCertificates(db, org_id, kinds, { from: now, to: soon, now }, false),
  };
}

/** A certificate by its name; "" where it has none, or is gone. */
export async function namedCertificate(
  db: Connection,
  org_id: string,
  { fingerprint, not_after }: DueCertificate,
): Promise<{ id: string; name: string; not_after: string }> {
  return {
    id: org_id + fingerprint,
    name: await nameOf(db, org_id, fingerprint),
    not_after,
  };
}

async function nameOf(db: Connection, org_id: string, fingerprint: string): Promise<string> {
  const row = await findCertificate(db, { org_id, fingerprint });
  return row === undefined ? "" : calledBy(row);
}

type Ended = DueCertificate & { used_by: Use };

/**
 * Of expired ones those that something names, by their end. Kept while nothing that may name one
 * has changed: finding it reads every plan.
 */
async function namedOf(
  ctx: RequestContext,
  expired: readonly DueCertificate[],
): Promise<readonly Ended[]> {
  const { storage: { changes }, principal: { org_id }, readCache } = ctx;
  if (expired.length === 0) return [];
  const make = async () => {
    const uses = await usedAmong(ctx, new Set(expired.map(({ fingerprint }) => fingerprint)));
    const answer = expired.flatMap((one) => {
      const used_by = uses.get(one.fingerprint);
      return used_by ? [{ ...one, used_by }] : [];
    }).reverse();
    const tables = ["plans", "catalogue_entries", "key_requests", "credentials"] as const;
    return { answer, parts: tables.flatMap((table) => rowsOf(table, org_id)) };
  };
  const moment = sha256(expired.map(({ fingerprint }) => fingerprint).join());
  return await readCache.get(`${org_id} certificates ended in use`, changes, make, moment);
}
