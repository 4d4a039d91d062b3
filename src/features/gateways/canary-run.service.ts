import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { canBeTried, EVERY_MS, LONGEST_MS, NEVER } from "./canary.ts";
import { canaryNames, lastCanaryRun } from "./canary.store.ts";
import { noteCanaryRun, noteLater, settleCanaryRun } from "./canary.transactions.ts";
import { closingOf, isLater } from "./closing.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { GatewayRow } from "./gateway.ts";
import { GatewayAway, type Kind, Stuck, type Trial, Undone } from "./kind.ts";
import { apiToCall } from "./own-calls.service.ts";

/** A key is looked for so often at first, and from then on as long as it took so far. */
const LOOK_MS = 20;

/**
 * Tests gateways with keys of Keydesk's own, which no developer has: each is made there, used or
 * read back, and revoked. A slow test delays no other key.
 */
export class Canaries {
  /** When each gateway is tried next, as far as this node knows. */
  readonly #next = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  #isLeaving = false;

  constructor(
    private readonly ctx: GatewayContext,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The running checks. */
  get running(): Promise<void>[] {
    return [...this.#running.values()];
  }

  /** A running check ends its key and is forgotten. */
  leaves(): void {
    this.#isLeaving = true;
  }

  /** Whether a minute has gone since a gateway was tried, by whichever node, or was added. */
  async isDue(gateway: GatewayRow): Promise<boolean> {
    const { org_id, id: gateway_id, state, created_at } = gateway;
    if (state !== "active" || this.#isLeaving || !canBeTried(gateway)) return false;
    if (this.#running.has(gateway_id)) return false;
    const now = this.ctx.clock.now();
    const next = this.#next.get(gateway_id) ?? 0;
    if (now < next && next - now <= EVERY_MS) return false;
    const last = await lastCanaryRun(this.ctx.storage.reader, { org_id, gateway_id });
    const due = Math.min(Date.parse(last ?? created_at), now) + EVERY_MS;
    this.#next.set(gateway_id, due);
    return due <= now;
  }

  /** Begins a run at a gateway that was opened. */
  begin(gateway: GatewayRow, kind: Kind): void {
    const { id } = gateway;
    this.#next.set(id, this.ctx.clock.now() + EVERY_MS);
    const run = this.#run(gateway, kind).catch(this.failed).then(() => {
      this.#running.delete(id);
    });
    this.#running.set(id, run);
  }

  /** Notes that no key can be made at a gateway, where it would be tried now. */
  async noteAway(gateway: GatewayRow): Promise<void> {
    if (await this.isDue(gateway)) await this.#noteFailed(gateway);
  }

  async #noteFailed(gateway: GatewayRow): Promise<void> {
    this.#next.set(gateway.id, this.ctx.clock.now() + EVERY_MS);
    await this.#note(gateway, { state: "done", how: "", name: "" });
  }

  async #run(gateway: GatewayRow, kind: Kind): Promise<void> {
    const { org_id, id: gateway_id } = gateway;
    let at: string | undefined;
    let took = { opened_ms: NEVER, shut_ms: NEVER };
    try {
      await this.#clear(gateway, kind);
      const trial = await kind.trial(await apiToCall(this.ctx, gateway));
      if (!trial) return;
      const { how, name } = trial;
      at = await this.#note(gateway, { state: "begun", how, name });
      if (at === undefined) return;
      took = await this.#time(trial);
      await this.#noteLater(gateway, trial, took);
    } catch (error) {
      if (!isOfGateway(error)) throw error;
      if (at === undefined) await this.#noteFailed(gateway);
      // Its key is ended before the next one is made.
      else return;
    }
    if (at === undefined) return;
    const reported = this.#isLeaving && took.shut_ms === NEVER ? null : took;
    await this.ctx.storage.commit(settleCanaryRun, { org_id, gateway_id, at, took: reported });
  }

  /** A gateway that was set to cache sessions meanwhile counts as late from now on. */
  async #noteLater(
    gateway: GatewayRow,
    { how, hasQuota }: Trial,
    { opened_ms, shut_ms }: { opened_ms: number; shut_ms: number },
  ): Promise<void> {
    const { org_id, id } = gateway;
    if (how !== "called" || opened_ms === NEVER || this.#isLeaving) return;
    const seen = { hasQuota, seconds: shut_ms === NEVER ? null : Math.ceil(shut_ms / 1000) };
    if (!isLater(closingOf(gateway), seen)) return;
    await this.ctx.storage.commit(noteLater, { org_id, id, ...seen });
  }

  async #time(trial: Trial): Promise<{ opened_ms: number; shut_ms: number }> {
    let opened_ms = NEVER;
    try {
      opened_ms = await this.#until(true, trial, () => trial.make());
    } finally {
      if (opened_ms === NEVER) await trial.end();
    }
    if (opened_ms === NEVER) return { opened_ms, shut_ms: NEVER };
    return { opened_ms, shut_ms: await this.#until(false, trial, () => trial.end()) };
  }

  /** In so many milliseconds from the beginning of `work` the key opens, or does not any more. */
  async #until(opens: boolean, trial: Trial, work: () => Promise<void>): Promise<number> {
    const begun = performance.now();
    await work();
    for (;;) {
      if (await trial.opens() === opens) return Math.round(performance.now() - begun);
      const spent = performance.now() - begun;
      if (spent > LONGEST_MS || this.#isLeaving) return NEVER;
      const restMs = Math.min(Math.max(LOOK_MS, spent / 4), LONGEST_MS / 30);
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  /** Ends keys of runs that no one came to the end of. */
  async #clear({ org_id, id: gateway_id }: GatewayRow, kind: Kind): Promise<void> {
    const { storage } = this.ctx;
    const names = await canaryNames(storage.reader, { org_id, gateway_id });
    for (const { name, at } of names.filter(({ state }) => state === "begun")) {
      const trial = await kind.trial("", name);
      await trial?.end();
      const took = { opened_ms: NEVER, shut_ms: NEVER };
      await storage.commit(settleCanaryRun, { org_id, gateway_id, at, took });
    }
  }

  async #note(
    { org_id, id: gateway_id }: GatewayRow,
    what: { state: "begun" | "done"; how: "called" | "read" | ""; name: string },
  ): Promise<string | undefined> {
    const now = this.ctx.clock.now();
    const at = toTimestamp(now);
    const run = { org_id, gateway_id, at, ...what, opened_ms: NEVER, shut_ms: NEVER };
    return await this.ctx.storage.commit(noteCanaryRun, { run, now }) ? at : undefined;
  }
}

/** Whether it is the gateway's, or the store's that is away for now. */
function isOfGateway(error: unknown): boolean {
  return error instanceof GatewayAway || error instanceof Stuck || error instanceof Undone ||
    error instanceof Failure && error.code === "unavailable";
}
