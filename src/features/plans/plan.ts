import { type LeakAction, leakActionFrom } from "../../contract/leak-actions.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { OWN_ID } from "../../kernel/ids.ts";
import { refuseTooMuchUnknown } from "../../kernel/unknown-members.ts";

/** How a plan's keys are presented. */
export type AuthType = "authToken" | "basic" | "oauth" | "keyless";

/**
 * Reads an auth type as catalogue entries and plans carry it; a value that no one knows counts as
 * `authToken`.
 */
export function toAuthType(text: string): AuthType {
  return text === "basic" || text === "oauth" || text === "keyless" ? text : "authToken";
}

/**
 * The one auth type of plans that one key is for. Throws `keyless_plan` when one of them needs no
 * key, and `mixed_auth_types` when they differ. `oauth`: an OAuth client is asked for.
 */
export function commonAuthType(types: readonly AuthType[], oauth: boolean): AuthType {
  if (types.includes("keyless")) throw new Failure("keyless_plan");
  const [first = "authToken"] = types;
  if (types.some((type) => type !== first)) throw new Failure("mixed_auth_types");
  return oauth ? "oauth" : first;
}

/** Setting: `open` takes any developer and plan id, `strict` refuses those that no one knows. */
export type References = "open" | "strict";

/** The members of a plan's object that Keydesk knows. */
interface KnownMembers {
  name: string;
  active: boolean;
  /** Always the opposite of `active`. */
  is_inactive: boolean;
  /** Calls allowed within `per` seconds; no limit where either is 0 or -1. */
  rate: number;
  per: number;
  /** Calls allowed within `quota_renewal_rate` seconds; no limit where it is 0 or -1. */
  quota_max: number;
  /** Seconds; 0 or -1: the quota is never renewed. */
  quota_renewal_rate: number;
  /** By API id. */
  access_rights: Record<string, Record<string, unknown>>;
  auth_type: string;
  tags: string[];
  /** Seconds that a key, or an access, lasts from its grant; 0 or -1: it does not expire. */
  key_expires_in: number;
}

/** The members that a client may send, and Keydesk keeps, without knowing them. */
interface UnknownMembers {
  [member: string]: unknown;
}

/** A plan's object: what Keydesk knows, and whatever else its client keeps in it. */
export interface Plan extends PlanIds, KnownMembers, UnknownMembers {}

/** The members in a plan's row; older rows lack later ones. */
export type StoredMembers = Partial<KnownMembers> & UnknownMembers;

/** The changeable members of a plan; absent ones stay. Ids are given once, at creation. */
export type PlanChange =
  & { [K in keyof KnownMembers]?: KnownMembers[K] | undefined }
  & UnknownMembers
  & { _id?: never; id?: never };

/**
 * A plan after a change. Throws `invalid_input` for a rate without a time in which it is counted,
 * and for more unknown members than are kept.
 */
export function changedPlan(before: Plan, change: PlanChange): Plan {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const active = isActiveAfter(before.active, change);
  const members = Object.fromEntries(given);
  // as: a change holds no ids, and of what is known the contract's own types.
  const after = { ...before, ...members, active, is_inactive: !active } as Plan;
  if (after.rate > 0 && after.per <= 0) throw invalid("per: expected more than 0 where rate is");
  refuseTooMuchUnknown("body", after, knownOf(after));
  return after;
}

