import { toTimestamp } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/in-time.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { fillSlice } from "./fill.service.ts";
import { bringKey } from "./bring-key.service.ts";
import type { GatewayRow, ProvisionedRow } from "./gateway.ts";
import { activeGateways, gatewayLease } from "./gateways.store.ts";
import { removeGateway } from "./gateways.transactions.ts";
import { Canaries } from "./canary-run.service.ts";
import { GatewayAway, type Kind } from "./kind.ts";
import { kindOf } from "./kinds.ts";
import { groupOf, Pace, paced } from "./pace.ts";
import { Plans } from "./present-key.service.ts";
import { PolicyWriting } from "./policy-writing.ts";
import { takeInNewKeys } from "./fill.service.ts";
import { dueKeys, hasDue, hasKeys, hasOldSecret } from "./provisioned-keys.store.ts";
import { inspect, isInspectionDue, lookAt } from "./reconcile.service.ts";
import {
  beginEdition,
  forgetSecrets,
  leaveGateways,
  noteCanary,
  noteFailure,
  takeTurn,
} from "./settle-key.transactions.ts";

/** The urgencies of rows, the most urgent first. */
const URGENCIES = [0, 1, 2];
/** Groups of a kind's own size that are looked up at once: what closes a key waits for few. */
const GROUPS = 4;
/** A gateway has groups for so long in a turn, behind which the right is renewed. */
const TURN_MS = 4000;
/** While a gateway is inspected what is due is looked for so often. */
const MEANWHILE_MS = 100;
/** A turn waits so long for canaries; slow ones go on beside the next turns. */
const TRIED_MS = 1000;
/** How long a gateway that fails is left alone: twice as long each time, up to the longest. */
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 30_000;

/**
 * Brings gateways to what is wanted. Any number of nodes may do so over one store: one at a time
 * does, and whatever becomes of it, each key is read there before it counts as done.
 */
export class GatewayEngine {
  readonly #id: string;
  readonly #policies: PolicyWriting;
  readonly #breakers = new Map<string, { until: number; restMs: number }>();
  readonly #paces = new Map<string, Pace>();
  readonly #canaries: Canaries;
  #holds = false;
  #isLeaving = false;

  /** `failed` hears of what no one foresaw. */
  constructor(
    private readonly ctx: GatewayContext,
    private readonly failed: (error: unknown) => void = () => {},
  ) {
    this.#id = newId(ctx.clock.now());
    this.#policies = new PolicyWriting(ctx.storage);
    this.#canaries = new Canaries(ctx, failed);
  }

