import type { RequestContext, UnknownPlanChoice } from "../../calls/context.ts";
import type { DenialReason } from "../../contract/denied-calls.ts";
import type { Damages } from "../../calls/damages.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Tally } from "../../kernel/metrics/tally.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Storage } from "../../storage/storage.ts";
import { checkKeyForm } from "../keys/key-form.ts";
import { DeniedCallRing } from "./denied-calls/denied-call-ring.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import { countCall } from "./count-call.ts";
import { ImportedKeys } from "./imported-keys.ts";
import { InvalidationWatch } from "./invalidation-watch.ts";
import { KeyLookup } from "./key-lookup.ts";
import type { KeyQuotas, PlanUse } from "./key-memory.ts";
import { type Entry, type KnownKey, KnownToken, refusalOfAddress } from "./known-key.ts";
import { type CallOrigin, type ShadowCheck, SOMEWHERE } from "./call-origin.ts";
import { LastUses } from "./count-call.ts";
import type { Migrator } from "./migrator.ts";
import { noteDeniedCall, noteUnknown } from "./note-denied-call.ts";
import { ruleFor } from "./plan-grants.ts";
import { mayBeKey, type Presented } from "./presented.ts";
import type { QuotaPeriod } from "./quotas.store.ts";
import { QuotaLeases, quotaRemaining } from "./quota-leases.ts";
import {
  periodOfOne,
  rateOfOne,
  rateRemaining,
  type RateState,
  type Remaining,
  takeCall,
} from "./rate.ts";
import { type Accepted, type CallResult, REFUSED, refused, RESULTS } from "./result.ts";
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { conditionalHash } from "../keys/key-conditions.ts";

/** The metrics of verification. */
interface VerificationMetrics {
  readonly results: Tally<DenialReason | "valid">;
  /** How often memory alone decided, and how often the store was asked. */
  hits: number;
  misses: number;
}

/** How verification behaves. */
interface VerifierOptions {
  readonly unknownPlan: UnknownPlanChoice;
  /** How long after the last look at what has changed memory may be trusted. */
  readonly maxStaleMs: number;
  /** True: memory is trusted while the store is away, however long that lasts. */
  readonly allowStale: boolean;
  /** How many processes verify, each of which lets through its part of a rate. */
  readonly processes: number;
}

/** The context of a service that verifies credentials. */
export interface WithVerifier {
  readonly verifier: Verifier;
}

/** The context of a feature that does. */
export type VerificationContext = RequestContext & WithVerifier;

/**
 * Decides whether a credential opens an API, from memory. A change that is committed, by whichever
 * process, is heeded within `maxStaleMs`; when that can't be promised, `unavailable` is thrown
 * instead of a verdict.
 */
export class Verifier {
  readonly #clock: Clock;
  readonly #options: VerifierOptions;
  readonly #lookup: KeyLookup;
  readonly #watch: InvalidationWatch;
  readonly #leases: QuotaLeases;
  readonly #uses: LastUses;
  readonly #usage: UsageCounter;
  readonly #deniedCalls: DeniedCallRing;
  readonly #migrator: Migrator | undefined;
  #closing: Promise<void> | undefined;
  readonly #metrics: VerificationMetrics = { results: new Tally(RESULTS), hits: 0, misses: 0 };

