/**
 * Keys whose text somebody chose, where they came from. The gateway there made another text of it
 * before it hashed that, and does so at each call; so the hash that was imported is none of what is
 * presented.
 */
import { Buffer } from "node:buffer";
import { sha256 } from "../../kernel/sha256.ts";
import { type KeyAlgorithm, murmurIdsOf } from "./murmur.ts";

/**
 * How a text is wrapped: by the function that hashes it, or with the organisation alone where keys
 * are not hashed.
 */
export type Wrapping = KeyAlgorithm | "none";

/** Every one of them. */
export const wrappings: readonly Wrapping[] = ["sha256", "murmur128", "murmur64", "none"];

/** A chosen key with fewer characters is weak: what is minted has 128 bits at the least. */
const SHORT = 20;

/** Whether a text that somebody chose as a key is so short that it may be guessed. */
export function isWeak(text: string): boolean {
  return [...text].length < SHORT;
}

/** The key id under which a key of this text was imported, where it was wrapped so. */
export async function wrappedId(org_id: string, text: string, by: Wrapping): Promise<string> {
  if (by === "none") return sha256(org_id + text);
  const wrapped = Buffer.from(`{"org":"${org_id}","id":"${text}","h":"${by}"}`).toString("base64");
  if (by === "sha256") return sha256(wrapped);
  const [murmur128, murmur64] = await murmurIdsOf(wrapped);
  return by === "murmur128" ? murmur128 : murmur64;
}
