/** `node:crypto`, whose random bytes come out of the seed like all others. */
export * from "node:crypto";

/** Bytes of the simulation's. */
export const randomBytes = (length: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