  /** `learner`: what may know keys that no one knows here; undefined: nothing does. */
  constructor(
    storage: Storage,
    clock: Clock,
    damages: Damages,
    options: VerifierOptions,
    migrator?: Migrator,
  ) {
    this.#clock = clock;
    this.#migrator = migrator;
    this.#options = options;
    this.#leases = new QuotaLeases(storage, clock);
    this.#uses = new LastUses(storage);
    this.#usage = new UsageCounter(storage);
    this.#deniedCalls = new DeniedCallRing(storage);
    this.#lookup = new KeyLookup(
      storage.reader,
      new ImportedKeys(storage, clock),
      damages,
      options.unknownPlan,
      (quotas) => void this.#giveBack(quotas),
    );
    this.#watch = new InvalidationWatch(storage.reader, this.#lookup, options.maxStaleMs);
  }

  /** The results, and the numbers of cache hits. */
  get metrics(): Readonly<VerificationMetrics> {
    return this.#metrics;
  }

  /** How old the last look at what was revoked is, in ms; undefined while no one verifies. */
  stalenessMs(): number | undefined {
    return this.#watch.stalenessMs();
  }

  /**
   * The verdict on what was presented to a gateway of this organisation, for an API or, without
   * one, for any. At once where memory has all that it takes. Throws `unavailable`. `deadline`: how
   * long anyone who asks waits; what is answered to no one any more takes nothing from a quota.
   * `knock`: where the question comes from; its address decides of keys that ask for one.
   */
  check(
    org_id: string,
    presented: Presented,
    api_id: string | undefined,
    deadline?: Deadline,
    origin: CallOrigin = SOMEWHERE,
  ): CallResult | Promise<CallResult> {
    const result = this.#check(org_id, presented, api_id, deadline, origin);
    if (!(result instanceof Promise)) {
      return this.#counted(org_id, presented, api_id, result, origin);
    }
    return result.then(
      (late) => this.#counted(org_id, presented, api_id, late, origin),
      (error: unknown) => {
        const call = { gateway: origin.gateway, api_id: undefined, reason: "unsure" } as const;
        this.#usage.countAtGateway(org_id, call, this.#clock.now());
        throw error;
      },
    );
  }

  #counted(
    org_id: string,
    presented: Presented,
    api_id: string | undefined,
    result: CallResult,
    origin: CallOrigin,
  ): CallResult {
    const reason = result.valid ? undefined : result.reason;
    this.#metrics.results.add(reason ?? "valid");
    const now = this.#clock.now();
    this.#usage.countAtGateway(org_id, { gateway: origin.gateway, api_id, reason }, now);
    if (reason === "unknown" && !origin.shadow) {
      noteUnknown(this.#deniedCalls, org_id, presented, api_id, origin, now);
    }
    return result;
  }

  #check(
    org_id: string,
    presented: Presented,
    api_id: string | undefined,
    deadline: Deadline | undefined,
    origin: CallOrigin,
  ): CallResult | Promise<CallResult> {
    if (!mayBeKey(presented) || checkKeyForm(presented.name) === "typo") {
      return REFUSED.unknown;
    }
    const hash = sha256(presented.name);
    const nowMs = performance.now();
    if (this.#watch.isFresh(nowMs)) {
      const entry = this.#lookup.remembered(org_id, hash, nowMs);
      // A key that is cached as unknown may be known to a gateway with lazy migration.
      if (entry !== undefined && (entry !== null || !this.#mayMigrate(org_id, presented))) {
        this.#metrics.hits++;
        return this.#decide(entry, presented, api_id, nowMs, deadline, origin);
      }
    }
    this.#metrics.misses++;
    return this.#checkWithStore(org_id, hash, presented, api_id, deadline, origin);
  }

  /**
   * The entry of a credential's hash, as fresh as for a result; nothing is counted or changed.
   * Throws `unavailable`.
   */
  async look(org_id: string, hash: string, presented: string): Promise<Entry | null> {
    if (!this.#watch.isFresh(performance.now())) {
      await this.#watch.refresh(this.#options.maxStaleMs);
    }
    return await this.#lookup.look(org_id, hash, presented);
  }

  /**
   * Calls of a period of a quota that this node was given for this key and has not handed out;
   * `key_id`: the key itself, whichever key its quota is counted under.
   */
  unspent({ org_id, key_id, plan_id, period }: QuotaPeriod): number {
    const { memory } = this.#lookup;
    const row = memory.peek(org_id, key_id);
    for (let use = row < 0 ? undefined : memory.usesAt(row); use; use = use.next) {
      if (use.plan_id === plan_id && use.period === period) return use.left;
    }
    return 0;
  }

  /** The rate of one of a key's plans on this node. */
  rateOf(key: KnownKey, plan_id: string): RateState {
    return this.#lookup.memory.rateOf(key, plan_id);
  }

  /** Writes at once what was counted, as far as the store takes it. */
  async writeUsage(): Promise<void> {
    await this.#usage.flush();
    await this.#deniedCalls.flush();
  }

  /** Writes the uses of keys. */
  async writeUses(): Promise<void> {
    await this.#uses.flush();
    await this.writeUsage();
  }

  /**
   * Gives back what was leased and writes what is to be written, as far as the store takes it; then
   * looks no more.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#watch.close();
    await this.#uses.flush();
    await this.#giveBack(this.#lookup.memory.quotas());
    await this.writeUsage();
  }

  async #checkWithStore(
    org_id: string,
    hash: string,
    presented: Presented,
    api_id: string | undefined,
    deadline: Deadline | undefined,
    origin: CallOrigin,
  ): Promise<CallResult> {
    if (!this.#watch.isFresh(performance.now())) {
      const { allowStale, maxStaleMs } = this.#options;
      const remembered = () =>
        allowStale ? this.#lookup.remembered(org_id, hash, -Infinity) : undefined;
      const patienceMs = remembered() === undefined
        ? maxStaleMs
        : Math.min(maxStaleMs, STALE_PATIENCE_MS);
      try {
        await this.#watch.refresh(patienceMs);
      } catch (error) {
        const known = remembered();
        if (known === undefined) throw error;
        return await this.#decide(known, presented, api_id, performance.now(), deadline, origin);
      }
    }
    if (!this.#lookup.remembered(org_id, hash, performance.now())) {
      await this.#migrator?.look(org_id);
    }
    let entry = await this.#lookup.find(org_id, hash, presented.name);
    if (entry === null && await this.#migrate(org_id, hash, presented, origin)) {
      entry = await this.#lookup.find(org_id, hash, presented.name);
    }
    return await this.#decide(entry, presented, api_id, performance.now(), deadline, origin);
  }

  /** Whether a gateway may know what no one knows here. No user name is learned. */
  #mayMigrate(org_id: string, { password }: Presented): boolean {
    return password === undefined && this.#migrator?.mayMigrate(org_id) === true;
  }

  /** Whether a gateway taught it, so that the store is to be looked at again. */
  async #migrate(
    org_id: string,
    hash: string,
    presented: Presented,
    origin: CallOrigin,
  ): Promise<boolean> {
    if (!this.#mayMigrate(org_id, presented)) return false;
    if (await this.#migrator?.migrate(org_id, presented.name, hash, origin) !== true) return false;
    this.#lookup.forget({ org_id, kind: "key", object_id: hash });
    return true;
  }

  /** `nowMs` of performance.now(): rates are counted by a clock that never goes back. */
  #decide(
    entry: Entry | null,
    presented: Presented,
    api_id: string | undefined,
    nowMs: number,
    deadline: Deadline | undefined,
    origin: CallOrigin,
  ): CallResult | Promise<CallResult> {
    const isTheirs = isWhatWasPresented(entry, presented);
    if (entry === null || !isTheirs) return REFUSED.unknown;
    const now = this.#clock.now();
    const result = this.#judge(entry, api_id, now, nowMs, deadline, origin);
    if (result instanceof Promise) {
      return result.then((late) => this.#noted(entry, api_id, late, origin, now));
    }
    return this.#noted(entry, api_id, result, origin, now);
  }

  #noted(
    entry: Entry,
    api_id: string | undefined,
    result: CallResult,
    origin: CallOrigin,
    now: number,
  ): CallResult {
    const key = entry instanceof KnownToken ? entry.key : entry;
    if (isDecidedThere(origin.shadow, key, api_id)) return result;
    const rule = countCall(this.#usage, key, api_id, result, now);
    if (!result.valid) {
      const { expiresAt } = entry instanceof KnownToken ? entry : key.facts;
      noteDeniedCall(this.#deniedCalls, { key, expiresAt, rule }, api_id, result, origin, now);
    }
    return result;
  }

  #judge(
    entry: Entry,
    api_id: string | undefined,
    now: number,
    nowMs: number,
    deadline: Deadline | undefined,
    origin: CallOrigin,
  ): CallResult | Promise<CallResult> {
    const isToken = entry instanceof KnownToken;
    const key = isToken ? entry.key : entry;
    const { facts } = key;
    if (facts.state !== "active") return REFUSED[facts.state];
    const expiresAt = isToken ? Math.min(entry.expiresAt, facts.expiresAt) : facts.expiresAt;
    if (now >= expiresAt) return REFUSED.expired;
    const refusing = refusalOfAddress(facts, origin);
    if (refusing !== null) return REFUSED[refusing];
    return this.#count(key, expiresAt, api_id, now, nowMs, deadline);
  }

  #count(
    key: KnownKey,
    expiresAt: number,
    api_id: string | undefined,
    now: number,
    nowMs: number,
    deadline: Deadline | undefined,
  ): CallResult | Promise<CallResult> {
    const rule = ruleFor(key.grants, api_id);
    if (rule === undefined) {
      return REFUSED[key.grants.rules.length > 0 ? "wrong_api" : key.grants.whenNone];
    }
    let rate: Remaining | null = null;
    if (rule.rate > 0) {
      const use = this.#lookup.memory.rateOf(key, rule.rate_plan);
      const { processes } = this.#options;
      const most = rateOfOne(rule.rate, processes);
      const periodMs = periodOfOne(rule.rate, rule.ratePeriodMs, processes);
      const waitMs = takeCall(use, most, periodMs, nowMs);
      if (waitMs > 0) return refused("over_rate", Math.ceil(waitMs / 1000));
      rate = rateRemaining(use, most, periodMs, nowMs);
      rate.limit = rule.rate;
    }
    if (rule.quotaMax === 0) return this.#accept(key, expiresAt, rate, null, now);
    const { org_id, key_id, facts: { issuedAt, quotaKey } } = key;
    const use = this.#lookup.memory.quotaOf(key, rule.quota_plan);
    const owner = { org_id, key_id, issuedAt, quotaKey };
    const taken = this.#leases.take(owner, rule.quota_plan, use, rule, now, deadline);
    const finish = (isTaken: boolean) => {
      const left = quotaRemaining(use, rule, now);
      return isTaken
        ? this.#accept(key, expiresAt, rate, left, now)
        : refused("over_quota", left.reset);
    };
    return typeof taken === "boolean" ? finish(taken) : taken.then(finish);
  }

  #accept(
    key: KnownKey,
    expiresAt: number,
    rate: Remaining | null,
    quota: Remaining | null,
    now: number,
  ): Accepted {
    this.#uses.note(this.#lookup.memory, key, now);
    return { valid: true, key, expiresAt, rate, quota };
  }

  async #giveBack(quotas: readonly KeyQuotas[]): Promise<void> {
    const unspent = [];
    for (const { org_id, quotaKey: key_id, uses } of quotas) {
      for (let use: PlanUse | undefined = uses; use; use = use.next) {
        const { plan_id, period, left } = use;
        if (left === 0) continue;
        // Before anything is awaited, so that no one hands out what is on its way back.
        use.left = 0;
        unspent.push({ place: { org_id, key_id, plan_id, period }, left });
      }
    }
    await this.#leases.giveBack(unspent);
  }
}

