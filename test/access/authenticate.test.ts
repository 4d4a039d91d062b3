import assert from "node:assert/strict";
import { Authenticator } from "../../src/access/authenticate.ts";
import type { Connection } from "../../src/storage/storage.ts";
import { openTestDesk } from "../support/desk.ts";
import { testClock } from "../support/people.ts";

Deno.test("authenticator: what a slow look-up found is trusted from when it was asked, not from when it came", async () => {
  await using desk = await openTestDesk("sqlite");
  const { storage: { reader }, attempts } = desk.app.ctx;
  const [slow, quick] = [await desk.token(["portal:read"]), await desk.token(["portal:read"])];
  const clock = testClock(new Date().toISOString());
  const answers: PromiseWithResolvers<void>[] = [];
  let asked = 0;
  const delayed: Connection = {
    ...reader,
    row: async (statement, params) => {
      asked++;
      const row = await reader.row(statement, params);
      const gate = answers.shift();
      await gate?.promise;
      return row;
    },
  };
  const authenticator = new Authenticator(delayed, clock, attempts);
  const gate = Promise.withResolvers<void>();
  answers.push(gate);
  const first = authenticator.authenticate(slow);
  clock.at += 900;
  assert.ok(await authenticator.authenticate(quick));
  clock.at += 50;
  gate.resolve();
  assert.ok(await first);
  // Both are trusted until a second after the slow one was asked for, however late its answer came.
  assert.ok(await authenticator.authenticate(slow));
  assert.equal(asked, 2);
  clock.at += 50;
  assert.ok(await authenticator.authenticate(slow));
  assert.equal(asked, 3);
});

Deno.test("authenticator: an answer that took longer than a look-up is trusted is not kept", async () => {
  await using desk = await openTestDesk("sqlite");
  const { storage: { reader }, attempts } = desk.app.ctx;
  const credential = await desk.token(["portal:read"]);
  const clock = testClock(new Date().toISOString());
  let asked = 0;
  const delayed: Connection = {
    ...reader,
    row: async (statement, params) => {
      asked++;
      const row = await reader.row(statement, params);
      clock.at += 1000;
      return row;
    },
  };
  const authenticator = new Authenticator(delayed, clock, attempts);
  for (const times of [1, 2]) {
    assert.ok(await authenticator.authenticate(credential));
    assert.equal(asked, times);
  }
});
