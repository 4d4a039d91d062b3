import { type CountedReason, denialStatus } from "../../../contract/denied-calls.ts";
import { isId } from "../../../kernel/ids.ts";
import { minuteOf } from "../gateways/call-minutes.ts";
import { GatewayCell } from "./usage-cell.ts";
import { HOUR_MS } from "./usage.ts";

/** Gateways of one organisation between two writings; further ones count as one without a name. */
const MOST_CHECKING_GATEWAYS = 100;
/** APIs of one gateway between two writings; further ones count without a name. */
const MOST_APIS = 1000;
/** Cells that memory holds; a call that would need another one is not counted at its gateway. */
const MOST = 20_000;

/** A call as the gateway has it. */
export interface CallAtGateway {
  /** As the gateway names itself. */
  readonly gateway: string;
  readonly api_id: string | undefined;
  /** Undefined: it was let in. `unsure` is no verdict, and counts for no status. */
  readonly reason: CountedReason | undefined;
}

/**
 * The counts of calls at gateways that are not written yet, with unknown keys: bounded, however
 * many keys, names and gateways come. Only a call with a known key gives an API its name here.
 */
export class GatewayCells {
  /** By organisation, gateway and API. */
  readonly #now = new Map<string, Map<string, Map<string, GatewayCell>>>();
  #counting: GatewayCell[] = [];
  #done: GatewayCell[] = [];
  #hour = 0;

  get size(): number {
    return this.#counting.length + this.#done.length;
  }

  /** Counts one call; true: as the first of its gateway and API since the last writing. */
  count(org_id: string, { gateway, api_id = "", reason }: CallAtGateway, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#close(hour);
    const cell = this.#cellOf(org_id, gateway, api_id, reason !== "unknown", now);
    if (cell === undefined) return false;
    cell.noteMinute(minuteOf(now));
    if (reason === "unsure") {
      cell.count(reason);
      cell.lastHit = now;
    } else cell.add(reason === undefined ? 200 : denialStatus[reason], reason, now);
    return cell.firstHit === now;
  }

  /** Takes up to `wanted` cells; what is counted from now on is counted in others. */
  take(wanted: number): GatewayCell[] {
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
    const gateways = inside(this.#now, org_id);
    const gateway = gateways.has(said) || gateways.size < MOST_CHECKING_GATEWAYS ? said : "";
    const apis = inside(gateways, gateway);
    const known = apis.get(api_id);
    if (known !== undefined) return known;
    const name = mayName && apis.size < MOST_APIS && isId(api_id) ? api_id : "";
    const nameless = apis.get(name);
    if (nameless !== undefined || this.size >= MOST) return nameless;
    const cell = new GatewayCell(org_id, gateway, name, this.#hour, now);
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
