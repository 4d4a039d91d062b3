/** A store without room: what answers meanwhile, what says so, and that it goes on by itself. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { limitPages } from "../support/limit-pages.ts";
import { create, REQUESTS, smallRequest } from "../support/key-requests.ts";
import { ask } from "../support/verification.ts";
import { testOnWriters } from "../support/writers.ts";

testOnWriters(
  "a full store: 503 for changes and /readyz, until there is room again",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const ready = (query = "") => desk.send("GET", `/readyz${query}`, { credential: null });
    const sent = async () => {
      const body = { ...smallRequest(), fields: { text: "x".repeat(100_000) } };
      return await desk.send("POST", REQUESTS, { body });
    };
    const creates = async () => (await sent()).status;
    const id = await create(desk, smallRequest());
    assert.equal((await ready()).status, 200);
    await storage.commit(limitPages, { pages: 5 });
    const refused = await sent();
    assert.equal(refused.status, 503);
    const { Message } = await refused.json();
    assert.equal(Message, "Nothing was done: the disk of the store is full (SQLITE_FULL).");
    assert.equal((await ready()).status, 200, "once is not for five seconds");

    let told: { Errors: string[] } = { Errors: [] };
    await eventually("changes have failed for five seconds", async () => {
      assert.equal(await creates(), 503);
      const answer = await ready();
      told = await answer.json();
      // A small commit of the server's own may have found room in between.
      return answer.status === 503 &&
        /^the last commit failed \(SQLITE_FULL\) \d+ s ago$/.test(told.Errors[1] ?? "");
    });
    assert.match(told.Errors[0] ?? "", /^writes_fail since \d{4}-/);
    assert.equal(told.Errors.length, 2, "no sizes: strangers read it");
    const hello = await desk.send("GET", "/hello", { credential: null });
    assert.deepEqual([hello.status, (await hello.json()).status], [503, "fail"]);

    // What gateways and readers ask is answered.
    assert.equal((await ready("?for=verify")).status, 200);
    assert.equal((await ask(desk, { key: "of-nobody" })).status, 200);
    assert.equal((await desk.send("GET", `${REQUESTS}/${id}`)).status, 200);
    // What the desk writes by itself may have found room in between.
    let server = { writing: { last_commit: { reason: "" } }, problems: [] };
    await eventually("the last commit failed", async () => {
      assert.equal(await creates(), 503);
      server = await (await desk.send("GET", "/v1/server")).json();
      return server.writing.last_commit.reason === "SQLITE_FULL";
    });
    assert.deepEqual(
      server.problems.map((
        { name, reason, stops }: Record<string, string>,
      ) => [name, reason, stops]),
      [["writes_fail", "SQLITE_FULL", "writes"]],
    );

    await storage.commit(limitPages, { pages: 0 });
    // Nobody sends a change: a load balancer has taken the node out.
    await eventually("there is room again", async () => (await ready()).status === 200);
    assert.equal(await creates(), 200);
    const lines = desk.logLines.filter((line) => line.includes('"problem":"writes_fail"'));
    assert.deepEqual(lines.map((line) => JSON.parse(line).msg), ["problem begins", "problem ends"]);
    assert.ok(lines.every((line) => JSON.parse(line).reason === "SQLITE_FULL"));
  },
);
