/** The meter of a move: what an old gateway still decides, what differs, and whether it can go. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { getMigration } from "../../../../src/features/migration/shadow-mode/migration-report.operations.ts";
import { ShadowCalls } from "../../../../src/features/migration/shadow-mode/shadow-calls.ts";
import { startPurger } from "../../../../src/maintenance/retention/purger.ts";
import { PurgeTime } from "../../../../src/maintenance/retention/purge-time.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { eventually } from "../../../support/eventually.ts";
import { issue, movableClock } from "../../../support/keys.ts";
import { type Asked, planWith, valid, withSecond } from "../../../support/verification.ts";

const DAY_MS = 86_400_000;
const clock = movableClock();
const options = { clock: { now: () => clock.at } };
const START = "2026-03-01T12:00:00Z";

type Meter = z.output<typeof getMigration.response>;

const meterOf = (desk: TestDesk, credential = desk.admin) =>
  succeed<Meter>(desk, "GET", "/v1/migration", { credential });

/** A gateway's call: it asks, and lets in or refuses whatever the answer is. */
async function observe(
  { app, admin }: Asked,
  key: string,
  { opens = true, api = "weather" }: { opens?: boolean; api?: string } = {},
) {
  const send = async (path: string, body: unknown) => {
    const init = { method: "POST", headers: { authorization: admin }, body: JSON.stringify(body) };
    const response = await app.fetch(new Request(`http://desk.test${path}`, init));
    const answer = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  };
  const verdict = await send("/v1/keys/shadow", { key, api_id: api });
  if (opens && verdict.receipt !== "") {
    await send("/v1/keys/shadow/allowed", { receipt: verdict.receipt });
  }
  return verdict;
}

async function written({ app }: Asked) {
  await app.ctx.shadowCalls.flush();
  await app.ctx.verifier.writeUses();
}

const decide = (desk: TestDesk, plan: string, decided: "keydesk" | "gateway") =>
  succeed<{ decided: string; decided_at: string | null }>(
    desk,
    "PUT",
    `/v1/plans/${plan}/decided`,
    { body: { decided } },
  );

const changesOf = async (desk: TestDesk) =>
  (await succeed<{ data: { action: string }[] }>(desk, "GET", "/v1/audit-log?limit=100")).data
    .filter(({ action }) => action === "plan_switch.updated").length;

testOnEngines("meter: an empty desk has nothing to switch off, and says so", async (desk) => {
  clock.at = Date.parse(START);
  const meter = await meterOf(desk);
  assert.deepEqual([meter.connected, meter.since, meter.reports], [false, null, true]);
  assert.deepEqual([meter.plans, meter.still_at_gateway, meter.all_safe_on], [[], [], null]);
  assert.deepEqual([meter.days.length, meter.lazy_migrations], [30, []]);
  assert.deepEqual(meter.shares.map(({ in_keydesk: here, at_gateway: there }) => here + there), [
    0,
    0,
    0,
  ]);
  assert.deepEqual(meter.keys, {
    all: 0,
    safe: 0,
    at_gateway_yesterday: 0,
    never_seen: 0,
    migrated: 0,
    never_seen_developers: 0,
    mailable_developers: 0,
  });
}, options);

testOnEngines("meter: whoever signs in is told that their organisation moves", async (desk) => {
  clock.at = Date.parse(START);
  const moving = async (credential: string) =>
    (await succeed<{ moving: boolean }>(desk, "POST", "/v1/session", {
      body: { access_token: credential },
    }))
      .moving;
  assert.equal(await moving(desk.admin), false);
  await observe(desk, "nobody's key", { opens: false });
  await written(desk);
  const other = await desk.otherOrganisation();
  assert.deepEqual([await moving(desk.admin), await moving(other.admin)], [true, false]);
  const { connected } = await meterOf(desk);
  assert.equal(connected, true);
  // A door that opens by hashes is nothing that one moves away from.
  const add = (body: object) =>
    succeed(desk, "POST", "/v1/gateways", { credential: other.admin, body });
  await add({ name: "Edge", connection: "map", map: { api: "weather" } });
  assert.equal(await moving(other.admin), false);
  await add({
    name: "City",
    connection: "synced",
    url: "https://gateway.example.org",
    secret: "s",
  });
  assert.equal(await moving(other.admin), true);
}, options);

