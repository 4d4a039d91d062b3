/** The engine: order for each object, tries, dead letters, pauses, replays, and nodes that die. */
import assert from "node:assert/strict";
import { DeliveryEngine } from "../../../src/features/deliveries/delivery-engine.ts";
import {
  GIVEN_UP_MS,
  LEASE_MS,
  retryAfterMs,
  waitAfter,
} from "../../../src/features/deliveries/delivery.ts";
import { claimDue } from "../../../src/features/deliveries/sending.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { addToOutbox } from "../../../src/changes/outbox.ts";
import { until } from "../../support/verification.ts";
import { engines, openTestDesk, type TestDesk } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { addTarget, deliver, engineOf, type Received, receiver } from "../../support/receiver.ts";
import { PurgeTime } from "../../../src/operations/retention/purge-time.ts";
import { startPurger } from "../../../src/operations/retention/purger.ts";
import { keepPurgeTime } from "../../../src/operations/retention/retention.transactions.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Leaves messages as changes do, many in one transaction. */
const tell = defineTransaction(
  "test.tell",
  async (
    tx,
    input: { org_id: string; now: number; told: { topic: string; object_id: string }[] },
  ) => {
    const { org_id, now } = input;
    for (const one of input.told) {
      await addToOutbox(tx, { org_id, user_id: "test", token_id: "", now }, one);
    }
  },
);

type Clock = ReturnType<typeof movableClock>;

/** A desk whose clock stands until it is moved, on each engine. */
function onEngines(promise: string, test: (desk: TestDesk, clock: Clock) => Promise<void>): void {
  for (const engine of engines) {
    Deno.test({
      name: `${engine}: deliveries: ${promise}`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        const clock = movableClock();
        await using desk = await openTestDesk(engine, { clock, extra: [tell] });
        await test(desk, clock);
      },
    });
  }
}

/** Leaves messages about objects, such as `a:updated`. */
async function say(desk: TestDesk, clock: Clock, ...words: string[]): Promise<void> {
  const told = words.map((word) => {
    const [object_id = "", verb = ""] = word.split(":");
    return { topic: `plan.${verb}`, object_id };
  });
  await desk.app.ctx.storage.commit(tell, { org_id: desk.org_id, now: clock.now(), told });
}

const wordOf = ({ json }: Received) => `${json.data.id}:${json.type.split(".")[1]}`;

/** Turns and moves the clock on, until nothing waits that is tried by itself within `ms`. */
async function goOn(
  engine: DeliveryEngine,
  clock: Clock,
  ms: number,
  step = MINUTE,
): Promise<void> {
  for (const end = clock.at + ms; clock.at < end; clock.at += step) await deliver(engine);
  await deliver(engine);
}

async function statesOf(desk: TestDesk): Promise<Record<string, string>> {
  const { data } = await call(desk, "GET", "/v1/deliveries?limit=100");
  return Object.fromEntries(
    data.map((one: Record<string, string>) => [
      `${one.object_id}:${one.topic?.split(".")[1]}`,
      one.state,
    ]),
  );
}

onEngines("each object's messages come in their order, whatever fails", async (desk, clock) => {
  await using portal = receiver();
  await addTarget(desk, portal, { topics: ["plan.*"] });
  // As the last step of a hash of their bytes says: a third fails.
  let n = 0;
  portal.answer = () => ++n % 3 === 0 ? 500 : 200;
  const words = [];
  for (let i = 0; i < 40; i++) words.push(`${"abcd"[i % 4]}:v${i}`);
  await say(desk, clock, ...words.slice(0, 20));
  const engine = engineOf(desk);
  await engine.turn();
  await say(desk, clock, ...words.slice(20));
  await goOn(engine, clock, HOUR);
  assert.equal(portal.taken.length, 40);
  for (const object of "abcd") {
    const mine = portal.taken.map(wordOf).filter((word) => word.startsWith(object));
    assert.deepEqual(mine, words.filter((word) => word.startsWith(object)));
  }
  assert.equal(new Set(portal.taken.map(({ id }) => id)).size, 40);
  assert.ok(portal.taken.every(({ json }) => json.data.missing === 0));
});

