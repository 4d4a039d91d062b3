import type { Actor } from "../../../changes/audit.ts";
import { changedMembers } from "../../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { requireNoOlderNode } from "../../../changes/older-nodes.store.ts";
import { recordChange } from "../../../changes/record-change.ts";
import {
  MOST_TEMPORARY_ACCESS_RULES,
  temporaryPermissionsOf,
} from "../../../contract/temporary-access.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { requireRevision } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import {
  openedRule,
  roleNow,
  sealedRule,
  type TemporaryAccessRule,
  type TemporaryAccessRuleTerms,
} from "../../people/temporary-access.ts";
import {
  findTemporaryAccessRule,
  insertTemporaryAccessRule,
  removeTemporaryAccessRule,
  type TemporaryAccessRuleRow,
  temporaryAccessRulesOf,
  updateTemporaryAccessRule,
} from "../../people/temporary-access.store.ts";
import { endTemporaryAccesses } from "../../people/temporary-access.transactions.ts";
import { beginWithOperator } from "../../people/operator.transactions.ts";
import { findPerson } from "../../people/people.store.ts";
import {
  type Administration,
  requireNotStronger,
  requirePermissions,
} from "../../people/people.transactions.ts";
import { endInvitation } from "../../people/person-invitations.transactions.ts";
import { ruleRevision } from "./serialized-temporary-access.ts";

/** A rule as sent: what its role gives is looked up. */
export type SentRule = Omit<TemporaryAccessRuleTerms, "permissions">;

/**
 * Adds a rule. Throws `permission_not_held` for what the caller does not hold, `unknown_role`,
 * `temporary_access_rule_name_taken`, `too_many_temporary_access_rules`, and `invalid_input` for
 * people who are not there.
 */
export const addTemporaryAccessRule = defineTransaction(
  "temporary-access.add-rule",
  async (
    tx,
    input: Administration & { id: string; rule: SentRule; idempotency: IdempotentCall | null },
  ): Promise<TemporaryAccessRule> => {
    const { actor, id } = input;
    const { org_id, now } = actor;
    const permissions = await beginWithOperator(tx, actor);
    return await once(tx, input.idempotency, async () => {
      await requireNoOlderNode(tx, now, { unknown: "temporary access", then: "name who may" });
      const terms = await termsOf(tx, org_id, input.rule);
      requirePermissions(permissions, terms.permissions);
      const rules = await temporaryAccessRulesOf(tx, { org_id });
      requireFreeName(tx, rules, { id, name: terms.name });
      if (rules.length >= MOST_TEMPORARY_ACCESS_RULES) {
        throw new Failure("too_many_temporary_access_rules");
      }
      const at = toTimestamp(now);
      const times = { created_at: at, updated_at: at };
      const sealed = sealedRule(tx.sealer, { org_id, id }, terms);
      await insertTemporaryAccessRule(tx, { org_id, id, terms: sealed, ...times });
      await endLinks(tx, actor, terms);
      await recordChange(tx, actor, {
        action: "elevation_rule.updated",
        object_id: id,
        detail: { ...terms },
      });
      return { id, ...terms, ...times };
    });
  },
);

/**
 * Changes a rule, and ends what was begun by it. Throws likewise, `not_found` and
 * `person_holds_more`.
 */
