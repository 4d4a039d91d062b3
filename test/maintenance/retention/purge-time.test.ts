/** A clock that jumps ends nothing: what is purged goes by measured time. */
import assert from "node:assert/strict";
import { recordChange } from "../../../src/changes/record-change.ts";
import { insertOneTimeLink } from "../../../src/features/keys/one-time-links/one-time-links.store.ts";
import { insertToken } from "../../../src/features/keys/oauth.store.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { newId } from "../../../src/kernel/ids.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { ensurePurgeTime, lastPurge } from "../../../src/maintenance/retention/last-purge.ts";
import { PURGE_DELAYED } from "../../../src/maintenance/retention/purge-lag.ts";
import { findPurgeTime } from "../../../src/maintenance/retention/purge-time.store.ts";
import { PurgeTime } from "../../../src/maintenance/retention/purge-time.ts";
import { startPurger } from "../../../src/maintenance/retention/purger.ts";
import { keepPurgeTime } from "../../../src/maintenance/retention/retention.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { movableClock } from "../../support/keys.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Long before any machine's clock, so that PostgreSQL's own clock never has the last word. */
const START = Date.parse("2026-03-10T15:00:00Z");

/** A purger's time that is looked at once a minute. */
function minutes(stored: number, start = START) {
  const state = { now: start, measured: 0, stored };
  const time = new PurgeTime(() => state.measured);
  const look = () => time.look(state.stored, state.now);
  look();
  return {
    state,
    time,
    pass: (count: number) => {
      let last = 0;
      for (let i = 0; i < count; i++) {
        state.now += MINUTE;
        state.measured += MINUTE;
        last = look();
        if (time.isToBeKept(state.stored)) state.stored = last;
      }
      return last;
    },
  };
}

Deno.test("purge time: with a clock that is right it is the clock's", () => {
  const { state, pass } = minutes(START);
  assert.equal(pass(600), state.now);
  assert.ok(state.now - state.stored <= 10 * MINUTE);
});

Deno.test("purge time: a jump forward moves it by what was measured and no further", () => {
  const { state, pass } = minutes(START);
  pass(60);
  state.now += 3650 * DAY;
  assert.equal(pass(300), START + 6 * HOUR);
  // Set right again, it is the clock's, and nothing was lost.
  state.now -= 3650 * DAY;
  assert.equal(pass(1), state.now);
});

Deno.test("purge time: after a start it catches up by a day in each hour, however far it is behind", () => {
  const year = 365 * DAY;
  const { state, pass } = minutes(START - year);
  assert.equal(pass(60), START - year + DAY);
  assert.equal(pass(60), START - year + 2 * DAY);
  pass(24 * 60 * 16);
  assert.equal(pass(1), state.now);
  // A jump of later is not what was missed before the start.
  const before = state.now;
  state.now += year;
  assert.equal(pass(60), before + HOUR);
});

Deno.test("purge time: a clock that was wrong at the start gives a later jump no more than it had", () => {
  const { state, pass } = minutes(START, START + 3650 * DAY);
  assert.equal(pass(60), START + DAY);
  state.now = START + HOUR;
  assert.equal(pass(1), state.now);
  state.now += 3650 * DAY;
  // What it was given in that hour is all that it has in advance.
  assert.ok(pass(60) <= START + DAY + HOUR + MINUTE);
});

Deno.test("purge time: a clock that is put back and set right holds nothing back", () => {
  const { state, pass } = minutes(START);
  pass(60);
  state.now -= 365 * DAY;
  assert.equal(pass(60), state.now);
  state.now += 365 * DAY;
  // But what passed meanwhile.
  assert.ok(state.now - pass(1) <= HOUR + 10 * MINUTE);
});

Deno.test("purge time: what a wrong clock left in the store is gone after a day of running", () => {
  const { state, pass } = minutes(START + 3650 * DAY);
  pass(23 * 60);
  assert.equal(state.stored, START + 3650 * DAY);
  pass(2 * 60);
  assert.ok(state.stored <= state.now);
});

Deno.test("purge time: several nodes together are no faster than one", () => {
  const shared = { now: START, measured: 0, stored: START };
  const nodes = Array.from({ length: 5 }, () => new PurgeTime(() => shared.measured));
  const lookAll = () => {
    for (const node of nodes) {
      shared.measured += 12_000;
      shared.now += 12_000;
      const last = node.look(shared.stored, shared.now);
      if (last > shared.stored) shared.stored = last;
    }
  };
  lookAll();
  shared.now += 3650 * DAY;
  for (let minute = 0; minute < 60; minute++) lookAll();
  assert.ok(shared.stored <= START + HOUR + 2 * MINUTE, `${(shared.stored - START) / MINUTE}`);
  assert.ok(shared.stored >= START + HOUR);
});

