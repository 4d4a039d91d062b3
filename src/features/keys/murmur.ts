import { toHex } from "../../kernel/ids.ts";

/** How a key id can have been made of its key, where nothing else is asked of its callers. */
export type KeyAlgorithm = "sha256" | "murmur64" | "murmur128";

/** How it is stored; see CONDITIONAL in key-conditions.ts. */
export type StoredAlgorithm = KeyAlgorithm | "sha256-conditions";

/** Hexadecimal digits of a key id. */
export const ID_LENGTHS: Readonly<Record<KeyAlgorithm, number>> = {
  sha256: 64,
  murmur64: 16,
  murmur128: 32,
};

/**
 * The key ids that an imported key would have had where it came from: murmur3 x64 with seed 0, of
 * 128 bits and of 64. Whoever can read such an id can make a key that fits it, so it counts only
 * until its first use.
 */
export async function murmurIdsOf(key: string): Promise<readonly [string, string]> {
  // Loaded where it is asked for: most stores hold no such key.
  const { murmur3128 } = await import("@multiformats/murmur3");
  const id = toHex(await murmur3128.encode(new TextEncoder().encode(key)));
  return [id, id.slice(0, ID_LENGTHS.murmur64)];
}

/**
 * The murmur3 x86 of 32 bits with seed 0, by which the original's gateway names keys unless it is
 * told otherwise. Anybody finds another text that has it: it names a key, and opens nothing here.
 */
export async function murmur32Of(key: string): Promise<string> {
  const { murmur332 } = await import("@multiformats/murmur3");
  // The package gives the least byte first.
  return toHex((await murmur332.encode(new TextEncoder().encode(key))).toReversed());
}
