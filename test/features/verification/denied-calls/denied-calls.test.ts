/** Why calls were refused: counted by reason, and kept one by one for a while. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { deniedCall } from "../../../../src/features/verification/denied-calls/denied-calls.contract.ts";
import type { NewDeniedCall } from "../../../../src/features/verification/denied-calls/denied-call.ts";
import { DeniedCallRing } from "../../../../src/features/verification/denied-calls/denied-call-ring.ts";
import * as store from "../../../../src/features/verification/denied-calls/denied-calls.store.ts";
import {
  addDeniedCalls,
  MOST_OF_A_KEY,
} from "../../../../src/features/verification/denied-calls/denied-calls.transactions.ts";
import { startPurger } from "../../../../src/maintenance/retention/purger.ts";
import { PurgeTime } from "../../../../src/maintenance/retention/purge-time.ts";
import { newId } from "../../../../src/kernel/ids.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { eventually } from "../../../support/eventually.ts";
import { call, issue, movableClock } from "../../../support/keys.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";
import { usageOf, written } from "../../../support/usage.ts";
import { outcome, planWith, valid, watchReads, withSecond } from "../../../support/verification.ts";

const clock = movableClock("2026-03-01T22:10:00Z");

interface List {
  data: z.output<typeof deniedCall>[];
  next_cursor: string | null;
}

const listed = (desk: TestDesk, query = ""): Promise<List> =>
  call(desk, "GET", `/v1/denied-calls?${query}`);

const reasonsOf = async (desk: TestDesk, query = "") =>
  (await listed(desk, query)).data.map(({ reason }) => reason);

/** Calls at two gateways, denied for three reasons, and one that passes. */
async function deniedCalls(desk: TestDesk) {
  clock.at = Date.parse("2026-03-01T22:10:00Z");
  const plan = await planWith(desk, { rate: 1, per: 3600 }, ["weather"]);
  const { RawKey, key_id } = await issue(desk, [plan], "dev-ada");
  await valid(desk, { key: RawKey, api_id: "weather" });
  clock.at += 1000;
  assert.equal(await outcome(desk, { key: RawKey, api_id: "weather" }), "over_rate");
  clock.at += 1000;
  assert.equal(await outcome(desk, { key: RawKey, api_id: "tides" }), "wrong_api");
  clock.at += 1000;
  assert.equal(await outcome(desk, "no-such-key"), "unknown");
  return { plan, RawKey, key_id };
}

testOnEngines(
  "denied calls: each is told with its reason and what the plan gives, and never the key",
  async (desk) => {
    const { plan, RawKey, key_id } = await deniedCalls(desk);
    await written(desk);
    const { data, next_cursor } = await listed(desk);
    assert.equal(next_cursor, null);
    assert.deepEqual(data.map((one) => [one.reason, one.status, one.at, one.api_id]), [
      ["unknown", 401, "2026-03-01T22:10:03.000Z", null],
      ["wrong_api", 403, "2026-03-01T22:10:02.000Z", "tides"],
      ["over_rate", 429, "2026-03-01T22:10:01.000Z", "weather"],
    ]);
    const [unknown, wrong, over] = data;
    assert.deepEqual([unknown?.key_id, unknown?.key_mask, unknown?.developer_id], [
      null,
      null,
      null,
    ]);
    assert.match(unknown?.hash_start ?? "", /^[0-9a-f]{8}$/);
    assert.deepEqual([wrong?.plan_id, wrong?.valid_for], [null, ["weather"]]);
    const { limit, per_seconds, retry_after, plan_id, developer_id, gateway } = over ?? {};
    assert.deepEqual([limit, per_seconds, plan_id, developer_id, gateway], [
      1,
      3600,
      plan,
      "dev-ada",
      "other",
    ]);
    assert.ok((retry_after ?? 0) > 3500);
    assert.equal(over?.key_id, key_id);
    const text = JSON.stringify(data);
    assert.ok(!text.includes(RawKey) && !text.includes("no-such-key"));
    const queries: Record<string, string[]> = {
      "reason=over_rate": ["over_rate"],
      [`key=${key_id}`]: ["wrong_api", "over_rate"],
      [`key=${key_id}&reason=wrong_api`]: ["wrong_api"],
      "developer=dev-ada&api=weather": ["over_rate"],
      [`plan=${plan}`]: ["over_rate"],
      "gateway=other&api=tides": ["wrong_api"],
      "gateway=edge": [],
      "after=2026-03-01T22:10:02Z": ["unknown", "wrong_api"],
      "before=2026-03-01T22:10:02Z": ["over_rate"],
      "key=another": [],
    };
    for (const [query, reasons] of Object.entries(queries)) {
      assert.deepEqual(await reasonsOf(desk, query), reasons, query);
    }
    const first = await listed(desk, "limit=2");
    const second = await listed(desk, `limit=2&cursor=${first.next_cursor}`);
    assert.deepEqual([...first.data, ...second.data], data);
    const { admin } = await desk.otherOrganisation();
    const foreign = await call<List>(desk, "GET", "/v1/denied-calls", undefined, {
      credential: admin,
    });
    assert.deepEqual(foreign.data, []);
    for (const one of data) {
      assert.deepEqual(await call(desk, "GET", `/v1/denied-calls/${one.id}`), one);
    }
    const path = `/v1/denied-calls/${over?.id}`;
    assert.equal((await desk.send("GET", path, { credential: admin })).status, 404);
  },
  { clock },
);

