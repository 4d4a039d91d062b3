import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { all, held, send } from "../../storage/statement-functions.ts";
import { updates } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { ChannelRow } from "./channels.store.ts";

/** Deliveries that one transaction makes due. */
export const WOKEN = 200;

/** The status by which a receiver says that it is sent too much. */
const TOO_MANY = 429;

type Place = { org_id: string; target_id: string };

/** `webhook/all`: of a webhook, those too that the receiver asked to wait. */
type Kind = `${ChannelRow["kind"]}/${"all" | "polite"}`;

const waitingSql = variants((kind: Kind) =>
  statement<Place & { by: string }>()(held(
    (db, p) => {
      const rows = db.selectFrom("deliveries as d").select("d.id")
        .where("d.org_id", "=", p.org_id).where("d.target_id", "=", p.target_id)
        .where("d.due_at", "is not", null).where("d.due_at", ">", p.by)
        .where("d.holder", "=", sql.lit("")).where("d.blocked", "=", sql.lit(0))
        .orderBy("d.due_at").limit(sql.lit(WOKEN));
      // A mail that was not tried waits since its recipient may not get it yet.
      const tried = kind.startsWith("mail") ? rows.where("d.tries", ">", sql.lit(0)) : rows;
      if (kind.endsWith("all")) return tried;
      return tried.where(({ not, exists, selectFrom }) =>
        not(exists(
          selectFrom("delivery_attempts as a").select("a.n")
            .whereRef("a.org_id", "=", "d.org_id").whereRef("a.delivery_id", "=", "d.id")
            .whereRef("a.n", "=", "d.attempts").where("a.status", "=", sql.lit(TOO_MANY)),
        ))
      );
    },
    (query) => query.forUpdate("d").skipLocked(),
  ))
);

/**
 * Up to WOKEN deliveries of a channel that are tried later than `by`, held until the transaction
 * ends. None that waits behind another one, that a node has, or, unless `all`, whose receiver
 * answered that it is sent too much.
 */
export async function lockLater(
  tx: Tx,
  { org_id, id, kind }: Pick<ChannelRow, "org_id" | "id" | "kind">,
  { by, all }: { by: string; all: boolean },
): Promise<string[]> {
  const rows = await tx.rows(waitingSql(`${kind}/${all ? "all" : "polite"}`), {
    org_id,
    target_id: id,
    by,
  });
  return rows.map((row) => row.id);
}

/** Sets when a delivery is tried that the transaction holds. */
export const setDue = send(updates("deliveries", "due_at"));

/** So many that wait are looked at, at the most. */
export const COUNTED = 1000;

/**
 * Of the oldest COUNTED deliveries that wait: for which channel, and when each is tried; null:
 * behind another.
 */
export const waitingOf = all((db, p: { org_id: string }) =>
  db.selectFrom("deliveries").select(["target_id", "due_at"])
    // Said in the words that the partial index has.
    .where("org_id", "=", p.org_id).where("state", "=", sql.lit("waiting"))
    .where("state", "<>", sql.lit("delivered"))
    .orderBy("id").limit(sql.lit(COUNTED))
);
