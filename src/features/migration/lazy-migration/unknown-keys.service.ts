import { Failure } from "../../../kernel/failure.ts";
import { inTime } from "../../../kernel/in-time.ts";
import { stateTextOf } from "../../gateways/gateway.ts";
import { GatewayAway } from "../../gateways/kind.ts";
import { callsOf } from "../../gateways/kinds.ts";
import { ofPlansAt, Plans } from "../../gateways/present-key.service.ts";
import { namesOf } from "../../gateways/tyk/tyk-names.ts";
import { wantedOf } from "../../gateways/wanted-key.ts";
import { labelsIn } from "../../gateways/tyk/tyk-labels.ts";
import type { Policy } from "../../gateways/tyk/tyk-policies.ts";
import { isTooShort, isWeak } from "../../keys/chosen-keys.ts";
import { keyExists } from "../../keys/keys.store.ts";
import { maskOf } from "../../keys/key-form.ts";
import type { SomeKeyLabels } from "../../keys/key-labels.ts";
import { UnknownNames } from "../../verification/unknown-names.ts";
import type { CallOrigin } from "../../verification/call-origin.ts";
import { SourceClient } from "./source-gateway.ts";
import { FairTurns, type Source } from "./fair-turns.ts";
import type { MigrationContext, SourceGateway } from "./migration-context.ts";
import { alarm, migrateKey, type MigrateResult } from "./migrate-key.transactions.ts";
import type { MigrationMetrics } from "./migration-metrics.ts";
import { seenNow } from "./followed-key.ts";
import type { Alarm } from "./lazy-migration.ts";
import { findMigratedAs } from "./lazy-migration.store.ts";
import { type SessionKey, sessionKeyOf } from "./session-key.ts";
import { plansHere } from "./plans-here.ts";
import { type SaidThere, saidThere, seenText } from "./gateway-answers.ts";

/** For how long it is remembered that no gateway knows a key, and of how many. */
const UNKNOWN_MS = 60_000;
const MOST_UNKNOWN = 50_000;
/** A name is reported once in this time. */
const REPORTED_MS = 60 * 60 * 1000;
const MOST_REPORTED = 10_000;
/**
 * A question waits for its turn so long, and anyone who presented the key for all of it so long.
 */
const TURN_MS = 1000;
const ANSWER_MS = 1500;
/** After this time a question without an answer is asked again. */
const AGAIN_SECONDS = 1;

/** Asks gateways about keys that no one knows here: of one key one question at a time. */
export class UnknownKeys {
  readonly #asking = new Map<string, Promise<boolean>>();
  readonly #unknown = new UnknownNames(UNKNOWN_MS, MOST_UNKNOWN);
  readonly #reported = new UnknownNames(REPORTED_MS, MOST_REPORTED);
  readonly #asked = new Map<string, Asked>();

  constructor(
    private readonly ctx: MigrationContext,
    private readonly metrics: MigrationMetrics,
  ) {}

  /** Whether what was presented is known under its hash by now. Throws `unavailable`. */
  async take(
    sources: readonly SourceGateway[],
    presented: string,
    key_id: string,
    origin: CallOrigin,
  ): Promise<boolean> {
    if (isTooShort(presented)) return false;
    // Another gateway that teaches since may know it.
    const name = [key_id, ...sources.map(({ id }) => id)].join(" ");
    if (this.#unknown.has(name, performance.now())) return false;
    let asking = this.#asking.get(name);
    if (!asking) {
      asking = this.#ask(sources, presented, key_id, sourceOf(origin))
        .then((isKnown) => {
          if (!isKnown) this.#unknown.add(name, performance.now());
          return isKnown;
        })
        .finally(() => this.#asking.delete(name));
      this.#asking.set(name, asking);
      // Waiting callers get the error; without any, the next one asks anew.
      asking.catch(() => {});
    }
    return await inTime(asking, ANSWER_MS, () => {
      throw away(AGAIN_SECONDS);
    });
  }

  async #ask(
    sources: readonly SourceGateway[],
    presented: string,
    key_id: string,
    caller: Source,
  ): Promise<boolean> {
    const { outcomes } = this.metrics;
    const org_id = sources[0]?.org_id ?? "";
    // Another server may have learned it since this one found nothing.
    if (await keyExists(this.ctx.storage.reader, { org_id, key_id })) return true;
    let missing: GatewayAway | undefined;
    let isReported = false;
    for (const source of sources) {
      try {
        const said = await this.#askOne(source, presented, key_id, caller);
        if (said === "known") {
          outcomes.add("learned");
          return true;
        }
        isReported ||= said !== "unknown";
        if (said !== "unknown") outcomes.add(said);
      } catch (error) {
        if (!(error instanceof GatewayAway)) throw error;
        missing = error;
      }
    }
    if (missing) {
      outcomes.add("away");
      throw away(AGAIN_SECONDS, missing);
    }
    if (!isReported) outcomes.add("unknown");
    return false;
  }

  async #askOne(
    source: SourceGateway,
    presented: string,
    key_id: string,
    caller: Source,
  ): Promise<"known" | "unknown" | "untaught" | "alarm"> {
    const { org_id, id: gateway_id, canary } = source;
    const { reader } = this.ctx.storage;
    const { gateway, turns } = await this.#askedOf(source);
    let said: "unknown" | "alarm" = "unknown";
    for (const remote_id of await namesOf(org_id, canary, presented)) {
      const other = await findMigratedAs(reader, { org_id, gateway_id, remote_id });
      // The gateway could say nothing that counts.
      if (other !== undefined && other !== key_id) {
        await this.#report(source, remote_id, { alarm: "taken", key_id: other });
        said = "alarm";
        continue;
      }
      if (!await turns.take(caller, TURN_MS)) {
        this.metrics.outcomes.add("over_limit");
        throw away(turns.retryAfterSeconds());
      }
      this.metrics.questions++;
      const session = await gateway.session(remote_id);
      if (!session) continue;
      const policies = await gateway.policies();
      const of = { org_id, policies, now: this.ctx.clock.now() };
      const inSession = sessionKeyOf(session, of);
      const there = saidThere(session, of);
      if (typeof inSession === "string" || there.is === "gone") return "untaught";
      const key = { remote_id, presented, key_id, labels: labelsIn(session, presented) };
      const result = await this.#migrate(source, key, inSession, { said: there, policies });
      switch (result?.result) {
        case undefined:
          return "untaught";
        case "learned":
        case "known":
          return "known";
        case "wait":
          throw away(AGAIN_SECONDS);
        case "off":
          return "unknown";
        case "alarm":
          await this.#report(source, remote_id, result);
          return "alarm";
      }
    }
    return said;
  }

