import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { attachment } from "../../contract/v1.ts";
import { bom, text } from "../../contract/values.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { exampleCertificate } from "./certificates.example.ts";

const texts = z.array(z.string());

const basicMembers = {
  id: text,
  dns_names: texts,
  has_private: z.boolean(),
  is_ca: z.boolean(),
  issuer_cn: text,
  subject_cn: text,
  not_after: text,
  not_before: text,
};

const distinguishedName = z.strictObject({
  CommonName: text,
  Organization: texts,
  OrganizationalUnit: texts,
  Country: texts,
  Province: texts,
  Locality: texts,
  StreetAddress: texts,
  PostalCode: texts,
  SerialNumber: text,
  Names: z.array(z.strictObject({ Type: z.array(z.int()), Value: text })),
}).meta({ id: "DistinguishedName" });

/** Specification 2.1. */
export const certificateBasics = z.strictObject(basicMembers).meta({ id: "CertificateBasics" });

/** Specification 2.1, then our details. */
export const certificateDetails = z.strictObject({
  ...basicMembers,
  fingerprint: text,
  serial_number: text,
  issuer: distinguishedName,
  subject: distinguishedName,
  key_algorithm: text,
  key_size: z.int(),
  signature_algorithm: text,
  ip_addresses: texts,
  uris: texts,
  email_addresses: texts,
  chain_length: z.int(),
  date_created: text,
  path_length: z.int().nullable(),
  status: z.enum(certificateFilters.status.of),
  days_left: z.int().nullable(),
}).meta({ id: "CertificateDetails" });

const paging = {
  pages: z.int(),
  /** There only where it is true: more match than were counted or sorted. */
  capped: z.literal(true).optional(),
};

/**
 * Specification 2.2; without `mode=detailed` with the ids that older clients read. The last two are
 * what KEYDESK_CERTS_ANSWER=original answers instead.
 */
const certificateList = z.union([
  z.strictObject({ certs: texts, cert_basics: z.array(certificateBasics), ...paging }),
  z.strictObject({ cert_basics: z.array(certificateDetails), ...paging }),
  z.strictObject({ certs: texts, pages: z.int() }),
  z.strictObject({ cert_basics: z.array(certificateBasics), pages: z.int() }),
]).meta({ id: "CertificateList" });

const oneOf = <const T extends readonly [string, ...string[]]>(values: T, meaning: string) =>
  z.enum(values, { error: `expected ${values.join(" or ")}` }).optional()
    .meta({ description: meaning });

const instant = z.string().max(64).refine((value) => parseTimestamp(value) !== undefined, {
  error: "expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
}).meta({ format: "date-time" }).transform((value) => Date.parse(value));

const { status, is_ca, has_private, q } = filterSchemas(certificateFilters);

/** Query parameters besides those of the specification; all of them additive. */
export const narrowing = {
  status,
  expires_before: instant.optional()
    .meta({ description: certificateFilters.expires_before.description }),
  is_ca,
  has_private,
  q,
  sort: oneOf(
    ["date_added", "not_after", "subject_cn"],
    "Default: not_after with status or expires_before, else date_added.",
  ),
  direction: oneOf(["asc", "desc"], "Default: asc."),
};

const mode = z.enum(["", "detailed"], { error: "expected detailed" }).optional()
  .meta({ description: "`detailed`: every detail, and `filter` works." });

const filter = z.enum(["", "omit", "with_pk", "without_pk"], {
  error: "expected omit or with_pk or without_pk",
}).optional().meta({ description: "Takes effect with `mode=detailed` only." });

const p = z.string().regex(/^-?\d+$/, {
  error: "expected an integer: a page from 1, or below 0 for everything",
}).meta({ type: "integer" }).transform(Number).optional()
  .meta({ description: "Page from 1; absent or 0: the first; below 0: everything, streamed." });

const tag = "Certificates";

/** Specification 4.1. */
export const listCertificates = defineEndpoint({
  id: "listCertificates",
  method: "GET",
  path: "/api/certs",
  tag,
  summary: "List certificates in the order in which they were added",
  description:
    "Without `mode` the ids and the basics; with `mode=detailed` the basics of each. `p` from 1 on is that page, below 0 everything.",
  permission: ["certs:read"],
  query: z.object({ p, mode, filter, ...narrowing }),
  response: certificateList,
  errors: ["invalid_input"],
});

