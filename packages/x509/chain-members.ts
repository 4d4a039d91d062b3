import { Buffer } from "node:buffer";
import { readCertificate } from "./x509.ts";

/**
 * The members of a stored chain that are still valid: a gateway takes no file with one that is
 * over, and clients find their way without it.
 */
export function validMembers(chain: string, nowMs: number): string[] {
  return chain.split("\n").filter((one) => one !== "").filter((one) => {
    const { not_after } = readCertificate(new Uint8Array(Buffer.from(one, "base64")));
    return Date.parse(not_after) >= nowMs;
  });
}
