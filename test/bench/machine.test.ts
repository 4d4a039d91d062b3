import assert from "node:assert/strict";
import { look, quietnessOf, wordsOf } from "../../bench/machine.ts";
import { eventually } from "../support/eventually.ts";

Deno.test("machine: what the bench itself takes is not others'", () => {
  const before = { all: 1000, busy: 500, own: 100 };
  const alone = quietnessOf(before, { all: 2000, busy: 1450, own: 1040 });
  assert.deepEqual(alone, { others: 0.01, isQuiet: true });
  const loaded = quietnessOf(before, { all: 2000, busy: 1450, own: 340 });
  assert.deepEqual(loaded, { others: 0.71, isQuiet: false });
  assert.equal(wordsOf(alone, 3), "3 rounds, quiet: others took 1 % of the processors");
  assert.equal(wordsOf(loaded, 0), "loaded: others took 71 % of the processors");
  assert.deepEqual(quietnessOf(before, before), { others: 0, isQuiet: true });
});

Deno.test("machine: a child's child counts as the bench's own", async () => {
  const before = look().own;
  const script = "sh -c 'while :; do :; done'";
  await using child = new Deno.Command("sh", { args: ["-c", `${script} & wait`] }).spawn();
  await eventually("its time is counted", () => Promise.resolve(look().own - before > 20));
  const pids = await Deno.readTextFile(`/proc/${child.pid}/task/${child.pid}/children`);
  for (const pid of pids.trim().split(" ")) Deno.kill(Number(pid), "SIGKILL");
});
