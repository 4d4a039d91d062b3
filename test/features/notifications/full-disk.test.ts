/**
 * A disk that is full amid changes and deliveries: what was acknowledged is told once there is
 * room, and nothing else.
 */
import assert from "node:assert/strict";
import { LEASE_MS } from "../../../src/features/notifications/delivery.ts";
import { openTestDesk } from "../../support/desk.ts";
import { smallRequest } from "../../support/key-requests.ts";
import { movableClock } from "../../support/keys.ts";
import { limitPages } from "../../support/limit-pages.ts";
import { call } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";

/** More than the pages that are left can hold. */
const CHANGES = 60;
const PATH = "/api/portal/requests";

Deno.test({
  name: "deliveries: a full disk loses none and invents none, each object's in order",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const clock = movableClock();
    await using desk = await openTestDesk("sqlite", { clock, extra: [limitPages] });
    await using portal = receiver();
    // What is answered is kept with each try, so that settling takes room too.
    portal.answer = () => new Response("x".repeat(4096));
    await addChannel(desk, portal, { topics: ["key_request.*"] });
    const { storage } = desk.app.ctx;
    let failed = 0;
    let refused = 0;
    const commit = storage.commit.bind(storage);
    storage.commit = (transaction, input) =>
      commit(transaction, input).catch((error) => {
        if (transaction.id.startsWith("deliveries.")) failed++;
        throw error;
      });
    const engine = engineOf(desk);
    const told: string[] = [];
    const change = async (text: string) => {
      const body = { ...smallRequest(), fields: { text } };
      const made = await desk.send("POST", PATH, { body });
      const answer = await made.json();
      if (made.status !== 200) {
        refused++;
        return assert.equal(made.status, 503);
      }
      const id = answer.Message;
      told.push(`${id}:created`);
      const declined = await desk.send("POST", `/v1/key-requests/${id}/decline`, { body: {} });
      await declined.body?.cancel();
      if (declined.status === 200) told.push(`${id}:declined`);
      else assert.equal(declined.status, 503);
    };
    await change("before");
    await storage.commit(limitPages, { pages: 40 });
    const turn = () => engine.begin().catch(() => {});
    // Small ones go on until a delivery found no room either, however the two took turns.
    for (let n = 0; n < CHANGES || (failed === 0 && n < 10 * CHANGES); n++) {
      await Promise.all([change("x".repeat(n < CHANGES ? 10_000 : 10)), turn()]);
      await engine.settled();
      clock.at += 1000;
    }
    assert.ok(refused > 0, "the disk was full");
    assert.ok(failed > 0, "for deliveries too");
    const before = portal.taken.length;
    await turn();
    await storage.commit(limitPages, { pages: 0 });
    await change("after");
    // What a node had the right to send and could not settle comes again when that right ends.
    for (let n = 0; n < 5; n++) {
      clock.at += LEASE_MS;
      await deliver(engine);
    }
    const came = portal.taken.map(({ json }) => `${json.data.id}:${json.type.split(".")[1]}`);
    assert.deepEqual([...new Set(came)].sort(), told.toSorted(), "none lost, none invented");
    for (const id of new Set(came.map((word) => word.split(":")[0]))) {
      const own = [...new Set(came.filter((word) => word.startsWith(`${id}:`)))];
      assert.deepEqual(own, told.filter((word) => word.startsWith(`${id}:`)), "in order");
    }
    const { data } = await call(desk, "GET", "/v1/deliveries?state=waiting");
    assert.deepEqual(data, []);
    assert.ok(came.length > before);
  },
});
