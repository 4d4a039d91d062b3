import { sha256 } from "../../kernel/sha256.ts";

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** An id in the shape of our own: the creation second, then 64 bits made of the name alone. */
export function demoId(name: string, createdMs: number): string {
  const second = Math.floor(createdMs / 1000) >>> 0;
  return second.toString(16).padStart(8, "0") + sha256(`demo ${name}`).slice(0, 16);
}
