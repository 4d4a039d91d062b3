import { sql } from "kysely";
import { rowOf } from "../../storage/rows.ts";
import { change, changed, exists, value, values } from "../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../storage/table-statements.ts";

/** Whether people sign in by access tokens, 1 or 0; undefined: no one has said, so they do. */
export const findTokensRule = value(finds("sign_in_rules", { columns: ["tokens"] }));

/**
 * Whether approvals were to be signed by a passkey, 1 or 0; undefined: no one has said so. If they
 * were, none goes through.
 */
export const findSignaturesRule = value(finds("sign_in_rules", { columns: ["signatures"] }));

/** The organisations where none goes through for that. */
export const closedApprovals = values((db) =>
  db.selectFrom("sign_in_rules").select("org_id").where("signatures", "=", sql.lit(1))
    .orderBy("org_id")
);

/** Whether people need a second factor, 1 or 0; undefined: no one has said, so they do not. */
export const findSecondFactorRule = value(finds("sign_in_rules", { columns: ["second_factor"] }));

/** Sets all three. */
export const saveSignInRules = change(puts("sign_in_rules"));

/** The domains of an organisation's addresses. */
export const domainsOf = values((db, p: { org_id: string }) =>
  db.selectFrom("sign_in_domains").select("domain").where("org_id", "=", p.org_id)
    .orderBy("domain")
);

/** Takes all of them away. */
export const removeDomains = change(removes("sign_in_domains", "org_id"));

/** Adds one. False where another organisation has it. */
export const insertDomain = changed((db, p: { org_id: string; domain: string }) =>
  db.insertInto("sign_in_domains").values(rowOf("sign_in_domains", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** The organisation of a domain; undefined: none. */
export const findDomainOwner = value(finds("sign_in_domains", { columns: ["org_id"] }));

/** Whether people of any organisation sign in by access tokens. */
export const doAnyTokensSignIn = exists((db) =>
  db.selectFrom("organisations as o")
    .leftJoin("sign_in_rules as r", "r.org_id", "o.id").select("o.id")
    .where((eb) => eb.or([eb("r.tokens", "is", null), eb("r.tokens", "=", sql.lit(1))]))
    .limit(sql.lit(1))
);