/** an audit log and an outbox of five days, and what ends within the next days. */
const fill = defineTransaction("test.fill", async (tx, input: { org_id: string; now: number }) => {
  const { org_id, now } = input;
  for (let day = 0; day < 5; day++) {
    const actor = { org_id, user_id: "user", token_id: "", now: now - day * DAY };
    await recordChange(tx, actor, { action: "thing.changed", object: "thing", object_id: "t" });
    const [issued_at, expires_at] = [toTimestamp(now), toTimestamp(now + (day + 1) * DAY)];
    const token = { org_id, hash: `hash-${day}`, key_id: "key", client_id: "c" };
    await insertToken(tx, { ...token, issued_at, expires_at });
    await insertOneTimeLink(tx, {
      org_id,
      id: newId(now),
      key_id: "key",
      request_id: "r",
      created_by: "u",
      hash: `claim-${day}`,
      secret: "sealed",
      created_at: issued_at,
      expires_at,
    });
  }
});

const countSql = statement<{ org_id: string; topic: string }>()((db, p) =>
  db.selectFrom("outbox_events").select("id as one").where("org_id", "=", p.org_id)
    .where("topic", "=", p.topic)
    .unionAll(db.selectFrom("oauth_tokens").select("hash as one").where("org_id", "=", p.org_id))
    .unionAll(
      db.selectFrom("claims").select("id as one").where("org_id", "=", p.org_id)
        .where("secret", "is not", null),
    )
    .unionAll(
      db.selectFrom("idempotent_answers").select("scope as one").where("org_id", "=", p.org_id),
    )
    .unionAll(db.selectFrom("sessions").select("id as one").where("org_id", "=", p.org_id))
    .unionAll(
      db.selectFrom("audit_events").select("id as one").where("org_id", "=", p.org_id)
        .where("object", "=", "thing"),
    )
);

const rowsOf = async ({ org_id, app }: TestDesk) =>
  (await app.ctx.storage.reader.rows(countSql, { org_id, topic: "thing.changed" })).length;

const clock = movableClock();

const forgetSql = statement<Record<never, never>>()((db) => db.deleteFrom("purge_clock"));
const forget = defineTransaction("test.forget", async (tx, _: null) => {
  await tx.change(forgetSql, {});
  return null;
});

testOnEngines(
  "retention: a clock that jumps by months erases nothing, is told of, and a person lifts it",
  async (desk) => {
    const { storage, problems } = desk.app.ctx;
    clock.at = START;
    await storage.commit(keepPurgeTime, { until: START });
    await storage.commit(fill, { org_id: desk.org_id, now: START });
    const body = { by_user: "ada", for_plan: "plan" };
    const headers = { "idempotency-key": "once-and-never-again" };
    const created = await desk.send("POST", "/api/portal/requests", { headers, body });
    assert.equal(created.status, 200, await created.text());
    const signedIn = await desk.send("POST", "/v1/session", {
      credential: null,
      body: { access_token: desk.admin },
    });
    assert.ok(signedIn.status < 300, await signedIn.text());
    const all = await rowsOf(desk);
    assert.ok(all >= 5 * 4 + 2, `${all}`);

    const measured = { ms: 0, looks: 0 };
    const time = new PurgeTime(() => {
      measured.looks++;
      return measured.ms;
    });
    const kept = {
      audit_events: 30,
      outbox_events: 30,
      deliveries: 30,
      claims: 30,
      usage_hours: 35,
      usage_days: 35,
    };
    const purger = startPurger({ storage, clock, problems }, kept, {
      restMs: 5,
      time,
      before: () => appendAll(desk.app.ctx),
    });
    const rounds = async (more: number) => {
      const wanted = measured.looks + more;
      await eventually("rounds of the purger", () => Promise.resolve(measured.looks >= wanted));
    };
    try {
      await rounds(2);
      assert.equal(await findPurgeTime(storage.reader), START);
      clock.at = START + 200 * DAY;
      measured.ms += HOUR;
      await rounds(5);
      assert.equal(await rowsOf(desk), all);
      const [held, ...others] = problems.current();
      assert.deepEqual([held?.name, held?.stops, others], [PURGE_DELAYED, "nothing", []]);
      assert.match(held?.reason ?? "", /keydesk purge --now/);
      const { warnings } = await (await desk.send("GET", "/v1/server")).json();
      assert.ok(warnings.includes(held?.reason), JSON.stringify(warnings));

      // Set right again: the problem is over, and nothing was lost.
      clock.at = START + HOUR;
      await rounds(3);
      assert.deepEqual(problems.current(), []);
      assert.equal(await rowsOf(desk), all);

      // The time is really over, and a person says so.
      clock.at = START + 200 * DAY;
      await rounds(3);
      assert.equal(await rowsOf(desk), all);
      await storage.commit(keepPurgeTime, { until: clock.at });
      await eventually("the purger", async () => await rowsOf(desk) === 0);
      assert.deepEqual(problems.current(), []);
    } finally {
      purger.stop();
    }
  },
  { extra: [fill], clock },
);

