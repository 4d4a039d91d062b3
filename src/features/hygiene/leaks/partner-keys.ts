import { Buffer } from "node:buffer";
import { createPublicKey, verify } from "node:crypto";
import { z } from "zod";

/** The public keys of a scanning partner, in the form in which GitHub publishes its own. */
const published = z.object({
  public_keys: z.array(z.object({
    key_identifier: z.string().regex(/^[\x21-\x7e]{1,128}$/),
    key: z.string().min(1).max(4096),
  })).min(1).max(100),
});

/** PEM public keys by their identifier. */
type PartnerKeys = ReadonlyMap<string, string>;

/**
 * Reads published public keys: `{"public_keys":[{"key_identifier","key","is_current"}]}`. Undefined
 * where the text is something else, or one of them is no ECDSA key on P-256. Keys that are current
 * no more count as well: reports that were signed with one may be on their way, and what must not
 * count any more is taken out of the file.
 */
export function parsePartnerKeys(text: string): PartnerKeys | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = published.safeParse(value);
  if (!parsed.success) return undefined;
  const keys = parsed.data.public_keys;
  if (!keys.every(({ key }) => isP256(key))) return undefined;
  return new Map(keys.map(({ key_identifier, key }) => [key_identifier, key]));
}

function isP256(pem: string): boolean {
  try {
    const { type, asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(pem);
    return type === "public" && asymmetricKeyType === "ec" &&
      asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

/**
 * Whether `signature`, base64 of a DER-encoded ECDSA signature with SHA-256, is one of `body` by
 * the key of this identifier. Never throws: whatever else it is, it is no signature.
 */
export function isSigned(
  keys: PartnerKeys,
  { identifier, signature, body }: { identifier: string; signature: string; body: Uint8Array },
): boolean {
  const key = keys.get(identifier);
  if (key === undefined || !/^[A-Za-z0-9+/]{8,200}={0,2}$/.test(signature)) return false;
  try {
    return verify("sha256", body, key, Buffer.from(signature, "base64"));
  } catch {
    return false;
  }
}
