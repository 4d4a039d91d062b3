import { toTimestamp } from "../../../kernel/clock.ts";
import type { CountedReason, Reasons } from "../../../contract/denied-calls.ts";
import {
  addTally,
  type CallStatus,
  dayOf,
  type Tally,
  type UsageKind,
  type UsageRow,
  type UsageTable,
} from "./usage.ts";

/** A key that calls are counted of. */
export interface CountedKey {
  readonly org_id: string;
  readonly key_id: string;
  readonly facts: { readonly developer_id: string };
}

/** Calls that are counted together. */
class Calls implements Tally {
  success = 0;
  error_401 = 0;
  error_403 = 0;
  error_429 = 0;
  reasons?: Reasons;
  /** In milliseconds since 1970. */
  lastHit = 0;

  /** Counts one call; `reason`: why it was refused. */
  add(status: CallStatus, reason: CountedReason | undefined, now: number): void {
    if (status === 200) this.success++;
    else this[`error_${status}`]++;
    this.lastHit = now;
    if (reason !== undefined) this.count(reason);
  }

  /** Counts that one was refused for this reason, and nothing besides. */
  count(reason: CountedReason): void {
    this.reasons ??= {};
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
  }
}

/** The calls of one key under one plan, of one API, within one hour. */
export class UsageCell extends Calls {
  /** `key`: as of its last call; `next`: another cell of it. */
  constructor(
    public key: CountedKey,
    readonly plan_id: string,
    readonly api_id: string,
    readonly hour: number,
    readonly next: UsageCell | undefined,
  ) {
    super();
  }
}

/** The calls through one gateway, of one API, within one hour; unknown keys' too. */
export class GatewayCell extends Calls {
  /** Its calls in each minute, the oldest first. */
  readonly minutes: [minute: number, calls: number][] = [];

  /** `gateway`: as it named itself; `firstHit` in milliseconds since 1970. */
  constructor(
    readonly org_id: string,
    readonly gateway: string,
    readonly api_id: string,
    readonly hour: number,
    readonly firstHit: number,
  ) {
    super();
  }

  /** Counts a call in its minute; calls come in their order. */
  noteMinute(minute: number): void {
    const last = this.minutes.at(-1);
    if (last?.[0] === minute) last[1]++;
    else this.minutes.push([minute, 1]);
  }
}

/** Gives the name that a gateway counts by. */
export type NameOfGateway = (cell: GatewayCell) => string;

/**
 * The additions to the store for these cells: each row once, in the one order in which rows are
 * locked.
 */
export function rowsOf(
  cells: readonly UsageCell[],
  gateways: readonly GatewayCell[] = [],
  nameOf: NameOfGateway = ({ gateway }) => gateway,
): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const cell of gateways) {
    const last_hit = toTimestamp(cell.lastHit);
    for (const object_id of ["", nameOf(cell)]) {
      for (const [table, begins] of slotsOf(cell)) {
        const { org_id, api_id } = cell;
        const place = { table, org_id, kind: "door" as const, object_id, begins };
        addRow(rows, { ...place, plan_id: "", api_id }, cell, last_hit);
      }
    }
  }
  for (const cell of cells) {
    const { key: { org_id, key_id, facts }, plan_id, api_id } = cell;
    const last_hit = toTimestamp(cell.lastHit);
    const add = (kind: UsageKind, object_id: string, narrow = NOT_NARROWED) => {
      for (const [table, begins] of slotsOf(cell)) {
        const row = { table, org_id, kind, object_id, begins, ...narrow };
        addRow(rows, row, cell, last_hit);
      }
    };
    add("organisation", "");
    add("key", key_id, { plan_id, api_id });
    if (facts.developer_id !== "") add("developer", facts.developer_id);
    if (plan_id !== "") add("plan", plan_id);
    if (api_id !== "") add("api", api_id);
  }
  return [...rows].sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
}

const NOT_NARROWED = { plan_id: "", api_id: "" };

function slotsOf({ hour }: { readonly hour: number }): [UsageTable, number][] {
  return [["usage_hours", hour], ["usage_days", dayOf(hour)]];
}

function addRow(
  rows: Map<string, UsageRow>,
  place: Omit<UsageRow, keyof Tally | "last_hit">,
  cell: Calls,
  last_hit: string,
): void {
  const name = JSON.stringify(Object.values(place));
  const known = rows.get(name);
  if (known === undefined) {
    const { success, error_401, error_403, error_429, reasons } = cell;
    const refused = reasons === undefined ? {} : { reasons };
    rows.set(name, { ...place, success, error_401, error_403, error_429, ...refused, last_hit });
    return;
  }
  addTally(known, cell);
  if (last_hit > known.last_hit) known.last_hit = last_hit;
}
