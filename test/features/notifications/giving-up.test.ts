/** Tries and their times: waits that grow, failed deliveries, and channels that are paused. */
import assert from "node:assert/strict";
import {
  GIVEN_UP_MS,
  retryAfterMs,
  waitAfter,
} from "../../../src/features/notifications/delivery.ts";
import { statement } from "../../../src/storage/statement.ts";
import type { TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { call } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { PurgeTime } from "../../../src/maintenance/retention/purge-time.ts";
import { startPurger } from "../../../src/maintenance/retention/purger.ts";
import { keepPurgeTime } from "../../../src/maintenance/retention/retention.transactions.ts";
import {
  type Clock,
  goOn,
  HOUR,
  MINUTE,
  onEngines,
  say,
  statesOf,
  wordOf,
} from "./support/messages.ts";

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
    assert.equal(GIVEN_UP_MS, 24 * HOUR);
    await using portal = receiver();
    await addChannel(desk, portal, { topics: ["plan.*"] });
    portal.answer = ({ json }) => json.type === "plan.v1" ? 500 : 200;
    await say(desk, clock, "a:v1", "a:v2", "a:v3");
    const engine = engineOf(desk);
    const alive = async () => {
      // Others succeed, so the channel is not paused.
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

onEngines(
  "a channel that fails for long is paused and told of, and loses nothing",
  async (desk, clock) => {
    await using portal = receiver();
    const { id } = await addChannel(desk, portal, { topics: ["plan.*"] });
    portal.answer = () => 500;
    const lines: string[] = [];
    const engine = engineOf(desk, { line: (_, text) => void lines.push(text) });
    await say(desk, clock, "a:v1", "a:v2", "b:v1");
    await goOn(engine, clock, 14 * HOUR, 10 * MINUTE);
    const paused = await call(desk, "GET", `/v1/channels/${id}`);
    assert.deepEqual([paused.state, paused.state_reason], ["paused", "failing"]);
    assert.ok(lines.includes("a channel was paused"));
    assert.ok(desk.app.ctx.problems.current().some(({ name }) => name === "channel_paused"));
    const auditLog = await call(desk, "GET", `/v1/audit-log?action=channel.paused`);
    assert.deepEqual([auditLog.data.length, auditLog.data[0].object_id], [1, id]);
    // No try is counted, and nothing purged, however long it takes.
    const tried = portal.all.length;
    clock.at += 100 * 24 * HOUR;
    await say(desk, clock, "b:v2");
    await goOn(engine, clock, 30 * HOUR, HOUR);
    await purged(desk, clock);
    assert.equal(portal.all.length, tried);
    assert.deepEqual(new Set(Object.values(await statesOf(desk))), new Set(["waiting"]));
    await call(desk, "POST", `/v1/channels/${id}/resume`);
    // One more failure gives nothing up: the time of the pause is none of tries.
    await deliver(engine);
    assert.deepEqual(new Set(Object.values(await statesOf(desk))), new Set(["waiting"]));
    portal.answer = () => 200;
    await goOn(engine, clock, 2 * HOUR, 10 * MINUTE);
    assert.ok(!desk.app.ctx.problems.current().some(({ name }) => name === "channel_paused"));
    const order = portal.taken.map(wordOf);
    assert.deepEqual(order.filter((word) => word.startsWith("a")), ["a:v1", "a:v2"]);
    assert.deepEqual(order.filter((word) => word.startsWith("b")), ["b:v1", "b:v2"]);
    // What was delivered goes with the outbox's retention, its tries with it.
    clock.at += 100 * 24 * HOUR;
    await purged(desk, clock);
    assert.deepEqual(await statesOf(desk), {});
    assert.equal(await attempts(desk), 0);
  },
);

/** Has everything purged that is older than 90 days. */
async function purged(desk: TestDesk, clock: Clock): Promise<void> {
  const { storage, problems } = desk.app.ctx;
  const retention = {
    audit_events: 0,
    outbox_events: 90,
    deliveries: 90,
    claims: 0,
    usage_hours: 400,
    usage_days: 400,
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
  const purger = startPurger({ storage, problems, clock }, retention, {
    restMs: 1,
    time: new Now(),
    before: () => (rounds++, Promise.resolve()),
  });
  await storage.commit(keepPurgeTime, { until: clock.now() });
  await eventually("a round of the purger", () => isThrough);
  purger.stop();
}

const attemptsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("delivery_attempts").select((eb) => eb.fn.countAll<number>().as("n"))
);

async function attempts(desk: TestDesk): Promise<number> {
  return Number((await desk.app.ctx.storage.reader.row(attemptsSql, {}))?.n);
}