onEngines("an object that fails holds up no other", async (desk, clock) => {
  await using portal = receiver();
  await addTarget(desk, portal, { topics: ["plan.*"] });
  portal.answer = ({ json }) => json.data.id === "bad" ? 500 : 200;
  await say(desk, clock, "bad:v1", "bad:v2", "good:v1", "good:v2");
  const engine = engineOf(desk);
  await deliver(engine);
  assert.deepEqual(portal.taken.map(wordOf), ["good:v1", "good:v2"]);
  assert.ok(!portal.all.some((one) => wordOf(one) === "bad:v2"));
  portal.answer = () => 200;
  await goOn(engine, clock, MINUTE, 10_000);
  assert.deepEqual(portal.taken.map(wordOf).slice(2), ["bad:v1", "bad:v2"]);
});

Deno.test("deliveries: waits grow from 5 s to an hour, with chance, and Retry-After is bounded", () => {
  const waits = Array.from({ length: 15 }, (_, n) => waitAfter(n, 0, 0));
  assert.deepEqual(waits.slice(0, 4), [5000, 10_000, 20_000, 40_000]);
  assert.equal(waits.at(-1), HOUR);
  assert.ok(waitAfter(0, 0.99, 0) > 5900 && waitAfter(0, 0.99, 0) <= 6000);
  assert.equal(waitAfter(0, 0, 90_000), 90_000);
  assert.equal(waitAfter(0, 0, 90 * HOUR), HOUR);
  const now = Date.parse("2026-03-01T00:00:00Z");
  assert.equal(retryAfterMs("120", now), 120_000);
  assert.equal(retryAfterMs("Sun, 01 Mar 2026 00:01:00 GMT", now), MINUTE);
  for (const odd of ["", "soon", "-5", null]) assert.equal(retryAfterMs(odd, now), 0);
});

onEngines(
  "after 24 hours of tries a message is dead, and the next says that one is missing",
  async (desk, clock) => {
    await using portal = receiver();
    await addTarget(desk, portal, { topics: ["plan.*"] });
    portal.answer = ({ json }) => json.type === "plan.v1" ? 500 : 200;
    await say(desk, clock, "a:v1", "a:v2", "a:v3");
    const engine = engineOf(desk);
    const alive = async () => {
      // Others succeed, so the target is not paused.
      await say(desk, clock, `b${clock.at}:up`);
      await deliver(engine);
    };
    for (; portal.taken.every((one) => wordOf(one) !== "a:v3"); clock.at += HOUR) await alive();
    const hours = (clock.at - Date.parse("2026-03-01T00:00:00Z")) / HOUR;
    assert.ok(hours >= 24 && hours <= 27, `${hours} hours`);
    const states = await statesOf(desk);
    assert.deepEqual([states["a:v1"], states["a:v2"]], ["dead", "delivered"]);
    const missing = portal.taken.filter(({ json }) => json.data.id === "a")
      .map(({ json }) => [json.type, json.data.missing]);
    assert.deepEqual(missing, [["plan.v2", 1], ["plan.v3", 0]]);
    const { data: [dead] } = await call(desk, "GET", "/v1/deliveries?state=dead");
    assert.ok(dead.attempts > 10);
    // Replayed, it has its id still, and comes behind.
    portal.answer = () => 200;
    await call(desk, "POST", `/v1/deliveries/${dead.id}/replay`);
    await deliver(engine);
    assert.deepEqual([portal.taken.at(-1)?.id, portal.taken.at(-1)?.json.type], [
      dead.id,
      "plan.v1",
    ]);
  },
);

