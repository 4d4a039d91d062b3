/** What is purged, by whom, when, and that nothing else goes. */
import assert from "node:assert/strict";
import { recordChange } from "../../../src/changes/record-change.ts";
import { insertOneTimeLink } from "../../../src/features/keys/one-time-links/one-time-links.store.ts";
import { insertToken } from "../../../src/features/keys/oauth.store.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { newId } from "../../../src/kernel/ids.ts";
import * as exported from "../../../src/maintenance/retention/exported.store.ts";
import { findPurgeTime } from "../../../src/maintenance/retention/purge-time.store.ts";
import { PurgeTime } from "../../../src/maintenance/retention/purge-time.ts";
import { startPurger } from "../../../src/maintenance/retention/purger.ts";
import { cutOf, leastIdAt } from "../../../src/maintenance/retention/retained.ts";
import {
  insertTemporaryAccess,
  markTemporaryAccessEnded,
  temporaryAccessesOf,
} from "../../../src/features/people/temporary-access.store.ts";
import { purgeEnded } from "../../../src/maintenance/retention/retention.transactions.ts";
import * as store from "../../../src/maintenance/retention/retention.store.ts";
import { purgeOld } from "../../../src/maintenance/retention/retention.transactions.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { plansOf } from "../../support/query-plans.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse("2026-03-10T15:00:00Z");
const clock = { now: () => NOW };

/** One change at each of these times, as any feature would record it. */
const recordAt = defineTransaction(
  "test.record-at",
  async (tx, input: { org_id: string; times: number[] }) => {
    for (const now of input.times) {
      const actor = { org_id: input.org_id, user_id: "user", token_id: "", now };
      await recordChange(tx, actor, { action: "thing.changed", object: "thing", object_id: "t" });
    }
  },
);

/** Tokens and claims that end at these times; a claim is as old as its end. */
const endAt = defineTransaction(
  "test.end-at",
  async (tx, input: { org_id: string; times: number[] }) => {
    for (const [i, time] of input.times.entries()) {
      const at = toTimestamp(time);
      const { org_id } = input;
      const token = { org_id, hash: `hash-${i}`, key_id: "key", client_id: "c" };
      await insertToken(tx, { ...token, issued_at: at, expires_at: at });
      await insertOneTimeLink(tx, {
        org_id,
        id: newId(time),
        key_id: "key",
        request_id: "r",
        created_by: "u",
        hash: `claim-${org_id}-${i}`,
        secret: "sealed",
        created_at: at,
        expires_at: at,
      });
    }
  },
);

/** Temporary access that ended then; `open`: it is under way, however long it should be over. */
const takeTemporaryAccessAt = defineTransaction(
  "test.temporary-access-at",
  async (tx, { org_id, ends }: { org_id: string; ends: Record<string, number> }) => {
    for (const [id, time] of Object.entries(ends)) {
      const at = toTimestamp(time);
      await insertTemporaryAccess(tx, {
        org_id,
        id,
        rule_id: "rule",
        person_id: id,
        session_id: "session",
        state: "open",
        terms: null,
        asked_at: at,
        started_at: at,
        expires_at: at,
      });
      if (id === "open") continue;
      const end = { ended_at: at, ended_by: "user", end_reason: "over" };
      await markTemporaryAccessEnded(tx, { org_id, id, ...end });
    }
  },
);

const extra = [recordAt, endAt];

const rowsSql = {
  audit_events: statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("audit_events").select(["id", "at", "actor", "action", "object_id", "detail"])
      .where("org_id", "=", p.org_id).where("object", "in", ["thing", "table"]).orderBy("id")
  ),
  outbox_events: statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("outbox_events").select(["id", "at"]).where("org_id", "=", p.org_id)
      .where("topic", "=", "thing.changed").orderBy("id")
  ),
  claims: statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("claims").select(["id", "secret", "created_at"]).where("org_id", "=", p.org_id)
      .orderBy("created_at")
  ),
  oauth_tokens: statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("oauth_tokens").select(["hash", "expires_at"]).where("org_id", "=", p.org_id)
      .orderBy("hash")
  ),
};

function stored<T extends keyof typeof rowsSql>(desk: TestDesk, table: T, org_id = desk.org_id) {
  return desk.app.ctx.storage.reader.rows<{ org_id: string }, Record<string, string | null>>(
    rowsSql[table],
    { org_id },
  );
}

/** Without a rest, and by a clock that has soon measured whatever the store's clock is ahead. */
const quick = () => ({ restMs: 5, time: new PurgeTime(() => performance.now() * 1e9) });

