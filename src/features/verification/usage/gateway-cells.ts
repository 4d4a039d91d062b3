import { type CountedReason, refusalStatus } from "../../../contract/denied-calls.ts";
import { isId } from "../../../kernel/ids.ts";
import { minuteOf } from "../gateways/call-minutes.ts";
import { DoorCell } from "./usage-cell.ts";
import { HOUR_MS } from "./usage.ts";

/** Doors of one organisation between two writings; further ones count as one without a name. */
const MOST_DOORS = 100;
/** APIs of one door between two writings; further ones count without a name. */
const MOST_APIS = 1000;
/** Cells that memory holds; a call that would need another one is not counted at its door. */
const MOST = 20_000;

/** A call as the door has it. */
export interface CallAtDoor {
  /** As the door names itself. */
  readonly door: string;
  readonly api_id: string | undefined;
  /** Undefined: it was let in. `unsure` is no verdict, and counts for no status. */
  readonly reason: CountedReason | undefined;
}

/**
 * What was asked at doors and is not written yet, unknown keys too: bounded, however many keys,
 * names and doors come. Only a call whose key somebody knows gives an API its name here.
 */
export class DoorCells {
  /** By organisation, door and API. */
  readonly #now = new Map<string, Map<string, Map<string, DoorCell>>>();
  #counting: DoorCell[] = [];
  #done: DoorCell[] = [];
  #hour = 0;

  get size(): number {
    return this.#counting.length + this.#done.length;
  }

  /** Counts one call; true: as the first of its door and API since the last writing. */
  count(org_id: string, { door, api_id = "", reason }: CallAtDoor, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#close(hour);
    const cell = this.#cellOf(org_id, door, api_id, reason !== "unknown", now);
    if (cell === undefined) return false;
    cell.noteMinute(minuteOf(now));
    if (reason === "unsure") {
      cell.count(reason);
      cell.lastHit = now;
    } else cell.add(reason === undefined ? 200 : refusalStatus[reason], reason, now);
    return cell.firstHit === now;
  }

  /** Takes up to `wanted` cells; what is counted from now on is counted in others. */
  take(wanted: number): DoorCell[] {
    this.#close(this.#hour);
    return this.#done.splice(0, wanted);
  }

  #close(hour: number): void {
    this.#hour = hour;
    if (this.#counting.length === 0) return;
    this.#done = this.#done.concat(this.#counting);
    this.#counting = [];
    this.#now.clear();
  }

  #cellOf(org_id: string, said: string, api_id: string, mayName: boolean, now: number) {
    const doors = inside(this.#now, org_id);
    const door = doors.has(said) || doors.size < MOST_DOORS ? said : "";
    const apis = inside(doors, door);
    const known = apis.get(api_id);
    if (known !== undefined) return known;
    const name = mayName && apis.size < MOST_APIS && isId(api_id) ? api_id : "";
    const nameless = apis.get(name);
    if (nameless !== undefined || this.size >= MOST) return nameless;
    const cell = new DoorCell(org_id, door, name, this.#hour, now);
    apis.set(name, cell);
    this.#counting.push(cell);
    return cell;
  }
}

function inside<T>(outer: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const known = outer.get(name);
  if (known !== undefined) return known;
  const made = new Map<string, T>();
  outer.set(name, made);
  return made;
}
