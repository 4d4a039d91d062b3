import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import {
  type Administration,
  beginAdministration,
  keepAdministered,
} from "../access/people.transactions.ts";
import {
  findSignaturesRule,
  insertDomain,
  removeDomains,
  saveSignInRules,
} from "../access/sign-in-rules.store.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";

/** How people of an organisation sign in. */
export interface SignInRules {
  tokens: boolean;
  domains: string[];
  /** Whether approvals are signed by a passkey. */
  signed_approvals: boolean;
}

/** The same as somebody sets it; `signed_approvals` undefined: as it was. */
export type NewSignInRules = Omit<SignInRules, "signed_approvals"> & {
  signed_approvals?: boolean | undefined;
};

/**
 * Sets how people sign in. Throws `last_administrator` where no administrator could any more,
 * `domain_taken`; of signed approvals `passkeys_unavailable` and, while a node serves that would
 * not ask for them, `unavailable`.
 */
export const replaceSignInRules = defineTransaction(
  "sign-in.replace-rules",
  async (tx, input: Administration & { rules: NewSignInRules }): Promise<SignInRules> => {
    const { actor, rules } = input;
    const { org_id } = actor;
    await beginAdministration(tx, actor);
    const domains = [...new Set(rules.domains)].sort();
    const before = await findSignaturesRule(tx, { org_id }) === 1;
    const { tokens, signed_approvals = before } = rules;
    if (signed_approvals && !before) {
      if (input.passkeyHost === "") throw new Failure("passkeys_unavailable");
      await requireNoOlderNode(tx, actor.now);
    }
    await keepAdministered(tx, input, async () => {
      const signatures = signed_approvals ? 1 : 0;
      await saveSignInRules(tx, { org_id, tokens: tokens ? 1 : 0, signatures });
    });
    await removeDomains(tx, { org_id });
    for (const domain of domains) {
      if (!await insertDomain(tx, { org_id, domain })) throw new Failure("domain_taken");
    }
    await recordChange(tx, actor, {
      action: "sign_in_rules.updated",
      object_id: org_id,
      detail: { tokens, domains, signed_approvals },
    });
    return { tokens, domains, signed_approvals };
  },
);
