import { z } from "zod";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { nullable, pageQuery } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";
import { certificateDetails, narrowing } from "./certificates.contract.ts";

/** The filters of a list. */
export const listQuery = z.object({
  ...pageQuery,
  ...narrowing,
  ...filterSchemas(certificateFilters),
});

/** The owner of a certificate. */
export const owner = z.string().max(254).regex(/^([^\s@\p{Cc}]+@[^\s@\p{Cc}]+)?$/u, {
  error: "expected an e-mail address, or an empty text",
});

/** A certificate with every detail, and who cares for it. */
export const caredCertificate = z.strictObject({
  ...certificateDetails.shape,
  owner: text.meta({ description: "The e-mail address of its owner; empty: none." }),
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
  chain: z.array(relative).meta({
    description: "The chain that was uploaded with it, from its issuer up.",
  }),
  issuers: z.array(relative)
    .meta({ description: "Authorities of the list whose name is its issuer's, 20 at the most." }),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "Certificate" });
