import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import type { GatewayContext } from "../../gateways/gateway-context.ts";
import { GatewayAway } from "../../gateways/kind.ts";
import { callsOf } from "../../gateways/kinds.ts";
import { Pace } from "../../gateways/pace.ts";
import { SourceClient } from "./source-gateway.ts";
import { settleAsked } from "./ask-anew.transactions.ts";
import type { AskedAnew } from "./followed-key.ts";
import type { SourceGateway } from "./migration-context.ts";
import { AT_REST_MS, IN_USE_MS } from "./lazy-migration.ts";
import {
  dueAtRest,
  dueCalled,
  dueConfirmed,
  dueInUse,
  everySource,
  findBrought,
  migrationLease,
} from "./lazy-migration.store.ts";
import { leaveMigration, takeMigrationTurn } from "./lazy-migration.transactions.ts";
import { plansHere } from "./plans-here.ts";
import { isSameNames, readSeen, saidThere } from "./gateway-answers.ts";

/** Keys that are read from the store at once. */
const KEYS = 100;
/** Keys whose calls are observed are looked for so often. */
const USED_MS = 20_000;
const HOUR_MS = 60 * 60 * 1000;
/** A turn lasts so long at the most, behind which the right is renewed. */
const TURN_MS = 4000;

/**
 * Asks gateways that teach about what was learned from them: about keys in use each minute,
 * about the others daily. Any number of nodes may do so over one store: one at a time does.
 */
export class MigrationEngine {
  readonly #id: string;
  readonly #asked = new Map<string, { how: string; gateway: SourceClient; pace: Pace }>();
  /** When no key was due at a gateway, not even one that was used there. */
  readonly #usedAt = new Map<string, number>();
  #holds = false;
  #isLeaving = false;

  constructor(private readonly ctx: GatewayContext) {
    this.#id = newId(ctx.clock.now());
  }

