import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { tags } from "../../contract/labels.ts";
import { pageOf } from "../../contract/paging.ts";
import {
  attachment,
  entityTag,
  ifMatch,
  nextPageLink,
  nullable,
  pageQuery,
} from "../../contract/v1.ts";
import { bom, text } from "../../contract/values.ts";
import {
  acceptedUploads,
  certificateBasics,
  certificateDetails,
  narrowing,
  takeOver,
} from "./certificates.contract.ts";
import { exampleCertificate } from "./certificates.example.ts";

const tag = "Certificates (native)";

/** What a list is narrowed by. */
export const listQuery = z.object({
  ...pageQuery,
  ...narrowing,
  ...filterSchemas(certificateFilters),
});

/** What an export is narrowed by. */
export const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

/** Counts of the certificates with a private key, or of the authorities, or of the others. */
export const countQuery = z.object({ is_ca: narrowing.is_ca, has_private: narrowing.has_private });

/** Who cares for a certificate. */
export const owner = z.string().max(254).regex(/^([^\s@\p{Cc}]+@[^\s@\p{Cc}]+)?$/u, {
  error: "expected an e-mail address, or an empty text",
});

/** A certificate with every detail, and who cares for it. */
export const caredCertificate = z.strictObject({
  ...certificateDetails.shape,
  owner: text.meta({ description: "The e-mail address of who cares for it; empty: nobody." }),
  tags: z.array(text),
  renewed_by: nullable(text).meta({
    description: "The id of the certificate that renews it; see docs/certificates.md.",
  }),
}).meta({ id: "CaredCertificate" });

/** How a certificate renews another. */
export const renewalFacts = z.strictObject({
  by_hand: z.boolean().meta({ description: "True: a person said that it renews it." }),
  added_names: z.array(text).meta({
    description: "Alternative names that the certificate that it renews does not have.",
  }),
  new_key: z.boolean().meta({
    description: "True: its public key is another. Of an authority: the same name, a new key.",
  }),
}).meta({ id: "CertificateRenewal" });

/** A page of certificates with every detail. */
export const v1CertificateList = pageOf(caredCertificate)
  .meta({ id: "NativeCertificateList" });

/** How many certificates there are, and when they end. */
export const certificateCounts = z.strictObject({
  total: z.int(),
  with_private: z.int(),
  authorities: z.int(),
  bands: z.strictObject({
    expired: z.int(),
    within_7_days: z.int(),
    within_30_days: z.int().meta({ description: "But not within 7 days; so on." }),
    within_90_days: z.int(),
    later: z.int(),
    never: z.int().meta({ description: "Bare public keys." }),
    invalid: z.int().meta({ description: "They end before they begin: no band of time has them." }),
  }).meta({ description: "Each certificate stands in one of them." }),
  timeline: z.strictObject({
    before: z.int(),
    months: z.array(z.strictObject({ month: text, certificates: z.int() })),
    after: z.int(),
  }).meta({ description: "By the month (UTC) in which they end: the present one and 23 more." }),
}).meta({ id: "CertificateCounts" });

const relative = z.strictObject({
  id: text,
  subject_cn: text,
  name: text.meta({
    description:
      "The common name, else the first DNS name, URI, IP or e-mail address, else the subject; empty where it has none.",
  }),
  not_after: text,
  stored: z.boolean().meta({ description: "Whether it is a certificate of the list itself." }),
}).meta({ id: "CertificateRelative" });

