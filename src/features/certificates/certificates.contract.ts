import { z } from "zod";
import { text } from "../../contract/values.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";

export const texts = z.array(z.string());

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

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T, meaning: string) =>
  z.enum(values, { error: `expected ${values.join(" or ")}` }).optional()
    .meta({ description: meaning });

const instant = z.string().max(64).refine((value) => parseTimestamp(value) !== undefined, {
  error: "expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
}).meta({ format: "date-time" }).transform((value) => Date.parse(value));

export const { status, is_ca, has_private, q } = filterSchemas(certificateFilters);

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

/** The accepted media types of an upload. */
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
