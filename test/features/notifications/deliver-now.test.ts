/**
 * What waits goes out at once where its receiver is back, or somebody wants it: whatever its next
 * try was.
 */
import assert from "node:assert/strict";
import { WAKE_MS } from "../../../src/features/notifications/delivery.ts";
import { WOKEN } from "../../../src/features/notifications/wake.store.ts";
import type { TestDesk } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import { addTarget, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { type Clock, goOn, HOUR, MINUTE, onEngines, say, wordOf } from "./support/messages.ts";

/** So many messages, each about an object of its own. */
const many = (n: number) => Array.from({ length: n }, (_, i) => `o${i}:v1`);

const counts = (desk: TestDesk) => call(desk, "GET", "/v1/deliveries/counts");

/** A receiver that is sent too much, and asks for an hour. */
const tooMuch = () => new Response("told", { status: 429, headers: { "retry-after": "3600" } });

/** When what waits is tried, in milliseconds from now. */
async function waits(desk: TestDesk, clock: Clock): Promise<number[]> {
  const { data } = await call(desk, "GET", "/v1/deliveries?state=waiting&limit=100");
  return data.flatMap(({ next_try_at: at }: { next_try_at: string | null }) =>
    at === null ? [] : Date.parse(at) - clock.at
  );
}

onEngines(
  "after an outage all that waits is due within 5 s of the first success, spread over them",
  async (desk, clock) => {
    await using portal = receiver();
    const { id } = await addTarget(desk, portal, { topics: ["plan.*"] });
    portal.answer = () => 503;
    await say(desk, clock, ...many(60), "o1:v2");
    const engine = engineOf(desk);
    await goOn(engine, clock, 3 * HOUR, 10 * MINUTE);
    assert.equal(portal.taken.length, 0);
    const told = await counts(desk);
    assert.equal(told.waiting, 61);
    const [by] = told.waiting_by_target;
    assert.deepEqual([by.target_id, by.waiting], [id, 61]);
    assert.ok(Date.parse(by.next_try_at) > clock.at);
    assert.ok(Math.max(...await waits(desk, clock)) > 10 * MINUTE);
    portal.answer = () => 200;
    await say(desk, clock, "first:v1");
    await engine.turn();
    assert.deepEqual(portal.taken.map(wordOf), ["first:v1"]);
    await engine.turn();
    const later = await waits(desk, clock);
    assert.ok(later.every((ms) => ms <= WAKE_MS), `${later}`);
    assert.ok(later.filter((ms) => ms > WAKE_MS / 2).length > 10, "they are spread");
    assert.ok(later.filter((ms) => ms < WAKE_MS / 2).length > 10, "they are spread");
    clock.at += WAKE_MS;
    await deliver(engine);
    assert.equal(portal.taken.length, 62);
    const words = portal.taken.map(wordOf);
    assert.ok(words.indexOf("o1:v1") < words.indexOf("o1:v2"), "in its order");
    assert.deepEqual((await counts(desk)).waiting, 0);
  },
);

onEngines(
  "what fails alone beside others that succeed keeps its waits, and what is sent too much too",
  async (desk, clock) => {
    await using portal = receiver();
    await addTarget(desk, portal, { topics: ["plan.*"] });
    const engine = engineOf(desk);
    portal.answer = ({ json }) => json.data.id === "bad" ? 500 : 200;
    await say(desk, clock, "bad:v1");
    for (let n = 0; n < 60; n++, clock.at += 1000) {
      await deliver(engine);
      await say(desk, clock, `good${n}:v1`);
      await deliver(engine);
    }
    const tries = portal.all.filter((one) => wordOf(one) === "bad:v1").length;
    assert.ok(tries >= 3 && tries <= 5, `${tries} tries`);

    // The receiver asks for an hour, and a success in between does not overrule it.
    portal.answer = tooMuch;
    await say(desk, clock, "much:v1");
    await deliver(engine);
    clock.at += MINUTE;
    portal.answer = () => 200;
    await say(desk, clock, "again:v1");
    await deliver(engine);
    clock.at += WAKE_MS;
    await deliver(engine);
    assert.ok(portal.taken.map(wordOf).includes("again:v1"));
    assert.ok(!portal.taken.map(wordOf).includes("much:v1"));
  },
);

onEngines(
  "somebody who wants it has all of it sent within 5 s, and so has who resumes a target",
  async (desk, clock) => {
    await using portal = receiver();
    const { id } = await addTarget(desk, portal, { topics: ["plan.*"] });
    portal.answer = tooMuch;
    const more = WOKEN + 20;
    await say(desk, clock, ...many(more));
    const engine = engineOf(desk);
    await deliver(engine);
    portal.answer = () => 200;
    clock.at += 1000;
    await deliver(engine);
    assert.equal(portal.taken.length, 0);
    assert.deepEqual(await call(desk, "POST", `/v1/targets/${id}/now`), { woken: more });
    assert.ok(Math.max(...await waits(desk, clock)) <= WAKE_MS);
    assert.deepEqual(await call(desk, "POST", `/v1/targets/${id}/now`), { woken: 0 });
    clock.at += WAKE_MS;
    await deliver(engine);
    assert.equal(portal.taken.length, more);
    const { data } = await call(desk, "GET", "/v1/audit-log?action=channel.hurried");
    assert.deepEqual(data.map(({ detail }: { detail: unknown }) => detail), [
      { woken: 0 },
      { woken: more },
    ]);

    portal.answer = () => 500;
    await say(desk, clock, "late:v1");
    await goOn(engine, clock, HOUR, 5 * MINUTE);
    await call(desk, "POST", `/v1/targets/${id}/pause`);
    portal.answer = () => 200;
    await call(desk, "POST", `/v1/targets/${id}/resume`);
    clock.at += WAKE_MS;
    await deliver(engine);
    assert.equal(portal.taken.at(-1)?.json.data.id, "late");
  },
);