testOnEngines("meter: observed calls are no use, and each difference is told", async (desk) => {
  clock.at = Date.parse(START);
  const plan = await planWith(desk, { rate: 2, per: 3600 }, ["weather"]);
  const ada = await issue(desk, [plan], "dev-ada");
  const bob = await issue(desk, [plan], "dev-bob");
  const first = await observe(desk, ada.RawKey);
  assert.deepEqual({ ...first, receipt: "" }, {
    decide: false,
    valid: true,
    reason: null,
    retry_after: null,
    receipt: "",
  });
  assert.ok(!first.receipt.includes(ada.key_id));
  await observe(desk, ada.RawKey, { opens: false });
  // A rate counts by what would have opened.
  assert.equal((await observe(desk, ada.RawKey)).reason, "over_rate");
  assert.equal((await observe(desk, bob.RawKey, { api: "tides" })).reason, "wrong_api");
  assert.equal((await observe(desk, "nobody's key")).reason, "unknown");
  await valid(desk, { key: bob.RawKey, api_id: "weather" });
  await written(desk);
  const { now, unknown, since, connected, plans: [of] } = await meterOf(desk);
  assert.deepEqual(now, {
    in_keydesk: 1,
    at_gateway: 4,
    allowed_at_gateway_only: [
      { reason: "over_rate", calls: 1 },
      { reason: "wrong_api", calls: 1 },
    ],
    denied_at_gateway_only: 1,
    unknown: { calls: 1, opened: 1 },
  });
  assert.deepEqual([unknown, since, connected], [{ calls: 1, opened: 1 }, "2026-03-01", true]);
  assert.deepEqual([of?.compared, of?.keys, of?.keys_at_gateway, of?.never_seen], [4, 2, 2, 0]);
  assert.deepEqual([of?.safe, of?.safe_on, of?.decided], [false, null, "gateway"]);

  type Different = {
    key_id: string | null;
    in_keydesk: string;
    at_gateway: string;
    api_id: string | null;
  };
  const told = await succeed<{ data: Different[] }>(desk, "GET", "/v1/migration/differences");
  assert.deepEqual(
    told.data.map((one) => [one.key_id, one.in_keydesk, one.api_id]).sort(),
    [
      [ada.key_id, "over_rate", "weather"],
      [bob.key_id, "wrong_api", "tides"],
      [null, "unknown", "weather"],
    ].sort(),
  );
  assert.doesNotMatch(JSON.stringify(told), /nobody's key/);
  const ofAda = await succeed<{ data: Different[] }>(
    desk,
    "GET",
    `/v1/migration/differences?key=${ada.key_id}&plan=${plan}`,
  );
  assert.equal(ofAda.data.length, 1);
  const ofBob = await succeed<{ data: Different[] }>(
    desk,
    "GET",
    "/v1/migration/differences?developer=dev-bob",
  );
  assert.deepEqual(ofBob.data.map(({ key_id }) => key_id), [bob.key_id]);
  // None of it is told as use, or as a refusal.
  const use = await succeed<{ total: { hits: number } }>(desk, "GET", "/v1/usage");
  assert.equal(use.total.hits, 1);
  const refused = await succeed<{ data: unknown[] }>(desk, "GET", "/v1/denied-calls");
  assert.deepEqual(refused.data, []);
  const seen = await succeed<{ last_used_at: string }>(desk, "GET", `/v1/keys/${ada.key_id}`);
  assert.equal(seen.last_used_at, "2026-03-01T12:00:00.000Z");

  const other = await desk.otherOrganisation();
  const theirs = await meterOf(desk, other.admin);
  assert.deepEqual([theirs.connected, theirs.plans, theirs.keys.all], [false, [], 0]);
  const none = await succeed<{ data: unknown[] }>(desk, "GET", "/v1/migration/differences", {
    credential: other.admin,
  });
  assert.deepEqual(none.data, []);
  const foreign = await succeed<{ counted: boolean }>(desk, "POST", "/v1/keys/shadow/allowed", {
    credential: other.admin,
    body: { receipt: first.receipt },
  });
  assert.equal(foreign.counted, false);
  const old = first.receipt;
  clock.at += 11 * 60_000;
  for (const receipt of [old, `${old}x`, "1.AAAA", "x"]) {
    const body = { receipt };
    const told = await succeed(desk, "POST", "/v1/keys/shadow/allowed", { body });
    assert.deepEqual(told, { counted: false });
  }
}, options);

testOnEngines(
  "meter: two nodes add up, and a batch that is lost is not counted twice",
  async (desk) => {
    clock.at = Date.parse(START);
    const plan = await planWith(desk, {});
    const { RawKey, key_id } = await issue(desk, [plan], "dev-ada");
    await withSecond(desk, async (second) => {
      await Promise.all([
        ...Array.from({ length: 7 }, () => observe(desk, RawKey)),
        ...Array.from({ length: 5 }, () => observe(second, RawKey, { opens: false })),
      ]);
      await Promise.all([written(desk), written(second)]);
    }, options.clock);
    const { now } = await meterOf(desk);
    assert.deepEqual([now.at_gateway, now.denied_at_gateway_only], [12, 5]);
    // The store says no after it has committed: what may be kept is not sent again.
    const { storage } = desk.app.ctx;
    const commit: typeof storage.commit = async (transaction, input) => {
      await storage.commit(transaction, input);
      throw new Error("the connection broke");
    };
    const node = new ShadowCalls({ ...storage, commit });
    const call = { key_id, developer_id: "dev-ada", plan_id: plan, api_id: "", door: "" };
    node.asked(desk.org_id, { ...call, verdict: "valid", at: clock.at });
    await node.flush();
    await node.flush();
    assert.equal((await meterOf(desk)).now.at_gateway, 13);
  },
  options,
);

testOnEngines(
  "meter: a switched plan is decided here, is undone at once, one row each",
  async (desk) => {
    clock.at = Date.parse(START);
    const plan = await planWith(desk, {}, ["weather"]);
    const second = await planWith(desk, {}, ["tides"]);
    const one = await issue(desk, [plan], "dev-ada");
    const both = await issue(desk, [plan, second], "dev-bob");
    await observe(desk, one.RawKey);
    const set = await Promise.all(Array.from({ length: 5 }, () => decide(desk, plan, "keydesk")));
    assert.deepEqual(set.map(({ decided }) => decided), Array(5).fill("keydesk"));
    assert.equal(await changesOf(desk), 1);
    const heeds = async (key: string, decided: boolean) => {
      const isHeeded = async () => (await observe(desk, key)).decide === decided;
      await eventually(`decided here: ${decided}`, isHeeded);
    };
    await heeds(one.RawKey, true);
    // Of the second plan one key waits for the first, and the other way round.
    const hereOf = async () =>
      (await meterOf(desk)).plans.map((of) => [of.plan, of.keys, of.keys_in_keydesk]).sort();
    assert.deepEqual(await hereOf(), [[plan, 2, 1], [second, 1, 1]].sort());
    const refused = await observe(desk, one.RawKey, { api: "maps" });
    assert.deepEqual([refused.decide, refused.reason, refused.receipt], [true, "wrong_api", ""]);
    // Every plan of a key has to say so.
    assert.equal((await observe(desk, both.RawKey)).decide, false);
    await written(desk);
    const { plans, now } = await meterOf(desk);
    assert.equal(plans.find((of) => of.plan === plan)?.decided, "keydesk");
    assert.ok(now.in_keydesk >= 2);
    await decide(desk, second, "keydesk");
    await heeds(both.RawKey, true);
    // A plan that is gone decides nothing any more.
    await succeed(desk, "DELETE", `/api/portal/policies/${second}`);
    await heeds(both.RawKey, true);
    assert.ok(!(await meterOf(desk)).plans.some((of) => of.plan === second));

    await decide(desk, plan, "gateway");
    await heeds(one.RawKey, false);
    await decide(desk, plan, "gateway");
    assert.equal(await changesOf(desk), 3);
  },
  options,
);

testOnEngines("meter: safe is what nobody called there for 14 whole days", async (desk) => {
  clock.at = Date.parse(START);
  const quiet = await planWith(desk, {}, ["weather"]);
  const busy = await planWith(desk, {}, ["weather"]);
  const never = await planWith(desk, {}, ["weather"]);
  const ada = await issue(desk, [quiet], "dev-ada");
  const bob = await issue(desk, [busy], "dev-bob");
  await issue(desk, [never], "dev-cy");
  await issue(desk, [quiet, busy], "dev-cy");
  await observe(desk, ada.RawKey);
  await observe(desk, bob.RawKey);
  await written(desk);
  const planOf = (meter: Meter, id: string) => meter.plans.find(({ plan }) => plan === id);
  // The newest days say nothing yet.
  clock.at += 13 * DAY_MS;
  let meter = await meterOf(desk);
  assert.deepEqual([meter.safe_plans, meter.keys.safe, meter.keys.all], [0, 0, 4]);
  assert.equal(planOf(meter, never)?.safe_on, "2026-03-15");
  assert.equal(planOf(meter, quiet)?.safe_on, "2026-03-16");
  await observe(desk, bob.RawKey);
  await written(desk);
  clock.at += 2 * DAY_MS;
  meter = await meterOf(desk);
  assert.deepEqual([planOf(meter, quiet)?.safe, planOf(meter, never)?.safe], [true, true]);
  assert.deepEqual([planOf(meter, busy)?.safe, planOf(meter, busy)?.safe_on], [false, null]);
  assert.equal(meter.all_safe_on, null);
  // A key counts as safe where all of its plans are.
  assert.deepEqual([meter.safe_plans, meter.keys.safe], [2, 2]);
  assert.deepEqual([meter.keys.never_seen, meter.keys.never_seen_developers], [2, 1]);
  clock.at += 6 * DAY_MS;
  assert.equal((await meterOf(desk)).all_safe_on, "2026-03-29");
  clock.at += 6 * DAY_MS;
  assert.equal(planOf(await meterOf(desk), busy)?.safe, false);
  // A key that moves to another plan takes its calls there with it.
  const body = { plans: [never] };
  await succeed(desk, "PUT", `/v1/keys/${bob.key_id}/plans`, { body });
  assert.equal(planOf(await meterOf(desk), never)?.safe, false);
  clock.at += DAY_MS;
  meter = await meterOf(desk);
  assert.deepEqual([meter.safe_plans, meter.keys.safe, meter.all_safe_on], [3, 4, "2026-03-29"]);
}, options);

testOnEngines(
  "meter: keys that were never seen are named, and mails to their holders drafted",
  async (desk) => {
    clock.at = Date.parse(START);
    const plan = await planWith(desk, {}, ["weather"]);
    const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
      body: { email: "ada@example.org", fields: { name: "Ada" } },
    });
    const key = async (owner: string) => await issue(desk, [plan], owner);
    const [a, b, c, used, called] = [
      await key(id),
      await key(id),
      await key("dev-x"),
      await key(id),
      await key(id),
    ];
    await valid(desk, { key: used.RawKey, api_id: "weather" });
    await observe(desk, called.RawKey, { api: "tides" });
    await observe(desk, called.RawKey);
    await written(desk);
    clock.at += DAY_MS;
    type Keys = { data: { key_id: string; calls: number }[]; next_cursor: string | null };
    const list = async (query: string) => {
      const found: string[] = [];
      for (let cursor = "";;) {
        const page = await succeed<Keys>(
          desk,
          "GET",
          `/v1/migration/keys?${query}&limit=1${cursor}`,
        );
        found.push(...page.data.map(({ key_id }) => key_id));
        if (page.next_cursor === null) return found;
        cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
      }
    };
    const never = [a.key_id, b.key_id, c.key_id].sort();
    assert.deepEqual(await list("seen=never"), never);
    assert.deepEqual(await list(`seen=never&developer=dev-x&plan=${plan}`), [c.key_id]);
    // Of one developer page by page, the oldest first.
    assert.deepEqual(
      (await list(`seen=never&developer=${id}`)).toSorted(),
      never.filter((one) => one !== c.key_id),
    );
    assert.deepEqual(await list("seen=never&plan=another"), []);
    assert.deepEqual(await list("seen=at_gateway"), [called.key_id]);
    const meter = await meterOf(desk);
    assert.deepEqual(meter.still_at_gateway.map(({ key_id, calls }) => [key_id, calls]), [[
      called.key_id,
      2,
    ]]);
    assert.deepEqual(meter.keys.never_seen, 3);
    assert.deepEqual([meter.keys.never_seen_developers, meter.keys.mailable_developers], [2, 1]);
    assert.equal(meter.plans[0]?.never_seen, 3);
    type Mails = {
      data: { to: string; text: string; keys: string[] }[];
      without_address: string[];
    };
    const mails = await succeed<Mails>(desk, "GET", "/v1/migration/mails?language=de");
    assert.deepEqual(mails.without_address, [c.key_id]);
    assert.deepEqual(mails.data.map(({ to, keys }) => [to, keys]), [
      ["ada@example.org", [a.key_id, b.key_id].sort()],
    ]);
    assert.match(mails.data[0]?.text ?? "", /^Guten Tag Ada,/);
    const deliveries = await succeed<{ data: unknown[] }>(desk, "GET", "/v1/deliveries");
    assert.deepEqual(deliveries.data, [], "nothing is sent");
  },
  options,
);

