import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { may } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import type { CatalogueEntry } from "../catalogue/catalogue-entry.ts";
import { listEntries } from "../catalogue/catalogue.store.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { findLiveKeysOfRequest } from "../keys/credential-life.store.ts";
import { findMask } from "../keys/credentials.store.ts";
import { listApis } from "../key-data/list-apis.service.ts";
import { requestsWithCertificate } from "../key-requests/requests-with-certificate.store.ts";
import { everyPlan } from "../plans/every-plan.store.ts";
import type { apisOfCertificate, certificateUses, v1Uses } from "./certificate-uses.contract.ts";

type CertificateUses = z.output<typeof certificateUses>;

/** Keys that are told. */
const MOST_KEYS = 1000;
/** Keys that are told by name. */
const MOST_NAMED = 20;

/** Throws `certificate_not_found`. */
export async function requireCertificate(ctx: RequestContext, id: string): Promise<void> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const fingerprint = fingerprintOf(org_id, id);
  const found = fingerprint && await findCertificate(reader, { org_id, fingerprint });
  if (!found) throw new Failure("certificate_not_found");
}

/**
 * Who names a certificate: plans and catalogue entries anywhere in their members, keys, unless they
 * are revoked, by the request that they were issued for; APIs are those of such plans and entries.
 * Throws `certificate_not_found`.
 */
export async function usesOf(ctx: RequestContext, id: string): Promise<CertificateUses> {
  const { policies, keys, apis } = await gatherUses(ctx, id);
  const ids = [...apis.keys()];
  return {
    certID: id,
    client_cert_apis: ids,
    client_cert_api_names: ids.map((api_id) => apis.get(api_id) || api_id),
    upstream_cert_apis: [],
    upstream_cert_api_names: [],
    key_cert: keys[0] ?? "",
    policies,
    keys,
    apis: ids,
  };
}

/**
 * The same, with the names of all of them; of keys for callers with `portal:read`. Throws
 * `certificate_not_found`.
 */
export async function v1UsesOf(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof v1Uses>> {
  const { storage: { reader }, principal } = ctx;
  const { policies, keys, apis } = await gatherUses(ctx, id);
  const most = may(principal, "portal:read") ? MOST_NAMED : 0;
  const named = [];
  for (const key_id of keys.slice(0, most)) {
    const key = await findMask(reader, { org_id: principal.org_id, key_id });
    if (key) named.push({ key_id, name: key.name ?? "", mask: key.mask });
  }
  return {
    plans: policies,
    apis: [...apis].map(([api_id, name]) => ({ id: api_id, name: name || api_id })),
    keys: named,
    more_keys: Math.max(0, keys.length - most),
  };
}

/** APIs with the first name that they are given anywhere, or "". */
interface Uses extends Pick<CertificateUses, "policies" | "keys"> {
  apis: Map<string, string>;
}

async function gatherUses(ctx: RequestContext, id: string): Promise<Uses> {
  await requireCertificate(ctx, id);
  const { storage: { reader }, principal: { org_id } } = ctx;
  const policies: CertificateUses["policies"] = [];
  const apis = new Map<string, string>();
  const entries = await listEntries(reader, { org_id });
  for (const { api_id, document } of entries) {
    if (api_id !== "" && document.includes(id)) apis.set(api_id, apis.get(api_id) ?? "");
  }
  for await (const { row: { document }, plan } of everyPlan(reader, org_id)) {
    if (!document.includes(id)) continue;
    policies.push({ id: plan.id, name: plan.name });
    for (const [api_id, { api_name }] of Object.entries(plan.access_rights)) {
      const name = typeof api_name === "string" ? api_name : "";
      apis.set(api_id, apis.get(api_id) || name);
    }
  }
  const keys: string[] = [];
  const slices = new TimeSlices();
  for (const request of await requestsWithCertificate(reader, org_id, id)) {
    if (keys.length >= MOST_KEYS) break;
    keys.push(
      ...await findLiveKeysOfRequest(reader, {
        org_id,
        developer_id: request.by_user,
        request_id: request.id,
      }),
    );
    await slices.pause();
  }
  for (const { api_id, document } of entries) {
    if (apis.get(api_id) !== "") continue;
    // as: the catalogue's store writes exactly this.
    apis.set(api_id, (JSON.parse(document) as CatalogueEntry).name);
  }
  return { policies, keys: keys.slice(0, MOST_KEYS), apis };
}

/** The APIs among them. Throws `certificate_not_found`. */
export async function apisOf(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof apisOfCertificate>> {
  const named = new Set((await usesOf(ctx, id)).apis);
  const { apis } = await listApis(ctx, undefined);
  const theirs = apis.filter(({ api_definition }) => named.has(api_definition.api_id))
    .map(({ api_definition }) => ({
      api_id: api_definition.api_id,
      name: api_definition.name || api_definition.api_id,
      usage_type: "client_certificates" as const,
      tyk_api_type: "classic" as const,
      api_definition,
    }));
  return { cert_id: id, pages: theirs.length === 0 ? 0 : 1, apis: theirs };
}
