/** The names of a certificate, as far as they are known. */
interface Named {
  subject_cn: string;
  dns_names: readonly string[];
  uris?: readonly string[];
  ip_addresses?: readonly string[];
  email_addresses?: readonly string[];
  subject?: Subject;
}

interface Subject {
  OrganizationalUnit: readonly string[];
  Organization: readonly string[];
  Names: readonly { Value: string }[];
}

/**
 * The one rule of a certificate's name: its common name, else its first DNS name, URI, IP address
 * or e-mail address, else who it was issued to. "": it has none, as a bare public key.
 */
export function calledCertificate(one: Named): string {
  const { subject_cn, dns_names, uris = [], ip_addresses = [], email_addresses = [] } = one;
  const [first = ""] = [subject_cn, ...dns_names, ...uris, ...ip_addresses, ...email_addresses]
    .filter((name) => name !== "");
  return first || (one.subject ? calledSubject(one.subject) : "");
}

/** A unit and an organisation, else all attributes. */
export function calledSubject({ OrganizationalUnit, Organization, Names }: Subject): string {
  return [...OrganizationalUnit, ...Organization].join(", ") ||
    Names.map(({ Value }) => Value).join(", ");
}