  /** Keeps the key where its plans open something here and at the gateway; else undefined. */
  async #migrate(
    source: SourceGateway,
    { presented, ...key }: {
      remote_id: string;
      presented: string;
      key_id: string;
      labels: SomeKeyLabels;
    },
    { expires_at, named, ...inSession }: SessionKey,
    { said, policies }: { said: Exclude<SaidThere, { is: "gone" }>; policies: readonly Policy[] },
  ): Promise<MigrateResult | undefined> {
    const { storage, settings: { unknownPlan }, clock } = this.ctx;
    const { org_id, id: gateway_id, canary } = source;
    const { key_id } = key;
    const { plans } = await plansHere(storage, { org_id, named, policies });
    const { wanted } = wantedOf(
      { ...AS_MIGRATED, key_id, plans, expires_at },
      await new Plans(this.ctx, org_id).of(plans),
      { kind: "tyk", ofPlans: ofPlansAt(source), unknownPlan, map: undefined },
    );
    if (wanted.is !== "open") return undefined;
    return await storage.commit(migrateKey, {
      ...inSession,
      ...key,
      org_id,
      gateway_id,
      mask: maskOf(presented, key_id),
      isWeak: isWeak(presented),
      plans,
      expires_at,
      held: stateTextOf(wanted),
      seen: seenText(seenNow({ plans, canary }, said)),
      now: clock.now(),
    });
  }

  async #report(
    { org_id, id: gateway_id }: SourceGateway,
    remote_id: string,
    { alarm: why, key_id }: { alarm: Alarm; key_id: string },
  ): Promise<void> {
    const name = `${gateway_id} ${remote_id} ${why}`;
    if (this.#reported.has(name, performance.now())) return;
    this.#reported.add(name, performance.now());
    const { storage, clock } = this.ctx;
    await storage.commit(alarm, {
      org_id,
      gateway_id,
      remote_id,
      key_id,
      why,
      now: clock.now(),
    });
  }

  /** The client of a gateway; made anew if its settings have changed. */
  async #askedOf(source: SourceGateway): Promise<Asked> {
    const { id, url, secret, canary } = source;
    const { processes } = this.ctx.settings;
    const perSecond = Number(source.questions_per_second) / processes;
    const how = JSON.stringify([url, secret, canary]);
    const known = this.#asked.get(id);
    if (known?.how === how) {
      known.turns.perSecond = perSecond;
      return known;
    }
    const gateway = new SourceClient(await callsOf(this.ctx, source), canary);
    const made = { how, gateway, turns: known?.turns ?? new FairTurns(perSecond) };
    this.#asked.set(id, made);
    return made;
  }
}

interface Asked {
  readonly how: string;
  readonly gateway: SourceClient;
  readonly turns: FairTurns;
}

/** Of a learned key, beside its plans and its end. */
const AS_MIGRATED = {
  state: "active",
  kind: "token",
  algorithm: "sha256",
  wrapped_by: null,
  weak: null,
  developer_id: "",
  conditions: null,
  isWhole: true,
} as const;

function sourceOf(origin: CallOrigin): Source {
  return { gateway: origin.gateway, network: origin.network() || origin.address() || "" };
}

function away(retryAfterSeconds: number, cause?: unknown): Failure {
  return new Failure("unavailable", { retryAfterSeconds, cause });
}
