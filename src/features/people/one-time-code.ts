import { HOTP, Secret, TOTP } from "otpauth/slim";
import { randomBytes } from "../../kernel/ids.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** One person among those of an organisation. */
export interface PersonRef {
  org_id: string;
  user_id: string;
}

/** The common parameters of apps (RFC 6238, section 4.1): six digits of HMAC-SHA-1, 30 s. */
const TERMS = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/** So many steps before and after this moment's count too: clocks differ, and people type. */
const DRIFT = 1;

/** A fresh secret of an app: 160 bits from the CSPRNG, as RFC 4226 recommends, in base32. */
export function newOneTimeSecret(): string {
  return base32(randomBytes(20));
}

/** The code of a step (RFC 4226, section 5.3). */
export function codeOfStep(secret: string, step: number): string {
  return HOTP.generate({ ...TERMS, secret: Secret.fromBase32(secret), counter: step });
}

/** The step of a moment, in milliseconds since 1970. */
export function stepAt(now: number): number {
  return TOTP.counter({ period: TERMS.period, timestamp: now });
}

/** The step whose code this is, of those that count now; undefined: none. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const delta = TOTP.validate({
    ...TERMS,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp: now,
    window: DRIFT,
  });
  return delta === null ? undefined : stepAt(now) + delta;
}

/** Whether what was typed may be an app's code: such can be guessed. */
export function isAppCode(typed: string): boolean {
  return /^\d{6}$/.test(typed);
}

/** The typed code without the blanks and hyphens that people put into codes. */
export function plainCode(typed: string): string {
  return typed.replace(/[\s-]/g, "").toLowerCase();
}

/** How many recovery codes there are of a person who has just made them. */
export const RECOVERY_CODES = 10;

/** Fresh recovery codes, each of 120 bits from the CSPRNG: `abcd-efgh-ijkl-mnop-qrst-uvwx`. */
export function newRecoveryCodes(): string[] {
  return Array.from(
    { length: RECOVERY_CODES },
    () => base32(randomBytes(15)).toLowerCase().replace(/(.{4})(?=.)/g, "$1-"),
  );
}

/** The stored hash of a recovery code. */
export function recoveryHash({ org_id, user_id }: PersonRef, code: string): string {
  return sha256(`keydesk recovery code\0${org_id}\0${user_id}\0${plainCode(code)}`);
}

/** The sealing context of a secret. */
export function oneTimePlace(org_id: string, id: string): SealedPlace {
  return { table: "one_time_secrets", org_id, id, column: "secret" };
}

/** A secret, opened; undefined: it was changed in the store, or its sealing key is lost. */
export function openedSecret(
  sealer: Sealer,
  { org_id, id, secret }: { org_id: string; id: string; secret: string | null },
): string | undefined {
  const place = oneTimePlace(org_id, id);
  return secret !== null && sealer.canOpen(place, secret) ? sealer.open(place, secret) : undefined;
}

/** For how long a secret that was shown can be proved, in milliseconds. */
const SET_UP_MS = 10 * 60 * 1000;

/** A secret that a session was shown, and by what it is known again. */
interface SecretView {
  secret: string;
  ticket: string;
  until: number;
}

/**
 * A fresh secret for a session, for ten minutes. Nothing is stored: the ticket is the secret,
 * sealed for this session.
 */
export function secretFor(
  sealer: Sealer,
  org_id: string,
  session: string,
  now: number,
): SecretView {
  const secret = newOneTimeSecret();
  const until = now + SET_UP_MS;
  const ticket = sealer.seal(ticketPlace(org_id, session), `${until} ${secret}`);
  return { secret, ticket, until };
}

/** The secret of a session's ticket; undefined: it is expired, or none of this session. */
export function secretOfTicket(
  sealer: Sealer,
  org_id: string,
  session: string,
  { ticket, now }: { ticket: string; now: number },
): SecretView | undefined {
  const place = ticketPlace(org_id, session);
  if (!sealer.canOpen(place, ticket)) return undefined;
  const [until = "", secret = ""] = sealer.open(place, ticket).split(" ");
  return Number(until) > now ? { secret, ticket, until: Number(until) } : undefined;
}

function ticketPlace(org_id: string, session: string): SealedPlace {
  return { table: "sessions", org_id, id: session, column: "one_time_secret" };
}

/** The URI for an app: `otpauth://totp/Keydesk:<account>?issuer=Keydesk&secret=…`. */
export function uriOf(account: string, secret: string): string {
  return new TOTP({
    ...TERMS,
    issuer: "Keydesk",
    label: account,
    secret: Secret.fromBase32(secret),
  }).toString();
}

function base32(bytes: Uint8Array<ArrayBuffer>): string {
  return new Secret({ buffer: bytes.buffer }).base32;
}
