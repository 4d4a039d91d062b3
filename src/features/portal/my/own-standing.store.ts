import { sql } from "kysely";
import { statement } from "../../../storage/statement.ts";
import { all } from "../../../storage/statement-functions.ts";
import type { Connection } from "../../../storage/storage.ts";
import { variants } from "../../../storage/variants.ts";

type Of = { org_id: string; developer_id: string };

/** The most of a developer's rows that are looked at for their state of each plan: the newest. */
const LOOKED_AT = 1000;

const liveKeysSql = variants((state: "active" | "suspended") =>
  statement<Of>()((db, p) =>
    db.selectFrom("credentials")
      .select(["key_id", "plans", "state", "expires_at", "algorithm", "use_before", "issued_at"])
      .select(["replaced_by", "mask", "name", "kind", "request_id"])
      .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
      .where("state", "=", state)
      .orderBy("issued_at", "desc").orderBy("key_id", "desc").limit(sql.lit(LOOKED_AT))
  )
);

/** A developer's keys that are not revoked, the newest first; up to LOOKED_AT of each state. */
export async function newestLiveKeys(db: Connection, { org_id, developer_id }: Of) {
  const of = { org_id, developer_id };
  const active = await db.rows(liveKeysSql("active"), of);
  const suspended = await db.rows(liveKeysSql("suspended"), of);
  // Active keys come first.
  return [...active, ...suspended];
}

/** For which plans a developer asked, and what became of it; the newest first. */
export const newestAskedPlans = all((db, p: Of) =>
  db.selectFrom("key_requests").select(["id", "state", "for_plan", "instant"])
    .where("org_id", "=", p.org_id).where("by_user", "=", p.developer_id)
    .orderBy("instant", "desc").orderBy("id", "desc").limit(sql.lit(LOOKED_AT))
);

/** A developer's requests for a later end of a key that wait. */
export const laterEndsAsked = all((db, p: Of) =>
  db.selectFrom("key_requests").select(["id", "head", "asked_end"])
    .where("org_id", "=", p.org_id).where("by_user", "=", p.developer_id)
    .where("state", "=", sql.lit("pending")).where("asked_end", "is not", null)
    .limit(sql.lit(LOOKED_AT))
);

/** Ids of one statement; longer lists are given in parts. */
const IDS = 25;

const keysOfRequestsSql = statement<Record<string, string>>()((db, p) =>
  // By the index of the developer, who has few; see findKeysOfRequest.
  db.selectFrom("credentials").select(["key_id", "mask", "request_id", "replaced_by", "issued_at"])
    // as: keysOfRequests gives every one of them.
    .where("org_id", "=", p.org_id as string)
    .where("developer_id", "=", p.developer_id as string)
    .where("state", "<>", sql.lit("revoked"))
    .where("request_id", "in", Array.from({ length: IDS }, (_, i) => p[`id${i}`] as string))
);

/** The keys that requests of a developer led to and that are not revoked; in no order. */
export async function keysOfRequests(
  db: Connection,
  { org_id, developer_id }: Of,
  requests: readonly string[],
) {
  const keys = [];
  for (let start = 0; start < requests.length; start += IDS) {
    const params: Record<string, string> = { org_id, developer_id };
    // The empty id is that of keys without a request.
    const own = requests.slice(start, start + IDS);
    for (let i = 0; i < IDS; i++) params[`id${i}`] = own[i] ?? own[0] ?? "";
    keys.push(...await db.rows(keysOfRequestsSql, params));
  }
  return keys;
}

/** A developer's keys that wait to be opened, and until when each link of them opens. */
export const waitingKeysOf = all((db, p: Of & { now: string }) =>
  // SQLite goes in the order of a cross join: from the developer's own keys, which are few.
  db.selectFrom("credentials as c").crossJoin("claims as l")
    .select(["l.id", "l.key_id", "l.expires_at", "l.request_id", "c.plans"])
    .whereRef("l.org_id", "=", "c.org_id").whereRef("l.key_id", "=", "c.key_id")
    .where("c.org_id", "=", p.org_id).where("c.developer_id", "=", p.developer_id)
    .where("c.state", "=", sql.lit("active"))
    // Said in words that the partial index has.
    .where("l.key_id", "<>", sql.lit(""))
    .where("l.state", "=", sql.lit("open")).where("l.expires_at", ">", p.now)
);

/** Until when each of a developer's keys that wait to be opened can be; by key id. */
export async function waitingKeys(
  db: Connection,
  { org_id, developer_id }: Of,
  now: string,
): Promise<Map<string, string>> {
  const waiting = new Map<string, string>();
  for (const { key_id, expires_at } of await waitingKeysOf(db, { org_id, developer_id, now })) {
    if ((waiting.get(key_id) ?? "") < expires_at) waiting.set(key_id, expires_at);
  }
  return waiting;
}

/**
 * The keys that one took over from and that are not revoked: from itself, or from the one that
 * waited in its place.
 */
export const keysReplacedBy = all((db, p: Of & { replaced_by: string }) =>
  db.selectFrom("credentials as c")
    .leftJoin(
      "credential_uses as u",
      (join) => join.onRef("u.org_id", "=", "c.org_id").onRef("u.key_id", "=", "c.key_id"),
    )
    .select(["c.key_id", "c.mask", "c.state", "c.plans", "c.expires_at", "c.algorithm"])
    .select(["c.use_before", "u.last_used_at"])
    .where("c.org_id", "=", p.org_id).where("c.developer_id", "=", p.developer_id)
    .where("c.state", "<>", sql.lit("revoked"))
    .where((eb) =>
      eb.or([
        eb("c.replaced_by", "=", p.replaced_by),
        eb(
          "c.replaced_by",
          "in",
          eb.selectFrom("credentials as w").select("w.key_id")
            .where("w.org_id", "=", p.org_id).where("w.developer_id", "=", p.developer_id)
            .where("w.state", "=", sql.lit("revoked"))
            .where("w.replaced_by", "=", p.replaced_by),
        ),
      ])
    )
    .orderBy("c.issued_at", "desc").orderBy("c.key_id")
);
