/** Use: what is counted of whom, what is told of it, and what nobody learns. */
import assert from "node:assert/strict";
import { UsageCounter } from "../../../../src/features/verification/usage/usage-counter.ts";
import { Failure } from "../../../../src/kernel/failure.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { call, issue, movableClock } from "../../../support/keys.ts";
import { countsOf, storedUsage, usageOf, written } from "../../../support/usage.ts";
import { changePlan, outcome, planWith, valid, withSecond } from "../../../support/verification.ts";

const clock = movableClock();

/** A key of a plan that opens two APIs, and one of a plan that opens all. */
async function twoKeys(desk: TestDesk) {
  clock.at = Date.parse("2026-03-01T22:10:00Z");
  const narrow = await planWith(desk, {}, ["weather", "tides"]);
  const wide = await planWith(desk, {});
  const ada = await issue(desk, [narrow], "dev-ada");
  const bob = await issue(desk, [wide], "dev-bob");
  return { narrow, wide, ada, bob };
}

testOnEngines(
  "usage: a call counts for its key, developer, plan, API and organisation, by hour and by day",
  async (desk) => {
    const { narrow, wide, ada, bob } = await twoKeys(desk);
    await valid(desk, { key: ada.RawKey, api_id: "weather" });
    clock.at += 60_000;
    await valid(desk, { key: ada.RawKey, api_id: "weather" });
    await valid(desk, ada.RawKey);
    assert.equal(await outcome(desk, { key: ada.RawKey, api_id: "maps" }), "wrong_api");
    clock.at += 2 * 60 * 60_000;
    await valid(desk, { key: ada.RawKey, api_id: "tides" });
    await valid(desk, { key: bob.RawKey, api_id: "weather" });
    await written(desk);

    assert.deepEqual(await usageOf(desk, `key=${ada.key_id}`), {
      by: "day",
      from: "2026-02-01",
      to: "2026-03-02",
      since: "2026-02-01T00:00:00.000Z",
      until: "2026-03-03T00:00:00.000Z",
      data: [
        {
          at: "2026-03-01T00:00:00.000Z",
          hits: 4,
          success: 3,
          error: 1,
          refused: { 401: 0, 403: 1, 429: 0 },
          reasons: [{ reason: "wrong_api", calls: 1 }],
          last_hit: "2026-03-01T22:11:00.000Z",
        },
        {
          at: "2026-03-02T00:00:00.000Z",
          hits: 1,
          success: 1,
          error: 0,
          refused: { 401: 0, 403: 0, 429: 0 },
          reasons: [],
          last_hit: "2026-03-02T00:11:00.000Z",
        },
      ],
      total: {
        hits: 5,
        success: 4,
        error: 1,
        refused: { 401: 0, 403: 1, 429: 0 },
        reasons: [{ reason: "wrong_api", calls: 1 }],
        last_hit: "2026-03-02T00:11:00.000Z",
      },
      compared: {
        now: {
          since: "2026-02-01T00:00:00.000Z",
          until: "2026-03-02T00:00:00.000Z",
          hits: 4,
          success: 3,
          error: 1,
        },
        before: {
          since: "2026-01-03T00:00:00.000Z",
          until: "2026-02-01T00:00:00.000Z",
          hits: 0,
          success: 0,
          error: 0,
        },
      },
    });
    const byHour = await usageOf(desk, `key=${ada.key_id}&by=hour&from=2026-03-01&to=2026-03-02`);
    assert.deepEqual(byHour.data.map(({ at, hits }) => [at, hits]), [
      ["2026-03-01T22:00:00.000Z", 4],
      ["2026-03-02T00:00:00.000Z", 1],
    ]);
    const expected: Record<string, [number, number, number]> = {
      [`key=${ada.key_id}&api=weather`]: [2, 2, 0],
      [`key=${ada.key_id}&plan=${narrow}`]: [4, 4, 0],
      [`key=${ada.key_id}&plan=${narrow}&api=tides`]: [1, 1, 0],
      [`key=${ada.key_id}&plan=${wide}`]: [0, 0, 0],
      "developer=dev-ada": [5, 4, 1],
      "developer=dev-bob": [1, 1, 0],
      // Nobody's plan refused it: it counts for no plan, and not for what the caller named.
      [`plan=${narrow}`]: [4, 4, 0],
      [`plan=${wide}`]: [1, 1, 0],
      "api=weather": [3, 3, 0],
      "api=tides": [1, 1, 0],
      "api=maps": [0, 0, 0],
      "": [6, 5, 1],
      "from=2026-03-02&to=2026-03-02": [2, 2, 0],
    };
    for (const [query, counts] of Object.entries(expected)) {
      for (const by of ["day", "hour"]) {
        // By hour no more than 35 days: 30 is what is told anyhow.
        assert.deepEqual(await countsOf(desk, `${query}&by=${by}`), counts, `${query} ${by}`);
      }
    }
  },
  { clock },
);

