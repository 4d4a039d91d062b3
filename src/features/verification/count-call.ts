import { type DenialReason, denialStatus } from "../../contract/denied-calls.ts";
import type { UsageCounter } from "./usage/usage-counter.ts";
import type { KeyMemory } from "./key-memory.ts";
import type { KnownKey } from "./known-key.ts";
import { type CallRule, ruleFor } from "./plan-grants.ts";
import { GatheredRows } from "../../changes/gathered-rows.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import { noteUses } from "./last-uses.transactions.ts";
import type { UseRow } from "./verification.store.ts";

/** Calls denied for these reasons were denied before a plan was looked for. */
const WITHOUT_PLAN: readonly DenialReason[] = [
  "revoked",
  "suspended",
  "expired",
  "address_unknown",
  "address",
];

/**
 * Counts a call of a key that is known, by what was decided about it: under the plan that it went
 * by, and for the API, if one of the key's plans opens it. Gives the rule of that plan.
 */
export function countCall(
  usage: UsageCounter,
  key: KnownKey,
  api_id: string | undefined,
  result: { valid: true } | { valid: false; reason: DenialReason },
  now: number,
): CallRule | undefined {
  const reason = result.valid ? undefined : result.reason;
  const rule = reason === undefined || !WITHOUT_PLAN.includes(reason)
    ? ruleFor(key.grants, api_id)
    : undefined;
  usage.count(key, {
    status: reason === undefined ? 200 : denialStatus[reason],
    reason,
    plan_id: rule?.plan_id ?? "",
    api_id: rule && api_id,
    isNamedByPlan: rule !== undefined && rule.apis !== null,
  }, now);
  return rule;
}

/** A key's last use is written at most this often. */
const EVERY_MS = 60_000;

/**
 * Writes when keys were used, in batches and as well as it can be done: a use that gets lost stops
 * no one.
 */
export class LastUses {
  readonly #rows: GatheredRows<UseRow>;

  constructor(storage: Storage) {
    this.#rows = new GatheredRows(
      (uses) => storage.commit(noteUses, { uses }),
      ({ org_id, key_id }) => org_id + key_id,
    );
  }

  /** The key was used now. */
  note(memory: KeyMemory, key: KnownKey, now: number): void {
    if (!memory.noteUse(key, now, EVERY_MS)) return;
    const { org_id, key_id } = key;
    this.#rows.add({ org_id, key_id, last_used_at: toTimestamp(now) });
  }

  /** Writes what waits. */
  flush(): Promise<void> {
    return this.#rows.flush();
  }
}
