import assert from "node:assert/strict";
import { Deadline, TimeOver } from "../../src/kernel/deadline.ts";
import { Failure } from "../../src/kernel/failure.ts";

const never = () => new Promise<never>(() => {});

/** Asserts that it is given up, by whose time, and gives what the caller is told. */
async function givenUp(waiting: Promise<unknown>, byCaller: boolean): Promise<string> {
  const error = await waiting.then(() => undefined, (error) => error);
  assert.ok(error instanceof Failure && error.code === "unavailable", String(error));
  assert.ok(error.cause instanceof TimeOver);
  assert.equal(error.cause.byCaller, byCaller);
  return error.message;
}

Deno.test("deadline: all that is waited for has one time together, then nothing is asked", async () => {
  const deadline = new Deadline(2000);
  // Late, but answered: what it took is gone.
  await deadline.waitFor(new Promise((resolve) => setTimeout(resolve, 300)));
  assert.equal(deadline.isOver, false);
  const ended: string[] = [];
  await Promise.all([
    givenUp(new Deadline(2000).waitFor(never()), false).then(() => ended.push("a fresh one")),
    givenUp(deadline.waitFor(never()), false).then(() => ended.push("this one")),
  ]);
  assert.deepEqual(ended, ["this one", "a fresh one"]);
  assert.equal(deadline.isOver, true);
  assert.throws(() => deadline.check(), Failure);
});

Deno.test("deadline: where prompt answers count, many of them are not waited for without end", async () => {
  const deadline = new Deadline(60_000, Infinity, 100);
  let answers = 0;
  const asking = async () => {
    for (; answers < 1000; answers++) {
      deadline.check();
      await deadline.waitFor(new Promise((resolve) => setTimeout(resolve, 5)));
    }
  };
  await givenUp(asking(), false);
  assert.ok(answers <= 20, String(answers));
  deadline.lift();
  assert.equal(deadline.isOver, false);
});

Deno.test("deadline: prompt answers cost nothing, however many there are", async () => {
  let deadline = new Deadline(1);
  let began = performance.now();
  while (performance.now() - began < 30) {
    const asked = performance.now();
    const isGiven = await deadline.waitFor(Promise.resolve()).then(() => true, () => false);
    if (performance.now() - asked > 40) {
      // A busy machine let this process wait: that was not prompt.
      deadline = new Deadline(1);
      began = performance.now();
      continue;
    }
    assert.ok(isGiven && !deadline.isOver);
  }
});

Deno.test("deadline: a caller's time runs whatever the call does, and is told apart", async () => {
  const deadline = new Deadline(Infinity, 20);
  await givenUp(deadline.limit(never()), true);
  await givenUp(deadline.waitFor(never()), true);
});

Deno.test("deadline: over inside a commit it is said that the outcome is unknown", async () => {
  const deadline = new Deadline(10);
  const commit = Promise.withResolvers<void>();
  const committing = deadline.waitFor(deadline.committing(() => commit.promise));
  assert.match(await givenUp(committing, false), /cannot tell in time whether this was done/);
  commit.resolve();
  await commit.promise;
});

Deno.test("deadline: once the answer has begun nothing is given up any more", async () => {
  const deadline = new Deadline(1, 1);
  deadline.lift();
  await deadline.waitFor(new Promise((resolve) => setTimeout(resolve, 30)));
  assert.equal(deadline.isOver, false);
});
