import assert from "node:assert/strict";
import { Authenticator } from "../../../src/features/people/authenticate.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { openTestDesk } from "../../support/desk.ts";
import { testClock } from "../../support/people.ts";

Deno.test("authenticator: what a slow look-up found is trusted from when it was asked, not from when it came", async () => {
  await using desk = await openTestDesk("sqlite");
  const { storage: { reader }, attempts, damages } = desk.app.ctx;
  const [slow, quick] = [await desk.token(["portal:read"]), await desk.token(["portal:read"])];
  const clock = testClock(new Date().toISOString());
  const arrival = Promise.withResolvers<void>();
  let asked = 0;
  const delayed: Connection = {
    ...reader,
    row: async (statement, params) => {
      const isFirst = asked++ === 0;
      const row = await reader.row(statement, params);
      if (isFirst) await arrival.promise;
      return row;
    },
  };
  const authenticator = new Authenticator(delayed, clock, attempts, damages);
  const first = authenticator.authenticate(slow);
  clock.at += 900;
  assert.ok(await authenticator.authenticate(quick));
  clock.at += 50;
  arrival.resolve();
  assert.ok(await first);
  // Both are trusted until a second after the slow one was asked for, however late its answer came.
  assert.ok(await authenticator.authenticate(slow));
  assert.equal(asked, 2);
  clock.at += 50;
  assert.ok(await authenticator.authenticate(slow));
  assert.equal(asked, 3);
});
