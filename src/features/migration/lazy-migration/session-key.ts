import { toTimestamp } from "../../../kernel/clock.ts";
import { parseTimestamp, timeGiven } from "../../../kernel/timestamps.ts";
import { membersOf } from "../../gateways/tyk/tyk-calls.ts";
import type { Policy } from "../../gateways/tyk/tyk-policies.ts";
import {
  boundBy,
  developerNamed,
  endOfSession,
  isUserName,
  policiesNamed,
  quotaOfSession,
  type QuotaThere,
  type Session,
} from "../../gateways/tyk/tyk-session.ts";
import type { Untaught } from "./lazy-migration.ts";

/** The data of a key in a session. */
export interface SessionKey {
  /** "": it belongs to no one there. */
  readonly developer_id: string;
  /** The policies that its session names. */
  readonly named: readonly string[];
  readonly expires_at: string | null;
  readonly issued_at: string;
  /** The key for which Keydesk made the session; "": none. */
  readonly made_for: string;
  readonly quota: QuotaThere | null;
}

/** The data of a session at `now`, or why it has none: it is not valid by the key alone. */
export function sessionKeyOf(
  session: Session,
  { org_id, policies, now }: { org_id: string; policies: readonly Policy[]; now: number },
): SessionKey | Untaught {
  const { org_id: of, oauth_client_id, meta_data, date_created } = session;
  const isForeign = typeof of === "string" && of !== "" && of !== org_id;
  if (isForeign || isUserName(session) || boundBy(session) !== undefined) return "bound";
  if (typeof oauth_client_id === "string" && oauth_client_id !== "") return "bound";
  if (standingOf(session, now) !== "open") return "closed";
  const named = [...new Set(policiesNamed(session))];
  if (named.length === 0) return "no_plans";
  const found = named.map((one) => policies.find(({ names }) => names.includes(one)));
  const known = found.filter((policy) => policy !== undefined);
  if (known.length === 0 || known.some(({ active }) => !active)) return "closed";
  const { keydesk_key_id } = membersOf(meta_data);
  const end = endOfSession(session);
  return {
    developer_id: developerNamed(session),
    named,
    expires_at: end === null ? null : toTimestamp(end),
    issued_at: madeAt(date_created, now),
    made_for: typeof keydesk_key_id === "string" ? keydesk_key_id : "",
    quota: quotaOfSession(session, undefined, now),
  };
}

/** Whether a session is valid at `now`, suspended by Keydesk's mark for gateways, or expired. */
export function standingOf(session: Session, now: number): "open" | "suspended" | "over" {
  const end = endOfSession(session);
  if (end === null || end > now) return "open";
  return end === SUSPENDED_MS ? "suspended" : "over";
}

/** The end that represents a suspension; see ENDED in tyk-terms.ts. */
const SUSPENDED_MS = 1000;

function madeAt(date: unknown, now: number): string {
  const given = typeof date === "string" ? timeGiven(date) : undefined;
  if (given === undefined || !parseTimestamp(given)) return toTimestamp(now);
  return toTimestamp(Math.min(Date.parse(given), now));
}
