import { type RawBuilder, sql } from "kysely";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { change, exists, one, value } from "../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { alternativeNames, hashOfNames, namedBy } from "./certificate-names.ts";
import type { StoredTexts } from "./stored-certificate.ts";

type Key = { org_id: string; fingerprint: string };

/** Parameters, as a statement's text has them. */
interface Place {
  org_id: unknown;
  /** A certificate that has ended at that time renews nothing. */
  now: unknown;
}

/**
 * The one rule of renewals: a subquery that gives the fingerprint of the certificate that renews
 * the row `c`, whose columns are fingerprint, renewal_names and not_after. It ends later, has not
 * ended, and begins before its end. A person's word comes first, then the same names, then more.
 * An end is 20 characters long: the last of several wider sets is found without sorting them.
 */
export function renewedBySql({ org_id, now }: Place): RawBuilder<string | null> {
  const isFit = sql`n.not_after > c.not_after and n.not_after > ${now}
    and n.not_before < n.not_after`;
  const isDenied = sql`exists (select 1 from certificate_renewals as h where h.org_id = ${org_id}
    and h.fingerprint = c.fingerprint and h.renewal = n.fingerprint and h.renews = 0)`;
  return sql`coalesce(
    (select n.fingerprint from certificate_renewals as h
      join certificates as n on n.org_id = ${org_id} and n.fingerprint = h.renewal
      where h.org_id = ${org_id} and h.fingerprint = c.fingerprint and h.renews = 1 and ${isFit}
      limit 1),
    (select n.fingerprint from certificates as n
      where n.org_id = ${org_id} and n.renewal_names = c.renewal_names and n.renewal_names <> ''
        and ${isFit} and not ${isDenied}
      order by n.not_after desc, n.fingerprint desc limit 1),
    (select substr(max(n.not_after || n.fingerprint), 21)
      from wider_names as w cross join certificates as n
      where w.org_id = ${org_id} and w.names = c.renewal_names and n.org_id = ${org_id}
        and n.renewal_names = w.wider and n.renewal_names <> ''
        and ${isFit} and not ${isDenied}))`;
}

/** The renewing certificate, with its description's columns. */
interface RenewalRow extends StoredTexts {
  fingerprint: string;
  certificate: string;
}

const renewedSql = variants((n: number) =>
  statement<Record<string, string>>()<{ fingerprint: string; renewed_by: string | null }>((
    db,
    p,
  ) => ({
    compile: () => {
      const listed = Array.from({ length: n }, (_, i) => sql`${p[`f${i}`]}`);
      return sql<{ fingerprint: string; renewed_by: string | null }>`
        select c.fingerprint as fingerprint,
          ${renewedBySql({ org_id: p.org_id, now: p.now })} as renewed_by
        from certificates as c
        where c.org_id = ${p.org_id} and c.fingerprint in (${sql.join(listed)})`.compile(db);
    },
  }))
);

/** Of these certificates, by their fingerprints, the fingerprint of the one that renews each. */
export async function renewalsOf(
  db: Connection,
  { org_id, now }: { org_id: string; now: string },
  fingerprints: readonly string[],
): Promise<Map<string, string>> {
  if (fingerprints.length === 0) return new Map();
  const { n, params } = listedAs("f", fingerprints);
  const rows = await db.rows(renewedSql(n), { ...params, org_id, now });
  return new Map(
    rows.flatMap(({ fingerprint, renewed_by }) =>
      renewed_by === null ? [] : [[fingerprint, renewed_by]]
    ),
  );
}

/** Each as a parameter, their number a power of two. */
function listedAs(letter: string, values: readonly string[]) {
  let n = 1;
  while (n < values.length) n *= 2;
  const params: Record<string, string> = {};
  for (let i = 0; i < n; i++) params[`${letter}${i}`] = values[i] ?? values[0] ?? "";
  return { n, params };
}

/** Whether a person said that one renews the other, 1, or does not, 0; undefined: nothing. */
export const findSaid = value(finds("certificate_renewals", { columns: ["renews"] }));

/** Notes what a person says of two certificates, in place of what was said of them. */
export const putSaid = change(puts("certificate_renewals"));

/** Forgets what was said of two certificates. */
export const dropSaid = change(removes("certificate_renewals"));

/** Forgets every other that was said to renew a certificate: one does. */
export const dropOtherSaid = change((db, p: Key & { renewal: string }) =>
  db.deleteFrom("certificate_renewals").where("org_id", "=", p.org_id)
    .where("fingerprint", "=", p.fingerprint).where("renewal", "<>", p.renewal)
    .where("renews", "=", sql.lit(1))
);

/** Forgets what was said of a certificate that goes. */
export const dropSaidOf = change((db, p: Key) =>
  db.deleteFrom("certificate_renewals").where("org_id", "=", p.org_id)
    .where((eb) =>
      eb.or([eb("fingerprint", "=", p.fingerprint), eb("renewal", "=", p.fingerprint)])
    )
);

