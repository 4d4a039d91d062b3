import { sql } from "kysely";
import { rowOf } from "../../storage/rows.ts";
import { change, changed, exists, value, values } from "../../storage/statement-functions.ts";

/** Whether people sign in by access tokens, 1 or 0; undefined: nobody has said, so they do. */
export const findTokensRule = value((db, p: { org_id: string }) =>
  db.selectFrom("sign_in_rules").select("tokens").where("org_id", "=", p.org_id)
);

/**
 * Whether approvals were to be signed by a passkey, 1 or 0; undefined: nobody has said so. Where
 * they were, none goes through.
 */
export const findSignaturesRule = value((db, p: { org_id: string }) =>
  db.selectFrom("sign_in_rules").select("signatures").where("org_id", "=", p.org_id)
);

/** The organisations where none goes through for that. */
export const closedApprovals = values((db) =>
  db.selectFrom("sign_in_rules").select("org_id").where("signatures", "=", sql.lit(1))
    .orderBy("org_id")
);

/** Whether people need a second factor, 1 or 0; undefined: nobody has said, so they do not. */
export const findSecondFactorRule = value((db, p: { org_id: string }) =>
  db.selectFrom("sign_in_rules").select("second_factor").where("org_id", "=", p.org_id)
);

/** Sets all three. */
export const saveSignInRules = change((
  db,
  p: { org_id: string; tokens: number; signatures: number; second_factor: number },
) =>
  db.insertInto("sign_in_rules").values(rowOf("sign_in_rules", p)).onConflict((conflict) =>
    conflict.column("org_id").doUpdateSet({
      tokens: p.tokens,
      signatures: p.signatures,
      second_factor: p.second_factor,
    })
  )
);

/** The domains of an organisation's addresses. */
export const domainsOf = values((db, p: { org_id: string }) =>
  db.selectFrom("sign_in_domains").select("domain").where("org_id", "=", p.org_id)
    .orderBy("domain")
);

/** Takes all of them away. */
export const removeDomains = change((db, p: { org_id: string }) =>
  db.deleteFrom("sign_in_domains").where("org_id", "=", p.org_id)
);

/** Adds one. False where another organisation has it. */
export const insertDomain = changed((db, p: { org_id: string; domain: string }) =>
  db.insertInto("sign_in_domains").values(rowOf("sign_in_domains", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** Whose a domain is; undefined: nobody's. */
export const findDomainOwner = value((db, p: { domain: string }) =>
  db.selectFrom("sign_in_domains").select("org_id").where("domain", "=", p.domain)
);

/** Whether people of any organisation sign in by access tokens. */
export const doAnyTokensSignIn = exists((db) =>
  db.selectFrom("organisations as o")
    .leftJoin("sign_in_rules as r", "r.org_id", "o.id").select("o.id")
    .where((eb) => eb.or([eb("r.tokens", "is", null), eb("r.tokens", "=", sql.lit(1))]))
    .limit(sql.lit(1))
);
