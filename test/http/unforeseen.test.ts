/** What nobody foresaw: general words for the caller, everything for the log. */
import assert from "node:assert/strict";
import { openTestDesk } from "../support/desk.ts";

Deno.test("unforeseen: the answer says nothing of what went wrong, the log says all of it", async () => {
  await using desk = await openTestDesk("sqlite");
  const { reader } = desk.app.ctx.storage;
  const { rows } = reader;
  const secret = "select hidden from somewhere";
  reader.rows = () => Promise.reject(new Error(secret));
  const headers = { "x-request-id": "the-request-that-failed" };
  for (const path of ["/v1/keys", "/api/portal/policies?p=1"]) {
    const response = await desk.send("GET", path, { headers });
    const text = await response.text();
    assert.equal(response.status, 500, path);
    assert.equal(response.headers.get("x-keydesk-error"), "internal");
    assert.doesNotMatch(text, /hidden|select|\.ts|Error:/);
    const line = desk.logLines.findLast((one) => one.includes("the-request-that-failed")) ?? "";
    const { level, trace, error } = JSON.parse(line);
    assert.deepEqual([level, error], ["error", "internal"]);
    assert.ok(trace.includes(secret));
  }
  // The server goes on.
  reader.rows = rows;
  assert.equal((await desk.send("GET", "/v1/keys")).status, 200);
});
