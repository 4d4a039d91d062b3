import { checkedColumns } from "../../changes/checked-rows.ts";
import { atMost, one } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";

/** A key as it is now, with all that its checksum represents; or undefined. */
export const findPresentKey = one((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("credentials").select(checkedColumns.credentials)
    .select(["checksum", "name", "imported_as", "wrapped_by", "weak", "request_id"])
    .select(["mask", "attempt_id"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** The columns that decide about keys, behind a key id, in the order of key ids. */
export const presentKeysBehind = atMost((db, p: { org_id: string; behind: string }, limit) =>
  db.selectFrom("credentials").select(checkedColumns.credentials).select([
    "checksum",
    "imported_as",
    "request_id",
    "wrapped_by",
    "weak",
  ])
    .where("org_id", "=", p.org_id).where("key_id", ">", p.behind)
    .orderBy("key_id").limit(limit)
);

/** A key request's columns besides those of lists; or undefined. */
export const findRequestTail = one(finds("key_requests", { columns: ["tail"] }));

/** A developer's stored texts, or undefined. */
export const findDeveloperTexts = one(
  finds("developers", { columns: ["id", "document", "secrets"] }),
);
