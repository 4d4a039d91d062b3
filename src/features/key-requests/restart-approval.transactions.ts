/**
 * A request that waits for a person who has left takes today's policy: by a person who may set
 * policies and approve, or by itself where that asks no fewer people.
 */
import type { Actor } from "../../changes/audit.ts";
import { once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { NO_END, type PolicyTerms } from "./policy.ts";
import { policiesFor, setAskedPolicy } from "./asked-policy.store.ts";
import { type AskedPolicy, askedPolicyIn, togetherOf } from "./asked-policy.ts";
import type { DecisionInput } from "./decisions.transactions.ts";
import { beginAnew } from "./expiry.store.ts";
import { lockFor } from "./lock-for.transactions.ts";
import { waitsAt } from "./offer.ts";
import { refuseOwn } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { termsOf } from "./stored-request.ts";
import { findV1, lockForDecision } from "./v1.store.ts";
import { everyDecider, lackOf } from "./who-may-decide.ts";

/** The actor of automatic restarts in the audit log. */
export const BY_ITSELF = "keydesk";

/**
 * Has a request that no one can decide approved from the start, by today's policy. Throws
 * `own_request`, `filed_by_you` also where the policy lets filers decide, `offer_waits`,
 * `still_decidable`, `policy_unfulfillable` and what a decision throws.
 */
export const restartApproval = defineTransaction(
  "key-requests.restart-approval",
  (tx, input: DecisionInput) =>
    once(tx, input.idempotency, async (): Promise<null> => {
      const { actor, id } = input;
      const row = await lockFor(tx, "offer", input);
      await refuseOwn(tx, actor, { id, policy: row.policy });
      const isFiler = askedPolicyIn(row.policy)?.filed_by.includes(actor.user_id);
      if (isFiler) throw new Failure("filed_by_you");
      if (waitsAt(row.offer, actor.now)) throw new Failure("offer_waits");
      const found = await restartOf(tx, actor, id);
      if (!found || found.lacked.length === 0) throw new Failure("still_decidable");
      const { lacks } = found;
      if (lacks.length > 0) {
        const message = `It could not be decided by today's policy either: ${lacks.join("; ")}.`;
        throw new Failure("policy_unfulfillable", { message, details: lacks });
      }
      await restart(tx, actor, { id, row, ...found });
      return null;
    }),
);

/**
 * Restarts automatically if another policy applies that needs at least as many people. Gives
 * whether it did.
 */
export const restartByItself = defineTransaction(
  "key-requests.restart-by-itself",
  async (tx, { org_id, id, now }: { org_id: string; id: string; now: number }) => {
    const actor: Actor = { org_id, user_id: BY_ITSELF, token_id: "", now };
    const row = await lockForDecision(tx, { org_id, id });
    if (row?.state !== "pending" || waitsAt(row.offer, now)) return false;
    const found = await restartOf(tx, actor, id);
    if (!found || found.lacked.length === 0 || found.lacks.length > 0) return false;
    if (!asksNoLess(found.before, found.after)) return false;
    await restart(tx, actor, { id, row, ...found });
    return true;
  },
);

/** The result that restarting a request would have. */
interface Restart {
  before: AskedPolicy | null;
  after: AskedPolicy | null;
  /** The missing approvals by its own policy, and by the present one. */
  lacked: string[];
  lacks: string[];
}

/** Of a request that is held; undefined: it is gone. */
async function restartOf(
  tx: Tx,
  { org_id, now }: Actor,
  id: string,
): Promise<Restart | undefined> {
  const row = await findV1(tx, { org_id, id });
  if (!row) return undefined;
  const before = askedPolicyIn(row.policy);
  const terms = togetherOf(await policiesFor(tx, org_id, termsOf(row).plans));
  const filed_by = before?.filed_by ?? [];
  const after = terms && { ...terms, filed_by, given: [] };
  const people = await everyDecider(tx, org_id);
  return {
    before,
    after,
    lacked: lackOf(row, row.policy, people, now),
    lacks: lackOf(row, after && JSON.stringify(after), people, now),
  };
}

/** Whether a policy is another one, and needs at least as many people, and no filer. */
function asksNoLess(before: PolicyTerms | null, after: PolicyTerms | null): boolean {
  if (termsText(before) === termsText(after)) return false;
  if (before?.not_by_filer && !after?.not_by_filer) return false;
  return peopleOf(after) >= peopleOf(before);
}

/** How many must say yes, at the least: what the catalogue says may be no one. */
function peopleOf(terms: PolicyTerms | null): number {
  if (terms?.outcome === "steps") return terms.steps.reduce((sum, { need }) => sum + need, 0);
  return terms?.outcome === "one" ? 1 : 0;
}

function termsText(terms: PolicyTerms | null): string {
  const { outcome, steps, not_by_filer } = terms ??
    { outcome: "catalogue", steps: [], not_by_filer: false, ...NO_END };
  return JSON.stringify([outcome, steps, not_by_filer]);
}

async function restart(
  tx: Tx,
  actor: Actor,
  { id, row, before, after, lacked }: Restart & {
    id: string;
    row: Parameters<typeof namesOfRequest>[2];
  },
): Promise<void> {
  const { org_id, now } = actor;
  const policy = after && JSON.stringify(after);
  if (!await setAskedPolicy(tx, { org_id, id, policy })) throw new Failure("already_decided");
  await beginAnew(tx, { org_id, id, policy, now });
  const stepsOf = (terms: PolicyTerms | null) => terms?.steps.map(({ name }) => name) ?? [];
  await recordChange(tx, actor, {
    action: "key_request.approval_restarted",
    object_id: id,
    detail: {
      lacked,
      given: before?.given.map(({ by, step }) => ({ by, step })) ?? [],
      before: stepsOf(before),
      after: stepsOf(after),
    },
    names: await namesOfRequest(tx, org_id, row),
  });
}
