import { crc32 } from "node:zlib";

const LENGTH = 6;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * CRC-32 (IEEE 802.3) of a text as six base62 digits, the highest first. It finds typing errors,
 * and proves nothing.
 */
export function base62Checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < LENGTH; i++) {
    digits = `${DIGITS[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
