import { argon2id } from "hash-wasm";
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { foreignCost } from "./foreign-hash.ts";

/**
 * Argon2id with 19 MiB, two passes and one lane: the first choice of OWASP's password storage cheat
 * sheet.
 */
const COST = { memorySize: 19 * 1024, iterations: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A password's Argon2id hash (RFC 9106) in PHC form, with a salt of its own. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  return await encode(password, salt, { ...COST, hashLength: HASH_BYTES });
}

/** A hash of no password: checking it takes as long as checking a real one. */
export const NO_PASSWORD = "$argon2id$v=19$m=19456,t=2,p=1$a2V5ZGVzay1uby1ib2R5IQ$" +
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/**
 * Whether a stored hash is that of the password. Costs the same whether it is or not, and whichever
 * form the hash has: where others have hashes of bcrypt, of `greatestCost` at the most, each check
 * does the work of both. Throws for what is no such hash.
 */
export async function passwordMatches(
  password: string,
  stored: string,
  greatestCost: number | null = null,
): Promise<boolean> {
  const own = foreignCost(stored);
  const matchesForeign = own === undefined && greatestCost === null
    ? false
    : await foreignMatches(password, stored, own, greatestCost ?? 0);
  const matches = await ownMatches(password, own === undefined ? stored : NO_PASSWORD);
  return own === undefined ? matches : matchesForeign;
}

/**
 * Does the work of one check of `greatestCost`, whatever the hash's own cost is; undefined: it is
 * none of bcrypt's.
 */
async function foreignMatches(
  password: string,
  stored: string,
  own: number | undefined,
  greatestCost: number,
): Promise<boolean> {
  // Loaded where it is met: most stores hold no such hash.
  const { compare } = await import("bcryptjs");
  if (own === undefined) return await compare(password, nobodys(greatestCost));
  const matches = await compare(password, stored);
  // Each cost is twice the work of the one before: 10, 10 and 11 together are 12.
  for (let cost = own; cost < greatestCost; cost++) await compare(password, nobodys(cost));
  return matches && password !== "";
}

function nobodys(cost: number): string {
  return `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
}

async function ownMatches(password: string, stored: string): Promise<boolean> {
  const match = PHC.exec(stored);
  if (!match) throw new Error("a stored password is not in Argon2id's PHC form");
  const [, memorySize, iterations, parallelism, salt = "", hash = ""] = match;
  // The library takes no empty password, and no one has one; the work is done all the same.
  const again = await encode(password || " ", Buffer.from(salt, "base64"), {
    memorySize: Number(memorySize),
    iterations: Number(iterations),
    parallelism: Number(parallelism),
    hashLength: Buffer.from(hash, "base64").length,
  });
  const [a, b] = [Buffer.from(again), Buffer.from(stored)];
  return a.length === b.length && timingSafeEqual(a, b) && password !== "";
}

/**
 * Encodes a password, which can be typed as different code points; NFC makes them one (RFC 8265,
 * OpaqueString).
 */
function encode(
  password: string,
  salt: Uint8Array,
  cost: { memorySize: number; iterations: number; parallelism: number; hashLength: number },
): Promise<string> {
  return argon2id({ ...cost, password: password.normalize("NFC"), salt, outputType: "encoded" });
}
