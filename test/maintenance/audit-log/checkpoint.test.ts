/** The head of the audit log's log, as a witness fetches it. */
import assert from "node:assert/strict";
import { readCheckpoint } from "../../../packages/audit-log/checkpoint.ts";
import { storeVerifiers } from "../../../src/maintenance/audit-log/verify-store.ts";
import { testOnEngines } from "../../support/desk.ts";
import { extra, fill, logOf } from "./log-desk.ts";

const CHECKPOINT = "/v1/audit-log/checkpoint";

testOnEngines(
  "checkpoint: a witness reads the newest head, and its signature holds",
  async (desk) => {
    await fill(desk);
    const log = await logOf(desk);
    const auditor = await desk.token(["audit"]);
    const answer = await desk.send("GET", CHECKPOINT, { credential: auditor });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    const text = await answer.text();
    const verifiers = await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id);
    assert.equal(readCheckpoint(text, verifiers).head.size, log.size);
  },
  { extra },
);

testOnEngines("checkpoint: another organisation's is its own, none is 404", async (desk) => {
  await fill(desk);
  const { admin } = await desk.otherOrganisation();
  assert.equal((await desk.send("GET", CHECKPOINT, { credential: admin })).status, 404);
  const unable = await desk.token(["portal:read"]);
  assert.equal((await desk.send("GET", CHECKPOINT, { credential: unable })).status, 403);
  assert.equal((await desk.send("GET", CHECKPOINT, { credential: null })).status, 401);
}, { extra });