/** If the cache has an answer in its place, a hanging store delays a call no longer than this. */
const STALE_PATIENCE_MS = 250;

/**
 * Notes whose key a question is about, and the plan that its call goes by, else its first. Whether
 * anyone who asks decides: then the call is no use of the key here, and nothing was refused.
 */
function isDecidedThere(
  shadow: ShadowCheck | undefined,
  { key_id, facts: { developer_id }, grants }: KnownKey,
  api_id: string | undefined,
): boolean {
  if (shadow === undefined) return false;
  const [first] = grants.plans;
  const plan_id = ruleFor(grants, api_id)?.plan_id ?? first?.rules?.id ?? first?.id ?? "";
  shadow.of = { key_id, developer_id, plan_id, decide: grants.decidedHere };
  return !grants.decidedHere;
}

/**
 * A key or token opens by itself; a user name only with its password; an OAuth client's id and
 * secret open nothing here. A password is hashed and compared whether the user name is known or
 * not.
 */
function isWhatWasPresented(entry: Entry | null, { password }: Presented): boolean {
  if (password === undefined) {
    return entry instanceof KnownToken
      ? entry.key.facts.kind === "oauth"
      : entry?.facts.kind === "token";
  }
  const facts = entry === null || entry instanceof KnownToken ? undefined : entry.facts;
  const plain = sha256(password);
  const conditional = conditionalHash(plain);
  const isRight = timingSafeEqual(
    Buffer.from(facts?.conditions ? conditional : plain),
    Buffer.from(facts?.secret_hash ?? NOBODYS_HASH),
  );
  return isRight && facts?.kind === "basic";
}

/** As long as a hash, and none. */
const NOBODYS_HASH = "x".repeat(64);