function knownOf(plan: Plan): object {
  const known = emptyPlan(plan, plan.name);
  return Object.fromEntries(Object.entries(plan).filter(([name]) => Object.hasOwn(known, name)));
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/**
 * `active` and `is_inactive` say one thing. If both are sent and disagree, the plan is closed,
 * whatever it was before.
 */
function isActiveAfter(before: boolean, { active, is_inactive }: PlanChange): boolean {
  if (active === undefined && is_inactive === undefined) return before;
  return active !== false && is_inactive !== true;
}

/**
 * The ids of a new plan. `_id` is the client's where it has 24 lower-case hex digits, else an `id`
 * of that form, else `fresh`; `id` is the client's, else what it sent as `_id`. Throws
 * `invalid_input` for an `_id` of another form beside another `id`, which would be lost.
 */
export function newPlanIds(
  sent: { _id?: string | undefined; id?: string | undefined },
  fresh: string,
): PlanIds {
  const { _id = "", id = "" } = sent;
  if (_id !== "" && !OWN_ID.test(_id)) {
    if (id !== "" && id !== _id) throw invalid("_id: expected 24 lower-case hex digits");
    return { _id: fresh, id: _id };
  }
  const own = _id || (OWN_ID.test(id) ? id : fresh);
  return { _id: own, id: id || own };
}

/** The two ids of a plan: `_id` has 24 hex digits, `id` is free text or the same. */
export interface PlanIds {
  _id: string;
  id: string;
}

/** The scope of a plan. */
interface Scope {
  /** It opens APIs: those of its `access_rights`, or all where it names none. */
  access: boolean;
  rate: boolean;
  quota: boolean;
}

const EVERYTHING: Scope = { access: true, rate: true, quota: true };
const PARTITIONS = ["acl", "rate_limit", "quota", "complexity"] as const;

/** The scope of a plan: by its true `partitions`, or all if none is true. */
export function scopeOf({ partitions }: UnknownMembers): Scope {
  if (typeof partitions !== "object" || partitions === null) return EVERYTHING;
  const named = new Map(Object.entries(partitions));
  const isOn = (name: typeof PARTITIONS[number]) => named.get(name) === true;
  if (!PARTITIONS.some(isOn)) return EVERYTHING;
  return { access: isOn("acl"), rate: isOn("rate_limit"), quota: isOn("quota") };
}

/**
 * The subject of a plan's `key_expires_in`: each key, whose time begins anew with a rotation, or
 * the developer's access, which begins with a decision.
 */
type ExpiryAppliesTo = "key" | "access";

/** The members of a plan that are kept beside its object, so that no client of that loses them. */
export interface PlanAdditions {
  expiry_applies_to: ExpiryAppliesTo;
  /** Live keys of it that a developer may have; 0: any number; null: see mostKeys. */
  max_keys_per_developer: number | null;
  /** The price as developers read it; "": none. */
  price_text: string;
}

/** The changeable ones; absent ones stay. */
export type PlanAdditionsChange = { [K in keyof PlanAdditions]?: PlanAdditions[K] | undefined };

/** A plan's columns that say it. */
export interface AdditionsRow {
  expiry_applies_to: string | null;
  max_keys: number | null;
  price_text: string | null;
}

/** The stored value of a plan without a number of keys for each developer. */
const UNSAID = -1;

/** The additions of a row: of a plan that came before there were any, any number of keys. */
export function additionsOf(
  { expiry_applies_to, max_keys, price_text }: AdditionsRow,
): PlanAdditions {
  return {
    expiry_applies_to: expiry_applies_to === "access" ? "access" : "key",
    max_keys_per_developer: Number(max_keys) === UNSAID ? null : Number(max_keys ?? 0),
    price_text: price_text ?? "",
  };
}

/** Their columns. */
export function additionsRow(additions: PlanAdditions): AdditionsRow {
  return {
    expiry_applies_to: additions.expiry_applies_to === "access" ? "access" : null,
    max_keys: additions.max_keys_per_developer ?? UNSAID,
    price_text: additions.price_text || null,
  };
}

/** A plan's revision: of its object, and of its additions where they say something. */
export function planRevision(plan: Plan, additions: PlanAdditions): string {
  const { expiry_applies_to, max_keys_per_developer, price_text } = additions;
  const isUsual = expiry_applies_to === "key" && max_keys_per_developer === 0;
  if (isUsual && price_text === "") return revisionOf(plan);
  const rules = [plan, expiry_applies_to, max_keys_per_developer];
  return revisionOf(price_text === "" ? rules : [...rules, price_text]);
}

/** How many live keys of a plan a developer may have; unless it says: one where it needs no one. */
export function mostKeys(
  { max_keys_per_developer: most }: Pick<PlanAdditions, "max_keys_per_developer">,
  atOnce: boolean,
): number {
  if (most === null) return atOnce ? 1 : Infinity;
  return most === 0 ? Infinity : most;
}

/** The rules of a plan for verification. The numbers mean the same as in Plan. */
export interface PlanRules {
  /** The plan's `_id`. */
  id: string;
  name: string;
  /** False: its keys open nothing for now. */
  active: boolean;
  /** True: the plan is gone, and its keys open nothing. */
  deleted: boolean;
  auth_type: AuthType;
  rate: number;
  per: number;
  quota_max: number;
  quota_renewal_rate: number;
  /** The ids of the APIs that it opens. */
  access_rights: string[];
  key_expires_in: number;
  expiryAppliesTo: ExpiryAppliesTo;
  tags: string[];
  scope: Scope;
  /** True: an old gateway that asks heeds what is decided here. */
  decidedHere: boolean;
}

/** The action on a plan's keys that leak; any other value means `notify`. */
export function leakActionOf({ document }: { document: string }): LeakAction {
  return leakActionIn(JSON.parse(document));
}

/** The action by a plan's object. */
export function leakActionIn({ when_leaked }: UnknownMembers): LeakAction {
  return leakActionFrom(when_leaked);
}

/** The APIs that a plan is valid for, by the names that it has for them, else by their ids. */
export function apiNamesOf({ access_rights }: Pick<Plan, "access_rights">): string[] {
  return Object.entries(access_rights).map(([id, { api_name }]) =>
    typeof api_name === "string" && api_name !== "" ? api_name : id
  );
}

/** A plan that was sent with nothing but a name. */
export function emptyPlan({ _id, id }: PlanIds, name: string): Plan {
  return {
    _id,
    id,
    name,
    active: true,
    is_inactive: false,
    rate: 0,
    per: 0,
    quota_max: -1,
    quota_renewal_rate: 0,
    access_rights: {},
    auth_type: "authToken",
    tags: [],
    key_expires_in: 0,
  };
}

/** The rules of a stored plan. */
export function rulesOf(
  plan: Plan,
  deleted: boolean,
  decidedHere = false,
  expiryAppliesTo: ExpiryAppliesTo = "key",
): PlanRules {
  const { _id: id, name, active, rate, per, quota_max, quota_renewal_rate, key_expires_in, tags } =
    plan;
  return {
    id,
    name,
    active,
    deleted,
    auth_type: toAuthType(plan.auth_type),
    rate,
    per,
    quota_max,
    quota_renewal_rate,
    access_rights: Object.keys(plan.access_rights),
    key_expires_in,
    expiryAppliesTo,
    tags,
    scope: scopeOf(plan),
    decidedHere,
  };
}

/** When keys of these plans end that are issued now: the shortest life counts. Null: never. */
export function expiryOf(livesSeconds: readonly number[], nowMs: number): string | null {
  const lives = livesSeconds.filter((seconds) => seconds > 0);
  const end = nowMs + Math.min(...lives) * 1000;
  // A life past the year 9999 is none that could end.
  return lives.length === 0 || end > LAST_MS ? null : new Date(end).toISOString();
}

const LAST_MS = Date.UTC(9999, 11, 31);