  /** One turn of every gateway. True: something was to be done, and more may be. */
  async turn(): Promise<boolean> {
    const { storage, storeClock, clock } = this.ctx;
    const { reader } = storage;
    await takeInNewKeys(this.ctx);
    const gateways = await activeGateways(reader);
    if (gateways.length === 0) return false;
    const waiting: GatewayRow[] = [];
    for (const gateway of gateways) {
      if (!this.#rests(gateway) && await this.#hasWork(gateway)) waiting.push(gateway);
    }
    const at = toTimestamp(clock.now());
    const isOver = await hasOldSecret(reader, { now: at });
    if (waiting.length === 0 && !isOver) return false;
    if (await gatewayLease.isOthers(reader, this.#id, await storeClock.now())) return false;
    const right = { holder: this.#id, now: await storeClock.now() };
    this.#holds = await storage.commit(takeTurn, right);
    if (!this.#holds) return false;
    if (isOver) await storage.commit(forgetSecrets, { now: clock.now() });
    const inspections: Promise<void>[] = [];
    await Promise.all(waiting.map((gateway) => this.#serve(gateway, inspections)));
    const { running } = this.#canaries;
    if (inspections.length + running.length > 0) {
      const tried = inTime(Promise.all(running), TRIED_MS, () => {});
      await this.#meanwhile(Promise.all([...inspections, tried]));
    }
    return true;
  }

  /** Until gateways are inspected, which takes seconds, all of them are brought what is due. */
  async #meanwhile(inspected: Promise<unknown>): Promise<void> {
    const { storage, storeClock, clock } = this.ctx;
    let isOver = false;
    const over = inspected.then(() => {
      isOver = true;
    });
    try {
      while (await unlessWithin(over, MEANWHILE_MS) && !isOver && !this.#isLeaving) {
        const right = { holder: this.#id, now: await storeClock.now() };
        this.#holds = await storage.commit(takeTurn, right);
        if (!this.#holds) return;
        await takeInNewKeys(this.ctx);
        const due: GatewayRow[] = [];
        for (const gateway of await activeGateways(storage.reader)) {
          const { org_id, id: gateway_id } = gateway;
          const place = { org_id, gateway_id, now: toTimestamp(clock.now()) };
          if (this.#rests(gateway)) continue;
          const isDue = await hasDue(storage.reader, place) || await this.#canaries.isDue(gateway);
          if (isDue) due.push(gateway);
        }
        await Promise.all(due.map((gateway) => this.#serve(gateway)));
      }
    } finally {
      await over;
    }
  }

  /** A turn under way ends with the keys that it works on. */
  leaves(): void {
    this.#isLeaving = true;
    this.#canaries.leaves();
  }

  /** Leaves gateways to the other nodes at once, where no turn is under way. */
  async giveBack(): Promise<void> {
    await Promise.all(this.#canaries.running);
    if (!this.#holds) return;
    this.#holds = false;
    await this.ctx.storage.commit(leaveGateways, { holder: this.#id });
  }

  #rests({ id }: GatewayRow): boolean {
    return (this.#breakers.get(id)?.until ?? 0) > performance.now();
  }

  async #hasWork(gateway: GatewayRow): Promise<boolean> {
    const { org_id, id: gateway_id, filled_to, canary, failing_since, state } = gateway;
    if (filled_to !== null || canary === "" || failing_since !== null) return true;
    if (state === "ending" || this.#policies.isDue(gateway)) return true;
    const now = this.ctx.clock.now();
    if (isInspectionDue(gateway, now)) return true;
    const place = { org_id, gateway_id, now: toTimestamp(now) };
    return await hasDue(this.ctx.storage.reader, place) || await this.#canaries.isDue(gateway);
  }

  /**
   * A slow gateway delays no other one. A due inspection is begun and put to these; without them
   * keys are synced alone.
   */
  async #serve(gateway: GatewayRow, inspections?: Promise<void>[]): Promise<void> {
    const { storage, clock } = this.ctx;
    const { org_id, id, canary, failure } = gateway;
    try {
      const outbound = paced(this.ctx.outbound, gateway, this.#pacesOf(gateway));
      const kind = await kindOf({ ...this.ctx, outbound }, gateway);
      const opened = await lookAt(kind, canary, this.ctx);
      if (opened.canary !== canary) {
        await storage.commit(noteCanary, { org_id, id, canary: opened.canary, now: clock.now() });
      }
      await this.#policies.write(gateway, kind);
      await this.#work(gateway, kind);
      await kind.finish();
      if (failure !== "") {
        await storage.commit(noteFailure, { org_id, id, failure: "", now: clock.now() });
      }
      if (await this.#canaries.isDue(gateway)) this.#canaries.begin(gateway, kind);
      if (inspections === undefined) this.#breakers.delete(id);
      else if (isInspectionDue(gateway, clock.now())) {
        const inspected = inspect(this.ctx, { ...gateway, canary: opened.canary }, kind, opened);
        inspections.push(
          inspected.then(() => this.#goOn(gateway)).catch((error) => this.#delay(gateway, error)),
        );
      } else await this.#goOn(gateway);
    } catch (error) {
      await this.#delay(gateway, error);
    }
  }

  /** The work after its keys at a gateway that answers. */
  async #goOn(gateway: GatewayRow): Promise<void> {
    if (gateway.filled_to !== null) await fillSlice(this.ctx, gateway);
    else if (gateway.state === "ending") await this.#endGateway(gateway);
    this.#breakers.delete(gateway.id);
  }

  /** Gateways of an organisation that are probed at the same place share its pace. */
  #pacesOf({ org_id, id, probe_url }: GatewayRow): { own: Pace; probes: Pace } {
    const place = URL.canParse(probe_url) ? new URL(probe_url).origin : "";
    return { own: this.#paceOf(id), probes: this.#paceOf(`${org_id} ${place}`) };
  }

  #paceOf(name: string): Pace {
    const pace = this.#paces.get(name) ?? new Pace();
    this.#paces.set(name, pace);
    return pace;
  }

  /** Once every key was ended there and read back. */
  async #endGateway({ org_id, id }: GatewayRow): Promise<void> {
    const { storage, clock } = this.ctx;
    if (await hasKeys(storage.reader, { org_id, gateway_id: id })) return;
    const actor = { org_id, user_id: "gateways", token_id: "", now: clock.now() };
    for (let left = 0;;) {
      const step = await storage.commit(removeGateway, { actor, id, left, isEnded: true });
      if (step.done) return;
      left = step.left;
    }
  }

  async #delay(gateway: GatewayRow, error: unknown): Promise<void> {
    const { org_id, id, failure } = gateway;
    // A store that is away is asked again at the next turn.
    if (error instanceof Failure && error.code === "unavailable") return;
    const restMs = Math.min(
      2 * (this.#breakers.get(id)?.restMs ?? FIRST_REST_MS / 2),
      LONGEST_REST_MS,
    );
    this.#breakers.set(id, { until: performance.now() + restMs, restMs });
    if (!(error instanceof GatewayAway)) return this.failed(error);
    const { storage, clock } = this.ctx;
    await this.#canaries.noteAway(gateway).catch(this.failed);
    if (error.message === failure) return;
    const noted = { org_id, id, failure: error.message, now: clock.now() };
    await storage.commit(noteFailure, noted).catch(this.failed);
  }

  /** Groups of keys that are due: what closes one, then what changed, then what is read alone. */
  async #work(gateway: GatewayRow, kind: Kind): Promise<void> {
    const { storage, clock } = this.ctx;
    const { reader } = storage;
    const { org_id, id: gateway_id } = gateway;
    const until = performance.now() + TURN_MS;
    while (performance.now() < until && !this.#isLeaving) {
      const place = { org_id, gateway_id, now: toTimestamp(clock.now()) };
      let rows: ProvisionedRow[] = [];
      for (const urgency of URGENCIES) {
        rows = await dueKeys(reader, { ...place, urgency }, groupOf(gateway, GROUPS * kind.atOnce));
        if (rows.length > 0) break;
      }
      if (rows.length === 0) return;
      if (gateway.map !== null && rows.some(({ wanted, done }) => wanted !== done)) {
        await storage.commit(beginEdition, { org_id, id: gateway_id });
      }
      const plans = new Plans(this.ctx, org_id);
      await each(rows, kind.atOnce, (row) => bringKey(this.ctx, gateway, kind, row, plans));
    }
  }
}

/** Whether this has not come to its end within so many milliseconds. */
function unlessWithin(end: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    void end.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** So many at once; the first error ends it once what is under way has ended. */
async function each<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let broken: { error: unknown } | undefined;
  const worker = async () => {
    for (let item = items[next++]; item !== undefined && !broken; item = items[next++]) {
      try {
        await work(item);
      } catch (error) {
        broken ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (broken) throw broken.error;
}
