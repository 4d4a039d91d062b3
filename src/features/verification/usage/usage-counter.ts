import { minuteOf } from "../gateways/call-minutes.ts";
import { isId } from "../../../kernel/ids.ts";
import { inTime } from "../../../kernel/in-time.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { CountedReason } from "../../../contract/denied-calls.ts";
import { type CallAtGateway, GatewayCells } from "./gateway-cells.ts";
import { namesOf, seenGateways } from "./gateway-names.ts";
import { type CountedKey, type GatewayCell, rowsOf, type UsageCell } from "./usage-cell.ts";
import { addUsage } from "./usage.transactions.ts";
import { type CallStatus, HOUR_MS } from "./usage.ts";
import { WaitingCells } from "./waiting-cells.ts";

/** A first count waits so long before it is written. */
const EVERY_MS = 5000;
/** A gateway that no one heard of in this minute is written sooner: a person may wait for it. */
const SOON_MS = 500;
/**
 * Names of gateways that are remembered within a minute; further ones are written in their turn.
 */
const MOST_HEARD = 1000;
/** Cells of one transaction: its rows are made at once, and no one is answered meanwhile. */
const TOGETHER = 50;
/** Cells that are written in one turn; others go on counting, and the oldest are the next. */
const EACH_TURN = 2000;
/** Cells that memory holds, as many as keys; a call that would need another one is not counted. */
const MOST = 250_000;
/** A store that says nothing for so long is away. */
const PATIENCE_MS = 1000;
/**
 * Names of APIs that no plan names, of one organisation within an hour; calls of further ones count
 * for no API.
 */
const MOST_NAMES = 100;

/** A call of a key that was verified. */
interface CountedCall {
  readonly status: CallStatus;
  /** Why it was refused. */
  readonly reason?: CountedReason | undefined;
  /** The plan that it went by; empty: it was refused before there was one. */
  readonly plan_id: string;
  /** The API that the plan names; undefined where no one said one. */
  readonly api_id: string | undefined;
  /** False: the plan opens every API, and the name is the caller's alone. */
  readonly isNamedByPlan: boolean;
}

/**
 * Counts calls in memory and adds them to the store every five seconds. A batch whose commit fails
 * is lost: what may have been kept is not sent again, so no call is counted twice. Calls that wait
 * when the process is killed are lost too.
 */
export class UsageCounter {
  readonly #storage: Storage;
  readonly #cells = new WaitingCells(MOST);
  readonly #gateways = new GatewayCells();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  readonly #heard = new Set<string>();
  #minute = 0;
  #writing: Promise<void> = Promise.resolve();
  #hour = 0;
  /** By organisation; of the present hour. */
  #names = new Map<string, Set<string>>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Counts one call at `now`, in milliseconds since 1970. Never fails, never waits. */
  count(key: CountedKey, call: CountedCall, now: number): void {
    const hour = Math.floor(now / HOUR_MS);
    const api_id = this.#nameOf(key.org_id, call, hour);
    const { status, reason, plan_id } = call;
    if (!this.#cells.count(key, { plan_id, api_id, hour, status, reason }, now)) return;
    this.#wake();
  }

  /**
   * Counts one call at its gateway, whoever's key it was and whether anybody knows it. Never fails,
   * never waits.
   */
  countAtGateway(org_id: string, call: CallAtGateway, now: number): void {
    const isFirst = this.#gateways.count(org_id, call, now);
    if (isFirst && this.#isNews(org_id, call.gateway, minuteOf(now))) this.#hurry();
    this.#wake();
  }

  /** Writes all that waits, as far as the store takes it. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    return this.#write(Infinity);
  }

  /** Whether a gateway is heard of for the first time in this minute. */
  #isNews(org_id: string, gateway: string, minute: number): boolean {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#heard.clear();
    }
    const name = `${org_id} ${gateway}`;
    if (gateway === "" || this.#heard.has(name) || this.#heard.size >= MOST_HEARD) return false;
    this.#heard.add(name);
    return true;
  }

  /** Writes what is counted at gateways, a moment later. */
  #hurry(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#writing = this.#writing.then(() => this.#writeGateways());
    }, SOON_MS);
    this.#soon.unref();
  }

  #nameOf(org_id: string, { api_id, isNamedByPlan }: CountedCall, hour: number): string {
    if (api_id === undefined || isNamedByPlan) return api_id ?? "";
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#names.clear();
    }
    let names = this.#names.get(org_id);
    if (names === undefined) this.#names.set(org_id, names = new Set());
    if (names.has(api_id)) return api_id;
    if (names.size >= MOST_NAMES || !isId(api_id)) return "";
    names.add(api_id);
    return api_id;
  }

  #wake(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#turn(), EVERY_MS);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    await this.#write(EACH_TURN);
    this.#timer = undefined;
    if (this.#waits()) this.#wake();
  }

  /** One writing after the other, so that no cell is taken twice. */
  #write(most: number): Promise<void> {
    return this.#writing = this.#writing.then(() => this.#writeNow(most));
  }

  async #writeNow(most: number): Promise<void> {
    try {
      // A store that is away costs no batch.
      if (this.#waits() && !await this.#isThere()) return;
      for (let left = most; left > 0 && this.#waits();) {
        const cells = this.#cells.take(Math.min(left, TOGETHER));
        const gateways = this.#gateways.take(TOGETHER);
        left -= cells.length + gateways.length;
        await this.#commit(cells, gateways);
      }
    } catch {
      // Tried again with what still waits.
    }
  }

  async #writeGateways(): Promise<void> {
    try {
      if (this.#gateways.size === 0 || !await this.#isThere()) return;
      await this.#commit([], this.#gateways.take(TOGETHER));
    } catch {
      // The others come in their turn.
    }
  }

  async #commit(cells: readonly UsageCell[], gateways: readonly GatewayCell[]): Promise<void> {
    const nameOf = await namesOf(this.#storage.reader, gateways);
    await this.#storage.commit(addUsage, {
      rows: rowsOf(cells, gateways, nameOf),
      owners: ownersOf(cells),
      gateways: seenGateways(gateways, nameOf),
    });
  }

  #waits(): boolean {
    return this.#cells.size > 0 || this.#gateways.size > 0;
  }

  #isThere(): Promise<boolean> {
    return inTime(this.#storage.ping().then(() => true), PATIENCE_MS, () => false);
  }
}

/** The owner of each key, in the one order in which developers are locked. */
function ownersOf(cells: readonly UsageCell[]) {
  const owners = cells.map(({ key: { org_id, key_id, facts: { developer_id } } }) => ({
    org_id,
    developer_id,
    key_id,
  }));
  const nameOf = (owner: typeof owners[number]) => JSON.stringify(Object.values(owner));
  const byName = new Map(owners.map((owner) => [nameOf(owner), owner]));
  return [...byName].sort(([a], [b]) => a < b ? -1 : 1).map(([, owner]) => owner);
}
