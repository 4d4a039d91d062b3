/**
 * Who works alone does so for a time by the store's clock, whatever other clocks show, and gives
 * the right back when it stops.
 */
import assert from "node:assert/strict";
import { alertLease } from "../../src/features/notifications/alerts/alerts.store.ts";
import { fanOutLease } from "../../src/features/notifications/fan-out.store.ts";
import { jobLease } from "../../src/features/jobs/jobs.store.ts";
import { migrationLease } from "../../src/features/migration/lazy-migration/lazy-migration.store.ts";
import { scrubLease } from "../../src/maintenance/damage/scrub.store.ts";
import { appendLease } from "../../src/maintenance/audit-log/logs.store.ts";
import { startServer } from "../../src/server.ts";
import { type Connection, defineTransaction, type Storage } from "../../src/storage/storage.ts";
import { clockOf, DatabaseClock } from "../../src/storage/store-clock.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import { create, smallRequest } from "../support/key-requests.ts";
import { movableClock } from "../support/keys.ts";
import { call } from "../support/people.ts";

const HOUR_MS = 60 * 60 * 1000;

const leases = {
  auditLog: appendLease,
  deliveries: fanOutLease,
  alerts: alertLease,
  jobs: jobLease,
  scrub: scrubLease,
  learning: migrationLease,
};
type Name = keyof typeof leases;
const names: readonly Name[] = ["auditLog", "deliveries", "alerts", "jobs", "scrub", "learning"];

const hold = defineTransaction(
  "test.lease.hold",
  (tx, { name, holder, now }: { name: Name; holder: string; now: number }) =>
    leases[name].take(tx, holder, now),
);
const giveBack = defineTransaction(
  "test.lease.give-back",
  async (tx, { name, holder }: { name: Name; holder: string }): Promise<null> => {
    await leases[name].giveBack(tx, holder);
    return null;
  },
);
const extra = [hold, giveBack];

/** A lease over a desk's store. */
function leaseOf({ app: { ctx: { storage } } }: TestDesk, name: Name) {
  return {
    hold: (holder: string, now: number) => storage.commit(hold, { name, holder, now }),
    giveBack: (holder: string) => storage.commit(giveBack, { name, holder }),
    isOthers: (holder: string, now: number) => leases[name].isOthers(storage.reader, holder, now),
  };
}

testOnEngines(
  "leases: an end that no lease of ours can have counts as one that begins when it is seen",
  async (desk) => {
    const now = Date.parse("2026-05-01T00:00:00Z");
    for (const name of names) {
      const lease = leaseOf(desk, name);
      const { lengthMs } = leases[name];
      // As a node leaves it whose clock is an hour ahead, and that is killed.
      assert.equal(await lease.hold("ahead", now + HOUR_MS), true, name);
      assert.equal(await lease.isOthers("here", now), false, `${name}: its end is to be written`);
      assert.equal(await lease.hold("here", now), false, `${name}: it may be alive`);
      assert.equal(await lease.isOthers("here", now + lengthMs - 1), true, name);
      assert.equal(await lease.hold("here", now + lengthMs - 1), false, name);
      assert.equal(await lease.hold("here", now + lengthMs), true, `${name}: it is over`);
      // One that ends as ours do is left as it is.
      assert.equal(await lease.hold("other", now + lengthMs + 1), false, name);
      assert.equal(await lease.hold("other", now + 2 * lengthMs - 1), false, name);
      assert.equal(await lease.hold("other", now + 2 * lengthMs), true, name);
    }
  },
  { extra },
);

testOnEngines(
  "leases: what is given back is free at once, and only its holder gives it",
  async (desk) => {
    const now = Date.parse("2026-05-01T00:00:00Z");
    for (const name of names) {
      const lease = leaseOf(desk, name);
      await lease.hold("one", now);
      await lease.giveBack("other");
      assert.equal(await lease.isOthers("other", now), true, name);
      await lease.giveBack("one");
      assert.equal(await lease.isOthers("other", now), false, name);
      assert.equal(await lease.hold("other", now), true, name);
      assert.equal(await lease.hold("one", now), false, name);
    }
  },
  { extra },
);

testOnEngines(
  "leases: on PostgreSQL they go by the database's clock, whatever the machine's shows or does",
  async (desk) => {
    const { storage: { reader }, storeClock, clock } = desk.app.ctx;
    if (desk.engine === "sqlite") {
      assert.equal(await storeClock.now(), clock.now());
      assert.equal(storeClock.aheadMs(), undefined);
      return;
    }
    const ahead = { at: Date.now() + HOUR_MS, now: () => ahead.at };
    const measured = { at: 0 };
    let asked = 0;
    const counted: Connection = {
      dialect: reader.dialect,
      rows: (statement, params) => reader.rows(statement, params),
      row: (statement, params) => {
        asked++;
        return reader.row(statement, params);
      },
      change: (statement, params) => reader.change(statement, params),
    };
    const one = new DatabaseClock(counted, ahead, () => measured.at);
    // Of several who ask at once one asks the database, and what it said serves for a second.
    const [first = 0, second] = await Promise.all([one.now(), one.now()]);
    assert.equal(first, second);
    assert.equal(asked, 1);
    const before = await clockOf(reader) ?? 0;
    assert.ok(first <= before && before - first < HOUR_MS / 2, "it is the database's");
    assert.ok(Math.abs((one.aheadMs() ?? 0) - HOUR_MS) < HOUR_MS / 2);
    measured.at += 999;
    ahead.at += 999;
    assert.equal(await one.now(), first + 999);
    assert.equal(asked, 1);
    // A clock that is put forward is found out before anything is said by it, and so is a machine
    // that stood still.
    ahead.at += 2 * HOUR_MS;
    const after = await one.now();
    assert.equal(asked, 2);
    assert.ok(after >= first && after - first < HOUR_MS / 2);
    measured.at += 1000;
    ahead.at += 1000;
    await one.now();
    assert.equal(asked, 3);
  },
);

Deno.test("leases: a server that is told to stop gives back each that it has", async () => {
  const clock = movableClock();
  await using desk = await openTestDesk("sqlite", { clock });
  await call(desk, "POST", "/v1/channels", { name: "Portal", url: "https://portal.example.org/" });
  await create(desk, smallRequest({ by_user: "dev" }));
  // One over a filter is left to the engine.
  const filter = { developer: "dev" };
  await call(desk, "POST", "/v1/jobs", { kind: "decline", filter, reason: "test" });
  const seen: string[] = [];
  const { storage } = desk.app.ctx;
  const heard: Storage = {
    ...storage,
    commit: (transaction, input) => {
      seen.push(transaction.id);
      return storage.commit(transaction, input);
    },
    // The desk of the test closes it.
    close: () => Promise.resolve(),
  };
  const ctx = Object.assign(Object.create(desk.app.ctx), { storage: heard });
  const server = startServer({ ...desk.config, PORT: 0 }, { ...desk.app, ctx });
  const held = ["trail.append", "deliveries.fan-out", "jobs.take-turn", "alerts.tell"];
  try {
    await eventually("a turn of each", () => held.every((id) => seen.includes(id)));
  } finally {
    await server.stop();
  }
  for (const id of ["trail.leave", "deliveries.leave", "jobs.leave", "alerts.leave"]) {
    assert.ok(seen.includes(id), `${id}: ${seen}`);
  }
});
