import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { listEntries } from "../catalogue/catalogue.store.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { findLiveKeysOfRequest } from "../credentials/credential-life.store.ts";
import { listApis } from "../key-data/list-apis.service.ts";
import type { apiList } from "../key-data/key-data.contract.ts";
import { requestsWithCertificate } from "../key-requests/requests-with-certificate.store.ts";
import { everyPlan } from "../plans/every-plan.store.ts";
import type { certificateUses } from "./certificate-uses.contract.ts";

type CertificateUses = z.output<typeof certificateUses>;

/** Keys that are told. */
const MOST_KEYS = 1000;

/** Throws `certificate_not_found`. */
export async function requireCertificate(ctx: RequestContext, id: string): Promise<void> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const fingerprint = fingerprintOf(org_id, id);
  const found = fingerprint && await findCertificate(reader, org_id, fingerprint);
  if (!found) throw new Failure("certificate_not_found");
}

/**
 * Who names a certificate: plans and catalogue entries anywhere in their members, keys, unless they are revoked, by
 * the request that they were issued for; APIs are those of such plans and entries. Throws `certificate_not_found`.
 */
export async function usesOf(ctx: RequestContext, id: string): Promise<CertificateUses> {
  await requireCertificate(ctx, id);
  const { storage: { reader }, principal: { org_id } } = ctx;
  const policies: CertificateUses["policies"] = [];
  const apis = new Set<string>();
  for (const { api_id, document } of await listEntries(reader, org_id)) {
    if (api_id !== "" && document.includes(id)) apis.add(api_id);
  }
  for await (const { row: { document }, plan } of everyPlan(reader, org_id)) {
    if (!document.includes(id)) continue;
    policies.push({ id: plan.id, name: plan.name });
    for (const api_id of Object.keys(plan.access_rights)) apis.add(api_id);
  }
  const keys: string[] = [];
  for (const request of await requestsWithCertificate(reader, org_id, id)) {
    if (keys.length >= MOST_KEYS) break;
    keys.push(...await findLiveKeysOfRequest(reader, org_id, request.by_user, request.id));
    await setImmediate();
  }
  return { policies, keys: keys.slice(0, MOST_KEYS), apis: [...apis] };
}

/** The APIs among them. Throws `certificate_not_found`. */
export async function apisOf(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof apiList>> {
  const named = new Set((await usesOf(ctx, id)).apis);
  const { apis } = await listApis(ctx, undefined);
  const theirs = apis.filter(({ api_definition }) => named.has(api_definition.api_id));
  return { apis: theirs, pages: theirs.length === 0 ? 0 : 1 };
}
