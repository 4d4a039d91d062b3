/** `bytes` as lower-case hexadecimal text. */
export function toHex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** Random bytes of the CSPRNG that were not yet handed out: the first `left` bytes. */
const pool = new Uint8Array(4096);
let left = 0;

/** `length` bytes from the operating system's CSPRNG, each handed out once. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length > pool.length) return crypto.getRandomValues(new Uint8Array(length));
  if (length > left) {
    // One question for many: an approval needs a dozen times a few bytes.
    crypto.getRandomValues(pool);
    left = pool.length;
  }
  left -= length;
  const bytes = pool.slice(left, left + length);
  pool.fill(0, left, left + length);
  return bytes;
}

/** Random, and of this thread alone: 5 bytes. */
const THREAD = toHex(randomBytes(5));
let counter = Number.parseInt(toHex(randomBytes(3)), 16);

/**
 * A fresh id in the shape of a MongoDB ObjectID: 24 lower-case hex characters, 4 bytes creation
 * second, 5 bytes random of this thread, 3 bytes counter. Ids made one after the other sort so,
 * which keeps the rows of one commit together on few pages. An id is a name, not a secret.
 */
export function newId(nowMs: number): string {
  const second = Math.floor(nowMs / 1000) >>> 0;
  counter = (counter + 1) & 0xffffff;
  return second.toString(16).padStart(8, "0") + THREAD + counter.toString(16).padStart(6, "0");
}

/** The form of the ids that newId makes. */
export const OWN_ID = /^[0-9a-f]{24}$/;

/**
 * True for a text that can name something here: 1–255 characters, no control character, no lone
 * surrogate.
 */
export function isId(text: string): boolean {
  // deno-lint-ignore no-control-regex -- refusing control characters is the point
  return text.length >= 1 && text.length <= 255 && !/[\u0000-\u001f\u007f-\u009f]/.test(text) &&
    text.isWellFormed();
}

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** `length` characters of `[A-Za-z0-9]`, each equally likely (5.95 bits a character). */
export function randomAlphanumeric(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte: what lies above would favour some characters.
      if (byte < 248 && text.length < length) text += ALPHANUMERIC[byte % 62];
    }
  }
  return text;
}
