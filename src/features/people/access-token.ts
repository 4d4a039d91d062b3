import { effectivePermissions, parsePermissions } from "../../calls/principal.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { type CertsAnswer, certsAnswers } from "../../contract/certs-answer.ts";
import { type LeakColumns, type LeakView, toLeak } from "../../contract/show-leak.ts";
import { base62Checksum } from "../../kernel/base62-checksum.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";

/** An access token as stored, with what its person holds. */
export interface AccessTokenRow extends LeakColumns {
  id: string;
  user_id: string;
  name: string;
  hash: string;
  /** Narrower permissions, as words; null: all that the person holds. */
  scope: string | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** The access token that took over at a rotation. */
  replaced_by: string | null;
  /** The issuer, if it was another person; else "". */
  issued_by: string;
  /** Networks from which alone it opens something, separated by blanks; null: from everywhere. */
  addresses: string | null;
  /** How lists of certificates read to it; null: as the server's setting says. */
  certs_answer: string | null;
  /** The id of the role whose permissions the scope is; null: they were given one by one. */
  scope_role: string | null;
  /** The permissions of its person. */
  permissions: string;
  /** The text of the scope in which its person sees and decides; null: everything. */
  covers: string | null;
  /** Since when all access tokens of its person are suspended. */
  suspended_at: string | null;
  /** When it was last used, to the minute, and from which address; null: not since this is kept. */
  last_used_at: string | null;
  last_used_from: string | null;
}

/** An access token as shown: never its value. */
export interface AccessToken {
  id: string;
  person_id: string;
  name: string;
  state: "active" | "suspended" | "expired" | "revoked";
  /** Its permissions: those of the person, within its scope. */
  permissions: Permission[];
  scope: Permission[] | null;
  role: string | null;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
  issued_by: string | null;
  addresses: string[] | null;
  certs_answer: CertsAnswer | null;
  /** It ends within two weeks, and nothing took over. */
  expires_soon: boolean;
  last_used_at: string | null;
  last_used_from: string | null;
  leaked: LeakView | null;
}

/** A stored access token as shown at `now`, in milliseconds. */
export function toAccessToken(row: AccessTokenRow, now: number): AccessToken {
  return {
    id: row.id,
    person_id: row.user_id,
    name: row.name,
    state: stateOf(row, now),
    permissions: effectivePermissions(row.permissions, row.scope),
    scope: row.scope === null ? null : parsePermissions(row.scope),
    role: row.scope_role,
    date_created: row.date_created,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    replaced_by: row.replaced_by,
    issued_by: row.issued_by || null,
    addresses: row.addresses === null ? null : row.addresses.split(" "),
    certs_answer: certsAnswerOf(row),
    expires_soon: endsSoon(row, now),
    last_used_at: row.last_used_at,
    last_used_from: row.last_used_from,
    leaked: toLeak(row),
  };
}

/** How lists of certificates read to an access token, where it says so. */
export function certsAnswerOf(
  { certs_answer }: Pick<AccessTokenRow, "certs_answer">,
): CertsAnswer | null {
  return certsAnswers.find((one) => one === certs_answer) ?? null;
}

/** The data that decide whether an access token is valid. */
type Standing = Pick<AccessTokenRow, "expires_at" | "revoked_at" | "suspended_at">;

/** The present state of an access token. */
export function stateOf(row: Standing, now: number): AccessToken["state"] {
  if (row.revoked_at !== null) return "revoked";
  if (!isUnended(row, now)) return "expired";
  return row.suspended_at === null ? "active" : "suspended";
}

/**
 * True while an access token opens something: neither revoked, at its end, nor suspended with its
 * person.
 */
export function isInForce(row: Standing, now: number): boolean {
  return isUnended(row, now) && row.suspended_at === null;
}

/** True while an access token is neither revoked nor at its end. */
export function isUnended(row: Omit<Standing, "suspended_at">, now: number): boolean {
  return row.revoked_at === null && (row.expires_at === null || Date.parse(row.expires_at) > now);
}

/** How long before its end an access token is warned of, in milliseconds. */
export const WARNED_MS = 14 * 24 * 60 * 60 * 1000;

/** The data that decide whether an access token is warned of. */
type Ending = Pick<
  AccessTokenRow,
  "date_created" | "expires_at" | "revoked_at" | "replaced_by"
>;

/**
 * Whether an access token's expiry is to be reported: from two weeks before it, or from half of a
 * shorter life.
 */
function endsSoon(row: Ending, now: number): boolean {
  if (row.expires_at === null || row.replaced_by !== null || !isUnended(row, now)) return false;
  const end = Date.parse(row.expires_at);
  return end - now <= Math.min(WARNED_MS, (end - Date.parse(row.date_created)) / 2);
}

/**
 * How well an organisation is administered: 2 by an access token that does not end by itself, 1 by
 * one that ends, 0 by no one. `endless` false: all new ones end here, so that one that ends is as
 * good as can be.
 */
export function administration(
  rows: readonly AccessTokenRow[],
  now: number,
  endless: boolean,
): 0 | 1 | 2 {
  const able = rows.filter((row) =>
    isInForce(row, now) && allows(effectivePermissions(row.permissions, row.scope), "admin")
  );
  if (endless && able.some((row) => row.expires_at === null)) return 2;
  return able.length > 0 ? 1 : 0;
}

/** So many characters of 62 are 256 bits. */
const RANDOM_LENGTH = 43;

/** A text with this prefix is meant as an access token. */
const PREFIX = "kda_";
const WHOLE = /^(kda_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

/** A fresh access token, `kda_<random>_<checksum>`: 256 bits from the CSPRNG. */
export function newAccessToken(): string {
  const body = `${PREFIX}${randomAlphanumeric(RANDOM_LENGTH)}`;
  return `${body}_${base62Checksum(body)}`;
}

/**
 * Whether a text begins like an access token and can't have been made as one, so that no store
 * needs to be asked.
 */
export function isMistyped(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const match = WHOLE.exec(text);
  return !match || base62Checksum(match[1] ?? "") !== match[2];
}

const SIGN_IN_PREFIX = "sign-in:";

/** All hashes of such rows, as SQL's `like` finds them. */
export const SIGN_IN_HASHES = `${SIGN_IN_PREFIX}%`;

/**
 * The hash of the row among the access tokens that represents a person who signs in without one.
 * Hashes of access tokens are hexadecimal, so nothing that can be presented is ever this: sessions
 * stand on the row, and nothing else does.
 */
export function signInHash(user_id: string): string {
  return SIGN_IN_PREFIX + user_id;
}

/** Whether an access token as stored is such a row. */
export function isSignInRow({ hash }: { hash: string }): boolean {
  return hash.startsWith(SIGN_IN_PREFIX);
}

/** How many access tokens are listed by name. */
const MOST_NAMED = 20;

/** The warning of access tokens that expire soon, a sentence; none if there are none. */
export function endingTokenWarnings(tokens: readonly EndingToken[], now: number): string[] {
  const ending = tokens.filter((token) => endsSoon(token, now));
  if (ending.length === 0) return [];
  const names = ending.slice(0, MOST_NAMED).map(({ id, name, expires_at }) =>
    `${JSON.stringify(name)} (${id}) at ${expires_at}`
  );
  const more = ending.length > MOST_NAMED ? ["…"] : [];
  return [
    `Access tokens that end soon (${ending.length}): ${
      [...names, ...more].join(", ")
    }. Rotate them before, where they are still needed.`,
  ];
}

/** An access token that has an end. */
export interface EndingToken {
  org_id: string;
  id: string;
  name: string;
  date_created: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
}
