import type { Actor } from "../../changes/audit.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { allows } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { findPerson, lockPerson } from "../people/people.store.ts";
import { toPerson } from "../people/person.ts";
import { findDelegation, putDelegation, removeDelegation } from "./delegations.store.ts";

const DAY_MS = 86_400_000;

/** No one is away for longer, in days. */
const MOST_DAYS = 90;

/**
 * Names who decides in the caller's place until a time, MOST_DAYS away at the most, instead of the
 * person who did; nothing where they are named until then already. Throws `invalid_input` for a
 * time that is past, for oneself, and for a person who may not approve; `access_denied` where the
 * caller is no person.
 */
export const setDelegation = defineTransaction(
  "delegations.set",
  async (
    tx,
    { actor, delegate_id, until }: { actor: Actor; delegate_id: string; until: string },
  ): Promise<null> => {
    const { org_id, user_id: person_id, now } = actor;
    if (!await lockPerson(tx, { org_id, id: person_id })) throw new Failure("access_denied");
    await requireNoOlderNode(tx, now, { unknown: "delegation", then: "name a person" });
    // A longer delegation is cut to the maximum: the answer states its end.
    const end = Math.min(Date.parse(until), now + MOST_DAYS * DAY_MS);
    if (end <= now) throw refused("until: expected a time to come");
    if (delegate_id === person_id) throw refused("delegate_id: expected another person");
    const row = await findPerson(tx, { org_id, id: delegate_id });
    const delegate = row && toPerson(row);
    if (delegate?.state !== "active" || !allows(delegate.permissions, "approve")) {
      throw refused("delegate_id: expected a person who may approve");
    }
    const before = await findDelegation(tx, { org_id, person_id });
    if (before && isTheSame(before, { delegate_id, end, asked: Date.parse(until), now })) {
      return null;
    }
    if (before && before.delegate_id !== delegate_id) {
      await record(tx, actor, "person.delegation_ended", before.delegate_id);
    }
    const stored = { until: toTimestamp(end), created_at: toTimestamp(now) };
    await putDelegation(tx, { org_id, person_id, delegate_id, ...stored });
    await record(tx, actor, "person.made_delegate", delegate_id, stored.until);
    return null;
  },
);

/** Within so long the most that there is counts as one end, in milliseconds. */
const HOUR_MS = 3_600_000;

/** Whether it stands already: a call that is sent again changes nothing, and mails no one again. */
function isTheSame(
  before: { delegate_id: string; until: string },
  { delegate_id, end, asked, now }: Record<"end" | "asked" | "now", number> & {
    delegate_id: string;
  },
): boolean {
  const until = Date.parse(before.until);
  if (before.delegate_id !== delegate_id || until <= now) return false;
  return until === end || (asked > end && end - until < HOUR_MS);
}

/** Ends that a person decides in the caller's place; nothing where no one does. */
export const endDelegation = defineTransaction(
  "delegations.end",
  async (tx, { actor }: { actor: Actor }): Promise<null> => {
    const { org_id, user_id } = actor;
    const place = { org_id, person_id: user_id };
    // A concurrent change for them waits, so that the audit log names its author.
    await lockPerson(tx, { org_id, id: user_id });
    const before = await findDelegation(tx, place);
    if (before && await removeDelegation(tx, place)) {
      await record(tx, actor, "person.delegation_ended", before.delegate_id);
    }
    return null;
  },
);

/**
 * The audit log's row concerns the delegate, who is notified; its actor is the person who is away.
 */
function record(
  tx: Parameters<typeof recordChange>[0],
  actor: Actor,
  action: "person.made_delegate" | "person.delegation_ended",
  object_id: string,
  until?: string,
): Promise<void> {
  return recordChange(tx, actor, { action, object_id, detail: until ? { until } : {} });
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
