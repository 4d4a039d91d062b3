import type { StoredRow } from "../../../storage/schema.ts";
import { all, change, one, send } from "../../../storage/statement-functions.ts";
import { finds, inserts } from "../../../storage/table-statements.ts";

/** A developer's own token as it is stored. */
export type DeveloperTokenRow = StoredRow<"developer_tokens">;

/** A token by its hash, which names its organisation. */
export const findDeveloperToken = one(
  finds("developer_tokens", {
    columns: ["org_id", "id", "developer_id", "scope", "last_used_at", "expires_at"],
    by: ["hash"],
  }),
);

/** Adds a token. */
export const insertDeveloperToken = send(inserts("developer_tokens"));

type Place = { org_id: string; developer_id: string };

/** A developer's tokens, newest first, those among them that are over and not yet removed. */
export const developerTokensOf = all((db, p: Place) =>
  db.selectFrom("developer_tokens").select([
    "id",
    "name",
    "scope",
    "created_at",
    "last_used_at",
    "expires_at",
  ]).where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .orderBy("created_at", "desc").orderBy("id", "desc")
);

/** Keeps when a token was used. */
export const noteDeveloperTokenUse = change((
  db,
  p: { org_id: string; id: string; last_used_at: string },
) =>
  db.updateTable("developer_tokens").set({ last_used_at: p.last_used_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", p.last_used_at)]))
);
