import { invalidate } from "../../../changes/invalidation.ts";
import { want } from "../../../changes/provisioning.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Tx } from "../../../storage/storage.ts";
import { findStateChange } from "../../keys/key-life.store.ts";
import { lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { changeEnd, changeLockedKey, replacePlans } from "../../keys/key-life.transactions.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";
import { followQuota } from "../../verification/taken-quota.ts";
import { type Asked, keepSeen, seenNow } from "./followed-key.ts";
import type { NotFollowed } from "./lazy-migration.ts";
import { mayLose } from "./may-lose.transactions.ts";
import { isSameNames, readSeen, type SaidThere, type SeenThere } from "./gateway-answers.ts";

type Said = Extract<SaidThere, { is: "open" | "suspended" | "over" }>;

/** Why something that was done there is not done here. */
interface Kept {
  readonly why: NotFollowed;
  /** The names it is about, such as plans. */
  readonly names?: readonly string[];
}

/**
 * Does here what was done at a gateway with a key that opens there. Nothing is known of what an
 * answer that was not kept said: then the first one is kept alone.
 */
export async function followOpen(tx: Tx, asked: Asked, said: Said): Promise<boolean> {
  const { migrated, locked: { credential: key }, rules, now } = asked;
  const seen = readSeen(migrated.seen);
  if (!seen) {
    await keepSeen(tx, migrated, { seen: seenNow(asked, said), awaits_since: null });
    return false;
  }
  const resumed = await resume(tx, asked, seen);
  if (resumed && "why" in resumed) return await report(tx, asked, resumed, seen);
  const unfit = said.isBound ? "bound" : said.named.length === 0 ? "no_plans" : undefined;
  if (unfit) return await report(tx, asked, { why: unfit }, seen);
  const base = { ...seen, ...broughtSince(asked) };
  const planned = await followPlans(tx, asked, base);
  if (planned === "waits") return false;
  if (planned && "why" in planned) return await report(tx, asked, planned, seen);
  const ended = await followEnd(tx, asked, said, { base, seen });
  if (ended && "why" in ended) return await report(tx, asked, ended, { ...seen, ...planned });
  const isChanged = Boolean(resumed ?? planned ?? ended);
  // Else its row is another one by now: it is counted when it is next asked about.
  const counted = !isChanged && said.quota !== null &&
    await followQuota(tx, { credential: key, plans: rules, quota: said.quota, now });
  if (counted) {
    const { org_id, key_id } = asked;
    await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
  }
  const reported = isChanged ? "" : await reportIneffective(tx, asked, said, seen);
  const { suspended_at } = resumed ? {} : seen;
  const kept = { ...seenNow(asked, said), ...suspended_at === undefined ? {} : { suspended_at } };
  await keepSeen(tx, migrated, { seen: kept, reported, awaits_since: null });
  return isChanged || counted;
}

/** The action; `expires_at`: the new expiry, if that changed. */
interface Done {
  readonly expires_at: string | null;
}

/**
 * Resumes what was suspended because it was there. A key that was suspended in Keydesk stays so,
 * and is synced there anew.
 */
async function resume(tx: Tx, asked: Asked, seen: SeenThere): Promise<Done | Kept | undefined> {
  const { org_id, key_id, actor, at, locked, brought, now } = asked;
  const { state, expires_at } = locked.credential;
  if (state !== "suspended") return undefined;
  const changed = await findStateChange(tx, { org_id, key_id });
  if (seen.suspended_at !== undefined && seen.suspended_at === changed) {
    await changeLockedKey(tx, actor, locked, "resume", `It was resumed ${at}.`);
    return { expires_at };
  }
  // A key that could not be closed there was not reopened there.
  if (brought?.state !== "delivered" || !brought.held.includes('"closed"')) return undefined;
  await want(tx, { org_id, kind: "key", object_id: key_id, now });
  return { why: "suspended_here" };
}

/** The last known state there. */
type Base = Pick<SeenThere, "plans" | "expires">;

/** The state synced there since the gateway was last asked; undefined: none. */
function broughtSince({ brought, migrated }: Asked): Base | undefined {
  if (brought?.state !== "delivered" || !brought.held.startsWith("{")) return undefined;
  if ((brought.delivered_at ?? "") < migrated.asked_at) return undefined;
  // as: held is the text that stateTextOf made.
  const { is, plans, expires } = JSON.parse(brought.held) as Base & { is: string };
  return is === "open" ? { plans, expires } : undefined;
}

/** Gives the key the plans that it was given there, and takes those that were taken there. */
async function followPlans(
  tx: Tx,
  asked: Asked,
  base: Base,
): Promise<{ plans: readonly string[] } | Kept | "waits" | undefined> {
  const { org_id, key_id, actor, plans: there, unknown } = asked;
  if (isSameNames(there, base.plans)) return undefined;
  if (unknown.length > 0) return { why: "unknown_plans", names: unknown };
  const locked = await lockKeyWithOwner(tx, org_id, key_id);
  if (!locked) return undefined;
  const { credential: key } = locked;
  const ids = await planIdsOf(tx, org_id, [...key.plans, ...there, ...base.plans]);
  const idOf = (name: string) => ids.get(name)?._id ?? name;
  const [before, now] = [base.plans, there].map((names) => new Set(names.map(idOf)));
  const added = there.filter((one) =>
    !before?.has(idOf(one)) && !key.plans.some((own) => idOf(own) === idOf(one))
  );
  const kept = key.plans.filter((one) => !before?.has(idOf(one)) || now?.has(idOf(one)));
  const plans = [...kept, ...added];
  if (isSameNames(plans, key.plans)) return undefined;
  if (plans.length === 0) return { why: "no_plans" };
  if (added.length === 0 && !await mayLose(tx, { ...asked, locked })) return "waits";
  const { expires_at, end_chosen_at } = key;
  try {
    await replacePlans(tx, actor, locked, plans, "known", { expires_at, end_chosen_at });
  } catch (error) {
    return { why: "refused", names: [refusedAs(error)] };
  }
  return { plans };
}

/** Gives the key the end that it was given there. */
async function followEnd(
  tx: Tx,
  asked: Asked,
  said: Said,
  { base, seen }: { base: Base; seen: SeenThere },
): Promise<Done | Kept | undefined> {
  const { org_id, key_id, actor, now } = asked;
  if (said.expires === base.expires) return undefined;
  const locked = await lockKeyWithOwner(tx, org_id, key_id);
  if (!locked) return undefined;
  const { expires_at } = locked.credential;
  const end = said.expires === 0 ? null : toTimestamp(said.expires * 1000);
  const seconds = expires_at === null ? 0 : Math.floor(Date.parse(expires_at) / 1000);
  if (seconds === said.expires) return undefined;
  // An end that came from there may move again; one that was set here stays.
  const isOver = expires_at !== null && expires_at <= toTimestamp(now);
  if (isOver && seconds !== seen.expires) return { why: "ended_here" };
  try {
    await changeEnd(tx, actor, locked, end);
  } catch (error) {
    return { why: "refused", names: [refusedAs(error)] };
  }
  return { expires_at: end };
}

/** Why a change can't be; anything but a refusal is thrown on. */
function refusedAs(error: unknown): string {
  if (error instanceof Failure && error.code !== "unavailable") return error.code;
  throw error;
}

/** Says once of a key why what was done there is not done here. The earlier answer stays. */
async function report(
  tx: Tx,
  asked: Asked,
  { why, names = [] }: Kept,
  seen: SeenThere,
): Promise<boolean> {
  const { migrated } = asked;
  const text = [why, ...names].join(" ");
  await keepSeen(tx, migrated, { seen, reported: text, awaits_since: null });
  if (migrated.reported !== text) await reportKept(tx, asked, { why, names });
  return false;
}

/**
 * Says of a session that was edited there that nothing changed by it: what is set beside plans has
 * no effect. Most of it is not even shown, and the time of the edit tells of it alone.
 */
async function reportIneffective(
  tx: Tx,
  asked: Asked,
  { ineffective, edited, rest, named, expires }: Said,
  seen: SeenThere,
): Promise<string> {
  const { migrated, brought } = asked;
  if (ineffective.length > 0) {
    const text = ["no_effect", ...ineffective].join(" ");
    if (migrated.reported !== text) {
      await reportKept(tx, asked, { why: "no_effect", names: ineffective });
    }
    return text;
  }
  const isSame = rest === seen.rest && expires === seen.expires && isSameNames(named, seen.named);
  const isEdited = edited !== "" && seen.edited !== "" && edited !== seen.edited;
  // A change that was synced there meanwhile is no edit.
  const isOurs = brought?.state !== "delivered" ||
    (brought.delivered_at ?? "") >= migrated.asked_at;
  if (isEdited && isSame && !isOurs) await reportKept(tx, asked, { why: "no_effect" });
  return "";
}

async function reportKept(tx: Tx, asked: Asked, { why, names = [] }: Kept): Promise<void> {
  const { gateway_id, key_id, migrated: { remote_id }, actor } = asked;
  const detail = { why, key_id, remote_id, ...names.length > 0 ? { about: names } : {} };
  const action = "gateway.key_not_followed";
  await recordChange(tx, actor, { action, object_id: gateway_id, detail });
}