testOnEngines(
  "usage: a refusal counts with its status; unknown keys count nowhere",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:00Z");
    const plan = await planWith(desk, { rate: 1, per: 3600 });
    const { RawKey, key_id } = await issue(desk, [plan]);
    await valid(desk, RawKey);
    assert.equal(await outcome(desk, RawKey), "over_rate");
    assert.equal(await outcome(desk, RawKey), "over_rate");
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "for a test" });
    await withSecond(desk, async (second) => {
      assert.equal(await outcome(second, RawKey), "suspended");
      assert.equal(await outcome(second, "no-such-key"), "unknown");
      assert.equal(await outcome(second, { username: RawKey, password: "x" }), "unknown");
      await written(second);
    }, clock);
    await written(desk);
    const { data, total } = await usageOf(desk, `key=${key_id}`);
    assert.equal(data.length, 1);
    assert.deepEqual(total.refused, { 401: 1, 403: 0, 429: 2 });
    assert.deepEqual([total.hits, total.success, total.error], [4, 1, 3]);
    assert.deepEqual((await usageOf(desk, `plan=${plan}`)).total.refused, {
      401: 0,
      403: 0,
      429: 2,
    });
    assert.deepEqual(await countsOf(desk), [4, 1, 3]);
    const { hours } = await storedUsage(desk);
    assert.ok(!JSON.stringify(hours).includes("no-such-key"));
    await changePlan(desk, plan, { active: false });
    await call(desk, "POST", `/v1/keys/${key_id}/resume`, { reason: "for a test" });
    await withSecond(desk, async (second) => {
      assert.equal(await outcome(second, RawKey), "plan_inactive");
      await written(second);
    }, clock);
    assert.deepEqual((await usageOf(desk, `key=${key_id}`)).total.refused, {
      401: 1,
      403: 1,
      429: 2,
    });
  },
  { clock },
);

testOnEngines(
  "usage: several nodes and restarts add up, and nothing counts twice",
  async (desk) => {
    const { ada } = await twoKeys(desk);
    const questions = [{ key: ada.RawKey, api_id: "weather" }, {
      key: ada.RawKey,
      api_id: "tides",
    }];
    for (let round = 0; round < 3; round++) {
      await withSecond(desk, async (second) => {
        for (const question of questions) {
          await Promise.all(
            [desk, second].flatMap((one) => Array.from({ length: 20 }, () => valid(one, question))),
          );
        }
        await Promise.all([written(desk), written(second), written(desk)]);
        // What is counted now is written by the end of the application.
        await valid(second, ada.RawKey);
      }, clock);
    }
    assert.deepEqual(await countsOf(desk, `key=${ada.key_id}`), [243, 243, 0]);
    assert.deepEqual(await countsOf(desk), [243, 243, 0]);
    const { hours, days } = await storedUsage(desk);
    // Organisation, developer, plan, two APIs, and the key with none and each of them; the same
    // three of doors that nobody set up, and of all doors.
    assert.deepEqual([hours.length, days.length], [14, 14]);
  },
  { clock },
);

