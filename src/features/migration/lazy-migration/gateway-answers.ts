/**
 * The answers of a gateway about a key that was migrated from it, and the actions on them in
 * Keydesk.
 */
import {
  boundBy,
  endOfSession,
  isUserName,
  policiesNamed,
  quotaOfSession,
  type QuotaThere,
  says,
  type Session,
} from "../../gateways/tyk/tyk-session.ts";
import type { Policy } from "../../gateways/tyk/tyk-policies.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { standingOf } from "./session-key.ts";

/** The gateway's last answer about a key, as stored. */
export interface SeenThere {
  /** The policies that the session names, in the order of their names. */
  readonly named: readonly string[];
  /** The plans here that these are. */
  readonly plans: readonly string[];
  /** In seconds since 1970; 0: never. */
  readonly expires: number;
  /** When the session was last written, as it says; "": it does not. */
  readonly edited: string;
  /** A digest of what is there beside all that counts, such as alias and tags. */
  readonly rest: string;
  /** By which canary that was believed. */
  readonly canary: string;
  /** When it was suspended here because it is there; absent: it was not. */
  readonly suspended_at?: string;
}

/** The gateway's present answer about a key. */
export type SaidThere =
  | { readonly is: "gone" }
  | {
    readonly is: "open" | "suspended" | "over";
    readonly named: readonly string[];
    readonly expires: number;
    readonly edited: string;
    readonly rest: string;
    readonly quota: QuotaThere | null;
    /** True: it opens there in another way than by being presented alone. */
    readonly isBound: boolean;
    /** Members that were set there and have no effect beside plans. */
    readonly ineffective: readonly string[];
  };

/** The answer of a session at `now`; undefined: there is none. */
export function saidThere(
  session: Session | undefined,
  { policies, org_id, now }: { policies: readonly Policy[]; org_id: string; now: number },
): SaidThere {
  if (!session) return { is: "gone" };
  const { oauth_client_id, org_id: of, last_updated } = session;
  const standing = standingOf(session, now);
  const end = endOfSession(session);
  const named = [...new Set(policiesNamed(session))].sort();
  const isClient = typeof oauth_client_id === "string" && oauth_client_id !== "";
  const isForeign = typeof of === "string" && of !== "" && of !== org_id;
  return {
    is: standing,
    named,
    expires: end === null ? 0 : Math.floor(end / 1000),
    edited: String(last_updated ?? ""),
    rest: restOf(session),
    quota: quotaOfSession(session, undefined, now),
    isBound: isClient || isForeign || isUserName(session) || boundBy(session) !== undefined,
    ineffective: ineffectiveIn(session, policies.filter(({ names }) => isAnyOf(names, named))),
  };
}

/**
 * Members that a session sets beside its policies, which go by themselves: a session that is read
 * back shows what the policies say, so what else is there was put into it by hand.
 */
function ineffectiveIn(session: Session, policies: readonly Policy[]): string[] {
  if (policies.length === 0) return [];
  const isSet = (name: string, ofPolicy: (policy: Policy) => number) => {
    const value = session[name] ?? 0;
    const own = typeof value === "number" ? Math.max(0, value) : 0;
    return own > 0 && policies.every((policy) => ofPolicy(policy) !== own);
  };
  return [
    session.is_inactive === true && policies.every(({ active }) => active) ? "is_inactive" : "",
    isSet("rate", ({ rate }) => rate) ? "rate" : "",
    isSet("per", ({ per }) => per) ? "per" : "",
    isSet("quota_max", ({ quota }) => quota) ? "quota_max" : "",
    isSet("quota_renewal_rate", ({ renewal }) => renewal) ? "quota_renewal_rate" : "",
  ].filter((name) => name !== "");
}

function isAnyOf(names: readonly string[], plans: readonly string[]): boolean {
  return plans.some((one) => names.includes(one));
}

/** A digest of what neither calls nor plans change, and what is kept apart. */
function restOf(session: Session): string {
  const rest = Object.entries(session).filter(([name, value]) => !COUNTS.has(name) && says(value))
    .sort(([a], [b]) => a < b ? -1 : 1);
  return sha256(JSON.stringify(rest)).slice(0, 16);
}

/** The members that are counters, that plans set, or that every call changes. */
const COUNTS: ReadonlySet<string> = new Set([
  "apply_policies",
  "apply_policy_id",
  "expires",
  "is_inactive",
  "rate",
  "per",
  "quota_max",
  "quota_remaining",
  "quota_renews",
  "quota_renewal_rate",
  "access_rights",
  "throttle_interval",
  "throttle_retry_limit",
  "allowance",
  "last_check",
  "last_updated",
]);

/** The stored answer; undefined: none was kept. */
export function readSeen(text: string): SeenThere | undefined {
  // as: learning wrote exactly this.
  return text === "" ? undefined : JSON.parse(text) as SeenThere;
}

/** The stored form of an answer. */
export function seenText(seen: SeenThere): string {
  return JSON.stringify(seen);
}

/** Whether two lists name the same. */
export function isSameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
