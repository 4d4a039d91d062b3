import { once } from "./once.ts";

/** 128 bits of the BLAKE3 of a text's UTF-8 bytes, in lower-case hex. */
type Blake3 = (text: string) => string;

/**
 * The hash for long texts that are hashed with each call: by WebAssembly it takes a fifth of the
 * time of `sha256.ts`. It is loaded when it is needed first.
 */
export const blake3: () => Promise<Blake3> = once(async () => {
  const { createBLAKE3 } = await import("hash-wasm");
  const hasher = await createBLAKE3(128);
  const utf8 = new TextEncoder();
  const room = new Uint8Array(ROOM);
  const bytesOf = (text: string) => {
    // A character takes three bytes at the most.
    if (text.length > ROOM / 3) return utf8.encode(text);
    return room.subarray(0, utf8.encodeInto(text, room).written);
  };
  return (text) => hasher.init().update(bytesOf(text)).digest("hex");
});

/** Texts that take no more bytes are encoded into memory that is used again. */
const ROOM = 64 * 1024;
