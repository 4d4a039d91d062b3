import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../kernel/sha256.ts";
import { conditionalHash } from "../keys/key-conditions.ts";
import type { Entry } from "./key-lookup.ts";
import { KnownToken } from "./known-key.ts";
import type { Presented } from "./presented.ts";

/**
 * A key or token opens by itself; a user name only with its password; an OAuth client's id and
 * secret open nothing here. A password is hashed and compared whether the user name is known or
 * not.
 */
export function isWhatWasPresented(entry: Entry | null, { password }: Presented): boolean {
  if (password === undefined) {
    return entry instanceof KnownToken
      ? entry.key.facts.kind === "oauth"
      : entry?.facts.kind === "token";
  }
  const facts = entry === null || entry instanceof KnownToken ? undefined : entry.facts;
  const plain = sha256(password);
  const conditional = conditionalHash(plain);
  const isRight = timingSafeEqual(
    Buffer.from(facts?.conditions ? conditional : plain),
    Buffer.from(facts?.secret_hash ?? NOBODYS_HASH),
  );
  return isRight && facts?.kind === "basic";
}

/** As long as a hash, and none. */
const NOBODYS_HASH = "x".repeat(64);
