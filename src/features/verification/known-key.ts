import type { KeyKind } from "../keys/key-kinds.ts";
import type { GatewayConditions } from "../keys/gateway-conditions.ts";
import type { CallOrigin } from "./call-origin.ts";
import type { PlanGrants } from "./plan-grants.ts";
import type { QuotaState } from "./quota-leases.ts";
import type { RateState } from "./rate.ts";

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

/**
 * One plan's use by one key on this node. A class: a literal that is spread together takes three
 * times the memory.
 */
class PlanUse implements RateState, QuotaState {
  fullAt = 0;
  intervalMs = 0;
  period = -1;
  left = 0;
  used = 0;
  refusedUntil = 0;
  refusedMax = 0;
  leasing: Promise<void> | null = null;

  constructor(readonly plan_id: string) {}
}

/** A credential in memory. The object, and what it counted, outlives a new look at the store. */
export class KnownKey {
  /** Which round of the memory the facts belong to; a key that was invalidated is of none. */
  round = NO_ROUND;
  /** Differs after each look at the store. */
  looks = 0;
  /** When the store was last asked, of performance.now(). */
  lookedAt = 0;
  /** When its use was last noted. */
  notedAt = 0;
  uses: PlanUse[] = NO_USES;

  constructor(
    readonly org_id: string,
    readonly key_id: string,
    public facts: KeyFacts,
    public grants: PlanGrants,
  ) {}

  /** The counters of one of its plans. */
  useOf(plan_id: string): PlanUse {
    for (const use of this.uses) if (use.plan_id === plan_id) return use;
    const use = new PlanUse(plan_id);
    // concat makes an array of just that length; a key seldom has more than one.
    this.uses = this.uses.concat(use);
    return use;
  }
}

/** An OAuth token in memory: it represents its client's credential. */
export class KnownToken {
  constructor(
    readonly key: KnownKey,
    /**
     * The look at the client's credential that it was found with: a change there is a reason to
     * look again.
     */
    readonly looks: number,
    readonly expiresAt: number,
  ) {}
}

/** The round that no memory is in. */
export const NO_ROUND = -1;
const NO_USES: PlanUse[] = [];
