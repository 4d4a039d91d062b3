import { type SelectQueryBuilder, sql } from "kysely";
import type { Place } from "../../kernel/cursor.ts";
import { type Source, source } from "../../kernel/walk.ts";
import type { Database } from "../../storage/schema.ts";
import { type Statement, statement } from "../../storage/statement.ts";
import { one } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { KeyKind, StoredKeyState } from "./key-kinds.ts";
import { type LabelColumns, LABELS } from "./key-labels.ts";
import type { StoredAlgorithm } from "./murmur.ts";

/** The columns of a key as it is shown. */
export interface KeyRow extends LabelColumns {
  key_id: string;
  mask: string;
  kind: KeyKind;
  state: StoredKeyState;
  developer_id: string;
  /** In lower case; null where no one of this id is registered. */
  developer_email: string | null;
  request_id: string;
  /** A JSON array of plan ids. */
  plans: string;
  issued_at: string;
  /** From when on quotas are counted where it is not issued_at. */
  quota_from: string | null;
  /** The key id that its quotas are counted under; null: its own. */
  quota_key: string | null;
  expires_at: string | null;
  /** When people said when it ends; null: its plans say. */
  end_chosen_at: string | null;
  state_changed_at: string | null;
  state_reason: string | null;
  replaced_by: string | null;
  algorithm: StoredAlgorithm;
  conditions: string | null;
  use_before: string | null;
  imported_as: string | null;
  last_used_at: string | null;
  /** When and by whom it was reported as leaked, and where it was found. */
  leaked_at: string | null;
  leaked_by: string | null;
  leaked_url: string | null;
  /**
   * Until when it can be brought back, who ended it, and with which deletion of its developer;
   * null: it can't be.
   */
  undo_until: string | null;
  undo_by: string | null;
  undo_deletion: string | null;
}

/** A key in a list, with the value that the list is sorted by. */
export interface ListedKey extends KeyRow {
  sort: string;
  /** In the list by a schedule: its step, and since when no one used the key then. */
  step?: string;
  idle_since?: string;
}

const STATES: readonly StoredKeyState[] = ["active", "suspended", "revoked"];

type InState = { org_id: string; state: StoredKeyState; sort: string; id: string };
type WithKey = Database & { c: Database["credentials"] };

