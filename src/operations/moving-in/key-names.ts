import { maskOf, shortened } from "../../features/keys/key-form.ts";
import type { Wrapping } from "../../features/keys/chosen-keys.ts";
import type { KeyAlgorithm } from "../../features/keys/murmur.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** A key as another system names it, hashed. */
export interface NamedKey {
  /** Lower-case hex. */
  id: string;
  algorithm: KeyAlgorithm | "murmur32";
  mask: string;
  wasPlain: boolean;
  /**
   * How its text was wrapped there, if somebody chose it; undefined: it was not, or its hash is
   * none to go by.
   */
  wrapping?: Wrapping;
  /**
   * What of a plain key is secret: without the organisation, which a gateway that hashes no keys
   * puts before it.
   */
  secret?: string;
}

const BY_LENGTH: Readonly<Record<number, NamedKey["algorithm"]>> = {
  64: "sha256",
  32: "murmur128",
  16: "murmur64",
  8: "murmur32",
};

/**
 * What names a key of an organisation: its hash where it has the form of one, else the key itself,
 * of which nothing but the hash stays. What begins with the organisation is no hash, whatever its
 * length.
 */
export function namedKey(name: string, org_id: string): NamedKey {
  const isOfOrganisation = name.startsWith(org_id) && name.length > org_id.length;
  const algorithm = /^[0-9a-f]+$/.test(name) && !isOfOrganisation
    ? BY_LENGTH[name.length]
    : undefined;
  if (algorithm !== undefined) {
    const wrapping = algorithm === "murmur32" ? {} : { wrapping: algorithm };
    return { id: name, algorithm, mask: shortened(name), wasPlain: false, ...wrapping };
  }
  const id = sha256(name);
  return {
    id,
    algorithm: "sha256",
    mask: maskOf(name, id),
    wasPlain: true,
    ...isOfOrganisation ? { wrapping: "none" } : {},
    secret: isOfOrganisation ? name.slice(org_id.length) : name,
  };
}
