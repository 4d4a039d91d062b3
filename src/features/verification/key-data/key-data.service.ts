import type { z } from "zod";
import { Answer } from "../../../kernel/answer.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { findKey, type KeyRow } from "../../keys/key-list.store.ts";
import { conditionsIn } from "../../keys/key-conditions.ts";
import { labelsOf } from "../../keys/key-labels.ts";
import { keptKey } from "../../keys/kept-key.ts";
import { isSeen } from "../../keys/within-scope.service.ts";
import { stateOf, turnsAt } from "../../keys/key.ts";
import { idsOf, namesOf } from "../../keys/named-keys.service.ts";
import { plansOf } from "../../keys/show-key.ts";
import { findImportedAs } from "../../keys/murmur.store.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Mark } from "../../../kernel/read-cache.ts";
import { TimeSlices } from "../../../kernel/time-slices.ts";
import { storeItself } from "../../../storage/storage-within.ts";
import type { Storage } from "../../../storage/storage.ts";
import { oneRow, rowsOf } from "../../../storage/touched-rows.ts";
import { ANY_API } from "../../plans/every-plan.store.ts";
import { findPlanView, readPlan } from "../../plans/plans.store.ts";
import { PlanBook } from "../plan-book.ts";
import {
  type CallRule,
  limitedBy,
  NEVER_RENEWED_MS,
  type PlanGrants,
  ruleFor,
} from "../plan-grants.ts";
import { quotaPeriodOf } from "../quota-leases.ts";
import { usedOfKeys, type UsedPeriod } from "../quotas.store.ts";
import type { VerificationContext } from "../verifier.ts";
import type { namedKeyData } from "./key-data.contract.ts";

/** A key as the original's gateway shows one. */
export type NamedKeyData = z.output<typeof namedKeyData>;

/**
 * The key that `named` is the id of, or is, as KeyData shows it for `api`. Nothing keeps what was
 * named. Throws `key_not_found`, for a revoked key too.
 */
export function getNamed(
  ctx: VerificationContext,
  named: string,
  api: string = ANY_API,
): Answer<string> | Promise<Answer<string>> {
  const ids = idsOf(named);
  // Nothing of it is kept for others.
  if (ctx.principal.covers) return getWithin(ctx, named, api);
  return keptKey(ctx, `key-data ${ids[0]} ${api}`, async () => {
    const { org_id } = ctx.principal;
    const known = await firstOf(ctx, ids);
    // Few stores hold imported keys, so only what is not found by now is looked for among them.
    const row = known ?? await findImported(ctx, named);
    const view = row && await new KeyData(ctx).one(row, api);
    if (!row || !view) throw new Failure("key_not_found");
    const parts = [
      ...ids.flatMap((id) => oneRow("credentials", org_id, id)),
      ...rowsOf("plans", org_id),
      ...rowsOf("plan_ids", org_id),
    ];
    // A quota changes with each call, and an imported key is found by more than these rows.
    const mayBeKept = known && view.data.quota_max === NO_QUOTA.quota_max;
    const until = mayBeKept ? turnsAt(row, toTimestamp(ctx.clock.now())) : undefined;
    return { text: JSON.stringify(view), parts, turnsAt: until };
  });
}

/** Reads it for a caller with a scope. */
async function getWithin(
  ctx: VerificationContext,
  named: string,
  api: string,
): Promise<Answer<string>> {
  const row = await firstOf(ctx, idsOf(named)) ?? await findImported(ctx, named);
  const view = row && await new KeyData(ctx).one(row, api);
  if (!view) throw new Failure("key_not_found");
  return new Answer(JSON.stringify(view));
}

/** By its SHA-256 too, since the key may have got it meanwhile. */
async function findImported(ctx: VerificationContext, named: string): Promise<KeyRow | undefined> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { ids, formerIds } = await namesOf(ctx, named);
  const imported = await firstOf(ctx, ids);
  if (imported) return imported;
  for (const formerId of formerIds) {
    const id = await findImportedAs(reader, { org_id, imported_as: formerId });
    const row = id === undefined ? undefined : await findKey(reader, { org_id, key_id: id });
    if (row && row.state !== "revoked" && await isSeen(ctx, row)) return row;
  }
  return undefined;
}

