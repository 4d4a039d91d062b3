/**
 * When a store counts as one that can't be written to, and when no longer; the time is the test's.
 */
import assert from "node:assert/strict";
import { systemClock } from "../../src/kernel/clock.ts";
import { Problems } from "../../src/kernel/problems.ts";
import type { WriteEnd } from "../../src/storage/storage.ts";
import { WriteHealth } from "../../src/storage/write-health.ts";

const SECOND = 1000;

/**
 * A health whose seconds the test counts. `attempts`: how often something small was tried
 * meanwhile.
 */
function watched() {
  let now = 0;
  let attempts = 0;
  const told: string[] = [];
  const problems = new Problems(systemClock);
  problems.listen((event, { name, reason }) => void told.push(`${name} ${event}: ${reason}`));
  const health = new WriteHealth(problems, () => now);
  const ends = (how: WriteEnd) => {
    health.began();
    health.ended(how);
  };
  return {
    health,
    told,
    ends,
    attempts: () => attempts,
    stops: () => problems.stops("writes"),
    /** Lets seconds pass, each with a look; `attempt`: how what is tried in it ends. */
    pass: async (seconds: number, attempt?: WriteEnd) => {
      for (let n = 0; n < seconds; n++) {
        now += SECOND;
        health.tick(() => {
          attempts++;
          if (attempt !== undefined) ends(attempt);
          return attempt === undefined ? Promise.reject(new Error()) : Promise.resolve();
        });
        await Promise.resolve();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    },
  };
}

const FAILS = { failed: "SQLITE_CANTOPEN" };

Deno.test("write health: five seconds of failed changes are a problem, which the next kept one ends", async () => {
  const { ends, pass, stops, told } = watched();
  ends(FAILS);
  await pass(4, FAILS);
  assert.ok(!stops(), "not yet");
  await pass(1, FAILS);
  assert.ok(stops());
  await pass(30, FAILS);
  ends("kept");
  assert.ok(!stops());
  assert.deepEqual(told, [
    "writes_fail begins: SQLITE_CANTOPEN",
    "writes_fail ends: SQLITE_CANTOPEN",
  ]);
});

Deno.test("write health: one kept change among failed ones begins the count anew", async () => {
  const { ends, pass, stops } = watched();
  for (let n = 0; n < 5; n++) {
    ends(FAILS);
    await pass(3, FAILS);
    ends("kept");
    await pass(3);
  }
  assert.ok(!stops());
});

Deno.test("write health: a change without anything to write says nothing", async () => {
  const { ends, pass, stops, health } = watched();
  ends("nothing");
  assert.equal(health.last(), undefined);
  ends(FAILS);
  for (let n = 0; n < 6; n++) {
    await pass(1);
    ends("nothing");
  }
  assert.ok(stops());
  assert.equal(health.last()?.outcome, "failed");
});

Deno.test("write health: while changes fail a small one is tried each second, else never", async () => {
  const { ends, pass, attempts, stops, told } = watched();
  ends("kept");
  await pass(10);
  assert.equal(attempts(), 0);
  ends(FAILS);
  await pass(8, FAILS);
  assert.equal(attempts(), 8);
  assert.ok(stops());
  await pass(1, "kept");
  assert.ok(!stops(), "nobody else has written");
  await pass(10);
  assert.equal(attempts(), 9);
  assert.equal(told.length, 2);
});

Deno.test("write health: on a full disk a small change that finds room hides no larger one that does not", async () => {
  const { ends, pass, stops } = watched();
  for (let n = 0; n < 8; n++) {
    ends({ failed: "SQLITE_FULL" });
    await pass(1, "kept");
  }
  assert.ok(stops());
  await pass(3, "kept");
  assert.ok(!stops(), "nothing has failed for a while");
});

Deno.test("write health: a change that never ends is a failed one", async () => {
  const { health, pass, stops, told } = watched();
  health.began();
  await pass(14);
  assert.ok(!stops() || told.length === 1);
  await pass(10);
  assert.deepEqual(told, ["writes_fail begins: no answer"]);
  health.ended("kept");
  assert.ok(!stops());
});

Deno.test("write health: what became of the last change, and how long ago", async () => {
  const { health, ends, pass } = watched();
  ends("kept");
  await pass(7);
  assert.deepEqual(health.last(), { outcome: "kept", ageMs: 7 * SECOND });
  ends(FAILS);
  assert.deepEqual(health.last(), { outcome: "failed", reason: "SQLITE_CANTOPEN", ageMs: 0 });
});

Deno.test("write health: a disk without room is a problem at once, until its reserve is there again", async () => {
  const { health, ends, pass, stops, attempts, told } = watched();
  health.room(true);
  assert.ok(stops());
  ends("kept");
  await pass(10, "kept");
  assert.ok(stops(), "what took the reserve says nothing of the rest");
  assert.equal(attempts(), 10);
  health.room(false);
  assert.ok(!stops());
  assert.deepEqual(told, ["writes_fail begins: SQLITE_FULL", "writes_fail ends: SQLITE_FULL"]);
});

Deno.test("write health: a log that is held back is a problem that stops no change, and something is written every five seconds", async () => {
  const { health, pass, attempts, stops, told } = watched();
  health.log("SQLITE_FULL");
  assert.ok(!stops());
  await pass(20, "kept");
  assert.equal(attempts(), 4);
  health.log(undefined);
  await pass(20);
  assert.equal(attempts(), 4);
  assert.deepEqual(told, ["log_held_back begins: SQLITE_FULL", "log_held_back ends: SQLITE_FULL"]);
});
