import assert from "node:assert/strict";
import {
  type CensusContext,
  keyCensus,
} from "../../../../src/features/migration/shadow-mode/key-census.ts";
import type { Storage } from "../../../../src/storage/storage.ts";

/** An empty store that counts how often it is counted, each time for so long. */
function counted() {
  const counts = { made: 0, tookMs: 0, fails: false };
  let now = 0;
  const rows = () => {
    counts.made++;
    now += counts.tookMs;
    return counts.fails ? Promise.reject(new Error("away")) : Promise.resolve([]);
  };
  const storage = { reader: { rows } } as unknown as Storage; // as: no more is asked of it.
  const count = async (org_id = "a") => {
    const ctx = { storage, clock: { now: () => 0 }, principal: { org_id } };
    await keyCensus(ctx as CensusContext, () => now); // as: nothing else is read of a clock.
  };
  return { counts, count, pass: (ms: number) => now += ms };
}

Deno.test("census: a short count is made for each call, and once for calls at once", async () => {
  const { counts, count } = counted();
  counts.tookMs = 200;
  await count();
  await count();
  assert.equal(counts.made, 2);
  await Promise.all([count(), count(), count()]);
  assert.equal(counts.made, 3);
});

Deno.test("census: a long count is told for ten times as long, to its own organisation", async () => {
  const { counts, count, pass } = counted();
  counts.tookMs = 300;
  await count();
  pass(2999);
  await count();
  assert.equal(counts.made, 1);
  await count("b");
  assert.equal(counts.made, 2);
  pass(1);
  await count();
  assert.equal(counts.made, 3);
});

Deno.test("census: a count that failed is nobody's", async () => {
  const { counts, count } = counted();
  counts.tookMs = 300;
  counts.fails = true;
  await assert.rejects(count(), /away/);
  counts.fails = false;
  await count();
  assert.equal(counts.made, 2);
});
