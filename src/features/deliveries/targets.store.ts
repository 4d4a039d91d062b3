import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

/** A target as it is stored. */
export type TargetRow = StoredRow<"delivery_targets">;

const COLUMNS = [
  ...["org_id", "id", "kind", "name", "config", "topics", "secrets", "old_secret_until"] as const,
  ...["state", "state_reason", "state_changed_at", "starts_behind"] as const,
  ...["failing_since", "failures", "created_at"] as const,
] as const;

type Place = { org_id: string; id: string };

const insertSql = statement<{ [K in keyof TargetRow]: TargetRow[K] & SqlValue }>()((db, p) =>
  db.insertInto("delivery_targets").values({
    org_id: p.org_id,
    id: p.id,
    kind: p.kind,
    name: p.name,
    config: p.config,
    topics: p.topics,
    secrets: p.secrets,
    old_secret_until: p.old_secret_until,
    state: p.state,
    state_reason: p.state_reason,
    state_changed_at: p.state_changed_at,
    starts_behind: p.starts_behind,
    failing_since: p.failing_since,
    failures: p.failures,
    created_at: p.created_at,
  })
);

/** Adds a target. */
export async function insertTarget(tx: Tx, row: TargetRow): Promise<void> {
  await tx.change(insertSql, { ...row });
}

const findSql = statement<Place>()((db, p) =>
  db.selectFrom("delivery_targets").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A target, or undefined. */
export function findTarget(
  db: Connection,
  org_id: string,
  id: string,
): Promise<TargetRow | undefined> {
  return db.row(findSql, { org_id, id });
}

const lockSql = statement<Place>()((db, p, dialect) => {
  const query = db.selectFrom("delivery_targets").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("id", "=", p.id);
  return dialect === "postgres" ? query.forUpdate() : query;
});

/** A target, held until the transaction ends, or undefined. Lines of its deliveries change only while it is held. */
export function lockTarget(tx: Tx, org_id: string, id: string): Promise<TargetRow | undefined> {
  return tx.row(lockSql, { org_id, id });
}

const lockAllSql = statement<{ org_id: string }>()((db, p, dialect) => {
  const query = db.selectFrom("delivery_targets").select(COLUMNS)
    .where("org_id", "=", p.org_id).orderBy("id");
  return dialect === "postgres" ? query.forUpdate() : query;
});

/** Every target of an organisation, held until the transaction ends, in the order of their ids. */
export function lockTargets(tx: Tx, org_id: string): Promise<TargetRow[]> {
  return tx.rows(lockAllSql, { org_id });
}

const belowSql = variants((limit: number) =>
  statement<{ org_id: string; below: string }>()((db, p) =>
    db.selectFrom("delivery_targets").select(COLUMNS)
      .where("org_id", "=", p.org_id).where("id", "<", p.below)
      .orderBy("id", "desc").limit(sql.lit(limit))
  )
);

/** Up to `limit` targets of an organisation with smaller ids, the newest first. */
export function targetsBelow(
  db: Connection,
  org_id: string,
  below: string,
  limit: number,
): Promise<TargetRow[]> {
  return db.rows(belowSql(limit), { org_id, below });
}

/** What of a target may change. */
export type TargetChange = Pick<
  TargetRow,
  | "name"
  | "config"
  | "topics"
  | "secrets"
  | "old_secret_until"
  | "state"
  | "state_reason"
  | "state_changed_at"
  | "failing_since"
  | "failures"
>;

const updateSql = statement<Place & { [K in keyof TargetChange]: TargetChange[K] & SqlValue }>()((
  db,
  p,
) =>
  db.updateTable("delivery_targets").set({
    name: p.name,
    config: p.config,
    topics: p.topics,
    secrets: p.secrets,
    old_secret_until: p.old_secret_until,
    state: p.state,
    state_reason: p.state_reason,
    state_changed_at: p.state_changed_at,
    failing_since: p.failing_since,
    failures: p.failures,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Changes a target that the transaction holds; gives it as it is then. */
export async function updateTarget(
  tx: Tx,
  row: TargetRow,
  change: Partial<TargetChange>,
): Promise<TargetRow> {
  const whole = { ...row, ...change };
  const { kind: _, starts_behind: __, created_at: ___, ...params } = whole;
  await tx.change(updateSql, params);
  return whole;
}

const removeSql = statement<Place>()((db, p) =>
  db.deleteFrom("delivery_targets").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Removes a target that the transaction holds. */
export async function removeTarget(tx: Tx, org_id: string, id: string): Promise<void> {
  await tx.change(removeSql, { org_id, id });
}

const dueSql = statement<{ now: string }>()((db, p) =>
  db.selectFrom("delivery_targets as t").select(["t.org_id", "t.id"])
    .where("t.state", "=", sql.lit("active"))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("deliveries as d").select("d.id")
          .whereRef("d.org_id", "=", "t.org_id").whereRef("d.target_id", "=", "t.id")
          .where("d.due_at", "is not", null).where("d.due_at", "<=", p.now),
      )
    )
);

/** Every target, of any organisation, that is not paused and has a delivery to be tried now. */
export function targetsDue(db: Connection, now: string): Promise<Place[]> {
  return db.rows(dueSql, { now });
}

const pausedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("delivery_targets").select(["org_id", "id"])
    .where("state", "=", sql.lit("paused"))
    .where("state_reason", "in", [sql.lit("failing"), sql.lit("gone")])
    .limit(sql.lit(1))
);

/** A target, of any organisation, that is paused because it failed; undefined: there is none. */
export function pausedByFailing(db: Connection): Promise<Place | undefined> {
  return db.row(pausedSql, {});
}
