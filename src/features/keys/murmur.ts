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
 * 128 bits and of 64. A key that fits can be made from such an id, so it counts only until its
 * first use.
 */
export async function murmurIdsOf(key: string): Promise<readonly [string, string]> {
  // Loaded where it is asked for: most stores hold no such key.
  const { murmur3128 } = await import("@multiformats/murmur3");
  const id = toHex(await murmur3128.encode(new TextEncoder().encode(key)));
  return [id, id.slice(0, ID_LENGTHS.murmur64)];
}

/**
 * The hash of 32 bits by which Tyk Gateway names keys by default. It is the running state of
 * MurmurHash3 x86 32 with seed 0, so no library gives it: whole blocks of four bytes are mixed in,
 * and the last one to three bytes, the length and the final mix are left out. Other texts with the
 * same hash are easy to find: it names a key, and authorises nothing here.
 */
export function murmur32Of(key: string): string {
  const bytes = new TextEncoder().encode(key);
  const view = new DataView(bytes.buffer);
  let state = 0;
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    let block = Math.imul(view.getUint32(at, true), 0xcc9e2d51);
    block = Math.imul((block << 15) | (block >>> 17), 0x1b873593);
    state ^= block;
    state = Math.imul((state << 13) | (state >>> 19), 5) + 0xe6546b64 | 0;
  }
  return (state >>> 0).toString(16).padStart(8, "0");
}
