import assert from "node:assert/strict";
import { LiveCatalogue } from "../../../../src/features/plans/catalogue/live-catalogue.ts";
import type { Connection, Storage } from "../../../../src/storage/storage.ts";
import { openTestDesk } from "../../../support/desk.ts";

Deno.test("live catalogue: two that read it at once, before and after a change, each get what they read", async () => {
  await using desk = await openTestDesk("sqlite");
  const { storage } = desk.app.ctx;
  const send = async (method: string, path: string, body: unknown) => {
    const answer = await desk.send(method, `/api/portal${path}`, { body });
    const { Message, ...rest } = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify({ Message, ...rest }));
    return Message;
  };
  const plan = await send("POST", "/policies", { name: "Plan" });
  const catalogue = (isManual: boolean) => ({
    apis: [{
      name: "API",
      policy_id: plan,
      api_id: "a",
      show: true,
      config: { override: true, require_key_approval: isManual },
    }],
  });
  await send("POST", "/catalogue", catalogue(true));

  // Both answers are read when they are asked for, and arrive together.
  const arrival = Promise.withResolvers<void>();
  let read = 0;
  const haveRead = async (wanted: number) => {
    while (read < wanted) await storage.ping();
  };
  const together: Connection = {
    ...storage.reader,
    rows: async (statement, params) => {
      const rows = await storage.reader.rows(statement, params);
      read++;
      await arrival.promise;
      return rows;
    },
  };
  const delayed: Storage = { ...storage, reader: together };
  const live = new LiveCatalogue();
  const isManual = async () =>
    (await live.configsOf(delayed, desk.org_id, [plan]))[0]?.require_key_approval;
  const before = isManual();
  await haveRead(1);
  await send("PUT", "/catalogue", catalogue(false));
  const after = isManual();
  await haveRead(2);
  arrival.resolve();
  assert.deepEqual(await Promise.all([before, after]), [true, false]);
  assert.equal(await isManual(), false);
});