/** What an upload may come as. */
export const acceptedUploads = [
  "application/x-pem-file",
  "application/x-pkcs12",
  "multipart/form-data",
] as const;

/** Whether what is added takes over what the one that it renews has. */
export const takeOver = z.enum(["true", "false"], { error: "expected true or false" })
  .transform((value) => value === "true").optional().meta({
    description:
      "`false`: a renewal does not take over the owner, tags and mute of what it renews. Absent: it does.",
  });

/** One certificate with its chain and key. */
export const uploadCertificate = defineEndpoint({
  id: "uploadCertificate",
  method: "POST",
  path: "/api/certs",
  tag,
  summary: "Add a certificate with its chain and at most one private key",
  description:
    "As a PEM text, a PKCS#12 file, or a form with one of them. The private key is sealed and in no answer. An expired certificate is refused here.",
  permission: ["certs:write"],
  query: z.object({ take_over: takeOver }),
  body: "bytes",
  contentTypes: { body: acceptedUploads },
  headers: { passphrase: { description: "Opens an encrypted private key or a PKCS#12 file." } },
  idempotent: true,
  response: z.strictObject({
    id: text,
    message: z.literal("Certificate added"),
    status: z.literal("ok"),
  }).meta({ id: "CertificateAdded" }),
  errors: [...bodyErrors, "certificate_exists"],
  example: exampleCertificate,
});

/** Every certificate of a bundle by itself. */
export const uploadBundle = defineEndpoint({
  id: "uploadBundle",
  method: "POST",
  path: "/api/certs/bundle",
  tag,
  summary:
    "Add every certificate of a PEM, DER or PKCS#7 bundle, expired ones too, each with its result",
  description: "One that is there already is told as such and changes nothing.",
  permission: ["certs:write"],
  query: z.object({ take_over: takeOver }),
  body: "bytes",
  contentTypes: { body: acceptedUploads },
  idempotent: true,
  response: z.strictObject({
    added: z.int(),
    exists: z.int(),
    refused: z.int(),
    skipped: z.int().meta({ description: "PEM blocks that are neither a certificate nor a key." }),
    results: z.array(z.strictObject({
      index: z.int(),
      line: z.int().optional(),
      result: z.enum(["added", "exists", "refused", "skipped"]),
      id: text.optional(),
      subject_cn: text.optional(),
      reason: text.optional(),
      message: text.optional(),
    })),
  }).meta({ id: "BundleAdded" }),
  errors: bodyErrors,
  example: exampleCertificate,
});

/** The details of a page. */
export const listCertificateDetails = defineEndpoint({
  id: "listCertificateDetails",
  method: "GET",
  path: "/api/certs/details",
  tag,
  summary: "List certificates with every detail",
  description: "Names, times, key and signature of each, never a private key.",
  permission: ["certs:read"],
  query: z.object({ p, ...narrowing }),
  response: z.strictObject({ certificates: z.array(certificateDetails), ...paging })
    .meta({ id: "CertificateDetailsList" }),
  errors: ["invalid_input"],
});

/** All that match, as a file. */
export const exportCertificates = defineEndpoint({
  id: "exportCertificates",
  isExport: true,
  method: "GET",
  path: "/api/certs/export",
  tag,
  summary: "Export all certificates that match; never a private key",
  description: "As PEM, CSV or JSON lines, streamed, with the filters of the list.",
  permission: ["certs:read"],
  query: z.object({
    format: oneOf(["pem", "csv", "jsonl"], "Default: pem."),
    bom,
    ...narrowing,
  }),
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["application/x-pem-file", "text/csv", "application/jsonl"] },
  errors: ["invalid_input"],
});

/** One certificate. */
export const getCertificate = defineEndpoint({
  id: "getCertificate",
  method: "GET",
  path: "/api/certs/{id}",
  tag,
  summary: "Read one certificate",
  description: "Names, times, key and signature; never a private key.",
  permission: ["certs:read"],
  response: certificateDetails,
  errors: ["certificate_not_found"],
});

/** The certificate and its private key are gone. */
export const deleteCertificate = defineEndpoint({
  id: "deleteCertificate",
  method: "DELETE",
  path: "/api/certs/{id}",
  tag,
  summary: "Delete a certificate with its private key",
  description: "Plans and keys that name it go on naming it.",
  permission: ["certs:write"],
  response: z.strictObject({ message: z.literal("removed"), status: z.literal("ok") })
    .meta({ id: "CertificateRemoved" }),
  errors: ["certificate_not_removed"],
});
