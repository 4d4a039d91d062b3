import { maskOf, shortened } from "../../features/keys/key-form.ts";
import type { KeyAlgorithm } from "../../features/keys/murmur.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** A key as another system names it, hashed. */
export interface NamedKey {
  /** Lower-case hex. */
  id: string;
  algorithm: KeyAlgorithm | "murmur32";
  mask: string;
  wasPlain: boolean;
}

const BY_LENGTH: Readonly<Record<number, NamedKey["algorithm"]>> = {
  64: "sha256",
  32: "murmur128",
  16: "murmur64",
  8: "murmur32",
};

/** What names a key: its hash where it has the form of one, else the key itself, of which nothing but the hash stays. */
export function namedKey(name: string): NamedKey {
  const algorithm = /^[0-9a-f]+$/.test(name) ? BY_LENGTH[name.length] : undefined;
  if (algorithm !== undefined) {
    return { id: name, algorithm, mask: shortened(name), wasPlain: false };
  }
  const id = sha256(name);
  return { id, algorithm: "sha256", mask: maskOf(name, id), wasPlain: true };
}
