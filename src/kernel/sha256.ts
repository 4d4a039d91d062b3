import { sha256 as digest } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * Lower-case hex SHA-256 of a text's UTF-8 bytes. Not the runtime's own, which leaves a native
 * object behind for each call that lives until the next full collection: a hundred megabytes under
 * load. Nothing of the text stays.
 */
export function sha256(text: string): string {
  if (text.length > LONGEST_IN_PLACE) return bytesToHex(digest(utf8.encode(text)));
  const { written } = utf8.encodeInto(text, bytes);
  start._cloneInto(working).update(bytes.subarray(0, written)).digestInto(result);
  working.destroy();
  bytes.fill(0, 0, written);
  return bytesToHex(result);
}

/** The 32 bytes of the SHA-256 of some bytes. */
export function sha256Bytes(data: Uint8Array): Uint8Array {
  return digest(data);
}

/**
 * Room for texts of credentials, used again for each: none of a character's UTF-16 units needs more
 * than 3 bytes.
 */
const bytes = new Uint8Array(1024);
const LONGEST_IN_PLACE = Math.floor(bytes.length / 3);
const result = new Uint8Array(32);
const start = digest.create();
const working = digest.create();
const utf8 = new TextEncoder();