testOnEngines("denied calls: within a scope there are those of its keys alone", async (desk) => {
  const within = await planWith(desk, { tags: ["team"] }, ["weather"]);
  const outside = await planWith(desk, {}, ["weather"]);
  for (const plan of [within, outside]) {
    const { RawKey } = await issue(desk, [plan], "dev-ada");
    assert.equal(await outcome(desk, { key: RawKey, api_id: "tides" }), "wrong_api");
  }
  await outcome(desk, "no-such-key");
  await written(desk);
  const body = { name: "Tomas", role: "approver", scope: { tags: ["team"] } };
  const { id } = await call<{ id: string }>(desk, "POST", "/v1/people", body);
  const tokens = `/v1/people/${id}/access-tokens`;
  const { access_token: credential } = await call<{ access_token: string }>(desk, "POST", tokens, {
    name: "his",
    deliver: "answer",
  });
  const { data: all } = await listed(desk);
  assert.equal(all.length, 3);
  const { data: seen } = await call<List>(desk, "GET", "/v1/denied-calls", undefined, {
    credential,
  });
  assert.deepEqual(seen.map(({ plan_id, reason }) => [plan_id, reason]), [[null, "wrong_api"]]);
  for (const one of all) {
    const answer = await desk.send("GET", `/v1/denied-calls/${one.id}`, { credential });
    assert.equal(answer.status, one.id === seen[0]?.id ? 200 : 404);
    await answer.body?.cancel();
  }
});

testOnEngines(
  "denied calls: they are counted by reason for key, plan, API and door, of several nodes together",
  async (desk) => {
    const { plan, RawKey, key_id } = await deniedCalls(desk);
    await withSecond(desk, async (second) => {
      await valid(second, { key: RawKey, api_id: "weather" });
      assert.equal(await outcome(second, { key: RawKey, api_id: "weather" }), "over_rate");
      assert.equal(await outcome(second, "no-such-key"), "unknown");
      assert.equal(await outcome(second, { key: "nor-this", api_id: "invented" }), "unknown");
      await written(second);
    }, clock);
    await written(desk);
    const reasons = async (query: string) =>
      Object.fromEntries(
        (await usageOf(desk, query)).total.reasons.map(({ reason, calls }) => [reason, calls]),
      );
    assert.deepEqual(await reasons(`key=${key_id}`), { over_rate: 2, wrong_api: 1 });
    assert.deepEqual(await reasons(`key=${key_id}&api=weather`), { over_rate: 2 });
    assert.deepEqual(await reasons(`plan=${plan}`), { over_rate: 2 });
    assert.deepEqual(await reasons("api=weather"), { over_rate: 2 });
    assert.deepEqual(await reasons("developer=dev-ada&by=hour"), { over_rate: 2, wrong_api: 1 });
    assert.deepEqual(await reasons(""), { over_rate: 2, wrong_api: 1 });
    const all = { unknown: 3, over_rate: 2, wrong_api: 1 };
    for (const door of ["all", "other"]) {
      assert.deepEqual(await reasons(`gateway=${door}`), all, door);
      const { total } = await usageOf(desk, `gateway=${door}&by=hour`);
      assert.deepEqual([total.hits, total.success, total.refused[401]], [8, 2, 3]);
    }
    assert.deepEqual(await reasons("gateway=all&api=weather"), { over_rate: 2 });
    // What a stranger calls an API is no API.
    assert.deepEqual((await usageOf(desk, "gateway=all&api=invented")).total.hits, 0);
    assert.equal((await listed(desk)).data.length, 6);
  },
  { clock },
);