/** The first of these keys that is there, not revoked, and seen by the caller. */
async function firstOf(
  ctx: VerificationContext,
  key_ids: readonly string[],
): Promise<KeyRow | undefined> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  for (const id of key_ids) {
    const row = await findKey(reader, { org_id, key_id: id });
    if (row && row.state !== "revoked" && await isSeen(ctx, row)) return row;
  }
  return undefined;
}

/** Shows keys; each plan is looked at once. */
export class KeyData {
  readonly #ctx: VerificationContext;
  readonly #plans: PlansNow;

  constructor(ctx: VerificationContext) {
    this.#ctx = ctx;
    this.#plans = plansNow(ctx);
  }

  /** One key. */
  async one(row: KeyRow, api: string): Promise<NamedKeyData | undefined> {
    for await (const view of this.of([row], api)) return view;
    return undefined;
  }

  /**
   * These keys in their order, by the plan of each that opens `api`, as verification would choose
   * it; by the most generous one where none opens it.
   */
  async *of(
    rows: readonly KeyRow[],
    api: string = ANY_API,
  ): AsyncGenerator<NamedKeyData, void, void> {
    const { storage: { reader }, principal: { org_id }, clock } = this.#ctx;
    const named = api === ANY_API || api === "" ? undefined : api;
    const view = [];
    for (const row of rows) view.push({ row, ...await this.#ruleOf(row, named) });
    const limited = view.filter(({ rule }) => rule !== undefined && rule.quotaMax > 0);
    const used = await usedOfKeys(reader, org_id, limited.map(({ row }) => quotaKeyOf(row)));
    const now = clock.now();
    const slices = new TimeSlices();
    for (const [i, { row, grants, rule }] of view.entries()) {
      // A key's plans may name very many APIs: other calls come between two keys.
      if (i > 0) await slices.pause();
      const { key_id } = row;
      const data = {
        ...this.#quota(row, rule, used, now),
        rate: rule?.rate ?? 0,
        per: (rule?.ratePeriodMs ?? 0) / 1000,
        expires: row.expires_at === null ? 0 : Math.floor(Date.parse(row.expires_at) / 1000),
        apply_policies: plansOf(row),
        access_rights: await this.#accessRights(grants),
        is_inactive: grants.rules.length === 0 || stateOf(row, toTimestamp(now)) !== "active",
        ...this.#about(row, rule),
      };
      yield { key_id, key_hash: key_id, data };
    }
  }

  /** Since when a key's quota is used up in this period; null: it is not, or no one noted. */
  async quotaUsedUpAt(row: KeyRow): Promise<string | null> {
    const { storage: { reader }, principal: { org_id }, clock } = this.#ctx;
    const { rule } = await this.#ruleOf(row, undefined);
    if (rule === undefined) return null;
    const used = await usedOfKeys(reader, org_id, [quotaKeyOf(row)]);
    return givenNow(row, rule, used, clock.now()).given?.used_up_at ?? null;
  }

  async #ruleOf(row: KeyRow, api: string | undefined) {
    const ofPlans = await this.#plans.book.grantsOf(this.#ctx.principal.org_id, row.plans);
    const grants = limitedBy(ofPlans, conditionsIn(row.conditions) ?? NO_LIMITS);
    return { grants, rule: ruleFor(grants, api) ?? ruleFor(grants, undefined) };
  }

  /** Leases of nodes count as spent, except for the unused part of this one. */
  #quota(row: KeyRow, rule: CallRule | undefined, used: UsedQuotas, now: number) {
    if (rule === undefined || rule.quotaMax === 0) return NO_QUOTA;
    const { principal: { org_id }, verifier } = this.#ctx;
    const { key_id } = row;
    const { quota_plan: plan_id, quotaMax, quotaPeriodMs } = rule;
    const { period, given } = givenNow(row, rule, used, now);
    const left = Math.max(0, quotaMax - (given?.used ?? 0)) +
      verifier.unspent({ org_id, key_id, plan_id, period });
    return {
      quota_max: quotaMax,
      quota_remaining: Math.min(left, quotaMax),
      quota_renews: quotaPeriodMs === NEVER_RENEWED_MS
        ? 0
        : Math.ceil((period + quotaPeriodMs) / 1000),
    };
  }

