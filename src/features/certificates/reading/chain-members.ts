import { X509Certificate } from "node:crypto";
import { Buffer } from "node:buffer";

/**
 * The members of a stored chain that are still valid: a gateway takes no file with one that is
 * over, and clients find their way without it.
 */
export function validMembers(chain: string, nowMs: number): string[] {
  return chain.split("\n").filter((one) => one !== "").filter((one) => {
    const { validTo } = new X509Certificate(Buffer.from(one, "base64"));
    return Date.parse(validTo) >= nowMs;
  });
}
