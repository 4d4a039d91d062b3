import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { type BlockOfKinds, blocksOf } from "./certificate-blocks.store.ts";

/** How many certificates end before each of some instants. */
export interface EndCounts {
  total: number;
  /** As many as instants were given, in their order. */
  before: number[];
}

/**
 * Counts certificates of these kinds by the end of their validity; `ends` ascending, as stored. What lies in whole
 * blocks is known already, and at most one block is walked for each instant: so a million costs no more than a
 * few thousand do. Changes that are committed meanwhile may be counted in part.
 */
export async function countByEnd(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  ends: readonly string[],
): Promise<EndCounts> {
  const blocks = await blocksOf(db, org_id, "not_after", kinds);
  const before: number[] = [];
  let whole = 0;
  let next = 0;
  let block: BlockOfKinds | undefined;
  // What of `block` was counted already, and up to where.
  let within = { n: 0, key: "", position: 0 };
  for (const end of ends) {
    for (let one = blocks[next]; one && one.first_key < end; one = blocks[++next]) {
      whole += block?.n ?? 0;
      block = one;
      within = { n: 0, key: one.first_key, position: one.first_position };
    }
    if (block && block.n > 0) {
      const { key, position } = within;
      const n = within.n + await countBetween(db, org_id, kinds, { key, position, end });
      within = { n, key: end, position: 0 };
    }
    before.push(whole + within.n);
  }
  return { total: blocks.reduce((sum, { n }) => sum + n, 0), before };
}

type Params = {
  org_id: string;
  k0: number;
  k1: number;
  k2: number;
  k3: number;
  key: string;
  position: number;
  end: string;
};

async function countBetween(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  range: { key: string; position: number; end: string },
): Promise<number> {
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = kinds;
  const params = { org_id, k0, k1, k2, k3, ...range };
  return (await db.row(countSql(kinds.length), params))?.n ?? 0;
}

/** One walk of the index for each kind. */
const countSql = variants((kinds: number) =>
  statement<Params>()<{ n: number }>((db, p) => ({
    compile: () => {
      const arms = [p.k0, p.k1, p.k2, p.k3].slice(0, kinds).map((kind) =>
        sql`(select count(*) from certificates where org_id = ${p.org_id} and kind = ${kind}
          and (not_after, position) >= (${p.key}, ${p.position}) and not_after < ${p.end})`
      );
      return sql<{ n: number }>`select ${sql.join(arms, sql` + `)} as n`.compile(db);
    },
  }))
);
