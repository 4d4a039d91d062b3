/** Channels that come and go: what a new one gets, what goes with a deleted one. */
import assert from "node:assert/strict";
import { statement } from "../../../src/storage/statement.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { call } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { onEngines, say, statesOf, wordOf } from "./support/messages.ts";

onEngines(
  "what waits when its channel is gone goes with it, and other organisations hear nothing",
  async (desk, clock) => {
    await using portal = receiver();
    const { id } = await addChannel(desk, portal, { topics: ["plan.*"] });
    const other = await desk.otherOrganisation();
    await addChannel(desk, portal, { topics: ["*"] }, other.admin);
    await call(desk, "POST", `/v1/channels/${id}/pause`);
    const engine = engineOf(desk);
    const words = Array.from({ length: 230 }, (_, n) => `o${n}:v1`);
    await say(desk, clock, ...words);
    await deliver(engine);
    const { dropped } = await call(desk, "DELETE", `/v1/channels/${id}`);
    assert.equal(dropped, 230);
    await say(desk, clock, "a:v1");
    await deliver(engine);
    assert.deepEqual(portal.all.filter(({ json }) => json.type.startsWith("plan.")), []);
    assert.deepEqual(await statesOf(desk), {});
  },
);

onEngines("a new channel starts now, and gets what was before by a replay", async (desk, clock) => {
  await using first = receiver();
  await using second = receiver();
  await addChannel(desk, first, { topics: ["plan.*"] });
  const engine = engineOf(desk);
  const old = Array.from({ length: 130 }, (_, n) => `${"abc"[n % 3]}:v${n}`);
  await say(desk, clock, ...old);
  // Some are fanned out before the second is there, some after it.
  await engine.turn();
  const { id } = await addChannel(desk, second, { topics: ["plan.*"] });
  await say(desk, clock, "a:new");
  await deliver(engine);
  assert.deepEqual(second.taken.map(wordOf), ["a:new"]);
  assert.equal(first.taken.length, 131);
  const span = { channel_id: id, after: "2026-02-28T00:00:00Z", states: ["unsent"] };
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
    ...span,
    states: ["delivered"],
    object_id: "b",
    topics: ["plan.v1", "plan.v4"],
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

onEngines("without a channel nothing is marked, and nothing waits", async (desk) => {
  await create(desk, smallRequest());
  assert.equal((await desk.app.ctx.storage.reader.rows(markedSql, {})).length, 0);
  await using portal = receiver();
  const { id } = await addChannel(desk, portal);
  await create(desk, smallRequest());
  assert.ok((await desk.app.ctx.storage.reader.rows(markedSql, {})).length > 0);
  await call(desk, "DELETE", `/v1/channels/${id}`);
  await deliver(engineOf(desk));
  const before = (await desk.app.ctx.storage.reader.rows(markedSql, {})).length;
  await create(desk, smallRequest());
  assert.equal((await desk.app.ctx.storage.reader.rows(markedSql, {})).length, before);
});

const markedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("outbox_events").select("id").where("position", "is not", null)
);