testOnEngines(
  "meter: a key that was suspended or revoked a minute ago is compared, not one since",
  async (desk) => {
    clock.at = Date.parse(START);
    const plan = await planWith(desk, {}, ["weather"]);
    for (const [n, change] of ["suspend", "revoke"].entries()) {
      const key = await issue(desk, [plan], "dev-ada");
      await succeed(desk, "POST", `/v1/keys/${key.key_id}/${change}`, { body: { reason: "test" } });
      clock.at += 59_000;
      await observe(desk, key.RawKey, { api: "weather" });
      await written(desk);
      assert.equal(
        (await meterOf(desk)).now.allowed_at_gateway_only.length,
        n,
        `${change}: not yet`,
      );
      clock.at += 1000;
      await observe(desk, key.RawKey, { api: "weather" });
      await written(desk);
      assert.equal(
        (await meterOf(desk)).now.allowed_at_gateway_only.length,
        n + 1,
        `${change}: now`,
      );
    }
  },
  options,
);

testOnEngines("meter: what was observed of a developer's keys goes with them", async (desk) => {
  clock.at = Date.parse(START);
  const plan = await planWith(desk, {}, ["weather"]);
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
    body: { email: "ada@example.org" },
  });
  const key = await issue(desk, [plan], id);
  await observe(desk, key.RawKey, { api: "tides" });
  await succeed(desk, "DELETE", `/v1/developers/${id}?keys=revoke`);
  await written(desk);
  const told = await succeed<{ data: unknown[] }>(desk, "GET", "/v1/migration/differences");
  assert.deepEqual(told.data, []);
  assert.equal((await meterOf(desk)).now.at_gateway, 1);
}, options);

