/** Use of spans that end now, from an hour to a year, each compared with the one before. */
import assert from "node:assert/strict";
import { UsageCounter } from "../../../../src/features/verification/usage/usage-counter.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { issue, movableClock } from "../../../support/keys.ts";
import { usageOf, written } from "../../../support/usage.ts";
import { planWith } from "../../../support/verification.ts";

const NOW = Date.parse("2026-06-10T14:25:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const clock = movableClock();

/** Counts so many calls of a key at each of these times. */
async function counted(desk: TestDesk, key_id: string, calls: [at: number, n: number][]) {
  const counter = new UsageCounter(desk.app.ctx.storage);
  const key = { org_id: desk.org_id, key_id, facts: { developer_id: "dev-ada" } };
  const call = { plan_id: "plan", api_id: "api", isNamedByPlan: true } as const;
  for (const [at, n] of calls) {
    for (let i = 0; i < n; i++) {
      const status = i === 0 ? 429 : 200;
      const reason = i === 0 ? "over_rate" as const : undefined;
      counter.count(key, { ...call, status, ...reason ? { reason } : {} }, at);
    }
    await counter.flush();
  }
  await written(desk);
}

testOnEngines(
  "usage: each span has its whole hours or days and the present one, and is compared with as many before",
  async (desk) => {
    clock.at = NOW;
    const { key_id } = await issue(desk, [await planWith(desk, {})], "dev-ada");
    const midnight = Date.parse("2026-06-10T00:00:00Z");
    await counted(desk, key_id, [
      [NOW, 2],
      [NOW - HOUR, 3],
      [NOW - 2 * HOUR, 4],
      [NOW - 24 * HOUR, 5],
      [NOW - 25 * HOUR, 6],
      [NOW - 7 * DAY, 7],
      [midnight - 7 * DAY - HOUR, 8],
      [NOW - 30 * DAY, 9],
      [NOW - 31 * DAY, 10],
      [NOW - 90 * DAY, 11],
      [NOW - 91 * DAY, 12],
      [NOW - 365 * DAY, 13],
    ]);
    // Rows, all calls, those compared, and those before.
    const expected: Record<string, [number, number, number | null, number | null]> = {
      hour: [2, 5, 3, 4],
      day: [4, 14, 12, 6],
      week: [3, 27, 18, 8],
      month: [5, 44, 35, 10],
      quarter: [7, 65, 56, 12],
      year: [9, 90, null, null],
    };
    for (const [last, figures] of Object.entries(expected)) {
      const { data, total, compared } = await usageOf(desk, `key=${key_id}&last=${last}`);
      const told = [data.length, total.hits, compared?.now.hits, compared?.before.hits];
      assert.deepEqual(told.map((one) => one ?? null), figures, last);
    }
    const hour = await usageOf(desk, `key=${key_id}&last=hour`);
    assert.equal(hour.by, "hour");
    assert.deepEqual([hour.since, hour.until], [
      "2026-06-10T13:00:00.000Z",
      "2026-06-10T15:00:00.000Z",
    ]);
    assert.deepEqual(hour.compared, {
      now: {
        since: "2026-06-10T13:00:00.000Z",
        until: "2026-06-10T14:00:00.000Z",
        hits: 3,
        success: 2,
        error: 1,
      },
      before: {
        since: "2026-06-10T12:00:00.000Z",
        until: "2026-06-10T13:00:00.000Z",
        hits: 4,
        success: 3,
        error: 1,
      },
    });
    const week = await usageOf(desk, `key=${key_id}&last=week&by=hour`);
    assert.deepEqual([week.by, week.total.hits, week.since], [
      "hour",
      27,
      "2026-06-03T14:00:00.000Z",
    ]);
    // Another's key, and one that nobody knows, read as before: nothing, compared with nothing.
    const { admin } = await desk.otherOrganisation();
    const foreign = await usageOf(desk, `key=${key_id}&last=day`, admin);
    assert.deepEqual(foreign, await usageOf(desk, "key=none&last=day"));
    assert.deepEqual([foreign.compared?.now.hits, foreign.compared?.before.hits], [0, 0]);
  },
  { clock },
);

testOnEngines(
  "usage: days that are named are compared by their whole days, where those before are kept",
  async (desk) => {
    clock.at = NOW;
    const compared = async (query: string) => (await usageOf(desk, query)).compared;
    const both = await compared("from=2026-06-08&to=2026-06-10");
    assert.deepEqual(
      [both?.before.since, both?.now.since, both?.now.until].map((at) => at?.slice(0, 10)),
      ["2026-06-06", "2026-06-08", "2026-06-10"],
    );
    const past = await compared("from=2026-05-01&to=2026-05-02");
    assert.equal(past?.before.since, "2026-04-29T00:00:00.000Z");
    assert.equal(await compared("from=2026-06-10"), null, "today is no whole day");
    assert.equal(await compared("from=2027-01-01&to=2027-01-02"), null);
    assert.equal(await compared("from=2024-01-01&to=2024-01-02"), null, "no longer kept");
    assert.equal(await compared("to=0001-01-30"), null);
    for (const query of ["last=decade", "last=day&from=2026-06-01", "last=day&to=2026-06-01"]) {
      const response = await desk.send("GET", `/v1/usage?${query}`);
      assert.equal(response.status, 400, query);
      await response.body?.cancel();
    }
  },
  { clock },
);

testOnEngines(
  "usage: a span that is longer than counts are kept is refused",
  async (desk) => {
    clock.at = NOW;
    const response = await desk.send("GET", "/v1/usage?last=quarter");
    assert.equal(response.status, 400);
    await response.body?.cancel();
    assert.equal((await usageOf(desk, "last=month")).compared, null);
    assert.equal((await usageOf(desk, "last=week")).compared?.now.hits, 0);
  },
  { clock, environment: { KEYDESK_RETAIN_USE_DAYS: "40" } },
);
