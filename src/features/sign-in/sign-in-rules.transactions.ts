import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import {
  type Administration,
  beginAdministration,
  keepAdministered,
} from "../access/people.transactions.ts";
import { insertDomain, removeDomains, saveTokensRule } from "../access/sign-in-rules.store.ts";

/** How people of an organisation sign in. */
export interface SignInRules {
  tokens: boolean;
  domains: string[];
}

/**
 * Sets how people sign in. Throws `last_administrator` where no administrator could any more,
 * `domain_taken`.
 */
export const replaceSignInRules = defineTransaction(
  "sign-in.replace-rules",
  async (tx, input: Administration & { rules: SignInRules }): Promise<SignInRules> => {
    const { actor, rules } = input;
    const { org_id } = actor;
    await beginAdministration(tx, actor);
    const domains = [...new Set(rules.domains)].sort();
    await keepAdministered(tx, input, async () => {
      await saveTokensRule(tx, { org_id, tokens: rules.tokens ? 1 : 0 });
    });
    await removeDomains(tx, { org_id });
    for (const domain of domains) {
      if (!await insertDomain(tx, { org_id, domain })) throw new Failure("domain_taken");
    }
    await recordChange(tx, actor, {
      action: "sign_in_rules.updated",
      object_id: org_id,
      detail: { tokens: rules.tokens, domains },
    });
    return { tokens: rules.tokens, domains };
  },
);
