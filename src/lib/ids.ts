const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** `bytes` as lower-case hexadecimal text. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** `length` bytes from the operating system's CSPRNG. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** A fresh id: 24 lower-case hex characters of which the first 8 are the creation second (the ObjectID shape); the other 64 bits are random. */
export function newId(nowMs: number): string {
  const second = Math.floor(nowMs / 1000) >>> 0;
  return second.toString(16).padStart(8, "0") + toHex(randomBytes(8));
}

/** True for a text that can name something here: 1–255 characters, no control character, no lone surrogate. */
export function isId(text: string): boolean {
  // deno-lint-ignore no-control-regex -- refusing control characters is the point
  return text.length >= 1 && text.length <= 255 && !/[\u0000-\u001f\u007f-\u009f]/.test(text) &&
    text.isWellFormed();
}