testOnEngines(
  "usage: nodes that count the same keys in other orders lose nothing to each other",
  async (desk) => {
    const { ada, bob } = await twoKeys(desk);
    const keys = Array.from({ length: 250 }, (_, i) => ({
      org_id: desk.org_id,
      key_id: i % 2 === 0 ? ada.key_id : bob.key_id,
      facts: { developer_id: i % 3 === 0 ? "dev-ada" : "dev-bob" },
    }));
    const call = { status: 429, plan_id: "plan", api_id: "api", isNamedByPlan: true } as const;
    const nodes = Array.from({ length: 4 }, () => new UsageCounter(desk.app.ctx.storage));
    for (let round = 0; round < 3; round++) {
      for (const [n, node] of nodes.entries()) {
        for (const key of n % 2 === 0 ? keys : keys.toReversed()) node.count(key, call, clock.at);
      }
      await Promise.all(nodes.map((node) => node.flush()));
    }
    assert.deepEqual(await countsOf(desk), [3000, 0, 3000]);
    assert.deepEqual(await countsOf(desk, "plan=plan"), [3000, 0, 3000]);
  },
  { clock },
);

testOnEngines(
  "usage: a plan's calls are told by either of its ids, whichever the key names",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:00Z");
    const _id = await planWith(desk, { id: "tides-free" });
    assert.notEqual(_id, "tides-free");
    for (const named of [_id, "tides-free"]) {
      await valid(desk, (await issue(desk, [named], "dev-ada")).RawKey);
    }
    await written(desk);
    for (const plan of [_id, "tides-free"]) {
      assert.deepEqual(await countsOf(desk, `plan=${plan}`), [2, 2, 0], plan);
    }
  },
  { clock },
);

testOnEngines("usage: what nobody knows and what is foreign was never used", async (desk) => {
  const { ada, narrow } = await twoKeys(desk);
  await valid(desk, { key: ada.RawKey, api_id: "weather" });
  await written(desk);
  const { admin } = await desk.otherOrganisation();
  const empty = await usageOf(desk, "key=none");
  assert.deepEqual([empty.data, empty.total.hits, empty.total.last_hit], [[], 0, null]);
  const queries = [`key=${ada.key_id}`, `plan=${narrow}`, "developer=dev-ada", "api=weather", ""];
  for (const query of queries) {
    assert.deepEqual(await usageOf(desk, query, admin), empty, query);
    assert.equal((await usageOf(desk, query)).total.hits, 1, query);
  }
}, { clock });

testOnEngines(
  "usage: the longest that can be asked for, and the first day there is",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:00Z");
    await usageOf(desk, "by=hour&from=2026-01-26");
    await usageOf(desk, "from=2025-01-26");
    assert.equal((await usageOf(desk, "to=0001-01-30")).from, "0001-01-01");
  },
  { clock },
);

testOnEngines(
  "usage: names of APIs that no plan names are bounded and of an id's form",
  async (desk) => {
    const { bob } = await twoKeys(desk);
    const apis = ["x".repeat(255), ...Array.from({ length: 120 }, (_, i) => `api-${i}`)];
    for (const api_id of apis) await valid(desk, { key: bob.RawKey, api_id });
    const passed = await desk.send("GET", `/v1/forward-auth?api=${"y".repeat(300)}`, {
      credential: null,
      headers: { "x-keydesk-authorization": desk.admin, authorization: bob.RawKey },
    });
    assert.equal(passed.status, 200, [...passed.headers].join());
    await written(desk);
    const { hours } = await storedUsage(desk);
    const named = hours.filter(({ kind }) => kind === "api").map(({ object_id }) => object_id);
    assert.equal(named.length, 100);
    assert.ok(named.every((name) => name.length <= 255));
    assert.deepEqual(await countsOf(desk), [122, 122, 0]);
  },
  { clock },
);