testOnEngines(
  "denied calls: a call that nothing could be decided about is counted",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T22:10:00Z");
    const { verifier, storage } = desk.app.ctx;
    const row = storage.reader.row.bind(storage.reader);
    storage.reader.row = () => Promise.reject(new Error("away"));
    try {
      await assert.rejects(
        async () =>
          await verifier.check(desk.org_id, { name: "k".repeat(40), password: undefined }, "a"),
      );
    } finally {
      storage.reader.row = row;
    }
    await written(desk);
    const { total } = await usageOf(desk, "gateway=all");
    assert.deepEqual([total.hits, total.reasons], [0, [{ reason: "unsure", calls: 1 }]]);
  },
  { clock },
);

/** A denied call of a key at a time. */
function deniedCallOf(org_id: string, key_id: string, at: number): NewDeniedCall {
  return {
    org_id,
    id: newId(at),
    at: new Date(at).toISOString(),
    reason: key_id === "" ? "unknown" : "over_rate",
    gateway: "",
    api_id: "",
    plan_id: "",
    key_id,
    developer_id: "",
    facts: {},
    hash_start: "01234567",
    network: "",
  };
}

testOnEngines(
  "denied calls: of a key the newest 100 stay; those of 30 days ago go",
  async (desk) => {
    clock.at = Date.parse("2024-03-01T22:10:00Z");
    const { ctx } = desk.app;
    const add = (key_id: string, n: number) =>
      ctx.storage.commit(addDeniedCalls, {
        calls: Array.from(
          { length: n },
          (_, i) => deniedCallOf(desk.org_id, key_id, clock.at + i * 1000),
        ),
      });
    await add("", 3);
    await add("one", 90);
    clock.at += 100_000;
    await add("one", 30);
    await add("two", 5);
    const count = async (query: string) => {
      const { data, next_cursor } = await listed(desk, `limit=100&${query}`);
      return next_cursor === null ? data.length : -1;
    };
    assert.equal(await count("key=one"), MOST_OF_A_KEY);
    const { data } = await listed(desk, "key=one&limit=100");
    assert.equal(data.at(-1)?.at, "2024-03-01T22:10:20.000Z");
    assert.deepEqual([await count("key=two"), await count("reason=unknown")], [5, 3]);

    clock.at = Date.parse("2024-04-01T22:10:00Z");
    await add("three", 1);
    const days = { audit_events: 0, outbox_events: 0, deliveries: 0, claims: 0 };
    const purger = startPurger(ctx, { ...days, usage_hours: 0, usage_days: 0 }, {
      restMs: 10,
      time: new PurgeTime(() => performance.now() * 1e9),
    });
    try {
      await eventually("the old ones go", async () => (await listed(desk)).data.length === 1);
      // As many entries of an index are walked as are kept at the most: once a day.
      const watched = watchReads(desk);
      const rounds = () => watched.sql.filter((sql) => /exists.*"refusals"/.test(sql)).length;
      await eventually("rounds of the same day", () => Promise.resolve(rounds() >= 4));
      assert.ok(watched.sql.filter((sql) => / offset /.test(sql)).length <= 1);
    } finally {
      purger.stop();
    }
    assert.equal(await count("key=three"), 1);
  },
  { clock },
);

