/** /hello: whether the store answers, in the words of the original. */
import assert from "node:assert/strict";
import { Failure } from "../../src/kernel/failure.ts";
import { assertAnswer } from "../support/answers.ts";
import { testOnEngines } from "../support/desk.ts";

testOnEngines(
  "hello: passes while the store answers, and says so when it does not",
  async (desk) => {
    const hello = () => desk.send("GET", "/hello", { credential: null });
    const told = { version: "0", description: "Keydesk" };
    await assertAnswer(await hello(), { status: "pass", ...told });
    assert.equal((await desk.send("GET", "/hello/", { credential: null })).status, 200);
    const ping = () => Promise.reject(new Failure("unavailable"));
    Object.assign(desk.app.ctx.storage, { ping });
    const failed = await hello();
    assert.equal(failed.status, 503);
    assert.deepEqual(await failed.json(), { status: "fail", ...told });
  },
);