onEngines("a revocation overtakes what holds it up, within the hour", async (desk, clock) => {
  await using portal = receiver();
  await addTarget(desk, portal, { topics: ["credential.*"] });
  portal.answer = ({ json }) => json.type === "credential.revoked" ? 200 : 503;
  const told = ["issued", "plans_changed", "revoked"].map((verb) => ({
    topic: `credential.${verb}`,
    object_id: "key",
  }));
  await desk.app.ctx.storage.commit(tell, { org_id: desk.org_id, now: clock.now(), told });
  const revokedAt = clock.at;
  const engine = engineOf(desk);
  for (; portal.taken.length === 0; clock.at += MINUTE) await deliver(engine);
  assert.ok(clock.at - revokedAt <= HOUR, "within the hour");
  assert.deepEqual(portal.taken.map(({ json }) => json.type), ["credential.revoked"]);
  // What was overtaken is still sent, in its order.
  portal.answer = () => 200;
  await goOn(engine, clock, 2 * HOUR, 10 * MINUTE);
  assert.deepEqual(portal.taken.map(({ json }) => json.type.slice(11)), [
    ...["revoked", "issued", "plans_changed"],
  ]);
});

onEngines(
  "a target that fails for long is paused and told of, and loses nothing",
  async (desk, clock) => {
    await using portal = receiver();
    const { id } = await addTarget(desk, portal, { topics: ["plan.*"] });
    portal.answer = () => 500;
    const lines: string[] = [];
    const engine = engineOf(desk, { line: (_, text) => void lines.push(text) });
    await say(desk, clock, "a:v1", "a:v2", "b:v1");
    await goOn(engine, clock, 14 * HOUR, 10 * MINUTE);
    const paused = await call(desk, "GET", `/v1/targets/${id}`);
    assert.deepEqual([paused.state, paused.state_reason], ["paused", "failing"]);
    assert.ok(lines.includes("a target was paused"));
    assert.ok(desk.app.ctx.troubles.current().some(({ name }) => name === "target_paused"));
    const trail = await call(desk, "GET", `/v1/activity?action=target.paused`);
    assert.deepEqual([trail.data.length, trail.data[0].object_id], [1, id]);
    // No try is counted, and nothing purged, however long it takes.
    const tried = portal.all.length;
    clock.at += 100 * 24 * HOUR;
    await say(desk, clock, "b:v2");
    await goOn(engine, clock, 30 * HOUR, HOUR);
    await purged(desk, clock);
    assert.equal(portal.all.length, tried);
    assert.deepEqual(new Set(Object.values(await statesOf(desk))), new Set(["waiting"]));
    await call(desk, "POST", `/v1/targets/${id}/resume`);
    // One more failure gives nothing up: the time of the pause is none of tries.
    await deliver(engine);
    assert.deepEqual(new Set(Object.values(await statesOf(desk))), new Set(["waiting"]));
    portal.answer = () => 200;
    await goOn(engine, clock, 2 * HOUR, 10 * MINUTE);
    assert.ok(!desk.app.ctx.troubles.current().some(({ name }) => name === "target_paused"));
    const order = portal.taken.map(wordOf);
    assert.deepEqual(order.filter((word) => word.startsWith("a")), ["a:v1", "a:v2"]);
    assert.deepEqual(order.filter((word) => word.startsWith("b")), ["b:v1", "b:v2"]);
    // What was delivered goes with the outbox's retention, its tries with it.
    clock.at += 100 * 24 * HOUR;
    await purged(desk, clock);
    assert.deepEqual(await statesOf(desk), {});
    assert.equal(await countOf(desk, "delivery_attempts"), 0);
  },
);

/** Has everything purged that is older than 90 days. */
async function purged(desk: TestDesk, clock: Clock): Promise<void> {
  const { storage, troubles } = desk.app.ctx;
  const retention = {
    ...{ audit_events: 0, outbox_events: 90, deliveries: 90, claims: 0 },
    ...{ usage_hours: 400, usage_days: 400 },
  };
  let rounds = 0;
  let isThrough = false;
  /** A time that holds nothing back. */
  class Now extends PurgeTime {
    override look(_: number, now: number): number {
      // The next round begins once the one before is through.
      isThrough = rounds > 0;
      return now;
    }
    override isToBeKept(): boolean {
      return false;
    }
  }
  const purger = startPurger({ storage, troubles, clock }, retention, {
    restMs: 1,
    time: new Now(),
    before: () => (rounds++, Promise.resolve()),
  });
  await storage.commit(keepPurgeTime, { until: clock.now() });
  await until(() => isThrough, "a round of the purger");
  purger.stop();
}