testOnEngines("meter: what is old goes, single differences after 30 days", async (desk) => {
  clock.at = Date.parse(START);
  const plan = await planWith(desk, {}, ["weather"]);
  const { RawKey } = await issue(desk, [plan], "dev-ada");
  await observe(desk, RawKey, { api: "tides" });
  await written(desk);
  clock.at += 40 * DAY_MS;
  await observe(desk, RawKey, { api: "maps" });
  await written(desk);
  const { ctx } = desk.app;
  const kept = {
    audit_events: 0,
    outbox_events: 0,
    deliveries: 0,
    claims: 0,
    usage_hours: 0,
  };
  const purger = startPurger(ctx, { ...kept, usage_days: 35 }, {
    restMs: 10,
    time: new PurgeTime(() => performance.now() * 1e9),
  });
  type Different = { data: { api_id: string }[] };
  try {
    await eventually("the old difference goes", async () => {
      const { data } = await succeed<Different>(desk, "GET", "/v1/migration/differences");
      return data.length === 1 && data[0]?.api_id === "maps";
    });
    await eventually("the old counts go", async () => (await meterOf(desk)).since === "2026-04-10");
  } finally {
    purger.stop();
  }
  assert.equal((await meterOf(desk)).now.at_gateway, 1);
}, options);
