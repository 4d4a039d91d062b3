/** What a browser asks a server for before it knows it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { assertFailure } from "../support/answers.ts";
import { openTestDesk } from "../support/desk.ts";
import { repository } from "../support/command.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

Deno.test("/: leads a browser to the console, and stays nothing to everybody else", async () => {
  await using desk = await openTestDesk("sqlite");
  const get = (headers: Record<string, string>, method = "GET") =>
    desk.send(method, "/", { credential: null, headers });
  for (const method of ["GET", "HEAD"]) {
    const response = await get({ accept: BROWSER }, method);
    assert.equal(response.status, 302);
    assert.equal(response.headers.get("location"), "/console");
    assert.equal(response.headers.get("vary"), "accept");
    assert.equal(await response.text(), "");
  }
  for (const accept of ["application/json", "*/*", "text/htmlx", "x".repeat(5000) + BROWSER]) {
    await assertFailure(await get({ accept }), "unknown_path");
  }
  await assertFailure(await get({}), "unknown_path");
  await assertFailure(await get({ accept: BROWSER }, "POST"), "unknown_path");
});

Deno.test("/favicon.ico: is the console's icon", async () => {
  await using desk = await openTestDesk("sqlite");
  const response = await desk.send("GET", "/favicon.ico", { credential: null });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "image/svg+xml");
  assert.equal(await response.text(), await readFile(`${repository}console/icon.svg`, "utf8"));
  const head = await desk.send("HEAD", "/favicon.ico", { credential: null });
  assert.equal(await head.text(), "");
});
