import { rowOf } from "../../storage/rows.ts";
import { change } from "../../storage/statement-functions.ts";

/** The last use of an access token. `address` null: a call in process. */
export interface TokenUseRow {
  org_id: string;
  token_id: string;
  last_used_at: string;
  address: string | null;
}

/** Keeps the latest use of an access token. */
export const noteTokenUse = change((db, p: TokenUseRow) =>
  db.insertInto("access_token_uses").values(rowOf("access_token_uses", p)).onConflict((conflict) =>
    conflict.columns(["org_id", "token_id"])
      .doUpdateSet({ last_used_at: p.last_used_at, address: p.address })
      .where("access_token_uses.last_used_at", "<", p.last_used_at)
  )
);
