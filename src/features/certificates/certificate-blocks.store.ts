import { sql } from "kysely";
import { type Dialect, statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { cached, compareText, foundKeys, type Params, shapeOf } from "./certificate-keys.store.ts";
import { type After, type Selection, start } from "./selection.ts";

/**
 * Where the pages of sorted lists begin. For each of these orders an organisation's certificates are cut into
 * blocks of neighbours; a block knows where it begins and how many certificates of each kind it holds. So a page
 * anywhere costs the sum over the blocks and a walk within one of them, never an OFFSET over the list.
 *
 * Who changes blocks holds the organisation's lock (`allotPositions`), in the transaction that changes the list.
 */
const ORDERS = ["not_after", "subject_key"] as const;

/** An order that has blocks. */
export type BlockOrder = typeof ORDERS[number];

/** A block of so many is cut in two: then both the blocks and what is in them are few at a million. */
const MOST = 2048;

/** What places a certificate. */
export interface PlacedRow {
  position: number;
  kind: number;
  not_after: string;
  subject_key: string;
}

type Counts = { n0: number; n1: number; n2: number; n3: number };
type Place = { org_id: string; sort: string; key: string; position: number };
type Block = { first_key: string; first_position: number; total: number };

/** Counts a certificate, which is stored already or not any more, into (1) or out of (-1) its blocks. */
export async function placeRow(
  tx: Tx,
  org_id: string,
  row: PlacedRow,
  by: 1 | -1,
): Promise<void> {
  await change(tx, org_id, row, countsOf(row.kind, by));
}

/** Moves a certificate from one kind to another within its blocks. */
export async function changePlacedKind(
  tx: Tx,
  org_id: string,
  row: PlacedRow,
  kind: number,
): Promise<void> {
  const [before, after] = [countsOf(row.kind, -1), countsOf(kind, 1)];
  await change(tx, org_id, row, {
    n0: before.n0 + after.n0,
    n1: before.n1 + after.n1,
    n2: before.n2 + after.n2,
    n3: before.n3 + after.n3,
  });
}

/** A block of a sorted list, and how many certificates of the wanted kinds are in it. */
export interface BlockOfKinds {
  first_key: string;
  first_position: number;
  n: number;
}

/** The blocks of an order, in it. */
export function blocksOf(
  db: Connection,
  org_id: string,
  order: BlockOrder,
  kinds: readonly number[],
): Promise<BlockOfKinds[]> {
  const weight = (kind: number) => kinds.includes(kind) ? 1 : 0;
  return db.rows(blocksSql, {
    ...{ org_id, sort: order },
    ...{ w0: weight(0), w1: weight(1), w2: weight(2), w3: weight(3) },
  });
}

/** Where the row behind `offset` others of these kinds is: so many behind `after`, in ascending order. */
export async function seekSorted(
  db: Connection,
  org_id: string,
  order: BlockOrder,
  kinds: readonly number[],
  offset: number,
): Promise<{ after: After; skip: number }> {
  const blocks = await blocksOf(db, org_id, order, kinds);
  let skip = offset;
  for (const { first_key, first_position, n } of blocks) {
    if (skip < n) return { after: { key: first_key, position: first_position - 1 }, skip };
    skip -= n;
  }
  return { after: start({ found: order, times: null }, true), skip };
}

/** Adding them up here is quicker than the engines' windows are. */
const blocksSql = statement<
  { org_id: string; sort: string; w0: number; w1: number; w2: number; w3: number }
>()((db, p) => ({
  compile: () =>
    sql<BlockOfKinds>`
      select first_key, first_position,
        n0 * ${p.w0} + n1 * ${p.w1} + n2 * ${p.w2} + n3 * ${p.w3} as n
      from certificate_blocks where org_id = ${p.org_id} and sort = ${p.sort}
      order by first_key, first_position`.compile(db),
}));

async function change(tx: Tx, org_id: string, row: PlacedRow, counts: Counts): Promise<void> {
  for (const sort of ORDERS) {
    const place = { org_id, sort, key: row[sort], position: row.position };
    const block = await tx.row(countSql, { ...place, ...counts });
    if (!block) await tx.change(insertSql, { org_id, sort, ...FIRST, ...counts });
    else if (block.total > MOST) await cutInTwo(tx, org_id, sort, block);
    else if (block.total === 0 && block.first_position > 0) {
      await tx.change(removeSql, {
        ...place,
        key: block.first_key,
        position: block.first_position,
      });
    }
  }
}

/** The first block begins before every certificate and stays. */
const FIRST = { key: "", position: 0 };

/** The block that a place lies in: the last one that begins at it or before. */
const countSql = statement<Place & Counts>()((db, p) => ({
  compile: () =>
    sql<Block>`update certificate_blocks
      set n0 = n0 + ${p.n0}, n1 = n1 + ${p.n1}, n2 = n2 + ${p.n2}, n3 = n3 + ${p.n3}
      where org_id = ${p.org_id} and sort = ${p.sort} and (first_key, first_position) = (
        select first_key, first_position from certificate_blocks
        where org_id = ${p.org_id} and sort = ${p.sort}
          and (first_key, first_position) <= (${p.key}, ${p.position})
        order by first_key desc, first_position desc limit ${sql.lit(1)}
      ) returning first_key, first_position, n0 + n1 + n2 + n3 as total`.compile(db),
}));

const insertSql = statement<Place & Counts>()((db, p) =>
  db.insertInto("certificate_blocks").values({
    org_id: p.org_id,
    sort: p.sort,
    first_key: p.key,
    first_position: p.position,
    n0: p.n0,
    n1: p.n1,
    n2: p.n2,
    n3: p.n3,
  })
);

const removeSql = statement<Place>()((db, p) =>
  db.deleteFrom("certificate_blocks").where("org_id", "=", p.org_id).where("sort", "=", p.sort)
    .where("first_key", "=", p.key).where("first_position", "=", p.position)
);

async function cutInTwo(tx: Tx, org_id: string, sort: BlockOrder, block: Block): Promise<void> {
  const { first_key, first_position, total } = block;
  const everything: Selection = {
    kinds: [0, 1, 2, 3],
    times: null,
    search: null,
    found: sort,
    order: sort,
    descending: false,
  };
  const rows = await tx.rows(rowsOfBlockSql(shapeOf(everything, "basics", 0)), {
    ...{ org_id, key: first_key, position: first_position - 1, skip: total },
    ...{ k0: 0, k1: 1, k2: 2, k3: 3, search: "", match: "", pattern: "" },
    ...{ na_from: "", na_to: "", nb_from: "", nb_to: "" },
  });
  rows.sort((a, b) => compareText(a.key, b.key) || a.position - b.position);
  const moved = rows.slice(rows.length >> 1);
  const [middle] = moved;
  if (!middle) return;
  const n = (kind: number) => moved.filter((row) => row.kind === kind).length;
  const counts = { n0: n(0), n1: n(1), n2: n(2), n3: n(3) };
  const less = { n0: -counts.n0, n1: -counts.n1, n2: -counts.n2, n3: -counts.n3 };
  await tx.row(countSql, { org_id, sort, key: first_key, position: first_position, ...less });
  const { key, position } = middle;
  await tx.change(insertSql, { org_id, sort, key, position, ...counts });
}

const rowsOfBlockSql = cached((shape) =>
  statement<Params>()<{ kind: number; key: string; position: number }>((
    db,
    p,
    dialect: Dialect,
  ) => ({
    compile: () => {
      const keys = foundKeys(shape, p, dialect, sql`limit ${p.skip}`);
      return sql<{ kind: number; key: string; position: number }>`
        select k.kind, k.key, k.position from (${keys}) as k`.compile(db);
    },
  }))
);

function countsOf(kind: number, by: number): Counts {
  const n = (of: number) => of === kind ? by : 0;
  return { n0: n(0), n1: n(1), n2: n(2), n3: n(3) };
}