const newestSql = variants((limit: number) =>
  statement<InState>()((db, p) =>
    selectView(db.selectFrom("credentials as c"))
      .select("c.issued_at as sort")
      .where("c.org_id", "=", p.org_id).where("c.state", "=", p.state)
      .where(sql<boolean>`(c.issued_at, c.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("c.issued_at", "desc").orderBy("c.key_id", "desc").limit(sql.lit(limit))
  )
);

const ofDeveloperSql = variants((limit: number) =>
  statement<InState & { owner: string }>()((db, p) =>
    selectView(db.selectFrom("credentials as c"))
      .select("c.issued_at as sort")
      .where("c.org_id", "=", p.org_id).where("c.developer_id", "=", p.owner)
      .where("c.state", "=", p.state)
      .where(sql<boolean>`(c.issued_at, c.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("c.issued_at", "desc").orderBy("c.key_id", "desc").limit(sql.lit(limit))
  )
);

const ofPlanSql = variants((limit: number) =>
  statement<InState & { plan_id: string }>()((db, p) => {
    const listed = db.selectFrom("credential_plans as l").innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
      .where("l.org_id", "=", p.org_id).where("l.plan_id", "=", p.plan_id)
      .where("l.state", "=", p.state)
      .where(sql<boolean>`(l.issued_at, l.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("l.issued_at", "desc").orderBy("l.key_id", "desc").limit(sql.lit(limit));
    return selectView(listed).select("c.issued_at as sort");
  })
);

const labelledSql = variants((limit: number) =>
  statement<Ended & { kind: "environment" | "tag"; label: string }>()((db, p) => {
    const listed = db.selectFrom("credential_labels as l").innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
      .where("l.org_id", "=", p.org_id).where("l.kind", "=", p.kind).where("l.label", "=", p.label)
      .where(sql<boolean>`(l.issued_at, l.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("l.issued_at", "desc").orderBy("l.key_id", "desc").limit(sql.lit(limit));
    return selectView(listed).select("c.issued_at as sort");
  })
);

const leakedSql = variants((limit: number) =>
  statement<Ended>()((db, p) => {
    const listed = db.selectFrom("leaks as m").innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "m.org_id").onRef("c.key_id", "=", "m.object_id"),
    )
      .where("m.org_id", "=", p.org_id).where("m.object", "=", sql.lit("credential"))
      .where("m.dismissed_at", "is", null)
      .where(sql<boolean>`(m.reported_at, m.object_id) < (${p.sort}, ${p.id})`)
      .orderBy("m.reported_at", "desc").orderBy("m.object_id", "desc").limit(sql.lit(limit));
    return selectView(listed).select(sql<string>`m.reported_at`.as("sort"));
  })
);

/** Steps at which a schedule of unused keys has put keys that lists show. */
type ListedStep = "warned" | "warned_again" | "suspended" | "revoked" | "elsewhere";

const scheduledSql = variants((limit: number) =>
  statement<Ended & { step: ListedStep }>()((db, p) => {
    const listed = db.selectFrom("key_schedules as l").innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
      .where("l.org_id", "=", p.org_id).where("l.step", "=", p.step)
      .where(sql<boolean>`(l.at, l.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("l.at", "desc").orderBy("l.key_id", "desc").limit(sql.lit(limit));
    return selectView(listed).select([
      sql<string>`l.at`.as("sort"),
      sql<string>`l.idle_since`.as("idle_since"),
      sql<string>`l.step`.as("step"),
    ]);
  })
);

type Ended = { org_id: string; sort: string; id: string };

const expiredSql = variants((limit: number) =>
  statement<Ended>()((db, p) =>
    selectView(db.selectFrom("credentials as c"))
      .select((eb) => eb.ref("c.expires_at").$notNull().as("sort"))
      .where("c.org_id", "=", p.org_id).where("c.expires_at", "is not", null)
      .where("c.state", "<>", sql.lit("revoked"))
      .where(sql<boolean>`(c.expires_at, c.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("c.expires_at", "desc").orderBy("c.key_id", "desc").limit(sql.lit(limit))
  )
);

const neverUsedSql = variants((limit: number) =>
  statement<Ended & { now: string }>()((db, p) =>
    selectView(db.selectFrom("credentials as c"))
      .select((eb) => eb.ref("c.use_before").$notNull().as("sort"))
      .where("c.org_id", "=", p.org_id).where("c.algorithm", "<>", sql.lit("sha256"))
      .where("c.state", "<>", sql.lit("revoked"))
      // Keys with an end that has come are in `expiredSql`.
      .where((eb) => eb.or([eb("c.expires_at", "is", null), eb("c.expires_at", ">", p.now)]))
      .where(sql<boolean>`(c.use_before, c.key_id) < (${p.sort}, ${p.id})`)
      .orderBy("c.use_before", "desc").orderBy("c.key_id", "desc").limit(sql.lit(limit))
  )
);

/** Which index a list walks. */
export type ListWalk =
  | { by: "all"; states: readonly StoredKeyState[] }
  | { by: "developer"; developer_id: string; states: readonly StoredKeyState[] }
  /** Of one plan, under each of its ids. */
  | { by: "plan"; plan_ids: readonly string[]; states: readonly StoredKeyState[] }
  /** Of one environment or tag, in whatever state. */
  | { by: "label"; kind: "environment" | "tag"; label: string }
  /** The keys that were reported as leaked, the newest report first, in whatever state. */
  | { by: "leak" }
  /** The keys that no one uses, by the step of their schedule, the newest first. */
  | { by: "schedule"; steps: readonly ListedStep[] }
  /** The keys that have ended by `now`, sorted by their end. */
  | { by: "end"; now: string };

/**
 * The sources whose merge a walk is, by `sort` and then key id descending: one a state, or one a
 * way to end.
 */
export function keySources(db: Connection, org_id: string, walk: ListWalk): Source<ListedKey>[] {
  switch (walk.by) {
    case "all":
      return walk.states.map((state) => sourceOf(db, newestSql, { org_id, state }));
    case "developer": {
      const owner = walk.developer_id;
      return walk.states.map((state) => sourceOf(db, ofDeveloperSql, { org_id, state, owner }));
    }
    case "plan": {
      const { states, plan_ids } = walk;
      return plan_ids.flatMap((plan_id) =>
        states.map((state) => sourceOf(db, ofPlanSql, { org_id, state, plan_id }))
      );
    }
    case "label": {
      const { kind, label } = walk;
      return [sourceOf(db, labelledSql, { org_id, kind, label })];
    }
    case "leak":
      return [sourceOf(db, leakedSql, { org_id })];
    case "schedule":
      return walk.steps.map((step) => sourceOf(db, scheduledSql, { org_id, step }));
    case "end": {
      const { now } = walk;
      // The place is the only lower bound: with a second one the engine may enter the index there
      // instead.
      return [sourceOf(db, expiredSql, { org_id }), sourceOf(db, neverUsedSql, { org_id, now })]
        .map((one): Source<ListedKey> => (place, limit) => one(notAfter(place, now), limit));
    }
  }
}

/** Keys that end at `now` are the first that have ended. */
function notAfter(place: Place, now: string): Place {
  return place.sort > now ? { sort: now, id: "~" } : place;
}

/** Every stored state. */
export const anyState = STATES;

function sourceOf<P extends object>(
  db: Connection,
  statements: (limit: number) => Statement<P & Place, ListedKey>,
  params: P,
): Source<ListedKey> {
  return source(
    (place, limit) => db.rows(statements(limit), { ...params, ...place }),
    ({ sort, key_id }) => ({ sort, id: key_id }),
  );
}

/** One key as it is shown, or undefined. */
export const findKey = one((db, p: { org_id: string; key_id: string }) =>
  selectView(db.selectFrom("credentials as c"))
    .where("c.org_id", "=", p.org_id).where("c.key_id", "=", p.key_id)
);

const findManySql = variants((n: number) =>
  statement<Record<string, string>>()((db, p) =>
    selectView(db.selectFrom("credentials as c")).where("c.org_id", "=", p["org_id"] ?? "")
      .where("c.key_id", "in", Array.from({ length: n }, (_, i) => p[`k${i}`] ?? ""))
  )
);

/** Those of these keys that are there, as they are shown, by their ids. */
export async function findKeys(
  db: Connection,
  org_id: string,
  key_ids: readonly string[],
): Promise<Map<string, KeyRow>> {
  const [first] = key_ids;
  if (first === undefined) return new Map();
  let n = 1;
  while (n < key_ids.length) n *= 2;
  const params: Record<string, string> = { org_id };
  for (let i = 0; i < n; i++) params[`k${i}`] = key_ids[i] ?? first;
  const rows = await db.rows(findManySql(n), params);
  return new Map(rows.map((row) => [row.key_id, row]));
}

/** The columns of a KeyRow. */
export function selectView<O>(query: SelectQueryBuilder<WithKey, "c", O>) {
  return query
    .leftJoin(
      "credential_uses as u",
      (join) => join.onRef("u.org_id", "=", "c.org_id").onRef("u.key_id", "=", "c.key_id"),
    )
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
    )
    .select(["c.key_id", "c.mask", "c.kind", "c.state", "c.developer_id", "c.request_id"])
    .select([
      "c.plans",
      "c.issued_at",
      "c.quota_from",
      "c.quota_key",
      "c.expires_at",
      "c.end_chosen_at",
      "c.state_changed_at",
      "c.state_reason",
    ])
    .select(["c.replaced_by", "c.algorithm", "c.use_before", "c.imported_as", "c.conditions"])
    .select("u.last_used_at")
    .leftJoin(
      "leaks as k",
      (join) =>
        join.onRef("k.org_id", "=", "c.org_id").on("k.object", "=", sql.lit("credential"))
          .onRef("k.object_id", "=", "c.key_id").on("k.dismissed_at", "is", null),
    )
    .select(["k.reported_at as leaked_at", "k.reported_by as leaked_by", "k.url as leaked_url"])
    .leftJoin(
      "ended_keys as e",
      (join) =>
        join.onRef("e.org_id", "=", "c.org_id").onRef("e.key_id", "=", "c.key_id")
          .on("e.kept", "is not", null),
    )
    .select(["e.expires_at as undo_until", "e.ended_by as undo_by", "e.deletion as undo_deletion"])
    .select(LABELS.map((label) => `c.${label}` as const))
    .select("d.email_key as developer_email");
}
