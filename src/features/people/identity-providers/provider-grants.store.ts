import type { SealedPlace } from "../../../kernel/sealing/sealer.ts";
import { columnsOf } from "../../../storage/rows.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { all, change, changed } from "../../../storage/statement-functions.ts";
import { inserts, removes, updates } from "../../../storage/table-statements.ts";

/** By what a session's provider is asked again, as it is stored. */
export type GrantRow = StoredRow<"provider_grants">;

/** Its sealed content. */
export interface KeptGrant {
  /** The account's subject. */
  subject: string;
  refresh_token: string;
}

type Place = { org_id: string; id: string };

const GRANT = columnsOf("provider_grants");

/** The sealing context of a session's refresh token. */
export function grantPlace(org_id: string, id: string): SealedPlace {
  return { table: "provider_grants", org_id, id, column: "token" };
}

/** Keeps by what a provider is asked again. */
export const insertGrant = change(inserts("provider_grants"));

/** The due grants of every organisation, the longest due first; at most so many. */
export const dueGrants = all((db, p: { now: string; limit: number }) =>
  db.selectFrom("provider_grants").select(GRANT)
    .where("next_at", "<=", p.now).orderBy("next_at").limit(p.limit)
);

/** Takes a turn for this process. False where another has it, or the session has ended. */
export const claimGrant = changed((db, p: Place & { next_at: string; until: string }) =>
  db.updateTable("provider_grants").set({ next_at: p.until })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("next_at", "=", p.next_at)
);

/** Keeps what the provider gave for the next time. False where the session has ended meanwhile. */
export const renewGrant = changed(updates("provider_grants", "token", "next_at"));

/** Forgets by what a provider is asked again. */
export const removeGrant = change(removes("provider_grants"));

/** Forgets all of a provider. */
export const removeGrantsAt = change(removes("provider_grants", "org_id", "provider_id"));
