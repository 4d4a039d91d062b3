import { Buffer } from "node:buffer";
import { maskOf, shortened } from "../../features/keys/key-form.ts";
import { type Wrapping, wrappings } from "../../features/keys/chosen-keys.ts";
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
   * How its text was wrapped there, if a person chose it; undefined: it was not, or its hash is
   * none to go by.
   */
  wrapping?: Wrapping;
  /**
   * The secret part of a plain key: without the text that a gateway that hashes no keys puts around
   * it.
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
 * The name of an organisation's key: its hash if it has the form of one, else the key itself, of
 * which only the hash stays. A text that begins with the organisation is no hash, whatever its
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
    secret: name,
    ...unwrapped(name, org_id),
  };
}

/**
 * The text that a gateway which hashes no keys wrapped to this name, and how; undefined: it wrapped
 * none, or for another organisation.
 */
export function unwrapped(
  name: string,
  org_id: string,
): { secret: string; wrapping: Wrapping } | undefined {
  if (name.startsWith(org_id) && name.length > org_id.length) {
    return { secret: name.slice(org_id.length), wrapping: "none" };
  }
  const bytes = Buffer.from(name, "base64");
  // A name that would be written in another way could never be found by its text.
  if (!name.startsWith("ey") || bytes.toString("base64") !== name) return undefined;
  const [, org, secret, h = ""] = WRAPPED.exec(bytes.toString()) ?? [];
  if (org !== org_id || secret === undefined) return undefined;
  const wrapping = wrappings.find((one) => one === (h === "sha256" ? h : `unhashed-${h}`));
  return wrapping && { secret, wrapping };
}

/** The text is not escaped there. */
const WRAPPED = /^\{"org":"([^"]*)","id":"(.+)","h":"([a-z0-9]+)"\}$/s;
