import { sql } from "kysely";
import { all, atMost, numberOf, value } from "../../../storage/statement-functions.ts";

/** Hours of one day. */
const DAY = 24;

type Org = { org_id: string };

/** The first day on which anything was observed, as its hour; undefined: nothing was. */
export const firstShadowHour = value((db, p: Org) =>
  db.selectFrom("observed_days").select("begins").where("org_id", "=", p.org_id)
    .where("kind", "in", [sql.lit("organisation" as const), sql.lit("unknown" as const)])
    .orderBy("begins").limit(sql.lit(1))
);

/** The observed calls of all keys, and of unknown ones, since a day. */
export const shadowRowsOfAll = all((db, p: Org & { from: number }) =>
  db.selectFrom("observed_days").select(["kind", "begins", "verdict", "asked", "opened"])
    .where("org_id", "=", p.org_id)
    .where("kind", "in", [sql.lit("organisation" as const), sql.lit("unknown" as const)])
    .where("begins", ">=", p.from)
);

/** The observed calls of each plan. */
export const shadowRowsOfPlans = all((db, p: Org & { from: number }) =>
  db.selectFrom("observed_days")
    .select(["object_id", "begins", "verdict", "asked", "opened", "last_at"])
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("plan"))
    .where("begins", ">=", p.from)
);

/** Calls that were decided here on each day. */
export const decidedHere = all((db, p: Org & { from: number }) =>
  db.selectFrom("usage_days").select("begins")
    .select(sql<number>`success + error_401 + error_403 + error_429`.as("calls"))
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("organisation"))
    .where("object_id", "=", sql.lit("")).where("begins", ">=", p.from)
);

/** The side that decides about each plan on one day, by its number since 1970. */
export const plansDecidedHere = all((db, p: Org & { day: number }) =>
  db.selectFrom("usage_days").select("object_id")
    .select(sql<number>`success + error_401 + error_403 + error_429`.as("calls"))
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("plan"))
    .where(sql<boolean>`(begins / ${sql.lit(DAY)}) = ${p.day}`)
);

/** The keys that called there on one of these days, with the last of them, up to a limit. */
export const keysThere = atMost((db, p: Org & { from: number }, limit) =>
  db.selectFrom("observed_days").select("object_id as key_id")
    .select((eb) => eb.fn.max("last_at").as("last_at"))
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("key"))
    .where("begins", ">=", p.from).groupBy("object_id").limit(limit)
);

/** How many keys called there on a day. */
export const countKeysThere = numberOf((db, p: Org & { begins: number }) =>
  db.selectFrom("observed_days").select((eb) => eb.fn.count("object_id").distinct().as("n"))
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("key"))
    .where("begins", "=", p.begins)
);

/** The keys that called there most on a day. */
export const busiestThere = atMost((db, p: Org & { begins: number }, limit) =>
  db.selectFrom("observed_days").select("object_id as key_id")
    .select(sql<number>`sum(asked)`.as("calls"))
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("key"))
    .where("begins", "=", p.begins).groupBy("object_id")
    .orderBy(sql`sum(asked)`, "desc").orderBy("object_id").limit(limit)
);

/** The plans of some keys, JSON arrays both. */
export const plansOfKeys = all((db, p: Org & { keys: string }, dialect) => {
  const listed = dialect === "postgres"
    ? sql`select w.value from json_array_elements_text(${p.keys}::json) as w`
    : sql`select w.value from json_each(${p.keys}) as w`;
  return {
    compile: () =>
      sql<{ key_id: string; plans: string }>`select key_id, plans from credentials
        where org_id = ${p.org_id} and state = 'active' and key_id in (${listed})`.compile(db),
  };
});

const never = (org_id: string, now: string) =>
  sql`c.org_id = ${org_id} and c.state = 'active'
    and (c.expires_at is null or c.expires_at > ${now})
    and not exists (select 1 from credential_uses as u
      where u.org_id = c.org_id and u.key_id = c.key_id)
    and not exists (select 1 from observed_days as o
      where o.org_id = c.org_id and o.kind = 'key' and o.object_id = c.key_id)`;

/** Keys behind one, in the order of their ids, each with whether it was ever seen, if active. */
export const keysBehind = atMost((db, p: Org & { key_id: string; now: string }, limit) => ({
  compile: () =>
    sql<WalkedKey>`select c.key_id, c.state, c.plans, c.developer_id,
      case when ${never(p.org_id, p.now)} then 1 else 0 end as never,
      case when d.email_key <> '' then 1 else 0 end as mailable from credentials as c
      left join developers as d on d.org_id = c.org_id and d.id = c.developer_id
      where c.org_id = ${p.org_id} and c.key_id > ${p.key_id}
      order by c.key_id limit ${limit}`.compile(db),
}));

/** The active ones of a developer behind one, the oldest first, each with whether it was seen. */
export const developersKeysBehind = atMost((
  db,
  p: Org & { developer_id: string; issued_at: string; key_id: string; now: string },
  limit,
) => ({
  compile: () =>
    sql<Pick<WalkedKey, "key_id" | "issued_at" | "never">>`select c.key_id, c.issued_at,
      case when ${never(p.org_id, p.now)} then 1 else 0 end as never from credentials as c
      where c.org_id = ${p.org_id} and c.developer_id = ${p.developer_id} and c.state = 'active'
        and (c.issued_at, c.key_id) > (${p.issued_at}, ${p.key_id})
      order by c.issued_at, c.key_id limit ${limit}`.compile(db),
}));

/** The columns of a key in these walks. */
interface WalkedKey {
  key_id: string;
  issued_at: string;
  state: string;
  /** A JSON array of plan ids. */
  plans: string;
  developer_id: string;
  never: number;
  mailable: number;
}

/** Keys that called there on a day behind one, in the order of their ids, with their calls. */
export const keysThereBehind = atMost((db, p: Org & { begins: number; key_id: string }, limit) =>
  db.selectFrom("observed_days").select("object_id as key_id")
    .select(sql<number>`sum(asked)`.as("calls"))
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("key"))
    .where("begins", "=", p.begins).where("object_id", ">", p.key_id)
    .groupBy("object_id").orderBy("object_id").limit(limit)
);
