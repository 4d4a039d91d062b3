import assert from "node:assert/strict";
import { inTime } from "../../src/kernel/in-time.ts";

const never = new Promise<never>(() => {});

Deno.test("in time: what comes in time is given, and no timer is left behind", async () => {
  assert.equal(await inTime(Promise.resolve("here"), 60_000, () => "late"), "here");
});

Deno.test("in time: a failure in time is the promise's own", async () => {
  const failing = Promise.reject(new Error("broken"));
  await assert.rejects(inTime(failing, 60_000, () => "late"), /broken/);
});

Deno.test("in time: what takes longer is answered by what `late` gives or throws", async () => {
  assert.equal(await inTime(never, 1, () => "late"), "late");
  const late = () => {
    throw new Error("gave up");
  };
  await assert.rejects(inTime(never, 1, late), /gave up/);
});

Deno.test("in time: `late` is not called for what came in time", async () => {
  let calls = 0;
  await inTime(Promise.resolve(), 0, () => calls++);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(calls, 0);
});

Deno.test("in time: a failure after the time disturbs nobody", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  assert.equal(await inTime(promise, 1, () => "late"), "late");
  reject(new Error("too late to matter"));
  // An unhandled rejection would fail this test.
  await new Promise((resolve) => setTimeout(resolve, 0));
});
