/** 128 bits of the BLAKE3 of a text's UTF-8 bytes, in lower-case hex. */
export type Blake3 = (text: string) => string;

let loaded: Promise<Blake3> | undefined;

/**
 * The hash for long texts that are hashed with each call: by WebAssembly it takes a fifth of the time of `sha256.ts`. It
 * is loaded when it is needed first.
 */
export function blake3(): Promise<Blake3> {
  return loaded ??= load();
}

async function load(): Promise<Blake3> {
  const { createBLAKE3 } = await import("hash-wasm");
  const hasher = await createBLAKE3(128);
  const utf8 = new TextEncoder();
  return (text) => hasher.init().update(utf8.encode(text)).digest("hex");
}
