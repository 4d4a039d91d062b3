import type { EventNames } from "../../changes/event-names.ts";
import type { DistinguishedName } from "./reading/certificate.ts";
import { parseBasics, parseDetails, type StoredTexts } from "./stored-certificate.ts";

/** What a certificate is called in the trail. */
export function certificateNames(texts: StoredTexts): EventNames {
  return { object: calledBy(texts) };
}

/** The same of what is stored. */
export function calledBy(texts: StoredTexts): string {
  return calledCertificate({ ...parseBasics(texts), subject: parseDetails(texts).subject });
}

/** By its common name, else another name, else who it was issued to; "" where it has none. */
export function calledCertificate({ subject_cn, dns_names, subject }: Named): string {
  const owner = [...subject.OrganizationalUnit, ...subject.Organization].join(", ");
  return subject_cn || dns_names[0] || owner;
}

/** The names of a certificate. */
interface Named {
  subject_cn: string;
  dns_names: readonly string[];
  subject: DistinguishedName;
}