testOnEngines("denied calls: they go with the developer of their key", async (desk) => {
  const { RawKey, key_id } = await deniedCalls(desk);
  await written(desk);
  await call(desk, "DELETE", "/v1/developers/dev-ada?keys=revoke");
  assert.deepEqual(await reasonsOf(desk), ["unknown"]);
  // What a node noticed before does not bring them back.
  await desk.app.ctx.storage.commit(addDeniedCalls, {
    calls: [{ ...deniedCallOf(desk.org_id, key_id, clock.at), developer_id: "dev-ada" }],
  });
  assert.deepEqual(await reasonsOf(desk), ["unknown"]);
  assert.ok(RawKey !== "");
}, { clock });

Deno.test("denied calls: a flood keeps 200 of a second, 50 of them of unknown keys and 10 of one key", async () => {
  const kept: NewDeniedCall[] = [];
  const ring = new DeniedCallRing(
    // as: no more of a store is asked than this.
    {
      ping: () => Promise.resolve(),
      reader: { rows: () => Promise.resolve([]) },
      commit: (_: unknown, { calls }: { calls: NewDeniedCall[] }) => {
        kept.push(...calls);
        return Promise.resolve();
      },
    } as never,
  );
  const at = Date.parse("2026-03-01T22:10:00Z");
  const keep = (key_id: string, now: number) => {
    if (ring.takeRoom("org", key_id, now)) ring.add(deniedCallOf("org", key_id, now));
  };
  for (let i = 0; i < 1000; i++) keep("", at);
  for (let i = 0; i < 100; i++) keep("one", at);
  for (let i = 0; i < 1000; i++) keep(`key-${i}`, at);
  keep("one", at + 1000);
  await ring.flush();
  const of = (key_id: string) => kept.filter((one) => one.key_id === key_id).length;
  assert.deepEqual([kept.length, of(""), of("one")], [201, 50, 11]);
  assert.equal(ring.leftOut, 950 + 90 + 860);
});

const org_id = "org";
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  insertDeniedCall: (tx) => {
    const { gateway: door, ...row } = deniedCallOf(org_id, "key", 1);
    return store.insertDeniedCall(tx, { ...row, door, facts: "{}" });
  },
  trimKey: (tx) => store.trimKey(tx, { org_id, key_id: "key" }, 100),
  deniedCallsBehind: async (tx) => {
    for (const name of [...store.deniedCallFilters, null]) {
      await store.deniedCallsBehind(tx, org_id, name && { name, value: "x" }, "~", 21);
    }
  },
  findDeniedCall: (tx) => store.findDeniedCall(tx, { org_id, id: "7" }),
  organisationsRefused: (tx) => store.organisationsRefused(tx),
  oldestDeniedCall: (tx) => store.oldestDeniedCall(tx, { org_id }),
  firstBeyond: (tx) => store.firstBeyond(tx, org_id, 1_000_000),
  removeBefore: (tx) => store.removeBefore(tx, org_id, "7", 500),
  eraseDeniedCalls: (tx) => store.eraseDeniedCalls(tx, { org_id, key_id: "key" }),
};

Deno.test("sqlite: every statement on refusals finds its rows by an index", async () => {
  assertAllCalled([store], calls);
  for (const { sql, steps } of await plansOf(each(calls))) {
    if (sql.startsWith("insert")) continue;
    const found = steps.join("\n");
    assert.match(found, /SEARCH .* USING (COVERING )?(INDEX|PRIMARY KEY)/, `${sql}\n${found}`);
    // All organisations are walked, and nothing of them.
    const isWalk = sql.includes('from "organisations"');
    assert.doesNotMatch(found, isWalk ? /TEMP B-TREE/ : /SCAN|TEMP B-TREE/, `${sql}\n${found}`);
  }
});

Deno.test("denied calls: trimming locks what goes, and none of those that stay", async () => {
  const sent: string[] = [];
  const changed = ({ compile }: { compile(dialect: string): { sql: string } }) => {
    sent.push(compile("postgres").sql);
    return Promise.resolve(0);
  };
  // as: no more of a transaction is asked than this.
  const tx = { row: () => Promise.resolve({ id: "7" }), change: changed } as never;
  await store.trimKey(tx, { org_id, key_id: "key" }, 100);
  assert.equal(sent.length, 1);
  assert.match(sent.join(), /and id <= \$\d+ order by id desc limit 500\s+for update skip locked/);
});
