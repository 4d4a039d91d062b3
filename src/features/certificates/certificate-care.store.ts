import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { exists, held } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { namesOfStored } from "./certificate-names.ts";

const renewedSql = variants((n: number) =>
  statement<Record<string, string>>()<{ fingerprint: string; renewed_by: string | null }>((
    db,
    p,
  ) => ({
    compile: () => {
      const listed = Array.from({ length: n }, (_, i) => sql`${p[`f${i}`]}`);
      return sql<{ fingerprint: string; renewed_by: string | null }>`
        select c.fingerprint as fingerprint, (
          select n.fingerprint from certificates as n
          where n.org_id = c.org_id and n.names = c.names and n.names <> ''
            and n.not_after > c.not_after
          order by n.not_after desc, n.fingerprint desc limit 1
        ) as renewed_by
        from certificates as c
        where c.org_id = ${p.org_id} and c.fingerprint in (${sql.join(listed)})`.compile(db);
    },
  }))
);

/**
 * Of these certificates, by their fingerprints, the fingerprint of the one of the same names that
 * ends last and later.
 */
export async function renewalsOf(
  db: Connection,
  org_id: string,
  fingerprints: readonly string[],
): Promise<Map<string, string>> {
  const [first] = fingerprints;
  if (first === undefined) return new Map();
  let n = 1;
  while (n < fingerprints.length) n *= 2;
  const params: Record<string, string> = { org_id };
  for (let i = 0; i < n; i++) params[`f${i}`] = fingerprints[i] ?? first;
  const rows = await db.rows(renewedSql(n), params);
  return new Map(
    rows.flatMap(({ fingerprint, renewed_by }) =>
      renewed_by === null ? [] : [[fingerprint, renewed_by]]
    ),
  );
}

type Key = { org_id: string; fingerprint: string };

const setCareSql = statement<Key & { owner: string | null; tags: string | null }>()((db, p) =>
  db.updateTable("certificates").set({ owner: p.owner, tags: p.tags })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** Sets who cares for a certificate, and its tags. */
export async function setCare(
  tx: Tx,
  key: Key,
  { owner, tags }: { owner: string; tags: readonly string[] },
): Promise<void> {
  await tx.change(setCareSql, {
    ...key,
    owner: owner === "" ? null : owner,
    tags: tags.length === 0 ? null : JSON.stringify(tags),
  });
}

/** Certificates that are named in one transaction. */
const NAMED_AT_ONCE = 100;

const unnamedSql = statement<Record<never, never>>()(held((db, _) =>
  db.selectFrom("certificates")
    .select(["org_id", "fingerprint", "head", "tail", "details"])
    .where("names", "is", null).orderBy("org_id").orderBy("fingerprint")
    .limit(sql.lit(NAMED_AT_ONCE)), (query) => query.forUpdate().skipLocked()));

const setNamesSql = statement<Key & { names: string }>()((db, p) =>
  db.updateTable("certificates").set({ names: p.names })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** Whether any certificate, of whichever organisation, waits for its names: old code added it. */
export const hasUnnamed = exists((db) =>
  db.selectFrom("certificates").select("fingerprint").where("names", "is", null)
    .limit(sql.lit(1))
);

/** Notes the names of some of them; gives how many. */
export async function nameSome(tx: Tx): Promise<number> {
  const rows = await tx.rows(unnamedSql, {});
  for (const { org_id, fingerprint, ...texts } of rows) {
    await tx.change(setNamesSql, { org_id, fingerprint, names: namesOfStored(texts) });
  }
  return rows.length;
}