/** One certificate, its text, its chain and its issuers. */
export const v1Certificate = z.strictObject({
  ...caredCertificate.shape,
  renewal: nullable(renewalFacts).meta({ description: "How `renewed_by` renews it." }),
  pem: text.meta({ description: "The certificate alone; never a private key." }),
  chain: z.array(relative).meta({ description: "What was uploaded with it, from its issuer up." }),
  issuers: z.array(relative)
    .meta({ description: "Authorities of the list whose name is its issuer's, 20 at the most." }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "NativeCertificate" });

/** What became of each certificate of an upload. */
export const certificatesUploaded = z.strictObject({
  added: z.int(),
  key_added: z.int(),
  exists: z.int(),
  refused: z.int(),
  skipped: z.int().meta({ description: "PEM blocks that are neither a certificate nor a key." }),
  results: z.array(z.strictObject({
    index: z.int(),
    line: z.int().optional(),
    result: z.enum(["added", "key_added", "exists", "refused", "skipped"]),
    id: text.optional(),
    subject_cn: text.optional(),
    name: text.optional().meta({ description: "By the rule of `CertificateRelative`." }),
    reason: text.optional().meta({
      description: "Why it was not taken, such as `passphrase_required` or `malformed`.",
    }),
    message: text.optional(),
  })),
}).meta({ id: "CertificatesUploaded" });

/** Certificates by cursor. */
export const listNativeCertificates = defineEndpoint({
  id: "listNativeCertificates",
  method: "GET",
  path: "/v1/certificates",
  tag,
  summary: "List and search certificates; a page may hold fewer than `limit` and still have a next",
  description: "By cursor, in several orders, with filters by the time that is left and a search.",
  permission: ["certs:read"],
  withinElevation: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1CertificateList,
  errors: ["invalid_input"],
});

/** All certificates that match, as a file. */
export const exportNativeCertificates = defineEndpoint({
  id: "exportNativeCertificates",
  isExport: true,
  method: "GET",
  path: "/v1/certificates/export",
  tag,
  summary: "Export all certificates that match as CSV; never a private key",
  description: "Streamed, with the filters of the list. The trail tells of it first.",
  permission: ["certs:read"],
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
});

/** How many there are. */
export const countNativeCertificates = defineEndpoint({
  id: "countCertificates",
  method: "GET",
  path: "/v1/certificates/counts",
  tag,
  summary: "Count certificates, and when they end: by band, and by month for two years",
  description: "For a glance at what has to be renewed, without reading the list.",
  permission: ["certs:read"],
  withinElevation: true,
  query: countQuery,
  response: certificateCounts,
  errors: ["invalid_input"],
});

/** One certificate. */
export const getNativeCertificate = defineEndpoint({
  id: "getNativeCertificate",
  method: "GET",
  path: "/v1/certificates/{id}",
  tag,
  summary: "Read one certificate with its PEM, chain and issuers, and its ETag",
  description: "Its issuers are those of the inventory; never a private key.",
  permission: ["certs:read"],
  withinElevation: true,
  answerHeaders: entityTag,
  response: v1Certificate,
  errors: ["certificate_not_found"],
});

/** Who cares for a certificate. */
export const updateCertificate = defineEndpoint({
  id: "updateCertificate",
  method: "PUT",
  path: "/v1/certificates/{id}",
  tag,
  summary: "Set who cares for a certificate, and its tags",
  description: "Both are replaced; an absent one is emptied.",
  permission: ["certs:write"],
  withinElevation: true,
  // A misspelt member would empty what it meant.
  body: z.strictObject({
    owner: owner.default(""),
    tags: tags.default([]),
  }).meta({ id: "CertificateCare" }),
  answerHeaders: entityTag,
  response: v1Certificate,
  errors: [...bodyErrors, "certificate_not_found"],
  example: { owner: "lena@example.com", tags: ["partner", "mTLS"] },
});

/** Another certificate than the examples' own. */
export const exampleRenewal = `5f1a2b3c4d5e6f7081920000${"e5f60718".repeat(8)}`;

/** Whether a certificate renews another. */
export const setCertificateRenewal = defineEndpoint({
  id: "setCertificateRenewal",
  method: "PUT",
  path: "/v1/certificates/{id}/renewal",
  tag,
  summary: "Say that a certificate renews this one, or that it does not",
  description:
    "It counts before what the names say. Of several that are said to renew it, the last one counts.",
  permission: ["certs:write"],
  withinElevation: true,
  body: z.strictObject({
    certificate: text.meta({ description: "The id of the one that renews it, or does not." }),
    renews: z.boolean().optional().meta({
      description:
        "True: it has to end later, and not to have ended. Absent or null: the names decide again.",
    }),
  }).meta({ id: "CertificateRenewalSaid" }),
  answerHeaders: entityTag,
  response: v1Certificate,
  errors: [...bodyErrors, "certificate_not_found"],
  example: { certificate: exampleRenewal, renews: false },
});

/** One certificate as a file. */
export const downloadCertificate = defineEndpoint({
  id: "downloadCertificate",
  method: "GET",
  path: "/v1/certificates/{id}/pem",
  tag,
  summary: "Download one certificate as PEM, with its chain where asked for; never a private key",
  description: "As a file with a name of its own.",
  permission: ["certs:read"],
  query: z.object({
    chain: z.enum(["true", "false"], { error: "expected true or false" })
      .transform((value) => value === "true").optional()
      .meta({ description: "Also what was uploaded with it." }),
  }),
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["application/x-pem-file"] },
  errors: ["certificate_not_found", "invalid_input"],
});

/** What an authority issued. */
export const listIssuedCertificates = defineEndpoint({
  id: "listIssuedCertificates",
  method: "GET",
  path: "/v1/certificates/{id}/issued",
  tag,
  summary: "List the certificates that name this one as their issuer: what depends on it",
  description: "By cursor.",
  permission: ["certs:read"],
  withinElevation: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(
    z.strictObject({
      ...certificateBasics.shape,
      name: text.meta({ description: "By the rule of `CertificateRelative`." }),
    }).meta({ id: "IssuedCertificate" }),
  ).meta({ id: "IssuedCertificateList" }),
  errors: ["certificate_not_found", "invalid_input"],
});

/** One or many certificates. */
export const uploadCertificates = defineEndpoint({
  id: "uploadCertificates",
  method: "POST",
  path: "/v1/certificates",
  tag,
  summary: "Add a certificate with its key and chain, or every one of a bundle; a result for each",
  description:
    "As PEM, DER, PKCS#7, PKCS#12, or a form with one of them. Expired ones are taken too, and shown as such.",
  permission: ["certs:write"],
  query: z.object({
    take_over: takeOver,
    as: z.enum(["one", "each"], { error: "expected one or each" }).optional().meta({
      description:
        "`one`: all of the file is one certificate with its chain and key. `each`: every certificate by itself. Absent: in a PKCS#12 file and in PEM with keys each key is an entry with its certificate and chain, and each certificate outside of these an entry of its own; else `each`.",
    }),
  }),
  body: "bytes",
  contentTypes: { body: acceptedUploads },
  headers: {
    passphrase: { description: "Opens an encrypted private key or a PKCS#12 file." },
  },
  idempotent: true,
  response: certificatesUploaded,
  errors: [...bodyErrors],
  example: exampleCertificate,
});

/** The certificate and its private key are gone. */
export const deleteNativeCertificate = defineEndpoint({
  id: "deleteNativeCertificate",
  method: "DELETE",
  path: "/v1/certificates/{id}",
  tag,
  summary: "Delete a certificate with its private key; what it issued stays",
  description: "`If-Match` refuses what has changed since it was read.",
  permission: ["certs:write"],
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "CertificateDeleted" }),
  errors: ["certificate_not_removed", "precondition_failed"],
});
