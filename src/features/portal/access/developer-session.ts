/**
 * The session of a developer at their own pages:
 *
 *     code, own password, provider ──► all          for 7 days, 12 hours unused
 *     link, nonce, password of an access token ──► look ──mailed code──► all    for 12 hours
 *     a person of the organisation who wants to see ──► read                    for 30 minutes
 *
 * `look` reads, asks and withdraws, `read` reads. A session keeps the origin of its beginning: one
 * that a portal's back end opened makes no token, whatever code was entered.
 */
import { sha256 } from "../../../kernel/sha256.ts";
import type { StoredRow } from "../../../storage/schema.ts";

/** A session as it is stored. */
export type DeveloperSessionRow = StoredRow<"developer_sessions">;

/** By what a session was opened. */
type OpenedBy = DeveloperSessionRow["opened_by"];

const HOUR_MS = 60 * 60 * 1000;

/** How long a session lasts that is the developer's own, and one that a back end opened. */
const OWN_MS = 7 * 24 * HOUR_MS;
const OTHERS_MS = 12 * HOUR_MS;
/** The idle time of a session in which a person of the organisation views the pages. */
const VIEW_MS = HOUR_MS / 2;
/** After this time without use it ends. */
const IDLE_MS = 12 * HOUR_MS;
/** For how long after it began a session makes tokens. */
const FRESH_MS = 10 * 60 * 1000;

/** Sessions that a developer has at once; one more ends the oldest. */
export const MOST_DEVELOPER_SESSIONS = 20;

/** How long a session lives that is opened so, in milliseconds. */
export function lifeOf(opens: DeveloperSessionRow["opens"]): number {
  switch (opens) {
    case "all":
      return OWN_MS;
    case "look":
      return OTHERS_MS;
    case "read":
      return VIEW_MS;
  }
}

type Times = Pick<DeveloperSessionRow, "created_at" | "last_used_at" | "expires_at">;

/** Whether it opens anything: neither over nor left alone. */
export function isOpenSession({ created_at, last_used_at, expires_at }: Times, now: number) {
  return Date.parse(expires_at) > now && Date.parse(last_used_at ?? created_at) + IDLE_MS > now;
}

type Origin = Pick<DeveloperSessionRow, "opened_by" | "opens" | "proved_at" | "token_id">;

/**
 * Whether the developer themselves began it, by a mailed code or a password of their own choice. A
 * code that was entered later makes no one else's session theirs.
 */
function isOwn({ opened_by, opens, proved_at, token_id }: Origin): boolean {
  if (token_id !== "") return false;
  switch (opened_by) {
    case "code":
    case "provider":
      return true;
    case "password":
      return opens === "all" && proved_at === null;
    case "link":
    case "nonce":
    case "view":
      return false;
  }
}

/**
 * Whether it is the developer's own, and began just now; by a provider: where that has just seen
 * its person, who may have left their browser there to another person.
 */
export function isFreshOwn(
  row: Times & Origin & Pick<DeveloperSessionRow, "seen_at">,
  now: number,
): boolean {
  const since = row.opened_by === "provider" ? row.seen_at : row.created_at;
  return isOwn(row) && since !== null && Date.parse(since) + FRESH_MS > now;
}

/**
 * The CSRF token that a change by the session must carry beside its cookie; see csrfTokenOf of the
 * console.
 */
export function developerCsrfToken(secret: string): string {
  return sha256(`keydesk developer csrf\0${secret}`);
}

/** A session as it is listed. */
export function toSession(
  { id, browser, opened_by, opens, created_at, last_used_at, expires_at }: Pick<
    DeveloperSessionRow,
    "id" | "browser" | "opened_by" | "opens" | "created_at" | "last_used_at" | "expires_at"
  >,
) {
  return {
    id,
    browser: browser ?? "",
    signed_in_by: opened_by,
    access: opens,
    date_created: created_at,
    last_used_at,
    expires_at,
  };
}
