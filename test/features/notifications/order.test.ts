/** Messages come in the order of their object, whatever fails, hangs or dies. */
import assert from "node:assert/strict";
import { LEASE_MS } from "../../../src/features/notifications/delivery.ts";
import { fanOut } from "../../../src/features/notifications/fan-out.transactions.ts";
import { claimDue } from "../../../src/features/notifications/sending.transactions.ts";
import type { TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { goOn, HOUR, MINUTE, onEngines, say, tell, wordOf } from "./support/messages.ts";

onEngines("each object's messages come in their order, whatever fails", async (desk, clock) => {
  await using portal = receiver();
  await addChannel(desk, portal, { topics: ["plan.*"] });
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
  await addChannel(desk, portal, { topics: ["plan.*"] });
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

onEngines("a revocation overtakes what holds it up, within the hour", async (desk, clock) => {
  await using portal = receiver();
  await addChannel(desk, portal, { topics: ["key.*"] });
  portal.answer = ({ json }) => json.type === "key.revoked" ? 200 : 503;
  const told = ["issued", "plans_changed", "revoked"].map((verb) => ({
    topic: `credential.${verb}`,
    object_id: "key",
  }));
  await desk.app.ctx.storage.commit(tell, { org_id: desk.org_id, now: clock.now(), told });
  const revokedAt = clock.at;
  const engine = engineOf(desk);
  for (; portal.taken.length === 0; clock.at += MINUTE) await deliver(engine);
  assert.ok(clock.at - revokedAt <= HOUR, "within the hour");
  assert.deepEqual(portal.taken.map(({ json }) => json.type), ["key.revoked"]);
  // What was overtaken is still sent, in its order.
  portal.answer = () => 200;
  await goOn(engine, clock, 2 * HOUR, 10 * MINUTE);
  assert.deepEqual(portal.taken.map(({ json }) => json.type.slice(4)), [
    "revoked",
    "issued",
    "plans_changed",
  ]);
});

onEngines("channels that hang hold up nobody, however many there are", async (desk, clock) => {
  await using hung = receiver();
  await using quick = receiver();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  hung.answer = () => released.then(() => 200);
  for (let n = 0; n < 20; n++) await addChannel(desk, hung, { topics: ["plan.*"] });
  await addChannel(desk, quick, { topics: ["plan.*"] });
  const engine = engineOf(desk);
  const words = ["a:v1", "b:v1", "a:v2", "c:v1"];
  for (const [n, word] of words.entries()) {
    await say(desk, clock, word);
    await engine.begin();
    await eventually(`${word}, beside who hangs`, async () => {
      if (quick.taken.length > n) return true;
      await engine.begin();
      return false;
    });
  }
  assert.deepEqual(quick.taken.map(wordOf), words);
  assert.equal(hung.taken.length, 0);
  release();
  await engine.settled();
});

onEngines(
  "what a dead node had taken is sent by another when its right ends, and not before",
  async (desk, clock) => {
    await using portal = receiver();
    const { id: target_id } = await addChannel(desk, portal, { topics: ["plan.*"] });
    await say(desk, clock, "a:v1", "a:v2", "b:v1");
    const [one, two] = [engineOf(desk), engineOf(desk)];
    // The first node fans out and takes what is due, and dies.
    const { storage } = desk.app.ctx;
    const dead = { org_id: desk.org_id, target_id, holder: "dead" };
    const empty = await storage.commit(claimDue, { ...dead, now: clock.now() });
    assert.equal(empty?.due.length, 0);
    portal.answer = () => 500;
    await one.turn();
    clock.at += 10_000;
    portal.answer = () => 200;
    const handedOver = await storage.commit(claimDue, { ...dead, now: clock.now() });
    assert.equal(handedOver?.due.length, 2);
    await deliver(two);
    assert.equal(portal.taken.length, 0);
    clock.at += LEASE_MS + 1;
    await deliver(two);
    assert.deepEqual(portal.taken.map(wordOf).filter((word) => word[0] === "a"), ["a:v1", "a:v2"]);
    assert.equal(portal.taken.length, 3);
  },
);

/** A desk over the same store whose own clock is an hour ahead. */
function anHourAhead({ app }: TestDesk): Pick<TestDesk, "app"> {
  const clock = { now: () => app.ctx.clock.now() + HOUR };
  return { app: { ...app, ctx: { ...app.ctx, clock } } };
}

onEngines(
  "a node whose clock is an hour ahead, and that is killed, holds nothing up for longer than another",
  async (desk, clock) => {
    await using portal = receiver();
    const { id: target_id } = await addChannel(desk, portal, { topics: ["plan.*"] });
    await say(desk, clock, "a:v1", "a:v2", "b:v1");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    portal.answer = () => released.then(() => 500);
    // It fans out, takes what is due, and is never heard of again.
    const ahead = engineOf(anHourAhead(desk));
    await ahead.begin();
    await eventually("two are on their way", () => portal.all.length >= 2);
    portal.answer = () => 200;
    await say(desk, clock, "c:v1");
    clock.at += LEASE_MS;
    const here = engineOf(desk);
    await deliver(here);
    assert.deepEqual(portal.taken.map(wordOf).toSorted(), ["a:v1", "a:v2", "b:v1", "c:v1"]);
    release();
    await ahead.settled();

    // The same of one of an earlier release, which gave its rights by its own clock.
    await say(desk, clock, "a:v3");
    await here.begin();
    await here.settled();
    await say(desk, clock, "b:v2");
    const { storage } = desk.app.ctx;
    const old = { org_id: desk.org_id, holder: "old", now: clock.now() };
    await storage.commit(fanOut, { ...old, now: clock.now() + 10_000 });
    const handedOver = await storage.commit(claimDue, {
      ...old,
      target_id,
      now: clock.now() + HOUR,
    });
    assert.equal(handedOver?.due.length, 1);
    await deliver(here);
    assert.ok(!portal.taken.map(wordOf).includes("b:v2"), "it may be alive");
    clock.at += LEASE_MS;
    await deliver(here);
    assert.ok(portal.taken.map(wordOf).includes("b:v2"));
  },
);

onEngines("two nodes at once send each message once, in its order", async (desk, clock) => {
  await using portal = receiver();
  await addChannel(desk, portal, { topics: ["plan.*"] });
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