  /** One turn over every gateway. True: something was asked, and more may be due. */
  async turn(): Promise<boolean> {
    const { storage, storeClock, clock } = this.ctx;
    const { reader } = storage;
    const sources = await everySource(reader, { now: toTimestamp(clock.now()) });
    if (sources.length === 0) return false;
    if (await migrationLease.isOthers(reader, this.#id, await storeClock.now())) return false;
    const right = { holder: this.#id, now: await storeClock.now() };
    this.#holds = await storage.commit(takeMigrationTurn, right);
    if (!this.#holds) return false;
    const asked = await Promise.all(sources.map((source) => this.#askAt(source)));
    return asked.includes(true);
  }

  /** A turn under way ends with the key that it asks about. */
  leaves(): void {
    this.#isLeaving = true;
  }

  /** Leaves the asking to the other nodes at once, where no turn is under way. */
  async giveBack(): Promise<void> {
    if (!this.#holds) return;
    this.#holds = false;
    await this.ctx.storage.commit(leaveMigration, { holder: this.#id });
  }

  /** A slow gateway delays no other one. Gives whether it was asked about some keys. */
  async #askAt(source: SourceGateway): Promise<boolean> {
    const until = performance.now() + TURN_MS;
    const answers: Answer[] = [];
    try {
      for (const due of await this.#dueAt(source)) {
        if (performance.now() > until || this.#isLeaving) break;
        const { gateway, pace } = await this.#askedOf(source);
        await pace.wait(Number(source.questions_per_second));
        answers.push(await this.#askAbout(gateway, source, due));
      }
    } catch (error) {
      // An unavailable gateway is asked at a later turn, and unforeseen errors are reported.
      if (!(error instanceof GatewayAway) && !isAway(error)) throw error;
      // Of what it said until then nothing is concluded that closes: it may have been away already.
      await this.#settle(source, answers.filter(({ said }) => said.is !== "gone"));
      return false;
    }
    return await this.#settle(source, answers);
  }

  /** Those that had a person's yes, those in use, and then all others. */
  async #dueAt({ org_id, id: gateway_id, confirmed_at }: SourceGateway): Promise<readonly Due[]> {
    const { storage: { reader }, clock } = this.ctx;
    const place = { org_id, gateway_id };
    const now = clock.now();
    const asked_by = toTimestamp(now - IN_USE_MS);
    const hour = Math.floor(now / HOUR_MS) - 1;
    const lists = [
      () => confirmed_at === null ? [] : dueConfirmed(reader, { ...place, confirmed_at }, KEYS),
      async () => onceEach(await dueCalled(reader, { ...place, asked_by, hour }, KEYS)),
      () => this.#isUsedDue(gateway_id) ? dueInUse(reader, { ...place, asked_by }, KEYS) : [],
      () => dueAtRest(reader, { ...place, asked_by: toTimestamp(now - AT_REST_MS) }, KEYS),
    ];
    for (const list of lists) {
      const due = await list();
      if (due.length > 0) return due;
    }
    this.#usedAt.set(gateway_id, now);
    return [];
  }

  /** Uses are kept to the minute, and looking through all learned keys for them costs. */
  #isUsedDue(gateway_id: string): boolean {
    return this.ctx.clock.now() - (this.#usedAt.get(gateway_id) ?? -Infinity) >= USED_MS;
  }

  async #askAbout(
    gateway: SourceClient,
    { org_id, id: gateway_id }: SourceGateway,
    { key_id, remote_id, seen: before }: Due,
  ): Promise<Answer> {
    const { storage, clock } = this.ctx;
    const asked = clock.now();
    const place = { org_id, gateway_id, key_id };
    const brought = await findBrought(storage.reader, place);
    const session = await gateway.session(remote_id);
    const policies = await gateway.policies();
    const said = saidThere(session, { policies, org_id, now: clock.now() });
    const seen = readSeen(before);
    const { plans, unknown } = said.is === "gone"
      ? { plans: [], unknown: [] }
      : seen && isSameNames(seen.named, said.named)
      ? { plans: [...seen.plans], unknown: [] }
      : await plansHere(storage, { org_id, named: said.named, policies });
    const wanted = brought ? Number(brought.wanted) : null;
    const isUnderWay = brought?.state === "waiting" && said.is !== "open";
    return { ...place, seen: wanted, before, said, plans, unknown, asked, isUnderWay };
  }

  /**
   * Does here what was said of some keys that were asked about together. Gives whether any of them
   * need not be asked about again at once.
   */
  async #settle({ canary }: SourceGateway, answers: readonly Answer[]): Promise<boolean> {
    const { storage, clock } = this.ctx;
    const atOnce = answers.filter(isLoss).length;
    let isAny = false;
    for (const { isUnderWay, ...answer } of answers) {
      const now = clock.now();
      await storage.commit(settleAsked, { ...answer, canary, atOnce, now });
      isAny ||= !isUnderWay;
    }
    return isAny;
  }

  async #askedOf(source: SourceGateway) {
    const { id, url, secret, canary } = source;
    const how = JSON.stringify([url, secret, canary]);
    const known = this.#asked.get(id);
    if (known?.how === how) return known;
    const gateway = new SourceClient(await callsOf(this.ctx, source), canary);
    const made = { how, gateway, pace: known?.pace ?? new Pace() };
    this.#asked.set(id, made);
    return made;
  }
}

/** A gateway's answer about a key. */
type Answer = Omit<AskedAnew, "canary" | "atOnce" | "now"> & { isUnderWay: boolean };

/** Each key once. */
function onceEach(due: readonly Due[]): Due[] {
  return [...new Map(due.map((one) => [one.key_id, one])).values()];
}

/** A key that is due. */
type Due = Awaited<ReturnType<typeof dueConfirmed>>[number];

/** Whether a key opens less by an answer than it did by the one before. */
function isLoss({ said, before, plans }: Answer): boolean {
  if (said.is === "gone") return true;
  const seen = readSeen(before);
  if (said.is !== "open") return seen?.expires !== said.expires;
  return seen !== undefined && plans.length < seen.plans.length &&
    plans.every((one) => seen.plans.includes(one));
}

function isAway(error: unknown): boolean {
  return error instanceof Failure && error.code === "unavailable";
}
