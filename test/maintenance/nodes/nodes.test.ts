/**
 * Which processes serve a store: what each leaves in it, and what `GET /v1/server` tells of them.
 */
import assert from "node:assert/strict";
import { version } from "../../../src/kernel/version.ts";
import {
  CLOCKS_APART,
  clocksApart,
  startHeartbeat,
} from "../../../src/maintenance/nodes/heartbeat.ts";
import { LATE_MS, SILENT_MS, stateAfter } from "../../../src/maintenance/nodes/node-state.ts";
import { listNodes } from "../../../src/maintenance/nodes/nodes.store.ts";
import {
  type Heartbeat,
  leaveNodes,
  noteNode,
} from "../../../src/maintenance/nodes/nodes.transactions.ts";
import { defineTransaction, type Storage } from "../../../src/storage/storage.ts";
import { statement } from "../../../src/storage/statement.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";

const HOUR_MS = 60 * 60 * 1000;

const setSeenSql = statement<{ id: string; seen_at: string }>()((db, p) =>
  db.updateTable("nodes").set({ seen_at: p.seen_at }).where("id", "=", p.id)
);
/** As if the process had said nothing since. */
const setSeen = defineTransaction(
  "test.nodes.seen",
  (tx, input: { id: string; seen_at: string }) => tx.change(setSeenSql, input),
);

/** The desk of a test, and what is done to its nodes. */
function nodesOf({ app: { ctx }, send }: TestDesk) {
  const told: Heartbeat = {
    id: "a",
    name: "a:3000",
    version: "1.0.0",
    up_ms: 2 * HOUR_MS,
    stale_ms: -1,
    ahead_ms: null,
    now: ctx.clock.now(),
  };
  return {
    note: (more: Partial<Heartbeat>) => ctx.storage.commit(noteNode, { ...told, ...more }),
    seen: (id: string, agoMs: number) => {
      const seen_at = new Date(Date.now() - agoMs).toISOString();
      return ctx.storage.commit(setSeen, { id, seen_at });
    },
    ids: async () => (await listNodes(ctx.storage.reader, "")).map(({ id }) => id).sort(),
    told: async (credential?: string) =>
      (await (await send("GET", "/v1/server", { credential })).json()).nodes,
  };
}

const extra = [setSeen];

testOnEngines(
  "nodes: who answers is here, the others are told by when they were heard of, to the first organisation alone",
  async (desk) => {
    const { note, seen, told } = nodesOf(desk);
    await note({ stale_ms: 120 });
    await note({ id: "b", name: "b:3000", version: "1.1.0", up_ms: HOUR_MS });
    await note({ id: "c", name: "c:3000", up_ms: 0 });
    await seen("b", 30_000);
    await seen("c", 2 * 60_000);
    const [here, ...others] = await told();
    const { state, name, version: own, stale_ms } = here;
    assert.deepEqual([state, own, stale_ms], ["current", version, null]);
    assert.match(name, /^[^:]+:\d+$/);
    assert.ok(here.started <= here.last_seen);
    const facts = others.map((one: Record<string, string>) => [one.name, one.version, one.state]);
    assert.deepEqual(facts, [
      ["a:3000", "1.0.0", "seen"],
      ["b:3000", "1.1.0", "late"],
      ["c:3000", "1.0.0", "silent"],
    ]);
    assert.deepEqual(others.map((one: { stale_ms: number }) => one.stale_ms), [120, null, null]);
    const { admin } = await desk.otherOrganisation();
    assert.deepEqual(await told(admin), []);
  },
  { extra },
);

testOnEngines(
  "nodes: one that ends in order is gone, one that was killed for a day, or until it comes back",
  async (desk) => {
    const { note, seen, ids, told } = nodesOf(desk);
    await note({ id: "ended" });
    await desk.app.ctx.storage.commit(leaveNodes, { id: "ended" });
    assert.deepEqual(await ids(), []);

    await note({ id: "killed" });
    await note({ id: "sibling", up_ms: 0 });
    await seen("killed", 20_000);
    // It was still heard of when the sibling on its port had been running for long.
    await note({ id: "sibling", up_ms: HOUR_MS });
    assert.deepEqual(await ids(), ["killed", "sibling"]);
    await note({ id: "back", up_ms: 1000 });
    assert.deepEqual(await ids(), ["back", "sibling"]);

    await note({ id: "lost", name: "lost:3000" });
    await seen("lost", 23 * HOUR_MS);
    await note({ id: "back" });
    assert.deepEqual(await ids(), ["back", "lost", "sibling"]);
    await seen("lost", 25 * HOUR_MS);
    assert.ok(!(await told()).some(({ name }: { name: string }) => name === "lost:3000"));
    await note({ id: "back" });
    assert.deepEqual(await ids(), ["back", "sibling"]);
  },
  { extra },
);

