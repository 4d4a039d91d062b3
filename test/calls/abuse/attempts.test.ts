/** How failures are counted: back-off that doubles to a cap, in bounded memory. */
import assert from "node:assert/strict";
import { Attempts } from "../../../src/calls/abuse/attempts.ts";
import {
  BoundedCounters,
  FORGOTTEN_MS,
  limitOfOne,
} from "../../../src/calls/abuse/bounded-counters.ts";
import { Failure } from "../../../src/kernel/failure.ts";

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;
const limit = { free: 2, firstMs: SECOND, longestMs: 5 * SECOND };

function testClock() {
  const clock = { at: 1_000_000, now: () => clock.at };
  return clock;
}

/** The seconds that an attempt has to wait; 0 where it may go on. */
function waitOf(attempts: Attempts, who: { address: string | undefined; name: string }): number {
  try {
    attempts.begin(who);
    return 0;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === "too_many_requests");
    return error.retryAfterSeconds ?? 0;
  }
}

Deno.test("counters: free failures cost nothing, then the wait doubles up to its cap", () => {
  const counters = new BoundedCounters(limit, 10);
  const waits: number[] = [];
  let now = 0;
  for (let i = 0; i < 7; i++) {
    counters.add("key", now);
    waits.push(counters.waitOf("key", now));
    now += counters.waitOf("key", now);
  }
  assert.deepEqual(waits, [0, 0, 1000, 2000, 4000, 5000, 5000]);
  assert.equal(counters.waitOf("another", now), 0);
});

Deno.test("counters: an hour without a failure forgets them", () => {
  const counters = new BoundedCounters(limit, 10);
  for (let i = 0; i < 5; i++) counters.add("key", 0);
  counters.add("key", FORGOTTEN_MS);
  assert.equal(counters.waitOf("key", FORGOTTEN_MS), 0);
});

Deno.test("counters: a failure taken back leaves what was before, and not what others did since", () => {
  const counters = new BoundedCounters(limit, 10);
  counters.add("key", 0);
  counters.add("key", 0);
  const takeBack = counters.add("key", 0);
  assert.equal(counters.waitOf("key", 0), 1000);
  takeBack();
  assert.equal(counters.waitOf("key", 0), 0);
  const first = counters.add("key", 10);
  counters.add("key", 20);
  first();
  assert.equal(counters.waitOf("key", 20), 2000);
});

Deno.test("counters: memory is bounded, and what was touched longest ago goes first", () => {
  const counters = new BoundedCounters(limit, 100);
  for (let i = 0; i < 5; i++) counters.add("kept", 0);
  for (let i = 0; i < 10_000; i++) {
    counters.add(`other ${i}`, 0);
    if (i % 50 === 0) counters.add("kept", 0);
  }
  assert.equal(counters.size, 100);
  assert.ok(counters.waitOf("kept", 0) > 0);
  for (let i = 0; i < 100; i++) counters.add(`last ${i}`, 0);
  assert.equal(counters.waitOf("kept", 0), 0);
});

Deno.test("attempts: a million strangers leave a bounded number of keys behind", () => {
  const attempts = new Attempts(testClock(), { mostKeys: 50 });
  for (let i = 0; i < 20_000; i++) {
    attempts.failed("access", {
      address: `10.${i >> 16}.${i >> 8 & 255}.${i & 255}`,
      credential: `${i}`,
    });
    attempts.failed("client", { address: `${i}`, name: `${i}`, credential: `${i}` });
    waitOf(attempts, { address: `${i}`, name: `${i}` });
  }
  assert.equal(attempts.size, 7 * 50);
});

Deno.test("attempts: guesses at one name are slowed for everybody, and a success forgets them", () => {
  const clock = testClock();
  const attempts = new Attempts(clock);
  for (let i = 0; i < 6; i++) assert.equal(waitOf(attempts, { address: `a${i}`, name: "ada" }), 0);
  assert.equal(waitOf(attempts, { address: "elsewhere", name: "ada" }), 1);
  assert.equal(waitOf(attempts, { address: "a0", name: "bob" }), 0);
  clock.at += SECOND;
  attempts.begin({ address: "home", name: "ada" }).succeeded();
  for (let i = 0; i < 6; i++) assert.equal(waitOf(attempts, { address: `a${i}`, name: "ada" }), 0);
});

Deno.test("attempts: many at the same moment don't all pass", () => {
  const attempts = new Attempts(testClock());
  const passed = Array.from({ length: 100 }, () => waitOf(attempts, { address: "a", name: "ada" }))
    .filter((wait) => wait === 0).length;
  assert.equal(passed, 6);
});

Deno.test("attempts: a name's wait never grows beyond five minutes, and ends when it was said to", () => {
  const clock = testClock();
  const attempts = new Attempts(clock);
  let longest = 0;
  for (let i = 0; i < 40; i++) {
    if (waitOf(attempts, { address: undefined, name: "ada" }) === 0) continue;
    // Those that are refused don't prolong it.
    const wait = waitOf(attempts, { address: undefined, name: "ada" });
    longest = Math.max(longest, wait);
    clock.at += wait * SECOND;
    assert.equal(waitOf(attempts, { address: undefined, name: "ada" }), 0);
  }
  assert.equal(longest, 300);
});

Deno.test("attempts: one address that tries many names is slowed, unless it was right or nobody looked", () => {
  const attempts = new Attempts(testClock());
  for (let i = 0; i < 500; i++) {
    attempts.begin({ address: "portal", name: `right ${i}` }).succeeded();
    attempts.begin({ address: "portal", name: `busy ${i}` }).withdrawn();
  }
  const tried = Array.from({ length: 200 }, (_, i) => i).filter((i) =>
    waitOf(attempts, { address: "portal", name: `guess ${i}` }) === 0
  );
  assert.equal(tried.length, 101);
});

Deno.test("attempts: wrong access tokens leave passwords from the same address alone", () => {
  const attempts = new Attempts(testClock());
  for (let i = 0; i < 500; i++) {
    attempts.failed("access", { address: "portal", credential: `${i}` });
  }
  assert.equal(waitOf(attempts, { address: "portal", name: "ada" }), 0);
});

Deno.test("attempts: several processes let through together what one alone would", () => {
  /**
   * Who guesses without a break at one name through each of the processes: how many attempts get
   * through.
   */
  const through = (processes: number, ms: number) => {
    const clock = testClock();
    const all = Array.from({ length: processes }, () => new Attempts(clock, { processes }));
    let passed = 0;
    for (const end = clock.at + ms; clock.at < end; clock.at += SECOND) {
      for (const attempts of all) {
        while (waitOf(attempts, { address: undefined, name: "ada" }) === 0) passed++;
      }
    }
    return passed;
  };
  assert.deepEqual([1, 2, 3].map((processes) => through(processes, SECOND)), [6, 6, 6]);
  // Behind the waits that grow, which each process has for itself.
  const hours = (processes: number) => through(processes, 3 * HOUR) - through(processes, HOUR);
  assert.equal(hours(1), 24);
  for (const processes of [2, 3]) assert.ok(hours(processes) <= 24 + processes);
});

Deno.test("attempts: each process lets one through at least", () => {
  assert.deepEqual(limitOfOne(limit, 1), limit);
  assert.deepEqual(limitOfOne(limit, 10), { free: 0, firstMs: 10_000, longestMs: 50_000 });
});
