import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { type Administration, keepAdministered } from "../people/people.transactions.ts";
import { beginWithOperator } from "../people/operator.transactions.ts";
import {
  findSecondFactorRule,
  findSignaturesRule,
  insertDomain,
  removeDomains,
  saveSignInRules,
} from "../people/sign-in-rules.store.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";

/** How people of an organisation sign in. */
export interface SignInRules {
  tokens: boolean;
  domains: string[];
  /** Whether approvals were to be signed by a passkey, so that none goes through. */
  signed_approvals: boolean;
  /** Whether an access token alone signs no one in. */
  second_factor: boolean;
}

/** The rules as input; absent members stay. */
type NewSignInRules = Omit<SignInRules, "signed_approvals" | "second_factor"> & {
  signed_approvals?: boolean | undefined;
  second_factor?: boolean | undefined;
};

/**
 * Sets how people sign in. Throws `last_administrator` where no administrator could any more,
 * `domain_taken`, `invalid_input` where approvals are to be signed anew, and of a second factor
 * `unavailable` while a node serves that would not ask for it.
 */
export const replaceSignInRules = defineTransaction(
  "sign-in.replace-rules",
  async (tx, input: Administration & { rules: NewSignInRules }): Promise<SignInRules> => {
    const { actor, rules } = input;
    const { org_id } = actor;
    await beginWithOperator(tx, actor);
    const domains = [...new Set(rules.domains)].sort();
    const before = {
      signed_approvals: await findSignaturesRule(tx, { org_id }) === 1,
      second_factor: await findSecondFactorRule(tx, { org_id }) === 1,
    };
    const { tokens, signed_approvals = before.signed_approvals } = rules;
    const { second_factor = before.second_factor } = rules;
    if (signed_approvals && !before.signed_approvals) {
      throw new Failure("invalid_input", { message: UNSIGNED, details: [UNSIGNED] });
    }
    if (second_factor && !before.second_factor) {
      await requireNoOlderNode(tx, actor.now, {
        unknown: "one-time codes",
        then: "ask for a second factor",
      });
    }
    await keepAdministered(tx, input, async () => {
      await saveSignInRules(tx, {
        org_id,
        tokens: tokens ? 1 : 0,
        signatures: signed_approvals ? 1 : 0,
        second_factor: second_factor ? 1 : 0,
      });
    });
    await removeDomains(tx, { org_id });
    for (const domain of domains) {
      if (!await insertDomain(tx, { org_id, domain })) throw new Failure("domain_taken");
    }
    await recordChange(tx, actor, {
      action: "sign_in_rules.updated",
      object_id: org_id,
      detail: { tokens, domains, signed_approvals, second_factor },
    });
    return { tokens, domains, signed_approvals, second_factor };
  },
);

const UNSIGNED =
  "signed_approvals: passkeys sign no approvals any more; an approval policy in steps " +
  "takes more than one person";
