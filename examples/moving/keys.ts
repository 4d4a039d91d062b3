/** How keys are written and hashed: what makes two of them the same to a gateway. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** How keys are hashed. */
export type HashName = "sha256" | "murmur128" | "murmur64" | "murmur32";

/**
 * What a gateway calls its keys: their hashes by the function of its setting, or the keys
 * themselves.
 */
export type Hashing = HashName | "none";

/** Every setting. */
export const hashings: readonly Hashing[] = ["sha256", "murmur128", "murmur64", "murmur32", "none"];

/** A key that says how it is hashed. */
export function rawKey(org: string, id: string, h: HashName): string {
  return btoa(JSON.stringify({ org, id, h }));
}

/** A key of old: hashed by murmur32, whatever the gateway's setting. */
export function legacyKey(org_id: string, id: string): string {
  return org_id + id;
}

/**
 * What a gateway makes of a text that somebody chose as a key, or of a user name, before it looks
 * at it; `by`: the function of its setting, whether it hashes keys or not, "" where it names none.
 */
export function wrapped(org_id: string, text: string, by: HashName | ""): string {
  if (by === "") return org_id + text;
  return Buffer.from(`{"org":"${org_id}","id":"${text}","h":"${by}"}`).toString("base64");
}

/** The organisation that a key names; undefined: none, so it is a text that somebody chose. */
export function organisationIn(key: string): string | undefined {
  return membersIn(key)?.org ?? /^[0-9a-f]{24}(?=.)/.exec(key)?.[0];
}

/** The hash of a key: by the function that it names, else by murmur32. */
export async function hashOf(key: string): Promise<string> {
  const name = membersIn(key)?.h ?? "murmur32";
  if (name === "sha256") return createHash("sha256").update(key).digest("hex");
  const bytes = new TextEncoder().encode(key);
  if (name === "murmur32") return murmur32(bytes);
  const { murmur3128 } = await import("@multiformats/murmur3");
  return hex(await murmur3128.encode(bytes)).slice(0, name === "murmur64" ? 16 : 32);
}

/**
 * The running state of MurmurHash3 x86 32: the gateway leaves out the last one to three bytes, the
 * length and the final mix.
 */
function murmur32(bytes: Uint8Array): string {
  const blocks = new DataView(bytes.buffer, bytes.byteOffset, bytes.length & ~3);
  let state = 0;
  for (let at = 0; at < blocks.byteLength; at += 4) {
    const first = Math.imul(blocks.getUint32(at, true), 0xcc9e2d51);
    state ^= Math.imul(rotated(first, 15), 0x1b873593);
    state = (Math.imul(rotated(state, 13), 5) + 0xe6546b64) | 0;
  }
  return (state >>> 0).toString(16).padStart(8, "0");
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function membersIn(key: string): { org: string; h: HashName } | undefined {
  if (!key.startsWith("ey")) return undefined;
  try {
    const { org, h } = JSON.parse(atob(key));
    return typeof org === "string" && hashings.includes(h) && h !== "none" ? { org, h } : undefined;
  } catch {
    return undefined;
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