type Counted = "deliveries" | "delivery_attempts" | "outbox_events";
const countSql = (table: Counted) =>
  statement<Record<never, never>>()((db) =>
    db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as("n"))
  );

async function countOf(desk: TestDesk, table: Counted): Promise<number> {
  return Number((await desk.app.ctx.storage.reader.row(countSql(table), {}))?.n);
}

onEngines(
  "what waits when its target is gone goes with it, and other organisations hear nothing",
  async (desk, clock) => {
    await using portal = receiver();
    const { id } = await addTarget(desk, portal, { topics: ["plan.*"] });
    const other = await desk.otherOrganisation();
    await addTarget(desk, portal, { topics: ["*"] }, other.admin);
    await call(desk, "POST", `/v1/targets/${id}/pause`);
    const engine = engineOf(desk);
    const words = Array.from({ length: 230 }, (_, n) => `o${n}:v1`);
    await say(desk, clock, ...words);
    await deliver(engine);
    const { dropped } = await call(desk, "DELETE", `/v1/targets/${id}`);
    assert.equal(dropped, 230);
    await say(desk, clock, "a:v1");
    await deliver(engine);
    assert.deepEqual(portal.all.filter(({ json }) => json.type.startsWith("plan.")), []);
    assert.deepEqual(await statesOf(desk), {});
  },
);

onEngines("targets that hang hold up nobody, however many there are", async (desk, clock) => {
  await using hung = receiver();
  await using quick = receiver();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  hung.answer = () => released.then(() => 200);
  for (let n = 0; n < 20; n++) await addTarget(desk, hung, { topics: ["plan.*"] });
  await addTarget(desk, quick, { topics: ["plan.*"] });
  const engine = engineOf(desk);
  const words = ["a:v1", "b:v1", "a:v2", "c:v1"];
  for (const [n, word] of words.entries()) {
    await say(desk, clock, word);
    await engine.begin();
    for (let left = 1000; quick.taken.length <= n; left--) {
      assert.ok(left > 0, `${word} waits behind who hangs`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      await engine.begin();
    }
  }
  assert.deepEqual(quick.taken.map(wordOf), words);
  assert.equal(hung.taken.length, 0);
  release();
  await engine.settled();
});

onEngines("a new target starts now, and gets what was before by a replay", async (desk, clock) => {
  await using first = receiver();
  await using second = receiver();
  await addTarget(desk, first, { topics: ["plan.*"] });
  const engine = engineOf(desk);
  const old = Array.from({ length: 130 }, (_, n) => `${"abc"[n % 3]}:v${n}`);
  await say(desk, clock, ...old);
  // Some are fanned out before the second is there, some after it.
  await engine.turn();
  const { id } = await addTarget(desk, second, { topics: ["plan.*"] });
  await say(desk, clock, "a:new");
  await deliver(engine);
  assert.deepEqual(second.taken.map(wordOf), ["a:new"]);
  assert.equal(first.taken.length, 131);
  const span = { target_id: id, after: "2026-02-28T00:00:00Z", states: ["unsent"] };
  const { replayed, next_cursor } = await call(desk, "POST", "/v1/deliveries/replay", span);
  assert.deepEqual([replayed, next_cursor], [130, null]);
  await deliver(engine);
  for (const object of "abc") {
    const mine = second.taken.map(wordOf).slice(1).filter((word) => word.startsWith(object));
    assert.deepEqual(mine, old.filter((word) => word.startsWith(object)));
  }
  // Once more changes nothing; of one object, what was delivered is sent again with the same ids.
  assert.equal((await call(desk, "POST", "/v1/deliveries/replay", span)).replayed, 0);
  const again = await call(desk, "POST", "/v1/deliveries/replay", {
    ...{ ...span, states: ["delivered"], object_id: "b", topics: ["plan.v1", "plan.v4"] },
  });
  assert.equal(again.replayed, 2);
  const before = new Map(second.taken.map((one) => [wordOf(one), one.id]));
  second.taken.length = 0;
  await deliver(engine);
  assert.deepEqual(second.taken.map((one) => [wordOf(one), one.id]), [
    ["b:v1", before.get("b:v1")],
    ["b:v4", before.get("b:v4")],
  ]);
  const later = { ...span, states: ["delivered"], after: "2026-03-02T00:00:00Z" };
  assert.equal((await call(desk, "POST", "/v1/deliveries/replay", later)).replayed, 0);
});

onEngines("without a target nothing is marked, and nothing waits", async (desk) => {
  await create(desk, smallRequest());
  assert.equal((await desk.app.ctx.storage.reader.rows(markedSql, {})).length, 0);
  await using portal = receiver();
  const { id } = await addTarget(desk, portal);
  await create(desk, smallRequest());
  assert.ok((await desk.app.ctx.storage.reader.rows(markedSql, {})).length > 0);
  await call(desk, "DELETE", `/v1/targets/${id}`);
  await deliver(engineOf(desk));
  const before = (await desk.app.ctx.storage.reader.rows(markedSql, {})).length;
  await create(desk, smallRequest());
  assert.equal((await desk.app.ctx.storage.reader.rows(markedSql, {})).length, before);
});

const markedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("outbox_events").select("id").where("position", "is not", null)
);

