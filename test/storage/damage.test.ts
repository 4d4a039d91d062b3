/** A store whose file can not be read: 500 for whatever meets the damage, and the process stays. */
import assert from "node:assert/strict";
import { openTestDesk } from "../support/desk.ts";
import { create, pathOf, REQUESTS, smallRequest } from "../support/key-requests.ts";

Deno.test("sqlite: what a damaged file does not give is 500, and the process stays", async () => {
  await using desk = await openTestDesk("sqlite");
  const id = await create(desk, smallRequest());
  for (let n = 0; n < 200; n++) await create(desk, smallRequest({ version: `v${n}` }));
  const file = desk.config.databaseFile;
  // Into the file itself, so that the write-ahead log hides nothing.
  const { DatabaseSync } = await import("node:sqlite");
  const checkpoint = new DatabaseSync(file);
  checkpoint.exec("pragma wal_checkpoint(truncate)");
  checkpoint.close();
  using damaged = await Deno.open(file, { write: true });
  const { size } = await damaged.stat();
  await damaged.seek(2 * 4096, Deno.SeekMode.Start);
  await damaged.write(new Uint8Array(size - 2 * 4096).fill(0xa5));

  const calls: [string, string, unknown?][] = [
    ["GET", pathOf(id)],
    ["GET", `${REQUESTS}?p=1`],
    ["POST", REQUESTS, smallRequest()],
    ["UPDATE", pathOf(id), smallRequest()],
    ["DELETE", pathOf(id)],
    ["GET", "/v1/keys"],
  ];
  for (const [method, path, body] of calls) {
    const answer = await desk.send(method, path, { body });
    const text = await answer.text();
    assert.ok(answer.status >= 500, `${method} ${path}: ${answer.status} ${text}`);
    assert.doesNotMatch(text, /malformed|sqlite/i, "the caller learns nothing of the file");
  }
  assert.equal((await desk.send("GET", "/healthz")).status, 200);
  assert.match(desk.logLines.join(""), /malformed/, "the log tells the reason");
});
