import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { toTimestamp } from "../../kernel/clock.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { CHALLENGE_MS } from "./passkey.ts";

/** The purpose of a challenge: signing in, or a session that adds a passkey. */
type ChallengeUse = "sign-in" | { session: string };

/** A challenge, and the ticket that its recipient keeps meanwhile. */
interface GivenChallenge {
  /** `<43 letters and digits>.<milliseconds since 1970>`. */
  ticket: string;
  /** base64url, as browsers take it. */
  challenge: string;
  /** RFC 3339. */
  expires_at: string;
}

/**
 * A fresh challenge for five minutes. Nothing is stored: it follows from the ticket and a sealing
 * key, so anyone who has no ticket of ours has no challenge, and a stranger fills no table.
 */
export function newChallenge(sealer: Sealer, use: ChallengeUse, now: number): GivenChallenge {
  const until = now + CHALLENGE_MS;
  const ticket = `${randomAlphanumeric(43)}.${until}`;
  return {
    ticket,
    challenge: challengeOf(sealer, use, ticket),
    expires_at: toTimestamp(until),
  };
}

/** The challenge that belongs to a ticket, with what spends it; undefined: it is over, or none. */
export function challengeOfTicket(
  sealer: Sealer,
  use: ChallengeUse,
  ticket: string | undefined,
  now: number,
): { challenge: string; spent: { hash: string; expires_at: string } } | undefined {
  const until = Number(/^[0-9A-Za-z]{43}\.(\d{13,15})$/.exec(ticket ?? "")?.[1]);
  if (ticket === undefined || !(until > now && until <= now + CHALLENGE_MS)) return undefined;
  const challenge = challengeOf(sealer, use, ticket);
  return { challenge, spent: { hash: sha256(challenge), expires_at: toTimestamp(until) } };
}

function challengeOf(sealer: Sealer, use: ChallengeUse, ticket: string): string {
  const owner = use === "sign-in" ? "" : use.session;
  const text = sealer.checksum(`passkey challenge\0${owner}\0${ticket}`);
  return Buffer.from(createHash("sha256").update(text).digest()).toString("base64url");
}
