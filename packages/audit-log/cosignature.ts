import { Buffer } from "node:buffer";
import { verify } from "node:crypto";
import {
  bodyOf,
  COSIGNATURE,
  keyHashBytes,
  publicKeyOf,
  type TreeHead,
  type Verifier,
} from "./checkpoint.ts";

/** The lines of a text that are the cosignature of this head by this witness. */
export function cosignaturesOf(text: string, head: TreeHead, witness: Verifier): string[] {
  return text.split("\n").filter((line) => {
    const [dash, name, base64 = "", ...more] = line.split(" ");
    const bytes = Buffer.from(base64, "base64");
    if (dash !== "\u2014" || name !== witness.name || more.length > 0) return false;
    if (bytes.length !== 4 + 8 + 64) return false;
    if (!bytes.subarray(0, 4).equals(keyHashBytes(name, witness.public_key, COSIGNATURE))) {
      return false;
    }
    const seconds = bytes.readBigUInt64BE(4).toString();
    return verify(null, signedBytes(head, seconds), publicKeyOf(witness), bytes.subarray(12));
  });
}

function signedBytes(head: TreeHead, seconds: string): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${bodyOf(head)}`);
}
