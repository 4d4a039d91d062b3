import { all, change, changed, lockOne, one, value } from "../../storage/statement-functions.ts";
import { finds, inserts, removes } from "../../storage/table-statements.ts";
import type { Connection } from "../../storage/storage.ts";
import { type Group, isAmong, isApprover } from "./approvers.ts";
import type { PersonRow } from "./person.ts";

/**
 * A session with the access token that it represents, by the hash of its secret, which names its
 * organisation.
 */
export const findSessionByHash = one((db, p: { hash: string }) =>
  db.selectFrom("sessions as s")
    .innerJoin("access_tokens as t", (join) =>
      join.onRef("t.org_id", "=", "s.org_id").onRef("t.id", "=", "s.token_id"))
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .select(["s.org_id", "s.id", "s.token_id", "s.user_id", "s.expires_at as session_expires_at"])
    .select(["s.created_at", "s.last_used_at", "s.opened_by", "s.proved_at", "s.elevation_id"])
    .select(["t.expires_at", "t.revoked_at", "t.scope", "t.scope_role", "t.addresses", "t.hash"])
    .select(["t.checksum", "u.permissions", "u.role", "u.covers"])
    .select(["u.suspended_at", "u.deactivated_at"])
    .select("u.checksum as person_checksum")
    .where("s.hash", "=", p.hash).where("u.deactivated_at", "is", null)
);

type SessionRow =
  & Record<
    | "org_id"
    | "id"
    | "hash"
    | "token_id"
    | "user_id"
    | "created_at"
    | "expires_at"
    | "browser"
    | "opened_by"
    | "address",
    string
  >
  & Record<"identity_id" | "provider_session" | "proved_at", string | null>;

/** Adds a session; those that are over go by retention. */
export const insertSession = change(inserts("sessions", { but: ["last_used_at", "elevation_id"] }));

/** Ends a session. False where it had ended already. */
export const removeSession = changed(removes("sessions"));

/** Forgets by what the provider of an ended session would be asked again. */
export const removeGrantOf = change(removes("provider_grants"));

/** A person's sessions, newest first, those among them that are over and not yet removed. */
export const sessionsOf = all((db, p: { org_id: string; user_id: string }) =>
  db.selectFrom("sessions")
    .select(["id", "hash", "token_id", "created_at", "last_used_at", "expires_at", "browser"])
    .select(["opened_by", "address", "identity_id", "provider_session"])
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
    .orderBy("created_at", "desc").orderBy("id", "desc")
);

/** Names the temporary access that a session is given. */
export const setTemporaryAccess = change((
  db,
  p: Record<"org_id" | "id" | "user_id" | "elevation_id", string>,
) =>
  db.updateTable("sessions").set({ elevation_id: p.elevation_id })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("user_id", "=", p.user_id)
);

/** The sessions that a provider calls so by its own, open or over. */
export const sessionsAtProvider = all((db, p: { provider_session: string }) =>
  db.selectFrom("sessions").select(["org_id", "id", "user_id", "token_id", "identity_id"])
    .where("provider_session", "=", p.provider_session)
);

/** The session of this hash, open or over, whoever's it is; or undefined. */
export const findStoredSession = one((db, p: { hash: string }) =>
  db.selectFrom("sessions").select(["org_id", "id", "user_id", "token_id"])
    .where("hash", "=", p.hash)
);

/** Holds a person until the transaction ends: of their sessions no other begins meanwhile. */
export const lockSessionsOf = lockOne(
  (db, p: { org_id: string; id: string }) =>
    db.selectFrom("users").select("id")
      .where("org_id", "=", p.org_id).where("id", "=", p.id),
  (query) => query.forNoKeyUpdate(),
);

type UseRow = Record<"org_id" | "id" | "last_used_at", string>;

/** Keeps when a session was used; a later use that is there already stays. */
export const noteUse = change((db, p: UseRow) =>
  db.updateTable("sessions").set({ last_used_at: p.last_used_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", p.last_used_at)]))
);

type CodeRow = Record<"org_id" | "hash" | "token_id" | "created_at" | "expires_at", string>;

/** Adds a code that signs in once; those that are over go by retention. */
export const insertCode = change(inserts("sign_in_codes"));

/** The hash of the access token that a code signs in with; undefined: it signs in no one (now). */
export const findTokenOfCode = value((db, p: { hash: string; now: string }) =>
  db.selectFrom("sign_in_codes as c")
    .innerJoin(
      "access_tokens as t",
      (join) => join.onRef("t.org_id", "=", "c.org_id").onRef("t.id", "=", "c.token_id"),
    )
    .select(["t.hash"]).where("c.hash", "=", p.hash).where("c.expires_at", ">", p.now)
);

/** Takes a code away. False for anyone who comes second, or too late. */
export const burnCode = changed((db, p: { hash: string; now: string }) =>
  db.deleteFrom("sign_in_codes").where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

const termsOfPolicies = all(finds("approval_policies", { columns: ["terms"], by: ["org_id"] }));

/** Whether some approval policy of the organisation has a step that this person counts in. */
export async function isInSteps(
  db: Connection,
  org_id: string,
  person: PersonRow | undefined,
): Promise<boolean> {
  if (!person || !isApprover(person)) return false;
  return (await termsOfPolicies(db, { org_id })).some(({ terms }) => {
    // as: setting a policy writes the text of its terms, of which these are a part.
    const { steps } = JSON.parse(terms) as { steps: Group[] };
    return steps.some((step) => isAmong(step, person));
  });
}
