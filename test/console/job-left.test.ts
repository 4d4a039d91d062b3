/** How long a job will take yet, by its pace. */
import assert from "node:assert/strict";
import { leftOf } from "../../console/parts/job-left.ts";

const started_at = "2026-03-01T00:00:00.000Z";
const START = Date.parse(started_at);
const job = {
  state: "running" as const,
  total: 1204,
  started_at,
  done: 731,
  left_alone: 9,
  failed: 2,
};

Deno.test("job: what is left of it is told by its pace, in fives of seconds or in minutes", () => {
  assert.equal(leftOf(job, START + 40_000), "about 25 s left");
  assert.equal(leftOf(job, START + 742_000), "about 8 min left");
  assert.equal(leftOf({ ...job, done: 1192 }, START + 60_000), "about 5 s left");
});

Deno.test("job: nothing is told while the pace is not known, and once it stops", () => {
  assert.equal(leftOf({ ...job, done: 8 }, START + 40_000), "");
  assert.equal(leftOf({ ...job, total: null }, START + 40_000), "");
  assert.equal(leftOf(job, START - 1), "");
  for (const state of ["preparing", "stopping", "done", "stopped", "broken_off"] as const) {
    assert.equal(leftOf({ ...job, state }, START + 40_000), "");
  }
});
