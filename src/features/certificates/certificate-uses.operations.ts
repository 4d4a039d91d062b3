import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { may } from "../../calls/principal.ts";
import { envelope, ok } from "../../contract/envelope.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import type { CatalogueEntry } from "../plans/catalogue/catalogue-entry.ts";
import { listEntries } from "../plans/catalogue/catalogue.store.ts";
import { fingerprintOf } from "./certificate.ts";
import { findCertificate } from "./certificates.store.ts";
import { apiDefinition } from "../verification/key-data/key-data.contract.ts";
import { listApis } from "../verification/key-data/list-apis.service.ts";
import { requestsWithCertificate } from "../key-requests/requests-with-certificate.store.ts";
import { findLiveKeysOfRequest } from "../keys/key-life.store.ts";
import { findMask } from "../keys/keys.store.ts";
import { everyPlan } from "../plans/every-plan.store.ts";

const tag = "Certificates (classic)";

/**
 * The uses of a certificate: the members that the original's clients read, and ours behind them.
 */
const certificateUses = z.strictObject({
  certID: text,
  client_cert_apis: z.array(text).meta({ description: "As `apis`." }),
  client_cert_api_names: z.array(text).meta({
    description: "The names of those, in the same order.",
  }),
  upstream_cert_apis: z.array(text).meta({
    description: "Empty: Keydesk does not know what an API presents to its upstream.",
  }),
  upstream_cert_api_names: z.array(text),
  key_cert: text.meta({ description: "The first of `keys`; empty: none." }),
  policies: z.array(z.strictObject({ id: text, name: text })),
  keys: z.array(text).meta({ description: "Key ids, up to 1,000, without revoked ones." }),
  apis: z.array(text).meta({ description: "API ids." }),
}).meta({ id: "ClassicCertificateUses" });

/** APIs naming a certificate, as the original's clients read them, with entries of `/api/apis`. */
const apisOfCertificate = z.strictObject({
  cert_id: text,
  pages: integer,
  apis: z.array(z.strictObject({
    api_id: text,
    name: text,
    usage_type: z.literal("client_certificates"),
    tyk_api_type: z.literal("classic"),
    api_definition: apiDefinition,
  })),
}).meta({ id: "ApisOfCertificate" });

const named = z.strictObject({ id: text, name: text });

/** The uses of a certificate, by name. */
const v1Uses = z.strictObject({
  plans: z.array(named),
  apis: z.array(named),
  keys: z.array(z.strictObject({
    key_id: text,
    name: text.meta({ description: "Its display name; empty: none." }),
    mask: text.meta({ description: "The part of it that may be shown." }),
  })).meta({
    description: "Up to 20, without revoked ones; none for callers without `portal:read`.",
  }),
  more_keys: integer.meta({
    description: "How many more keys name it; at most 1,000 are counted.",
  }),
}).meta({ id: "CertificateUses" });

/** Lists them for `/v1`. */
export const listCertificateUses = operation({
  id: "listCertificateUses",
  method: "GET",
  path: "/v1/certificates/{id}/uses",
  tag,
  summary: "List the plans, keys and APIs that name this certificate, by name",
  description: "The objects that use it and would miss it if it were deleted.",
  permission: ["certs:read"],
  withinTemporaryAccess: true,
  response: v1Uses,
  errors: ["certificate_not_found"],
  async serve(ctx, { params: { id } }) {
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
  },
});

/** Plans, keys and APIs that name a certificate. */
export const getCertificateDependencies = operation({
  id: "getCertificateDependencies",
  method: "GET",
  path: "/api/certs/dependencies/{id}",
  tag,
  summary: "The plans, keys and APIs that name a certificate",
  description: "The objects that use it and would miss it if it were deleted.",
  permission: ["certs:read"],
  response: certificateUses,
  errors: ["certificate_not_found"],
  serve: (ctx, { params }) => usesOf(ctx, params.id),
});

/** Answers as the original does, and changes nothing. */
export const deleteCertificateDependencies = operation({
  id: "deleteCertificateDependencies",
  method: "DELETE",
  path: "/api/certs/dependencies/{id}",
  tag,
  summary: "For clients that ask for it before they delete a certificate; changes nothing",
  description: "No plan and no key is changed.",
  permission: ["plans"],
  response: envelope,
  errors: ["certificate_not_found"],
  async serve(ctx, { params }) {
    await requireCertificate(ctx, params.id);
    return ok("Certificate dependencies deletion successfully attempted.");
  },
});

/** APIs that name a certificate. */
export const listApisOfCertificate = operation({
  id: "listApisOfCertificate",
  method: "GET",
  path: "/api/certs/{id}/apis",
  tag,
  summary: "The APIs of plans and catalogue entries that name a certificate",
  description: "The objects that use it and would miss it if it were deleted.",
  permission: ["certs:read"],
  response: apisOfCertificate,
  errors: ["certificate_not_found"],
  async serve(ctx, { params: { id } }) {
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
  },
});

type CertificateUses = z.output<typeof certificateUses>;

/** How many keys are listed. */
const MOST_KEYS = 1000;

/** How many keys are listed by name. */
const MOST_NAMED = 20;

/** Throws `certificate_not_found`. */
async function requireCertificate(ctx: RequestContext, id: string): Promise<void> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const fingerprint = fingerprintOf(org_id, id);
  const found = fingerprint && await findCertificate(reader, { org_id, fingerprint });
  if (!found) throw new Failure("certificate_not_found");
}

/**
 * The uses of a certificate: plans and catalogue entries anywhere in their members, keys, unless
 * they are revoked, by the request that they were issued for; APIs are those of such plans and
 * entries. Throws `certificate_not_found`.
 */
async function usesOf(ctx: RequestContext, id: string): Promise<CertificateUses> {
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
