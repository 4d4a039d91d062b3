import { newId } from "../../kernel/ids.ts";
import type { ClientKey } from "./identity-provider.ts";

/** A fresh private key by which a client proves itself: RSA of 2048 bits, for RS256. */
export async function newClientKey(now: number): Promise<ClientKey> {
  const { privateKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign"],
  );
  const { kty = "", n = "", e = "", d = "", p = "", q = "", dp = "", dq = "", qi = "" } =
    await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, n, e, d, p, q, dp, dq, qi, kid: newId(now) };
}
