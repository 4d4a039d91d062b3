import { createHash } from "node:crypto";
import { canonicalJson } from "../../kernel/canonical-json.ts";

/** SHA-256 of a value's one JSON text, hex. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/** A digest of a set, whatever the order in which its members come: the XOR of theirs. */
export class SetDigest {
  readonly #bytes = new Uint8Array(32);
  count = 0;

  add(...words: readonly string[]): void {
    const digest = createHash("sha256").update(JSON.stringify(words)).digest();
    for (const [i, byte] of digest.entries()) this.#bytes[i] = (this.#bytes[i] ?? 0) ^ byte;
    this.count++;
  }

  /** Hex. */
  get sha256(): string {
    return this.#bytes.toHex();
  }
}