testOnEngines(
  "nodes: a process leaves its sign in PostgreSQL and takes it away; SQLite is not written to",
  async (desk) => {
    const { ctx } = desk.app;
    const { ids } = nodesOf(desk);
    const activity = async () =>
      (await (await desk.send("GET", "/v1/audit-log")).json()).data.length;
    const rows = await activity();
    let commits = 0;
    const storage: Storage = {
      ...ctx.storage,
      commit: (transaction, input) => {
        commits++;
        return ctx.storage.commit(transaction, input);
      },
    };
    const heartbeat = startHeartbeat({ ...ctx, storage }, 1);
    if (desk.engine === "postgres") {
      await eventually("several signs", () => commits > 3);
      assert.deepEqual(await ids(), [ctx.node.id]);
    }
    await heartbeat.stop();
    assert.deepEqual(await ids(), []);
    assert.equal(commits > 0, desk.engine === "postgres");
    assert.equal(await activity(), rows);
  },
);

testOnEngines(
  "nodes: a sign that can't be left is missing, and the next is tried",
  async (desk) => {
    if (desk.engine === "sqlite") return;
    const { ctx } = desk.app;
    let tries = 0;
    const storage = {
      ...ctx.storage,
      commit: () => Promise.reject(new Error(`try ${++tries}`)),
    };
    const heartbeat = startHeartbeat({ ...ctx, storage }, 1);
    await eventually("further tries", () => tries > 3);
    await heartbeat.stop();
    assert.deepEqual(ctx.problems.current(), []);
  },
);

testOnEngines(
  "nodes: clocks that are more than 30 seconds apart are a problem, a line and a figure, until they are set",
  async (desk) => {
    if (desk.engine === "sqlite") return;
    const { ctx } = desk.app;
    const { note } = nodesOf(desk);
    const apart = () => ctx.problems.current().find(({ name }) => name === CLOCKS_APART)?.reason;
    const heartbeat = startHeartbeat(ctx, 1);
    try {
      await eventually(
        "its sign",
        async () => (await listNodes(ctx.storage.reader, "")).length === 1,
      );
      await note({ id: "b", name: "b:3000", ahead_ms: 25_000 });
      await note({ id: "c", name: "c:3000", ahead_ms: null });
      await eventually(
        "all signs",
        async () => (await listNodes(ctx.storage.reader, "")).length === 3,
      );
      assert.equal(apart(), undefined);
      // Neither is far from the database's clock, and they are from each other.
      await note({ id: "b", name: "b:3000", ahead_ms: 20_000 });
      await note({ id: "c", name: "c:3000", ahead_ms: -20_000 });
      await eventually("the problem", () => apart() !== undefined);
      const reason = "clocks are more than 30 s apart: by the database's clock that of b:3000 is " +
        "20 s ahead and that of c:3000 is 20 s behind. Set them by NTP";
      assert.equal(apart(), reason);
      assert.ok(
        desk.logLines.some((line) => line.includes("problem begins") && line.includes(reason)),
      );
      const { nodes } = await (await desk.send("GET", "/v1/server")).json();
      const told = nodes.map((one: { name: string; ahead_ms: number }) => [one.name, one.ahead_ms]);
      assert.deepEqual(told.slice(1), [["b:3000", 20_000], ["c:3000", -20_000]]);
      assert.equal(typeof told[0][1], "number");
      const figures = await (await desk.send("GET", "/metrics")).text();
      assert.match(figures, /^keydesk_clock_ahead_seconds -?[\d.e-]+$/m);
      await note({ id: "c", name: "c:3000", ahead_ms: 0 });
      await eventually("its end", () => apart() === undefined);
    } finally {
      await heartbeat.stop();
    }
  },
);

Deno.test("nodes: clocks may be 30 seconds apart, the database's among them, and no further", () => {
  const clock = (name: string, ahead_ms: number) => ({ name, ahead_ms });
  assert.equal(clocksApart([]), undefined);
  assert.equal(clocksApart([clock("a", 30_000), clock("b", 0)]), undefined);
  assert.match(clocksApart([clock("a", 30_001)]) ?? "", /clock that of a is 30 s ahead\. Set/);
  assert.match(
    clocksApart([clock("a", -3_600_000), clock("b", -3)]) ?? "",
    /that of a is 3600 s b/,
  );
  assert.match(
    clocksApart([clock("a", -100), clock("b", 40_000)]) ?? "",
    /that of b is 40 s ahead\./,
  );
});

Deno.test("nodes: late after 15 seconds, silent after a minute", () => {
  const states = [0, LATE_MS - 1, LATE_MS, SILENT_MS - 1, SILENT_MS].map(stateAfter);
  assert.deepEqual(states, ["seen", "seen", "late", "late", "silent"]);
  assert.deepEqual([LATE_MS, SILENT_MS], [15_000, 60_000]);
});
