import { sha256 } from "../../kernel/sha256.ts";
import { isPublicKey, storedValidity } from "./certificate.ts";
import type { DistinguishedName } from "../../../packages/x509/certificate.ts";
import { parseBasics, parseDetails, type StoredTexts } from "./stored-certificate.ts";

/** The names of a certificate. */
interface Named {
  is_ca: boolean;
  subject: DistinguishedName;
  dns_names: readonly string[];
  ip_addresses: readonly string[];
  uris: readonly string[];
  email_addresses: readonly string[];
  not_before: string;
  not_after: string;
}

/** The names of a stored certificate. */
export function namedBy(texts: StoredTexts): Named {
  return { ...parseBasics(texts), ...parseDetails(texts) };
}

/**
 * The hash of what a certificate is renewed by: another with the same hash renews it. An authority
 * has its whole subject, any other certificate its alternative names, or its whole subject where it
 * has none. "": a bare public key, or a certificate without names.
 */
export function renewalNames(one: Named): string {
  if (isPublicKey(storedValidity(one))) return "";
  const names = alternativeNames(one);
  if (!one.is_ca && names.length > 0) return hashOfNames(names);
  const subject = one.subject.Names.map(({ Type, Value }) => [Type.join("."), folded(Value)]);
  if (subject.length === 0) return "";
  return sha256(JSON.stringify([one.is_ca ? "authority" : "subject", subject]));
}

/**
 * The alternative names as one sorted set, each with its kind, in lower case and without a final
 * dot.
 */
export function alternativeNames(one: Named): string[] {
  const { dns_names, ip_addresses, uris, email_addresses } = one;
  const all = Object.entries({ dns: dns_names, ip: ip_addresses, uri: uris, mail: email_addresses })
    .flatMap(([kind, names]) =>
      names.map((name) => folded(name).replace(/\.$/, "")).filter((name) => name !== "")
        .map((name) => `${kind}:${name}`)
    );
  return [...new Set(all)].sort();
}

/** The hash of alternative names. */
export function hashOfNames(names: readonly string[]): string {
  return sha256(JSON.stringify(names));
}

/** RFC 5280 §7.1: neither the case of letters nor how many spaces there are tells names apart. */
function folded(name: string): string {
  return name.trim().replace(/\s+/g, " ").toLowerCase();
}
