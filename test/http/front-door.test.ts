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

Deno.test("/robots.txt: no page is for a search engine", async () => {
  await using desk = await openTestDesk("sqlite");
  const response = await desk.send("GET", "/robots.txt", { credential: null });
  assert.deepEqual([response.status, response.headers.get("content-type")], [
    200,
    "text/plain; charset=utf-8",
  ]);
  assert.equal(await response.text(), "User-agent: *\nDisallow: /\n");
  await assertFailure(await desk.send("POST", "/robots.txt", { credential: null }), "unknown_path");
});

Deno.test("/.well-known/security.txt: says where reports go, or is not there", async () => {
  const path = "/.well-known/security.txt";
  await using silent = await openTestDesk("sqlite");
  await assertFailure(await silent.send("GET", path, { credential: null }), "unknown_path");
  const clock = { at: Date.parse("2026-03-01T15:30:00Z"), now: () => clock.at };
  await using desk = await openTestDesk("sqlite", {
    clock,
    environment: {
      KEYDESK_PUBLIC_URL: "https://desk.example.org",
      KEYDESK_SECURITY_CONTACT: "mailto:security@example.org, https://example.org/report",
    },
  });
  const response = await desk.send("GET", path, { credential: null });
  assert.equal(response.status, 200);
  assert.deepEqual((await response.text()).split("\n"), [
    "Contact: mailto:security@example.org",
    "Contact: https://example.org/report",
    "Expires: 2026-08-28T00:00:00.000Z",
    `Canonical: https://desk.example.org${path}`,
    "",
  ]);
  const head = await desk.send("HEAD", path, { credential: null });
  assert.equal(head.headers.get("content-length"), response.headers.get("content-length"));
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