  /** The other members of a session that scripts read. */
  #about(row: KeyRow, rule: CallRule | undefined) {
    const { name, tags } = labelsOf(row);
    const hasQuota = rule !== undefined && rule.quotaMax > 0;
    const isRenewed = hasQuota && rule.quotaPeriodMs !== NEVER_RENEWED_MS;
    const updated = Date.parse(row.state_changed_at ?? row.issued_at);
    return {
      alias: name,
      org_id: this.#ctx.principal.org_id,
      tags,
      quota_renewal_rate: isRenewed ? Math.ceil(rule.quotaPeriodMs / 1000) : -1,
      date_created: row.issued_at,
      last_updated: String(Math.floor(updated / 1000)),
      meta_data: { tyk_developer_id: row.developer_id },
    };
  }

  /** Those of all plans in force; none where one of them opens every API. */
  async #accessRights(grants: PlanGrants): Promise<Record<string, AccessRight>> {
    const { rules } = grants;
    if (rules.some(({ apis }) => apis === null)) return {};
    const known = this.#plans.rightsOfSets.get(grants);
    if (known) return known;
    const all = new Map<string, AccessRight>();
    for (const { plan_id, apis } of rules) {
      const rights = await this.#rightsOf(plan_id);
      for (const api_id of apis ?? []) {
        if (!all.has(api_id)) all.set(api_id, rights.get(api_id) ?? {});
      }
    }
    return keep(this.#plans.rightsOfSets, grants, Object.fromEntries(all));
  }

  async #rightsOf(plan_id: string): Promise<ReadonlyMap<string, AccessRight>> {
    const known = this.#plans.rightsOfPlans.get(plan_id);
    if (known) return known;
    const { storage: { reader }, principal: { org_id } } = this.#ctx;
    const row = await findPlanView(reader, { org_id, id: plan_id });
    const rights = new Map(row ? Object.entries(readPlan(row).access_rights) : []);
    return keep(this.#plans.rightsOfPlans, plan_id, rights);
  }
}

/** A key's present period by a rule, and what is given out of it; undefined: nothing yet. */
function givenNow(row: KeyRow, rule: CallRule, used: UsedQuotas, now: number) {
  const issuedAt = Date.parse(row.quota_from ?? row.issued_at);
  const period = quotaPeriodOf({ issuedAt }, rule, now);
  const isIt = (one: UsedPeriod) => one.plan_id === rule.quota_plan && one.period === period;
  return { period, given: used.get(quotaKeyOf(row))?.find(isIt) };
}

/** The key id that a key's quotas are counted under. */
function quotaKeyOf({ key_id, quota_key }: KeyRow): string {
  return quota_key ?? key_id;
}

/** The plans of an organisation, as of one state of the store. */
class PlansNow {
  readonly book: PlanBook;
  readonly rightsOfPlans = new Map<string, ReadonlyMap<string, AccessRight>>();
  readonly rightsOfSets = new Map<PlanGrants, Record<string, AccessRight>>();

  constructor(storage: Storage, { settings }: VerificationContext) {
    this.book = new PlanBook(storage.reader, settings.unknownPlan);
  }
}

/** By store and organisation: what was read of its plans, and the store's mark from before that. */
const known = new WeakMap<Storage, Map<string, { mark: Mark; plans: PlansNow }>>();

/**
 * The organisation's plans as they were read since their last change; empty if the store can't tell
 * that.
 */
function plansNow(ctx: VerificationContext): PlansNow {
  const { principal: { org_id } } = ctx;
  const storage = storeItself(ctx.storage);
  // A server elsewhere tells the plans as soon as whether they have changed.
  const changes = storage.reader.dialect === "sqlite" ? storage.changes : undefined;
  if (!changes) return new PlansNow(ctx.storage, ctx);
  const ofStore = known.get(storage) ?? new Map<string, { mark: Mark; plans: PlansNow }>();
  const kept = ofStore.get(org_id);
  const parts = [...rowsOf("plans", org_id), ...rowsOf("plan_ids", org_id)];
  if (kept && changes.holds(kept.mark, parts) === true) return kept.plans;
  const plans = new PlansNow(storage, ctx);
  known.set(storage, ofStore.set(org_id, { mark: changes.mark(), plans }));
  return plans;
}

/** The rights of a plan for one API. */
type AccessRight = Record<string, unknown>;

/** Plans, and sets of plans, whose access rights are kept; beyond it they are read anew. */
const MOST_KEPT = 100;

function keep<K, V>(kept: Map<K, V>, key: K, value: V): V {
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, value);
  return value;
}

type UsedQuotas = Awaited<ReturnType<typeof usedOfKeys>>;

const NO_LIMITS = { rate: null, quota: null };
const NO_QUOTA = { quota_max: -1, quota_remaining: -1, quota_renews: 0 };
