/** A gateway that is elsewhere than it was: who may say so, and that a person says yes to it. */
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { GatewayRow } from "./gateway.ts";
import { mapOf, type MapSettings } from "./hashes/map-settings.ts";

/** The caller that sets where secrets and keys go. */
export interface SaidBy {
  /** Whether they may approve, too: keys that others issue go where a gateway is. */
  mayApprove: boolean;
  /** False: an access token, which no fresh sign-in is behind. A person says yes to it. */
  isPerson: boolean;
}

/** The settings of a gateway that set where secrets and keys go. */
interface MovedInput {
  url: string;
  probe_url: string;
  redis_url: string;
  map: MapSettings | null;
}

/** The error for callers who may not move one. */
export const MOVES =
  "access denied: where a gateway, its Redis or the API that it is probed by is, takes approve beside admin.";

/** Whether secrets, or keys that others issue, go elsewhere by this than before. */
export function moves(row: GatewayRow, gateway: MovedInput): boolean {
  // One that goes by hashes is called nowhere else.
  if (row.kind === "hashes") return gateway.map?.socket !== mapOf(row)?.socket;
  const places = ["url", "probe_url", "redis_url"] as const;
  return places.some((one) => gateway[one] !== "" && gateway[one] !== row[one]);
}

/** The error for another address without its secret. */
export function secretNeeded(): Failure {
  const message = "secret: needed for another url: a secret goes to the address it was written for";
  return new Failure("invalid_input", { message, details: [message] });
}

/** Since when a gateway waits for a yes after a change: to each yes belongs one state of it. */
export function unconfirmedBy(row: GatewayRow, isNew: boolean, now: number): string | null {
  const before = row.unconfirmed_since;
  if (before === null) return isNew ? toTimestamp(now) : null;
  return toTimestamp(Math.max(now, Date.parse(before) + 1));
}
