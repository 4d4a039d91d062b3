import { sql } from "kysely";
import { Failure } from "../../../src/kernel/failure.ts";
import { type Statement, statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";

/**
 * A row of the suite's scratch table: `plans`, which has text, a unique name and nothing else of
 * interest.
 */
export interface Scratch {
  org_id: string;
  id: string;
  name: string;
}

const insertSql = statement<Scratch>()((db, p) =>
  db.insertInto("plans").values({
    org_id: p.org_id,
    id: p.id,
    given_id: p.id,
    name: p.name,
    auth_type: "",
    document: "",
    date_created: "",
  })
);

/** Every scratch row of an organisation, sorted by the engine. */
export const scratchRows = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("plans").select(["id", "name", "document"]).where("org_id", "=", p.org_id)
    .orderBy("name").orderBy("id")
);

/** One page of them. */
export const scratchPage = statement<{ org_id: string; limit: number; offset: number }>()((db, p) =>
  db.selectFrom("plans").select("id").where("org_id", "=", p.org_id).orderBy("id")
    .limit(p.limit).offset(p.offset)
);

/** Those whose name lies below another, compared by the engine. */
export const scratchBelow = statement<{ org_id: string; name: string }>()((db, p) =>
  db.selectFrom("plans").select("name").where("org_id", "=", p.org_id).where("name", "<", p.name)
    .orderBy("name")
);

/** How many there are, as the engine counts. */
export const scratchCount = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("plans").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id)
);

const claimSql = statement<{ org_id: string; id: string; by: string }>()((db, p) =>
  db.updateTable("plans").set({ document: p.by }).where("org_id", "=", p.org_id)
    .where("id", "=", p.id).where("document", "=", sql.lit(""))
);

const addOneSql = statement<{ org_id: string }>()((db, p) =>
  db.insertInto("list_counts")
    .values({ org_id: p.org_id, list: "scratch", level: 0, bucket: "", shard: 0, n: 1 })
    .onConflict((conflict) =>
      conflict.columns(["org_id", "list", "level", "bucket", "shard"])
        .doUpdateSet({ n: sql`list_counts.n + 1` })
    )
);

/** The counter that `addOne` raises. */
export const counterValue = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("list_counts").select("n").where("org_id", "=", p.org_id)
    .where("list", "=", "scratch")
);

const insertNullableSql = statement<{ org_id: string; id: string; text: string | null }>()(
  (db, p) =>
    db.insertInto("idempotent_answers").values({
      org_id: p.org_id,
      scope: p.id,
      fingerprint: "",
      answer: p.text,
      expires_at: "",
    }),
);

/** Values of a column that may be null. */
export const nullableRows = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("idempotent_answers").select(["scope", "answer"]).where("org_id", "=", p.org_id)
    .orderBy("scope")
);

/** How many of them are null, by the engine's own test. */
export const nullCount = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("idempotent_answers").select("scope").where("org_id", "=", p.org_id)
    .where("answer", "is", null)
);

/**
 * Inserts rows one after the other; `then` ends the transaction with a failure, after the inserts.
 */
export const insertScratch = defineTransaction(
  "test.insert",
  async (tx, input: { rows: Scratch[]; then?: "refuse" | "break" }) => {
    for (const row of input.rows) await tx.change(insertSql, row);
    if (input.then === "refuse") throw new Failure("already_processed");
    if (input.then === "break") throw new TypeError("a fault of ours");
    return input.rows.length;
  },
);

/**
 * Sends rows one after the other, without waiting where the engine need not; gives what the
 * transaction then sees.
 */
export const sendScratch = defineTransaction(
  "test.send",
  async (tx, input: { rows: Scratch[]; then?: "read" | "refuse" }) => {
    for (const row of input.rows) await tx.send(insertSql, row);
    if (input.then === "refuse") throw new Failure("already_processed");
    if (input.then !== "read") return 0;
    return (await tx.rows(scratchRows, { org_id: input.rows[0]?.org_id ?? "" })).length;
  },
);

/** Fails while something of it goes on, which would then write. */
export const leaveBehind = defineTransaction("test.leave-behind", async (tx, row: Scratch) => {
  const work = async () => {
    for (let i = 0; i < 3; i++) await tx.rows(scratchRows, { org_id: row.org_id });
    await tx.change(insertSql, row);
  };
  work().catch(() => {});
  await tx.rows(scratchRows, { org_id: row.org_id });
  throw new Failure("already_processed");
});

/** Compare-and-set: true for the one who came first. */
export const claimScratch = defineTransaction(
  "test.claim",
  async (tx, input: { org_id: string; id: string; by: string }) =>
    await tx.change(claimSql, input) === 1,
);

/** Adds one to a counter. */
export const addOne = defineTransaction(
  "test.add-one",
  (tx, input: { org_id: string }) => tx.change(addOneSql, input),
);

/** Stores texts that may be null. */
export const insertNullable = defineTransaction(
  "test.insert-nullable",
  async (tx, input: { org_id: string; values: (string | null)[] }) => {
    for (const [i, text] of input.values.entries()) {
      await tx.change(insertNullableSql, { org_id: input.org_id, id: String(i), text });
    }
  },
);

/** What the suites give to `testOnStores`. */
export const scratchTransactions = [
  insertScratch,
  sendScratch,
  leaveBehind,
  claimScratch,
  addOne,
  insertNullable,
];

/** SQL that the builder has no words for, without parameters. */
export function rawSql<R>(text: string): Statement<Record<never, never>, R> {
  return { compile: () => ({ sql: text, values: () => [] }) };
}
