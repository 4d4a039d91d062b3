/**
 * A gateway holds keys of its own, and is brought to what is decided here. Of each key and gateway
 * there is a row: what is wanted is the key's present state, read when its turn comes, so that no
 * change is ever replayed. Nothing counts as done before it was read back there.
 */
import {
  type FindingCode,
  isClosing,
  LATE_MS,
  type ProvisionedState,
} from "../../contract/gateway-states.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";
import type { CallLimit } from "../keys/key-conditions.ts";
import type { MapLimit } from "./hashes/map-entry.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** A gateway as it is stored. */
export type GatewayRow = StoredRow<"gateways">;

/** The stored state of a key at a gateway. */
export type ProvisionedRow = StoredRow<"provisioned_keys">;

/** The sealing context of the secret of a gateway's own interface. */
export function placeOfSecret({ org_id, id }: { org_id: string; id: string }): SealedPlace {
  return { table: "gateways", org_id, id, column: "secret" };
}

/** The secrets of a gateway's own interface, and of its Redis; "": that needs none. */
export interface GatewaySecrets {
  readonly secret: string;
  readonly redis_password: string;
}

/** The opened secrets of a gateway; undefined: none, or lost with their sealing key. */
export function secretsOf(
  sealer: Pick<Sealer, "canOpen" | "open">,
  row: Pick<GatewayRow, "org_id" | "id" | "secret">,
): GatewaySecrets | undefined {
  const place = placeOfSecret(row);
  if (row.secret === null || !sealer.canOpen(place, row.secret)) return undefined;
  const [secret = "", redis_password = ""] = sealer.open(place, row.secret).split(" ");
  return { secret, redis_password };
}

/** The text that is sealed: neither of them has a blank in it. */
export function secretsText({ secret, redis_password }: GatewaySecrets): string {
  return redis_password === "" ? secret : `${secret} ${redis_password}`;
}

/** After this what was closed is read once more: a call in flight may have brought it back. */
export const AGAIN_MS = 15_000;

/** Before that it is read this soon. */
export const SOON_MS = 700;

/**
 * The state at `now`, in milliseconds since 1970: what waits for too long is late, and what was
 * ended and may still open is closing.
 */
export function stateAt(
  row: Pick<ProvisionedRow, "state" | "since" | "held">,
  now: number,
): ProvisionedState {
  if (isClosing(row)) return "closing";
  const isLate = row.state === "waiting" && now - Date.parse(row.since) > LATE_MS;
  return isLate ? "late" : row.state;
}

/** The desired state of a key at a gateway. */
export type Wanted =
  /** It opens what its plans say, until its end. */
  | {
    readonly is: "open";
    readonly plans: readonly PlanNames[];
    readonly expires: number;
    /** The limits in place of its plans', if it was granted less; null: the plans'. */
    readonly limits: KeptLimits | null;
    /** The certificate that it is pinned to, by its id; absent: none. */
    readonly certificate?: string;
    /** The limit, if the gateway itself counts calls. */
    readonly limit?: MapLimit;
  }
  /** It is there and opens nothing. */
  | { readonly is: "closed"; readonly plans: readonly PlanNames[] }
  /** It is not there. */
  | { readonly is: "absent" };

/** Calls in each period; `calls` 0: as many as they like, `seconds` 0: in all. */
export interface KeptLimits {
  readonly rate: CallLimit;
  readonly quota: CallLimit;
}

/** Every id that a plan is known by, the one that the key names first. */
export type PlanNames = readonly [string, ...string[]];

/** The desired state as a row keeps it, to compare it with a later one. */
export function stateTextOf(wanted: Wanted): string {
  if (wanted.is === "absent") return "absent";
  const plans = wanted.plans.map(([name]) => name);
  return JSON.stringify({
    is: wanted.is,
    plans,
    expires: wanted.is === "open" ? wanted.expires : 1,
    ...wanted.is === "open" && wanted.limits ? { limits: wanted.limits } : {},
    ...wanted.is === "open" && wanted.certificate ? { certificate: wanted.certificate } : {},
    ...wanted.is === "open" && wanted.limit ? { limit: wanted.limit } : {},
  });
}

/** A finding of a gateway's check. */
export interface Finding {
  readonly code: FindingCode;
  /** Its subject, such as a plan and the difference; "": nothing more is known. */
  readonly detail: string;
}

/** The result of the last comparison with everything that a gateway lists. */
export interface Reconciled {
  /** Keys that were compared, that are to be there and are not, and the other way around. */
  readonly compared: number;
  readonly missing: number;
  readonly returned: number;
  /** Keys there that no one decided here: how many, and the names of the first. */
  readonly foreign: number;
  readonly foreign_names: readonly string[];
  /** True: nothing was put right. */
  readonly dry_run: boolean;
}

/** The requested comparison, until it is done. */
export interface AskedToReconcile {
  readonly asked: { readonly whole: boolean; readonly dry_run: boolean };
}
