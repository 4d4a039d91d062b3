import { type CertificateEntry, toEntry } from "../../features/certificates/certificate-entry.ts";
import { readCertificate } from "../../features/certificates/reading/x509.ts";
import { DAY_MS } from "./demo-ids.ts";
import { signCertificate } from "./sign-certificate.ts";

/** One certificate of the demo, ready to be written. */
export interface DemoCertificate {
  entry: CertificateEntry;
  /** Milliseconds: when it was uploaded. */
  addedAt: number;
  /** Who cares for it, and what it is filed under; empty: nobody said. */
  owner: string;
  tags: readonly string[];
}

const PLATFORM = "platform@riverline.example";
const PARTNERS = "tomas.ferreira@riverline.example";

/** When each ends, in days from now. A table: one certificate a line. */
// deno-fmt-ignore
export const demoCertificates: readonly (readonly [cn: string, days: number, owner: string, ...tags: string[]])[] = [
  ["legacy-hooks.riverline.example", -6, "", "webhooks"],
  ["hooks.riverline.example", 19, PLATFORM, "webhooks"],
  ["kettlequay.partners.riverline.example", 26, PARTNERS, "partner", "mTLS"],
  ["nordlys.partners.riverline.example", 41, PARTNERS, "partner", "mTLS"],
  ["tabellone.partners.riverline.example", 44, PARTNERS, "partner", "mTLS"],
  ["api.riverline.example", 58, PLATFORM, "edge"],
  ["gateway.riverline.example", 74, PLATFORM, "edge"],
  ["cityhopper.partners.riverline.example", 97, "", "partner", "mTLS"],
  ["larkfield.partners.riverline.example", 118, "", "partner", "mTLS"],
  ["developers.riverline.example", 142, PLATFORM],
  ["hearth.partners.riverline.example", 163, "", "partner", "mTLS"],
  ["status.riverline.example", 201, PLATFORM],
  ["fares.riverline.example", 288, PLATFORM, "edge"],
  ["tickets.riverline.example", 312, PLATFORM, "edge"],
  ["tides.partners.riverline.example", 400, "", "partner"],
];

/** They were uploaded one after the other, from so many days ago on. */
const UPLOADED_DAYS_AGO = 170;
const BETWEEN_MS = 187 * 60 * 1000;

/** All of them with their authorities, signed now. */
export function certificatesOf(org_id: string, now: number): DemoCertificate[] {
  const begin = now - UPLOADED_DAYS_AGO * DAY_MS;
  const organisation = "Riverline";
  const root = signCertificate({
    cn: "Riverline Root CA",
    organisation,
    from: begin - 365 * DAY_MS,
    to: begin + 3650 * DAY_MS,
    isAuthority: true,
  });
  const partners = signCertificate({
    cn: "Riverline Partner CA",
    organisation,
    from: begin - 90 * DAY_MS,
    to: begin + 1825 * DAY_MS,
    isAuthority: true,
    issuer: root.signer,
  });
  const entryOf = (der: Uint8Array, at: number) => toEntry(org_id, readCertificate(der), at);
  const authorities = [root, partners].map(({ der }) => ({
    entry: entryOf(der, begin),
    addedAt: begin,
    owner: "",
    tags: [],
  }));
  const leaves = demoCertificates.map(([cn, days, owner, ...tags], index) => {
    const addedAt = begin + (index + 1) * BETWEEN_MS;
    // Always with some hours left of its last day, so that it stays as many days as it says.
    const to = now + days * DAY_MS + 5 * 60 * 60 * 1000;
    const { der } = signCertificate({
      cn,
      organisation,
      from: Math.min(addedAt, to - 365 * DAY_MS),
      to,
      isAuthority: false,
      issuer: partners.signer,
    });
    return { entry: entryOf(der, addedAt), addedAt, owner, tags };
  });
  return [...authorities, ...leaves];
}
