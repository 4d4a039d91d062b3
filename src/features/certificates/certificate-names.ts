import { sha256 } from "../../kernel/sha256.ts";
import { isPublicKey, storedValidity } from "./certificate.ts";
import { parseBasics, parseDetails, type StoredTexts } from "./stored-certificate.ts";

/** What names a certificate. */
interface Named {
  is_ca: boolean;
  subject_cn: string;
  dns_names: readonly string[];
  ip_addresses: readonly string[];
  uris: readonly string[];
  email_addresses: readonly string[];
  not_before: string;
  not_after: string;
}

/**
 * The hash of a certificate's names: of two with the same, the one that ends later renews the
 * other. They are its common name and its alternative names as one set, in lower case and without a
 * final dot, so neither their order counts nor whether the common name is repeated. An authority
 * shares no names with others. "": it has no names, or is a bare public key.
 */
export function namesOf(one: Named): string {
  const { subject_cn, dns_names, ip_addresses, uris, email_addresses } = one;
  if (isPublicKey(storedValidity(one))) return "";
  const normal = [subject_cn, ...dns_names, ...ip_addresses, ...uris, ...email_addresses]
    .map((name) => name.trim().toLowerCase().replace(/\.$/, "")).filter((name) => name !== "");
  if (normal.length === 0) return "";
  return sha256(JSON.stringify([one.is_ca, ...[...new Set(normal)].sort()]));
}

/** The same of a certificate as it is stored. */
export function namesOfStored(texts: StoredTexts): string {
  return namesOf({ ...parseBasics(texts), ...parseDetails(texts) });
}