onEngines(
  "what a dead node had taken is sent by another when its right ends, and not before",
  async (desk, clock) => {
    await using portal = receiver();
    const { id: target_id } = await addTarget(desk, portal, { topics: ["plan.*"] });
    await say(desk, clock, "a:v1", "a:v2", "b:v1");
    const [one, two] = [engineOf(desk), engineOf(desk)];
    // The first node fans out and takes what is due, and dies.
    const { storage } = desk.app.ctx;
    const dead = { org_id: desk.org_id, target_id, holder: "dead", leaseMs: LEASE_MS };
    const empty = await storage.commit(claimDue, { ...dead, now: clock.now() });
    assert.equal(empty?.due.length, 0);
    portal.answer = () => 500;
    await one.turn();
    clock.at += 10_000;
    portal.answer = () => 200;
    const claimed = await storage.commit(claimDue, { ...dead, now: clock.now() });
    assert.equal(claimed?.due.length, 2);
    await deliver(two);
    assert.equal(portal.taken.length, 0);
    clock.at += LEASE_MS + 1;
    await deliver(two);
    assert.deepEqual(portal.taken.map(wordOf).filter((word) => word[0] === "a"), ["a:v1", "a:v2"]);
    assert.equal(portal.taken.length, 3);
  },
);

onEngines("two nodes at once send each message once, in its order", async (desk, clock) => {
  await using portal = receiver();
  await addTarget(desk, portal, { topics: ["plan.*"] });
  const words = Array.from({ length: 200 }, (_, n) => `${"abcdefgh"[n % 8]}:v${n}`);
  const nodes = [engineOf(desk), engineOf(desk), engineOf(desk)];
  const running = nodes.map((node) => deliver(node));
  for (let from = 0; from < words.length; from += 20) {
    await say(desk, clock, ...words.slice(from, from + 20));
  }
  await Promise.all(running);
  await Promise.all(nodes.map((node) => deliver(node)));
  for (const node of nodes) await deliver(node);
  assert.equal(portal.all.length, 200);
  for (const object of "abcdefgh") {
    const mine = portal.taken.map(wordOf).filter((word) => word.startsWith(object));
    assert.deepEqual(mine, words.filter((word) => word.startsWith(object)));
  }
});

assert.ok(GIVEN_UP_MS === 24 * HOUR);
