import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { envelope } from "../../contract/envelope.ts";
import { integer, text } from "../../contract/values.ts";
import { apiDefinition } from "../key-data/key-data.contract.ts";

const tag = "Certificates";

/** Who names a certificate: the members that the original's clients read, and ours behind them. */
export const certificateUses = z.strictObject({
  certID: text,
  client_cert_apis: z.array(text).meta({ description: "The same as `apis`." }),
  client_cert_api_names: z.array(text).meta({
    description: "What those are called, in their order.",
  }),
  upstream_cert_apis: z.array(text).meta({
    description: "Empty: Keydesk does not know what an API presents to its upstream.",
  }),
  upstream_cert_api_names: z.array(text),
  key_cert: text.meta({ description: "The first of `keys`; empty: none." }),
  policies: z.array(z.strictObject({ id: text, name: text })),
  keys: z.array(text).meta({ description: "Key ids, up to 1,000, without revoked ones." }),
  apis: z.array(text).meta({ description: "API ids." }),
}).meta({ id: "CertificateUses" });

/** APIs naming a certificate, as the original's clients read them, with entries of `/api/apis`. */
export const apisOfCertificate = z.strictObject({
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

/** Who names a certificate, by name. */
export const v1Uses = z.strictObject({
  plans: z.array(named),
  apis: z.array(named),
  keys: z.array(z.strictObject({
    key_id: text,
    name: text.meta({ description: "What people call it; empty: nothing." }),
    mask: text.meta({ description: "What of it may be shown." }),
  })).meta({
    description: "Up to 20, without revoked ones; none for callers without `portal:read`.",
  }),
  more_keys: integer.meta({
    description: "How many more keys name it; at most 1,000 are counted.",
  }),
}).meta({ id: "NativeCertificateUses" });

/** The same for `/v1`. */
export const listCertificateUses = defineEndpoint({
  id: "listCertificateUses",
  method: "GET",
  path: "/v1/certificates/{id}/uses",
  tag,
  summary: "List the plans, keys and APIs that name this certificate, by name",
  description: "What would miss it if it were deleted.",
  permission: ["certs:read"],
  withinElevation: true,
  response: v1Uses,
  errors: ["certificate_not_found"],
});

/** Plans, keys and APIs that name a certificate. */
export const getCertificateDependencies = defineEndpoint({
  id: "getCertificateDependencies",
  method: "GET",
  path: "/api/certs/dependencies/{id}",
  tag,
  summary: "The plans, keys and APIs that name a certificate",
  description: "What would miss it if it were deleted.",
  permission: ["certs:read"],
  response: certificateUses,
  errors: ["certificate_not_found"],
});

/** Answers as the original does, and changes nothing. */
export const deleteCertificateDependencies = defineEndpoint({
  id: "deleteCertificateDependencies",
  method: "DELETE",
  path: "/api/certs/dependencies/{id}",
  tag,
  summary: "For clients that ask for it before they delete a certificate; changes nothing",
  description: "No plan and no key is changed.",
  permission: ["plans"],
  response: envelope,
  errors: ["certificate_not_found"],
});

/** APIs that name a certificate. */
export const listApisOfCertificate = defineEndpoint({
  id: "listApisOfCertificate",
  method: "GET",
  path: "/api/certs/{id}/apis",
  tag,
  summary: "The APIs of plans and catalogue entries that name a certificate",
  description: "What would miss it if it were deleted.",
  permission: ["certs:read"],
  response: apisOfCertificate,
  errors: ["certificate_not_found"],
});