/** Runs purgers until `isDone`. */
async function purgeUntil(
  desk: TestDesk,
  nodes: number,
  retention: Parameters<typeof startPurger>[1],
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { storage, problems } = desk.app.ctx;
  const purgers = Array.from(
    { length: nodes },
    () =>
      startPurger({ storage, clock, problems }, retention, {
        ...quick(),
        before: () => appendAll(desk.app.ctx),
      }),
  );
  try {
    await eventually("the purgers are through", isDone);
  } finally {
    for (const purger of purgers) purger.stop();
  }
  assert.ok(await isDone());
}

const keep = {
  audit_events: 0,
  outbox_events: 0,
  deliveries: 0,
  claims: 0,
  usage_hours: 0,
  usage_days: 0,
};

testOnEngines(
  "retention: several nodes purge what is too old, in batches, and every row is accounted for once",
  async (desk) => {
    const other = await desk.otherOrganisation();
    const cut = Date.parse("2026-02-28T00:00:00Z");
    const old = Array.from({ length: 450 }, (_, i) => cut - 1000 - i * 60_000);
    const young = [cut, cut + 1000, NOW - DAY, NOW];
    for (const org_id of [desk.org_id, other.org_id]) {
      await desk.app.ctx.storage.commit(recordAt, { org_id, times: [...old, ...young] });
    }
    const retention = { ...keep, audit_events: 10, outbox_events: 10 };
    await purgeUntil(desk, 3, retention, async () => {
      for (const org of [desk.org_id, other.org_id]) {
        const left = await stored(desk, "outbox_events", org);
        if (left.length > young.length) return false;
        const things = (await stored(desk, "audit_events", org)).filter(({ action }) =>
          action === "thing.changed"
        );
        if (things.length > young.length) return false;
      }
      return true;
    });
    for (const org of [desk.org_id, other.org_id]) {
      const auditLog = await stored(desk, "audit_events", org);
      const left = auditLog.filter(({ action }) => action === "thing.changed").map(({ at }) => at);
      assert.deepEqual(left.sort(), young.map((at) => toTimestamp(at)).sort());
      const outbox = (await stored(desk, "outbox_events", org)).map(({ at }) => at);
      assert.deepEqual(outbox.sort(), young.map((at) => toTimestamp(at)).sort());
      // Each batch says how many rows went: all of them, none twice.
      const purges = auditLog.filter(({ action }) => action === "retention.purged");
      for (const table of ["audit_events", "outbox_events"]) {
        const counted = purges.filter(({ object_id }) => object_id === table)
          .map(({ detail }) => JSON.parse(detail ?? "{}"));
        assert.equal(counted.reduce((sum, { rows }) => sum + rows, 0), old.length, table);
        assert.ok(
          counted.every(({ rows, before }) => rows <= 200 && before === "2026-02-28T00:00:00.000Z"),
        );
      }
      assert.ok(purges.every(({ actor }) => actor === "retention"));
    }
  },
  { extra },
);

testOnEngines(
  "retention: what has ended goes by itself, what lives stays, a claim's secret is erased at its end",
  async (desk) => {
    const { org_id } = desk;
    const times = [NOW - 400 * DAY, NOW - DAY, NOW - 1000, NOW, NOW + 1000, NOW + DAY];
    await desk.app.ctx.storage.commit(endAt, { org_id, times });
    await purgeUntil(
      desk,
      2,
      { ...keep, claims: 365 },
      async () =>
        (await stored(desk, "oauth_tokens")).length === 2 &&
        (await stored(desk, "claims")).filter(({ secret }) => secret !== null).length === 2 &&
        (await stored(desk, "claims")).length === 5,
    );
    const alive = [toTimestamp(NOW + 1000), toTimestamp(NOW + DAY)];
    const tokens = await stored(desk, "oauth_tokens");
    assert.deepEqual(tokens.map(({ expires_at }) => expires_at), alive);
    const claims = await stored(desk, "claims");
    // The oldest one went; all others are in the list, those that are over without their secret.
    const sealed = claims.filter(({ secret }) => secret !== null);
    assert.deepEqual(sealed.map(({ created_at }) => created_at), alive);
  },
  { extra },
);