testOnEngines(
  "usage: while the store is away verdicts go on and nothing is lost; a batch of unknown outcome is not sent again",
  async (desk) => {
    const { ada, narrow } = await twoKeys(desk);
    // As the verifier has it: what the counter calls.
    const { storage } = desk.app.ctx;
    const counter = new UsageCounter({
      ...storage,
      ping: () => isAway ? Promise.reject(new Failure("unavailable")) : storage.ping(),
      commit: async (transaction, input) => {
        const kept = await storage.commit(transaction, input);
        if (answerIsLost) throw new Failure("unavailable");
        return kept;
      },
    });
    let isAway = true;
    let answerIsLost = false;
    const key = { org_id: desk.org_id, key_id: ada.key_id, facts: { developer_id: "dev-ada" } };
    const count = () =>
      counter.count(
        key,
        { status: 200, plan_id: narrow, api_id: "tides", isNamedByPlan: true },
        clock.at,
      );
    count();
    await counter.flush();
    assert.deepEqual(await countsOf(desk), [0, 0, 0]);
    count();
    isAway = false;
    answerIsLost = true;
    await counter.flush();
    assert.deepEqual(await countsOf(desk), [2, 2, 0]);
    answerIsLost = false;
    await counter.flush();
    assert.deepEqual(await countsOf(desk), [2, 2, 0]);
    count();
    await counter.flush();
    assert.deepEqual(await countsOf(desk), [3, 3, 0]);
  },
  { clock },
);

testOnEngines(
  "usage: a list's keys are told in one answer, in its order, of seven days and of one's own alone",
  async (desk) => {
    const { ada, bob } = await twoKeys(desk);
    await valid(desk, { key: ada.RawKey, api_id: "weather" });
    clock.at += 6 * 24 * 60 * 60_000;
    await valid(desk, { key: ada.RawKey, api_id: "tides" });
    await outcome(desk, { key: ada.RawKey, api_id: "maps" });
    await valid(desk, bob.RawKey);
    await written(desk);
    const of = async (keys: string, credential = desk.admin) =>
      (await call<{ data: unknown }>(
        desk,
        "GET",
        `/v1/usage/keys?keys=${keys}`,
        undefined,
        { credential },
      )).data;
    const told = (
      key_id: string,
      success: number,
      error: number,
      days = [0, 0, 0, 0, 0, 0, 0],
    ) => ({
      key_id,
      success,
      error,
      days,
    });
    const all = [
      told(bob.key_id, 1, 0, [0, 0, 0, 0, 0, 0, 1]),
      told("nobody", 0, 0),
      told(ada.key_id, 2, 1, [1, 0, 0, 0, 0, 0, 2]),
    ];
    assert.deepEqual(await of(`${bob.key_id},nobody,${ada.key_id},${bob.key_id}`), all);
    clock.at += 24 * 60 * 60_000;
    assert.deepEqual(await of(ada.key_id), [told(ada.key_id, 1, 1, [0, 0, 0, 0, 0, 2, 0])]);
    const { admin } = await desk.otherOrganisation();
    assert.deepEqual(await of(ada.key_id, admin), [told(ada.key_id, 0, 0)]);
    const many = Array.from({ length: 51 }, (_, at) => `key-${at}`).join();
    for (const keys of ["", many]) {
      const refused = await desk.send("GET", `/v1/usage/keys?keys=${keys}`);
      assert.equal((await refused.json()).code, "invalid_input");
    }
    // Of a developer who was deleted nobody is told any more.
    await call(desk, "DELETE", "/v1/developers/dev-ada?keys=revoke");
    assert.deepEqual(await of(ada.key_id), [told(ada.key_id, 0, 0)]);
  },
  { clock },
);