/** Whether a certificate with these names is there. */
const hasNames = exists((db, p: { org_id: string; names: string }) =>
  db.selectFrom("certificates").select("fingerprint").where("org_id", "=", p.org_id)
    .where("renewal_names", "=", p.names).where("renewal_names", "<>", sql.lit(""))
    .limit(sql.lit(1))
);

const addWider = change((
  db,
  p: { org_id: string; names: string; wider: string; size: number },
) =>
  db.insertInto("wider_names").values(rowOf("wider_names", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** Alternative names of one certificate that are compared one by one. */
const COMPARED = 250;
/** Sets of names that are found to hold others, or to be held. */
const FOUND = 200;

type Found = { wider: string; size: number };

const sharingSql = variants((n: number, wanted: "within" | "around") =>
  statement<Record<string, string | number>>()<Found>((db, p) => ({
    compile: () => {
      const listed = Array.from({ length: n }, (_, i) => sql`${p[`n${i}`]}`);
      const shared = wanted === "within" ? sql`max(size)` : sql`${p.size}`;
      // By the bare column SQLite would group in the order of its index, through all there are.
      return sql<Found>`select wider || '' as wider, max(size) as size from wider_names
        where org_id = ${p.org_id} and names in (${sql.join(listed)}) and wider <> ${p.names}
        group by wider || '' having count(*) = ${shared}
        order by 1 limit ${sql.lit(FOUND)}`.compile(db);
    },
  }))
);

/**
 * Notes which names a certificate shares with others, before it is added. Two sets of names are
 * compared by the rows of single names that each wider set has.
 */
export async function noteNames(
  tx: Tx,
  org_id: string,
  { renewal_names: names, ...texts }: StoredTexts & { renewal_names: string },
): Promise<void> {
  if (names === "") return;
  const named = namedBy(texts);
  if (named.is_ca) return;
  const all = alternativeNames(named);
  if (all.length < 2 || all.length > COMPARED) return;
  if (await hasNames(tx, { org_id, names })) return;
  const size = all.length;
  const singles = all.map((name) => hashOfNames([name]));
  const { n, params } = listedAs("n", singles);
  const found = { ...params, org_id, names, size };
  const around = await tx.rows(sharingSql(n, "around"), found);
  const within = await tx.rows(sharingSql(n, "within"), found);
  for (const single of singles) await addWider(tx, { org_id, names: single, wider: names, size });
  for (const one of around) {
    await addWider(tx, { org_id, names, wider: one.wider, size: Number(one.size) });
  }
  for (const one of within) await addWider(tx, { org_id, names: one.wider, wider: names, size });
}

const sameNamesSql = statement<Key & { names: string; not_after: string }>()((db, p) =>
  db.selectFrom("certificates").select(["fingerprint", "owner", "tags"])
    .where("org_id", "=", p.org_id).where("renewal_names", "=", p.names)
    .where("renewal_names", "<>", sql.lit("")).where("not_after", "<", p.not_after)
    .where("fingerprint", "<>", p.fingerprint)
    .orderBy("not_after", "desc").orderBy("fingerprint", "desc").limit(sql.lit(1))
);

const narrowerSql = statement<Key & { names: string; not_after: string }>()<
  { fingerprint: string | null }
>((db, p) => ({
  compile: () =>
    sql<{ fingerprint: string | null }>`
      select substr(max(c.not_after || c.fingerprint), 21) as fingerprint
      from wider_names as w cross join certificates as c
      where w.org_id = ${p.org_id} and w.wider = ${p.names} and c.org_id = ${p.org_id}
        and c.renewal_names = w.names and c.renewal_names <> ''
        and c.not_after < ${p.not_after}`.compile(db),
}));

const careSql = statement<Key>()((db, p) =>
  db.selectFrom("certificates").select(["fingerprint", "owner", "tags"])
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/**
 * The certificate that another one renews, with its owner and tags: of the same names, else of
 * fewer; or undefined.
 */
export async function renewedOf(
  db: Connection,
  p: Key & { names: string; not_after: string },
): Promise<{ fingerprint: string; owner: string | null; tags: string | null } | undefined> {
  if (p.names === "") return undefined;
  const same = await db.row(sameNamesSql, p);
  if (same) return same;
  const fingerprint = (await db.row(narrowerSql, p))?.fingerprint ?? null;
  return fingerprint === null
    ? undefined
    : await db.row(careSql, { org_id: p.org_id, fingerprint });
}

/** The texts of a certificate and the base64 of its DER, or undefined. */
export const findWithFile = one((db, p: Key) =>
  db.selectFrom("certificates as c")
    .innerJoin(
      "certificate_files as f",
      (join) =>
        join.onRef("f.org_id", "=", "c.org_id").onRef("f.fingerprint", "=", "c.fingerprint"),
    )
    .select(["c.head", "c.tail", "c.details", "f.certificate"])
    .where("c.org_id", "=", p.org_id).where("c.fingerprint", "=", p.fingerprint)
);
