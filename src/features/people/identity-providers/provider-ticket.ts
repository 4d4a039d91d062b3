import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { toTimestamp } from "../../../kernel/clock.ts";
import { randomAlphanumeric } from "../../../kernel/ids.ts";
import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import { sha256 } from "../../../kernel/sha256.ts";

/** For how long a person may be away at a provider, in milliseconds. */
export const AWAY_MS = 10 * 60 * 1000;

/**
 * The purpose of going to a provider: to sign in, or to link an account to a session; as a person
 * or as a developer.
 */
export type AwayFor =
  | "sign-in"
  | { session: string }
  | "developer-sign-in"
  | { developer_session: string };

/** The values that go to a provider and come back from it, or stay here meanwhile. */
export interface Errand {
  state: string;
  nonce: string;
  /** PKCE's. */
  verifier: string;
  /** By what the state is kept once it came back. */
  spent: { hash: string; expires_at: string };
}

/**
 * A fresh ticket, which the browser keeps while it is away: `<43 letters and digits>.<milliseconds
 * since 1970>.<provider>`. Nothing is stored: all that goes out follows from it and a sealing key.
 */
export function newProviderTicket(provider_id: string, now: number): string {
  return `${randomAlphanumeric(43)}.${now + AWAY_MS}.${provider_id}`;
}

/** The values of a ticket for this provider; undefined: it is expired, another's, or none. */
export function errandOf(
  sealer: Sealer,
  what: AwayFor,
  provider_id: string,
  ticket: string | undefined,
  now: number,
): Errand | undefined {
  const [, end, provider] = /^[0-9A-Za-z]{43}\.(\d{13,15})\.([0-9A-Za-z]+)$/.exec(ticket ?? "") ??
    [];
  const until = Number(end);
  if (ticket === undefined || provider !== provider_id) return undefined;
  if (!(until > now && until <= now + AWAY_MS)) return undefined;
  const owner = nameOf(what);
  const part = (name: string) => {
    const text = sealer.checksum(`provider ${name}\0${owner}\0${ticket}`);
    return Buffer.from(createHash("sha256").update(text).digest()).toString("base64url");
  };
  const state = part("state");
  const spent = { hash: sha256(`provider state\0${state}`), expires_at: toTimestamp(until) };
  return { state, nonce: part("nonce"), verifier: part("verifier"), spent };
}

/** The name that separates purposes: a developer's ticket is not valid for a person. */
function nameOf(what: AwayFor): string {
  if (typeof what === "string") return what === "sign-in" ? "" : "developer";
  return "session" in what ? what.session : `developer ${what.developer_session}`;
}
