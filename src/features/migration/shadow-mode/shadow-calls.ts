import { toTimestamp } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { inTime } from "../../../kernel/in-time.ts";
import type { Storage } from "../../../storage/storage.ts";
import { knownGateways } from "../../verification/usage/gateway-names.ts";
import { dayOf, HOUR_MS } from "../../verification/usage/usage.ts";
import type { KeyOwner } from "../../verification/usage/usage.transactions.ts";
import type { ShadowCall } from "./shadow-call.ts";
import type { DifferenceRow, ShadowRow } from "./shadow-calls.store.ts";
import { addShadowCalls } from "./shadow-calls.transactions.ts";

/** A first count waits so long before it is written. */
const EVERY_MS = 5000;
/** Cells of one transaction, and those that memory holds; a call beyond them is not counted. */
const TOGETHER = 200;
const MOST = 100_000;
/** Single differences that a node keeps of one second, and that wait while the store is away. */
const EACH_SECOND = 50;
const MOST_WAITING = 1000;
/** A store that says nothing for so long is away. */
const PATIENCE_MS = 1000;

/** Calls that are counted together: of one key, plan, gateway, verdict and day. */
interface Cell extends Omit<ShadowCall, "api_id" | "at"> {
  org_id: string;
  begins: number;
  asked: number;
  opened: number;
  last: number;
}

/** The context of a service that counts observed calls. */
export interface WithShadowCalls {
  readonly shadowCalls: ShadowCalls;
}

/**
 * Counts calls that an old gateway decides, and adds them to the store every five seconds. As with
 * use, a batch whose commit fails is lost, and so is what waits when the process is killed: no call
 * is counted twice.
 */
export class ShadowCalls {
  readonly #storage: Storage;
  #cells = new Map<string, Cell>();
  #differences: DifferenceRow[] = [];
  #second = 0;
  #kept = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Counts that a gateway asked about a call that it decides. Never fails, never waits. */
  asked(org_id: string, call: ShadowCall): void {
    const cell = this.#cellOf(org_id, call);
    if (cell === undefined) return;
    cell.asked++;
    cell.last = Math.max(cell.last, call.at);
  }

  /** Counts that it let the call in. Never fails, never waits. */
  opened(org_id: string, call: ShadowCall): void {
    const cell = this.#cellOf(org_id, call);
    if (cell === undefined) return;
    cell.opened++;
    if (call.verdict !== "valid") this.#keep(org_id, call, call.verdict);
  }

  /** Writes all that waits, as far as the store takes it. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#writing = this.#writing.then(() => this.#write());
  }

  #cellOf(org_id: string, { api_id: _, at, ...call }: ShadowCall): Cell | undefined {
    const begins = dayOf(Math.floor(at / HOUR_MS));
    // Of a key that is known the gateway is not counted.
    const place = call.key_id === "" ? call : { ...call, door: "" };
    const { key_id, plan_id, door, verdict } = place;
    const name = JSON.stringify([org_id, key_id, plan_id, door, verdict, begins]);
    const known = this.#cells.get(name);
    if (known !== undefined) return known;
    if (this.#cells.size >= MOST) return undefined;
    const cell = { org_id, ...place, begins, asked: 0, opened: 0, last: at };
    this.#cells.set(name, cell);
    this.#wake();
    return cell;
  }

  #keep(org_id: string, { verdict: _, at, ...call }: ShadowCall, reason: string): void {
    const second = Math.floor(at / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#kept = 0;
    }
    if (this.#kept >= EACH_SECOND || this.#differences.length >= MOST_WAITING) return;
    this.#kept++;
    this.#differences.push({ org_id, id: newId(at), at: toTimestamp(at), ...call, reason });
    this.#wake();
  }

  #wake(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#turn(), EVERY_MS);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    await this.flush();
    if (this.#waits()) this.#wake();
  }

  #waits(): boolean {
    return this.#cells.size > 0 || this.#differences.length > 0;
  }

  async #write(): Promise<void> {
    try {
      // A store that is away costs no batch.
      if (!this.#waits() || !await this.#isThere()) return;
      while (this.#waits()) {
        const cells = this.#take();
        const differences = this.#differences.splice(0, TOGETHER);
        const orgs = [...cells, ...differences].map(({ org_id }) => org_id);
        const nameOf = await knownGateways(this.#storage.reader, orgs);
        await this.#storage.commit(addShadowCalls, {
          rows: rowsOf(cells, nameOf),
          owners: ownersOf([...cells, ...differences]),
          differences: differences.map((one) => ({ ...one, door: nameOf(one.org_id, one.door) })),
        });
      }
    } catch {
      // The next ones are tried again.
    }
  }

  #take(): Cell[] {
    const taken: Cell[] = [];
    for (const [name, cell] of this.#cells) {
      this.#cells.delete(name);
      taken.push(cell);
      if (taken.length >= TOGETHER) break;
    }
    return taken;
  }

  #isThere(): Promise<boolean> {
    return inTime(this.#storage.ping().then(() => true), PATIENCE_MS, () => false);
  }
}

/** The additions for these cells: each row once, in the one order in which rows are locked. */
function rowsOf(
  cells: readonly Cell[],
  nameOf: (org_id: string, gateway: string) => string,
): ShadowRow[] {
  const rows = new Map<string, ShadowRow>();
  for (const { org_id, key_id, plan_id, door, verdict, begins, asked, opened, last } of cells) {
    const add = (kind: ShadowRow["kind"], object_id: string) => {
      const name = JSON.stringify([org_id, kind, object_id, begins, verdict]);
      const last_at = toTimestamp(last);
      const known = rows.get(name);
      rows.set(name, {
        org_id,
        kind,
        object_id,
        begins,
        verdict,
        asked: asked + (known?.asked ?? 0),
        opened: opened + (known?.opened ?? 0),
        last_at: known !== undefined && known.last_at > last_at ? known.last_at : last_at,
      });
    };
    if (key_id === "") {
      add("unknown", nameOf(org_id, door));
      continue;
    }
    add("organisation", "");
    add("key", key_id);
    if (plan_id !== "") add("plan", plan_id);
  }
  return [...rows].sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
}

/** The owner of each key, in the one order in which developers are locked. */
function ownersOf(those: readonly KeyOwner[]): KeyOwner[] {
  const owners = those.filter(({ key_id, developer_id }) => key_id !== "" && developer_id !== "")
    .map(({ org_id, developer_id, key_id }) => ({ org_id, developer_id, key_id }));
  const byName = new Map(owners.map((owner) => [JSON.stringify(Object.values(owner)), owner]));
  return [...byName].sort(([a], [b]) => a < b ? -1 : 1).map(([, owner]) => owner);
}
