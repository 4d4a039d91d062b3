import { HashedRows } from "../../../kernel/hashed-rows.ts";
import type { CountedReason } from "../../../contract/denied-calls.ts";
import { type CountedKey, UsageCell } from "./usage-cell.ts";
import type { CallStatus } from "./usage.ts";

/** A call, and its heading. */
interface Call {
  readonly plan_id: string;
  readonly api_id: string;
  readonly hour: number;
  readonly status: CallStatus;
  /** Why it was denied. */
  readonly reason: CountedReason | undefined;
}

/** Calls of one heading are counted together; keys share it. */
type Heading = Pick<Call, "plan_id" | "api_id" | "hour">;

/** The places of a key's numbers in its row. */
const NEXT = 0;
const SUCCESS = 4;
const LAST_HIT = 8;
const ROW_BYTES = 16;
/** The row of no key. */
const NONE = -1;

/**
 * Counts that wait to be written, the key that waits longest first. The successful calls of a key
 * under its first heading are a row of bytes, because hundreds of thousands may wait; all else is
 * cells.
 */
export class WaitingCells {
  readonly #most: number;
  readonly #rows = new HashedRows(ROW_BYTES);
  readonly #headings: (Heading | undefined)[] = [];
  readonly #developers: string[] = [];
  /** By row; few keys have any. */
  readonly #cells = new Map<number, UsageCell>();
  #first = NONE;
  #last = NONE;
  #size = 0;
  /** Headings of the present hour, by plan and API. */
  readonly #shared = new Map<string, Heading>();
  #hour = 0;

  /** A call that would need more cells than `most` is not counted. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Cells that wait. */
  get size(): number {
    return this.#size;
  }

  /** Counts a call at `now`, in milliseconds since 1970. False: there is no room for it. */
  count(key: CountedKey, call: Call, now: number): boolean {
    const known = this.#rows.find(key.org_id, key.key_id);
    const isPlain = call.status === 200 && call.reason === undefined;
    if (known >= 0) {
      const { developer_id } = key.facts;
      if (this.#developers[known] !== developer_id) this.#developers[known] = developer_id;
      if (isPlain && isUnder(call, this.#headings[known])) return this.#addTo(known, now);
      for (let cell = this.#cells.get(known); cell; cell = cell.next) {
        if (!isUnder(call, cell)) continue;
        cell.add(call.status, call.reason, now);
        return true;
      }
    }
    if (this.#size >= this.#most) return false;
    const row = known >= 0 ? known : this.#wait(key);
    this.#size++;
    if (isPlain && this.#headings[row] === undefined) {
      this.#headings[row] = this.#headingOf(call);
      return this.#addTo(row, now);
    }
    const { plan_id, api_id, hour } = call;
    const cell = new UsageCell(keyOf(key, key.facts), plan_id, api_id, hour, this.#cells.get(row));
    this.#cells.set(row, cell);
    cell.add(call.status, call.reason, now);
    return true;
  }

  /** Takes whole keys, so it may be a few cells more. */
  take(wanted: number): UsageCell[] {
    const taken: UsageCell[] = [];
    while (this.#first !== NONE && taken.length < wanted) {
      const row = this.#first;
      taken.push(...this.#cellsOf(row));
      this.#first = this.#rows.viewOf(row).getInt32(this.#rows.offsetOf(row) + NEXT);
      if (this.#first === NONE) this.#last = NONE;
      this.#headings[row] = undefined;
      this.#cells.delete(row);
      this.#developers[row] = "";
      this.#rows.delete(row);
    }
    this.#size -= taken.length;
    return taken;
  }

  #addTo(row: number, now: number): true {
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    view.setUint32(at + SUCCESS, view.getUint32(at + SUCCESS) + 1);
    view.setFloat64(at + LAST_HIT, now);
    return true;
  }

  /** The row of a key that has none, behind all others. */
  #wait({ org_id, key_id, facts: { developer_id } }: CountedKey): number {
    const row = this.#rows.add(org_id, key_id);
    this.#headings[row] = undefined;
    this.#developers[row] = developer_id;
    this.#rows.viewOf(row).setInt32(this.#rows.offsetOf(row) + NEXT, NONE);
    const last = this.#last;
    if (last === NONE) this.#first = row;
    else this.#rows.viewOf(last).setInt32(this.#rows.offsetOf(last) + NEXT, row);
    this.#last = row;
    return row;
  }

  #cellsOf(row: number): UsageCell[] {
    const cells: UsageCell[] = [];
    const named = { org_id: this.#rows.orgOf(row), key_id: this.#rows.hashOf(row) };
    const key = keyOf(named, { developer_id: this.#developers[row] ?? "" });
    const heading = this.#headings[row];
    if (heading !== undefined) {
      const { plan_id, api_id, hour } = heading;
      const cell = new UsageCell(key, plan_id, api_id, hour, undefined);
      const view = this.#rows.viewOf(row);
      const at = this.#rows.offsetOf(row);
      cell.success = view.getUint32(at + SUCCESS);
      cell.lastHit = view.getFloat64(at + LAST_HIT);
      cells.push(cell);
    }
    for (let cell = this.#cells.get(row); cell; cell = cell.next) {
      cell.key = key;
      cells.push(cell);
    }
    return cells;
  }

  #headingOf({ plan_id, api_id, hour }: Heading): Heading {
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#shared.clear();
    }
    const name = `${plan_id} ${api_id}`;
    const known = this.#shared.get(name);
    if (known !== undefined) return known;
    const heading = { plan_id, api_id, hour };
    this.#shared.set(name, heading);
    return heading;
  }
}

function isUnder(call: Heading, heading: Heading | undefined): boolean {
  return heading !== undefined && call.plan_id === heading.plan_id &&
    call.api_id === heading.api_id && call.hour === heading.hour;
}

function keyOf(
  { org_id, key_id }: Pick<CountedKey, "org_id" | "key_id">,
  { developer_id }: CountedKey["facts"],
): CountedKey {
  return { org_id, key_id, facts: { developer_id } };
}
