import { sql } from "kysely";
import { pick, rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { values } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import { type LabelColumns, LABELS, labelsOf, nameWords } from "./key-labels.ts";

type Place = { org_id: string; key_id: string };

/** A key as its labels are listed. */
interface LabelledKey {
  org_id: string;
  key_id: string;
  issued_at: string;
}

type Kind = "environment" | "tag";
type Row = Place & { kind: Kind; label: string; issued_at: string };

const insertSql = statement<Row>()((db, p) =>
  db.insertInto("credential_labels").values(rowOf("credential_labels", p))
);

const deleteSql = statement<Row>()((db, p) =>
  db.deleteFrom("credential_labels").where("org_id", "=", p.org_id).where("kind", "=", p.kind)
    .where("label", "=", p.label).where("issued_at", "=", p.issued_at)
    .where("key_id", "=", p.key_id)
);

const insertWordSql = statement<Place & { word: string }>()((db, p) =>
  db.insertInto("credential_words").values({ org_id: p.org_id, word: p.word, key_id: p.key_id })
);

const deleteWordSql = statement<Place & { word: string }>()((db, p) =>
  db.deleteFrom("credential_words").where("org_id", "=", p.org_id).where("word", "=", p.word)
    .where("key_id", "=", p.key_id)
);

/** Puts a key into the lists of its labels, in which it does not stand yet. */
export async function listLabels(
  tx: Tx,
  { org_id, key_id, issued_at }: LabelledKey,
  columns: LabelColumns,
): Promise<void> {
  for (const label of listedOf(columns)) {
    await tx.send(insertSql, { org_id, key_id, issued_at, ...label });
  }
  for (const word of nameWords(columns.name)) {
    await tx.send(insertWordSql, { org_id, key_id, word });
  }
}

/** Takes a key, as it was listed, out of the lists of its labels. */
export async function unlistLabels(
  tx: Tx,
  { org_id, key_id, issued_at }: LabelledKey,
  columns: LabelColumns,
): Promise<void> {
  for (const label of listedOf(columns)) {
    await tx.send(deleteSql, { org_id, key_id, issued_at, ...label });
  }
  for (const word of nameWords(columns.name)) {
    await tx.send(deleteWordSql, { org_id, key_id, word });
  }
}

function listedOf(columns: LabelColumns): { kind: Kind; label: string }[] {
  const { environment, tags } = labelsOf(columns);
  return [
    ...environment === "" ? [] : [{ kind: "environment" as const, label: environment }],
    ...tags.map((label) => ({ kind: "tag" as const, label })),
  ];
}

const setSql = statement<Place & { [C in keyof LabelColumns]: LabelColumns[C] }>()((db, p) =>
  db.updateTable("credentials")
    .set(pick(p, ...LABELS))
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Gives a key that the transaction holds these labels in place of its own. */
export async function setLabels(
  tx: Tx,
  before: LabelledKey & LabelColumns,
  columns: LabelColumns,
): Promise<void> {
  const { org_id, key_id } = before;
  const after = pick(columns, ...LABELS);
  await tx.change(setSql, { org_id, key_id, ...after });
  await unlistLabels(tx, before, before);
  await listLabels(tx, before, after);
}

/** How many labels of one kind are listed. */
const MOST_LISTED = 100;

/**
 * The environments or tags that keys of the organisation have, in the order of their bytes; the
 * first hundred.
 */
export const labelsInUse = values((db, p: { org_id: string; kind: Kind }) => ({
  compile: () => {
    const first = (behind: ReturnType<typeof sql>) =>
      sql`(select min(t.label) from credential_labels as t
        where t.org_id = ${p.org_id} and t.kind = ${p.kind} ${behind})`;
    // From one label to the next: however many keys have it.
    return sql<{ label: string }>`with recursive l(label) as (
      select ${first(sql``)} union all
      select ${first(sql`and t.label > l.label`)} from l where l.label is not null
    ) select label from l where label is not null limit ${sql.lit(MOST_LISTED)}`.compile(db);
  },
}));