const newborn = movableClock("2025-01-01T00:00:00Z");

testOnEngines(
  "purge time: a clock that jumps ahead before the first turn over a new store ends nothing of its audit log",
  async (desk) => {
    const { storage, problems } = desk.app.ctx;
    const made = newborn.at;
    assert.equal(await findPurgeTime(storage.reader), made, "the store is made with it");
    await storage.commit(fill, { org_id: desk.org_id, now: made });
    // Less than any machine's own clock says, so that PostgreSQL's agrees.
    newborn.at += 600 * DAY;
    const body = { by_user: "ada", for_plan: "plan" };
    assert.equal((await desk.send("POST", "/api/portal/requests", { body })).status, 200);
    const all = await rowsOf(desk);
    const measured = { ms: 0, looks: 0 };
    const time = new PurgeTime(() => {
      measured.looks++;
      return measured.ms;
    });
    const year = { audit_events: 365, outbox_events: 365, deliveries: 365, claims: 365 };
    const kept = { ...year, usage_hours: 400, usage_days: 400 };
    const purger = startPurger({ storage, clock: newborn, problems }, kept, {
      restMs: 5,
      time,
      before: () => appendAll(desk.app.ctx),
    });
    try {
      await eventually("rounds of the purger", () => Promise.resolve(measured.looks >= 5));
      assert.equal(await rowsOf(desk), all);
      assert.deepEqual(problems.current().map(({ name }) => name), [PURGE_DELAYED]);
    } finally {
      purger.stop();
    }
  },
  { extra: [fill], clock: newborn },
);

testOnEngines(
  "purge time: a store that lost it is as old as the oldest row of its audit log",
  async (desk) => {
    const { storage } = desk.app.ctx;
    await storage.commit(forget, null);
    clock.at = START + 100 * DAY;
    const body = { by_user: "ada", for_plan: "plan" };
    assert.equal((await desk.send("POST", "/api/portal/requests", { body })).status, 200);
    clock.at += 3650 * DAY;
    assert.ok(await lastPurge(storage.reader, clock.at) <= START + 100 * DAY);
    await ensurePurgeTime(storage, clock);
    const known = await findPurgeTime(storage.reader) ?? Infinity;
    assert.ok(known <= START + 100 * DAY);
    await ensurePurgeTime(storage, { now: () => 0 });
    assert.equal(await findPurgeTime(storage.reader), known, "what it knows stays");
  },
  { clock, extra: [forget] },
);

Deno.test("purge time: what another process brought far ahead counts a day at once, and wholly from the next look on", () => {
  const time = new PurgeTime(() => 0);
  const now = START + 3650 * DAY;
  assert.equal(time.look(START, now), START);
  const ahead = START + 365 * DAY;
  assert.equal(time.look(ahead, now), START + DAY);
  assert.equal(time.look(ahead, now), ahead);
});

testOnEngines(
  "purge time: of what passes while the purger looks, nothing is lost",
  async (desk) => {
    const { storage, problems } = desk.app.ctx;
    let at = START;
    let looks = 0;
    const looking = {
      // This machine stands still for a day after its clock was read once.
      now: () => {
        const read = at;
        if (++looks === 5) at += DAY;
        return read;
      },
    };
    const none = {
      audit_events: 0,
      outbox_events: 0,
      deliveries: 0,
      claims: 0,
      usage_hours: 0,
      usage_days: 0,
    };
    const purger = startPurger({ storage, clock: looking, problems }, none, {
      restMs: 5,
      time: new PurgeTime(() => at),
    });
    try {
      await eventually("its day", async () => await findPurgeTime(storage.reader) === START + DAY);
    } finally {
      purger.stop();
    }
  },
  { clock },
);
