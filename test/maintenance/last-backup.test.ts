/**
 * What the server knows of the last backup: by the mark that `keydesk backup` leaves, or that none
 * is known.
 */
import assert from "node:assert/strict";
import { writeAuditLogRows } from "../../src/calls/audit-notes.transactions.ts";
import {
  BACKED_UP,
  lastBackup,
  worthSavingSince,
} from "../../src/maintenance/server-info/last-backup.store.ts";
import { testOnEngines } from "../support/desk.ts";
import { create, smallRequest } from "../support/key-requests.ts";
import { plansOf } from "../support/query-plans.ts";

testOnEngines(
  "server: of a backup its first organisation is told, and what is missing of a file alone",
  async (desk) => {
    const { ctx } = desk.app;
    const told = async (credential?: string) =>
      (await (await desk.send("GET", "/v1/server", { credential })).json()).backup;
    assert.deepEqual(await told(), { at: null, missing_since: null });
    await create(desk, smallRequest());
    const { at, missing_since } = await told();
    assert.equal(at, null);
    assert.equal(missing_since !== null, ctx.storage.reader.dialect === "sqlite");
    const { admin } = await desk.otherOrganisation();
    for (const now of [Date.now() - 5000, Date.now()]) {
      const actor = { org_id: desk.org_id, user_id: "operator", token_id: "", now };
      await ctx.storage.commit(writeAuditLogRows, { rows: [{ actor, event: BACKED_UP }] });
      const expected = { at: new Date(now).toISOString(), missing_since: null };
      assert.deepEqual(await told(), expected);
    }
    assert.deepEqual(await told(admin), { at: null, missing_since: null });
    const list = await (await desk.send("GET", "/v1/audit-log?action=store.backed_up")).json();
    assert.equal(list.data.length, 2);
  },
);

Deno.test("sqlite: what is read of backups is found by an index", async () => {
  const asked = await plansOf(async (tx) => {
    await lastBackup(tx, "org");
    await worthSavingSince(tx, "org");
  });
  assert.ok(asked.length >= 2);
  for (const { steps } of asked) {
    const text = steps.join("\n");
    assert.ok(/SEARCH .*org_id=\?/.test(text) || /schema_versions/.test(text), text);
    assert.ok(!/TEMP B-TREE/.test(text), text);
  }
});
