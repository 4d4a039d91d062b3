import { sql } from "kysely";
import { randomBytes, toHex } from "../../kernel/ids.ts";
import { statement } from "../statement.ts";
import { durably, STORE_ID } from "./postgres-client.ts";

/** A name for one attempt at one transaction: 32 hexadecimal characters, never used again. */
export function newMark(): string {
  return toHex(randomBytes(16));
}

/**
 * SQL that ends a transaction which has written: leaves its mark, takes away one that no one asks
 * for any more, and commits. One message, so that it costs no round trip of its own. A mark that is
 * there already, since a person has given this transaction up, fails the statement, and nothing is
 * committed; so does a store that is not the one of this number (`STORE_ID`). The server answers
 * once the commit is durable (`durably`).
 */
export function commitSql(
  mark: string,
  settled: string | undefined,
  nowText: string,
  storeId: number,
): string {
  const kept = `case ${STORE_ID} when ${storeId} then 1 end`;
  const leave = `insert into commits (id, kept, at)
    select '${plain(mark)}', ${kept}, '${plain(nowText)}' from ${durably("transaction")}`;
  const clear = settled === undefined ? [] : [`delete from commits where id = '${plain(settled)}'`];
  return [leave, ...clear, "commit"].join("; ");
}

/** Marks and times are ours; this keeps it so. */
function plain(text: string): string {
  if (!/^[0-9a-zA-Z:.-]+$/.test(text)) throw new TypeError("a mark holds letters and digits");
  return text;
}

/**
 * Gives a transaction up unless its mark is there, and says by `kept` which of both it is. Waits
 * for a transaction that has left its mark and is not over. Whatever was there, it writes: so its
 * own commit is durable on the standby only when the other one is.
 */
export const giveUpMark = statement<{ id: string; at: string }>()((db, p) =>
  db.insertInto("commits").columns(["id", "kept", "at"])
    .expression((eb) =>
      eb.selectFrom(sql`${sql.raw(durably("transaction"))}`.as("durably"))
        .select([
          sql<string>`${p.id}::text`.as("id"),
          sql<number>`0`.as("kept"),
          sql<string>`${p.at}::text`.as("at"),
        ])
    )
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ kept: sql<number>`commits.kept` })
    )
    .returning("kept")
);

/** Takes away the marks that processes left behind which did not end in the regular way. */
export const purgeMarks = statement<{ before: string }>()((db, p) =>
  db.deleteFrom("commits").where("at", "<", p.before)
);
