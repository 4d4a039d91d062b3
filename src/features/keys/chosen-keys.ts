/**
 * Keys whose text a person chose, where they came from. The gateway there made another text of it
 * before it hashed that, and does so at each call; so the hash that was imported is none of what is
 * presented.
 */
import { Buffer } from "node:buffer";
import { sha256 } from "../../kernel/sha256.ts";
import { type KeyAlgorithm, murmurIdsOf } from "./murmur.ts";

/**
 * Every way in which a text is wrapped: for the function that hashes it; where keys are not hashed
 * with the organisation alone, or for the function that would. Unhashed and for SHA-256 it has the
 * same id as hashed.
 */
export const wrappings = [
  "sha256",
  "murmur128",
  "murmur64",
  "none",
  "unhashed-murmur128",
  "unhashed-murmur64",
  "unhashed-murmur32",
] as const;

/** One of them. */
export type Wrapping = typeof wrappings[number];

/** A chosen key with fewer characters is weak: what is minted has 128 bits at the least. */
const SHORT = 20;

/** Whether a text that a person chose as a key is so short that it may be guessed. */
export function isWeak(text: string): boolean {
  return [...text].length < SHORT;
}

/** A text of fewer bytes opens nothing at the gateway, whether or not it knows it. */
const SHORTEST = 3;

/** Whether a text is so short that it opened nothing where it came from. */
export function isTooShort(text: string): boolean {
  return Buffer.byteLength(text) < SHORTEST;
}

/** The function whose hash names the keys that were wrapped so. */
export function algorithmOf(by: Wrapping): KeyAlgorithm {
  return by === "murmur128" || by === "murmur64" ? by : "sha256";
}

/** The key id under which a key of this text was imported, where it was wrapped so. */
export async function wrappedId(org_id: string, text: string, by: Wrapping): Promise<string> {
  if (by === "none") return sha256(org_id + text);
  const h = by.replace("unhashed-", "");
  const wrapped = Buffer.from(`{"org":"${org_id}","id":"${text}","h":"${h}"}`).toString("base64");
  if (algorithmOf(by) === "sha256") return sha256(wrapped);
  const [murmur128, murmur64] = await murmurIdsOf(wrapped);
  return by === "murmur128" ? murmur128 : murmur64;
}
