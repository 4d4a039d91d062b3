import type { KeyKind } from "../keys/key-kinds.ts";
import type { GatewayConditions } from "../keys/gateway-conditions.ts";
import type { CallOrigin } from "./call-origin.ts";
import type { PlanGrants } from "./plan-grants.ts";

/** The store's data of a key. Times in milliseconds since 1970. */
export interface KeyFacts {
  readonly kind: KeyKind;
  /** Damaged: it is not as it was written, whatever it says. */
  readonly state: "active" | "suspended" | "revoked" | "damaged";
  readonly secret_hash: string | null;
  readonly mask: string;
  readonly developer_id: string;
  readonly developer_email: string;
  /** Mail to that address is known to have reached them. */
  readonly email_verified: boolean;
  /** When its quotas began to be counted: at its issue, or when they were reset. */
  readonly issuedAt: number;
  /** The key id that its quotas are counted under: its own, or that of a key it replaced. */
  readonly quotaKey: string;
  /** Infinity: it does not expire. */
  readonly expiresAt: number;
  /** Null: none. */
  readonly conditions: GatewayConditions | null;
}

/** Why a key does not open for a visitor of this address; null: it does. */
export function refusalOfAddress(
  { conditions }: KeyFacts,
  visitor: Pick<CallOrigin, "address">,
): "address_unknown" | "address" | null {
  const addresses = conditions?.addresses;
  if (!addresses) return null;
  const address = visitor.address();
  if (address === undefined) return "address_unknown";
  return addresses.include(address) ? null : "address";
}

/** A credential as one look at the store found it. Its counters are in the memory of keys. */
export class KnownKey {
  /** `row`: its row in that memory; -1: it has none. `looks`: differs for each look. */
  constructor(
    readonly org_id: string,
    readonly key_id: string,
    readonly facts: KeyFacts,
    readonly grants: PlanGrants,
    readonly row = -1,
    readonly looks = 0,
  ) {}
}

/** An OAuth token: it represents its client's credential. */
export class KnownToken {
  constructor(readonly key: KnownKey, readonly expiresAt: number) {}
}

/** The value under the hash of a presented credential. */
export type Entry = KnownKey | KnownToken;
