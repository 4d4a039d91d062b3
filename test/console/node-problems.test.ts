/** What Home says of nodes that are not well. */
import assert from "node:assert/strict";
import { type Node, nodeProblems } from "../../console/screens/home/node-problems.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const before = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

function node(more: Partial<Node> = {}): Node {
  return {
    name: "a:3000",
    version: "1.0.0",
    state: "seen",
    stale_ms: null,
    started: before(600),
    last_seen: before(0),
    ...more,
  };
}

/** Each line: its colour and its words in bold. */
function lines(...nodes: Node[]): string[] {
  return nodeProblems(nodes, NOW, (at) => at.slice(11, 16))
    .map(({ isBad, what }) => `${isBad ? "red" : "amber"}: ${what}`);
}

Deno.test("home: a node that is silent stands in amber, in red later", () => {
  assert.deepEqual(lines(node({ state: "current" }), node()), []);
  assert.deepEqual(lines(node({ state: "current" }), node({ state: "late" })), [
    "amber: The node a:3000 is silent",
  ]);
  const [one] = nodeProblems(
    [node({ state: "silent", last_seen: before(2) })],
    NOW,
    (at) => at.slice(11, 16),
  );
  assert.equal(one?.isBad, true);
  assert.match(one?.why ?? "", /^Last heard of 11:58\. /);
});

Deno.test("home: what a node knows of keys may be 15 seconds old, and a minute before it is red", () => {
  assert.deepEqual(lines(node({ stale_ms: 14_999 })), []);
  assert.deepEqual(lines(node({ stale_ms: 15_000 }), node({ stale_ms: 60_000 })), [
    "amber: The node a:3000 has not heard of changed keys for 15 s",
    "red: The node a:3000 has not heard of changed keys for 60 s",
  ]);
});

Deno.test("home: versions may differ for an hour, counted from the first node of the second one", () => {
  const old = node({ name: "old" });
  const fresh = (minutes: number, more: Partial<Node> = {}) =>
    node({ version: "1.1.0", started: before(minutes), ...more });
  assert.deepEqual(lines(old, fresh(60)), []);
  assert.deepEqual(lines(old, fresh(61), fresh(5)), [
    "amber: Nodes run different versions: 1.0.0, 1.1.0",
  ]);
  // One that is silent runs nothing.
  assert.deepEqual(lines(old, fresh(61, { state: "silent" })), ["red: The node a:3000 is silent"]);
});
