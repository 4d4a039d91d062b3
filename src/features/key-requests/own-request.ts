/**
 * No one decides their own request: anyone who has the developer's address, or, where its policy
 * says so, whoever filed it.
 */
import { Failure } from "../../kernel/failure.ts";
import { one } from "../../storage/statement-functions.ts";
import type { QueryBuilder } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";
import { emailIn } from "../developers/developer-text.ts";
import { addressKey, isProved } from "../developers/email-proof.ts";
import { askedPolicyIn } from "./asked-policy.ts";

/** The data of the decider, and of the request's developer. */
export const findDecider = one((db, p: { org_id: string; id: string; user_id: string }) =>
  selectDecider(db, p)
);

/** The columns of findDecider, beside which a request `r` and its developer `d` can be read. */
export function selectDecider(
  db: QueryBuilder,
  p: { org_id: string; id: string; user_id: string },
) {
  return db.selectFrom("key_requests as r")
    .leftJoin("sign_in_rules as s", "s.org_id", "r.org_id")
    .leftJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "r.org_id").on("u.id", "=", p.user_id),
    )
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "r.org_id").onRef("d.id", "=", "r.by_user"),
    )
    .leftJoin(
      "developer_emails as e",
      (join) => join.onRef("e.org_id", "=", "r.org_id").onRef("e.id", "=", "r.by_user"),
    )
    .select(["s.signatures", "u.email", "u.covers", "d.document", "e.previous"])
    .select(["e.state as proof_state", "e.address as proof_address"])
    .select("e.changed_at as proof_changed_at")
    .where("r.org_id", "=", p.org_id).where("r.id", "=", p.id);
}

/** The data of the request's developer. */
export const findDeveloperOf = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("key_requests as r")
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "r.org_id").onRef("d.id", "=", "r.by_user"),
    )
    .leftJoin(
      "developer_emails as e",
      (join) => join.onRef("e.org_id", "=", "r.org_id").onRef("e.id", "=", "r.by_user"),
    )
    .select(["d.document", "e.previous"])
    .select(["e.state as proof_state", "e.address as proof_address"])
    .where("r.org_id", "=", p.org_id).where("r.id", "=", p.id)
);

export type OwnedRow = NonNullable<Awaited<ReturnType<typeof findDeveloperOf>>>;

export type Decider = NonNullable<Awaited<ReturnType<typeof findDecider>>>;

/** Whether the developer who asks has this person's address, proved, or did until a new one is. */
export function isOwn(
  { email, document, proof_state: state, proof_address: address, previous }:
    & OwnedRow
    & Pick<Decider, "email">,
): boolean {
  if (email === null || document === null) return false;
  const own = addressKey(email);
  const present = addressKey(emailIn(document));
  if (own === "") return false;
  if (state === null) return own === present;
  if (address === present && isProved({ state })) return own === present;
  return previous !== null && previous !== "" && own === addressKey(previous);
}

/**
 * Throws `own_request` and `filed_by_you` where the actor may not decide this request. Gives what
 * it looked at.
 */
export async function refuseOwn(
  tx: Tx,
  { org_id, user_id }: { org_id: string; user_id: string },
  { id, policy }: { id: string; policy: string | null },
): Promise<Decider | undefined> {
  const decider = await findDecider(tx, { org_id, id, user_id });
  if (decider && isOwn(decider)) throw new Failure("own_request");
  refuseFiler(user_id, policy);
  return decider;
}

/** Throws `filed_by_you` where the policy keeps those who filed from deciding. */
export function refuseFiler(user_id: string, policy: string | null): void {
  const asked = askedPolicyIn(policy);
  if (asked?.not_by_filer && asked.filed_by.includes(user_id)) throw new Failure("filed_by_you");
}