testOnEngines(
  "retention: without a setting the audit log is kept for ever",
  async (desk) => {
    const times = [Date.parse("1999-01-01T00:00:00Z"), NOW];
    await desk.app.ctx.storage.commit(recordAt, { org_id: desk.org_id, times });
    await desk.app.ctx.storage.commit(endAt, { org_id: desk.org_id, times: [NOW - 1] });
    await purgeUntil(desk, 1, keep, async () => (await stored(desk, "oauth_tokens")).length === 0);
    assert.equal((await stored(desk, "audit_events")).length, 2);
    assert.equal((await stored(desk, "outbox_events")).length, 2);
    assert.equal((await stored(desk, "claims")).length, 1);
  },
  { extra },
);

testOnEngines(
  "retention: exactly the rows that are named go",
  async (desk) => {
    const { org_id } = desk;
    const times = Array.from({ length: 120 }, (_, i) => NOW - 90 * DAY - i * 1000);
    await desk.app.ctx.storage.commit(recordAt, { org_id, times });
    const ids = (await stored(desk, "outbox_events")).map(({ id }) => id ?? "");
    const named = ids.filter((_, i) => i % 2 === 0);
    const input = { table: "outbox_events" as const, org_id, before: toTimestamp(NOW), by: "test" };
    const { storage } = desk.app.ctx;
    assert.equal(await storage.commit(purgeOld, { ...input, ids: named, now: NOW }), named.length);
    // A second time there is nothing left of them, and nothing is said.
    assert.equal(await storage.commit(purgeOld, { ...input, ids: named, now: NOW }), 0);
    const left = (await stored(desk, "outbox_events")).map(({ id }) => id ?? "");
    assert.deepEqual(left, ids.filter((_, i) => i % 2 === 1));
    const auditLog = await stored(desk, "audit_events");
    assert.equal(auditLog.filter(({ action }) => action === "retention.purged").length, 1);
    // Another organisation's rows are not touched, whoever names them.
    assert.equal(await storage.commit(purgeOld, { ...input, org_id: "x", ids: left, now: NOW }), 0);
  },
  { extra },
);

testOnEngines(
  "retention: temporary access goes 400 days after its end, and none that is under way",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const { org_id } = desk;
    const ends = { old: NOW - 401 * DAY, young: NOW - 399 * DAY, open: NOW - 500 * DAY };
    await storage.commit(takeTemporaryAccessAt, { org_id, ends });
    await storage.commit(purgeEnded, { table: "elevations", now: NOW });
    const rows = await temporaryAccessesOf(storage.reader, { org_id });
    assert.deepEqual(rows.map(({ id }) => id), ["young", "open"]);
  },
  { extra: [takeTemporaryAccessAt] },
);

Deno.test("retention: a day begins at midnight UTC, and ids begin with their second", () => {
  assert.equal(cutOf(0, NOW), undefined);
  assert.equal(cutOf(1, NOW), "2026-03-09T00:00:00.000Z");
  assert.equal(cutOf(10, NOW), "2026-02-28T00:00:00.000Z");
  assert.equal(leastIdAt("1970-01-01T00:00:10.999Z"), "0000000a");
  assert.ok(newId(NOW) >= leastIdAt(toTimestamp(NOW)));
  assert.ok(newId(NOW - 1000) < leastIdAt(toTimestamp(NOW)));
  assert.equal(leastIdAt("1900-01-01T00:00:00.000Z"), "00000000");
});

async function callEverything(tx: Tx): Promise<void> {
  await findPurgeTime(tx);
  const at = toTimestamp(NOW);
  const passing = [
    "claim_links",
    "claim_secrets",
    "idempotent_answers",
    "mail_counts",
    "oauth_tokens",
    "sessions",
    "sign_in_codes",
    "sso_nonces",
    "elevations",
  ] as const;
  for (const table of passing) {
    await store.hasEnded(tx, table, at);
    await store.countEnded(tx, table, at);
    await store.removeEnded(tx, table, at);
  }
  for (const table of ["audit_events", "outbox_events", "claims"] as const) {
    await store.hasOld(tx, table, "org", at);
    await store.countOld(tx, table, "org", at);
    if (table === "audit_events") continue;
    await store.lockOld(tx, table, "org", at);
    await store.removeRows(tx, table, "org", ["a"]);
    await exported.oldRowsBehind(tx, table, "org", at, undefined);
  }
}

Deno.test("sqlite: every statement of retention finds its rows by an index, in their order", async () => {
  const planned = await plansOf(callEverything);
  assert.equal(planned.length, 40);
  for (const { sql, plan, steps } of planned) {
    // The list of what the inner search found.
    const found = steps.filter((step) => !/LIST SUBQUERY/.test(step)).join("\n");
    assert.match(found, /SEARCH/, `${sql}\n${plan}`);
    assert.doesNotMatch(found, /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
  }
});
