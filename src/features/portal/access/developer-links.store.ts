import type { StoredRow } from "../../../storage/schema.ts";
import { changed, lockOne, one, send } from "../../../storage/statement-functions.ts";
import { inserts, removes } from "../../../storage/table-statements.ts";

/** A link by which a portal's back end signs its developer in, as it is stored. */
export type DeveloperLinkRow = StoredRow<"developer_links">;

/** Keeps a fresh link. */
export const insertLink = send(inserts("developer_links"));

type Place = { org_id: string; hash: string };

/** A link that still signs in, held until the transaction ends. */
export const lockLink = lockOne((db, p: Place & { now: string }) =>
  db.selectFrom("developer_links").select(["id", "developer_id", "token_id", "viewer"])
    .where("org_id", "=", p.org_id).where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** Finds a link without locking it. */
export const findLink = one((db, p: Place & { now: string }) =>
  db.selectFrom("developer_links").select(["developer_id", "viewer"])
    .where("org_id", "=", p.org_id).where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** Uses a link up. False for anyone who comes second. */
export const burnLink = changed(removes("developer_links"));