export const changeTemporaryAccessRule = defineTransaction(
  "temporary-access.change-rule",
  async (
    tx,
    input: Administration & { id: string; rule: SentRule; ifMatch: string[] | null },
  ): Promise<TemporaryAccessRule> => {
    const { actor, id } = input;
    const { org_id, now } = actor;
    const permissions = await beginWithOperator(tx, actor);
    const before = await ruleOf(tx, org_id, id);
    requireRevision(input.ifMatch, ruleRevision(before));
    requireNotStronger(permissions, before.permissions, "This rule");
    const terms = await termsOf(tx, org_id, input.rule);
    requirePermissions(permissions, terms.permissions);
    requireFreeName(tx, await temporaryAccessRulesOf(tx, { org_id }), { id, name: terms.name });
    // Another time is another rule, whatever the clock says.
    const updated_at = toTimestamp(Math.max(now, Date.parse(before.updated_at) + 1));
    const sealed = sealedRule(tx.sealer, { org_id, id }, terms);
    await updateTemporaryAccessRule(tx, { org_id, id, terms: sealed, updated_at });
    await endLinks(tx, actor, terms);
    const ended = await endTemporaryAccesses(tx, actor, "rule", (row) => row.rule_id === id);
    const { id: _, created_at, updated_at: __, ...earlier } = before;
    await recordChange(tx, actor, {
      action: "elevation_rule.updated",
      object_id: id,
      detail: { ...terms, ended, ...changedMembers({ ...earlier }, { ...terms }) },
    });
    return { id, ...terms, created_at, updated_at };
  },
  { withoutRoom: true },
);

/** Removes a rule, and ends what was begun by it; gives how many. Throws `not_found`. */
export const dropTemporaryAccessRule = defineTransaction(
  "temporary-access.remove-rule",
  async (tx, { actor, id }: Administration & { id: string }): Promise<number> => {
    const { org_id } = actor;
    await beginWithOperator(tx, actor);
    // One whose sealing key is lost can go, too.
    const row = await findTemporaryAccessRule(tx, { org_id, id });
    if (!row || !await removeTemporaryAccessRule(tx, { org_id, id })) {
      throw new Failure("not_found");
    }
    const ended = await endTemporaryAccesses(tx, actor, "rule", (one) => one.rule_id === id);
    const rule = openedRule(tx.sealer, row);
    await recordChange(tx, actor, {
      action: "elevation_rule.removed",
      object_id: id,
      detail: { name: rule?.name ?? "", ended },
    });
    return ended;
  },
  { withoutRoom: true },
);

/** A rule that can be read. Throws `not_found`. */
export async function ruleOf(tx: Tx, org_id: string, id: string): Promise<TemporaryAccessRule> {
  const row = await findTemporaryAccessRule(tx, { org_id, id });
  const rule = row && openedRule(tx.sealer, row);
  if (!rule) throw new Failure("not_found");
  return rule;
}

/**
 * Throws `temporary_access_rule_name_taken` where another rule is called so, in capitals or not.
 */
function requireFreeName(
  tx: Tx,
  rules: readonly TemporaryAccessRuleRow[],
  { id, name }: { id: string; name: string },
): void {
  const folded = name.toLowerCase();
  const isTaken = rules.some((row) =>
    row.id !== id && openedRule(tx.sealer, row)?.name.toLowerCase() === folded
  );
  if (isTaken) throw new Failure("temporary_access_rule_name_taken");
}

/** A link is for what it was made for: who has an older one is not known. */
async function endLinks(tx: Tx, actor: Actor, { people, seconds }: SentRule): Promise<void> {
  for (const id of new Set([...people, ...seconds])) await endInvitation(tx, actor, id);
}

async function termsOf(tx: Tx, org_id: string, sent: SentRule): Promise<TemporaryAccessRuleTerms> {
  const { people, role, proof, seconds, receivers } = sent;
  const found = await roleNow(tx, tx.sealer, { org_id, role });
  if (!found) throw new Failure("unknown_role");
  const permissions = temporaryPermissionsOf(found.permissions);
  if (permissions.length === 0) throw refused("role: gives nothing that temporary access may give");
  for (const [member, ids] of Object.entries({ people, seconds, receivers })) {
    for (const id of ids) {
      const person = await findPerson(tx, { org_id, id });
      if (!person || person.deactivated_at !== null) {
        throw refused(`${member}: no active person has the id ${id}`);
      }
    }
  }
  if ((proof === "second_person") !== seconds.length > 0) {
    throw refused("seconds: expected some with the proof second_person, and none with another");
  }
  const alone = people.find((id) => proof === "second_person" && seconds.every((x) => x === id));
  if (alone !== undefined) throw refused(`seconds: no other person could confirm for ${alone}`);
  return { ...sent, permissions };
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
