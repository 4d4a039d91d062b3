/** A file as the audit log stream: what waits for it, what is refused, and what comes later. */
import assert from "node:assert/strict";
import { assertWhole, auditLogOf, deed, rowsIn, testWithFile, unsentIn } from "./stream-desk.ts";
import { waitForOutlet } from "../../../src/changes/unsent.store.ts";
import { purgeOld } from "../../../src/maintenance/retention/retention.transactions.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { behindItsBack } from "../audit-log/log-desk.ts";
import { eventually } from "../../support/eventually.ts";
import { smallRequest } from "../../support/key-requests.ts";
import { call, newPerson } from "../../support/people.ts";
import { close, openSecond } from "../../support/verification.ts";

async function linesOf(path: string): Promise<string[]> {
  return (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "");
}

const codeOf = (response: Response) => response.headers.get("x-keydesk-error");

testWithFile("sink: a deed is answered when its row stands in the file", async ({ path, open }) => {
  await using desk = await open();
  const response = await deed(desk, 1);
  assert.equal(response.status, 200);
  const rows = await rowsIn(path);
  assert.equal(rows.at(-1)?.action, "developer.created");
  // Also what nobody called for, such as the first access token's.
  await assertWhole(desk, await linesOf(path));
  // No name and no address of anybody stands there, and only its owner reads it.
  assert.doesNotMatch(await Deno.readTextFile(path), /one1@example\.org/);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  await eventually("all rows are sent", async () => await unsentIn(desk) === 0);
});

testWithFile("sink: deeds at once share flushes, in the order of their commits", async (place) => {
  await using desk = await place.open();
  const { stream } = desk.app.ctx;
  const before = stream?.metrics.writes ?? 0;
  const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => deed(desk, n)));
  assert.ok(answers.every(({ status }) => status === 200));
  const writes = (stream?.metrics.writes ?? 0) - before;
  assert.ok(writes < 64, `${writes} writes`);
  await assertWhole(desk, await linesOf(place.path));
  const ids = (await rowsIn(place.path)).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

testWithFile("sink: while it is away deeds are refused, and nothing is done", async (place) => {
  const { path, open } = place;
  await using desk = await open();
  assert.equal((await deed(desk, 1)).status, 200);
  // What a directory takes the place of can't be written to.
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  const behind = await deed(desk, 2);
  assert.deepEqual([behind.status, codeOf(behind)], [503, "audit_stream_behind"]);
  assert.equal(behind.headers.get("retry-after"), null);
  assert.match((await behind.json()).detail, /^This is done and kept/);
  const refused = await deed(desk, 3);
  assert.deepEqual([refused.status, codeOf(refused)], [503, "audit_stream_unavailable"]);
  assert.equal(refused.headers.get("retry-after"), "1");
  // The older interface says it in its own shape.
  const older = await desk.send("POST", "/api/portal/requests", {
    body: { by_user: "dev", for_plan: "plan" },
  });
  assert.equal(older.status, 503);
  assert.equal((await older.json()).Status, "Error");
  assert.equal(codeOf(older), "audit_stream_unavailable");
  // Reading goes on; whoever balances between servers is told.
  assert.equal((await desk.send("GET", "/v1/developers")).status, 200);
  assert.equal((await desk.send("GET", "/readyz")).status, 503);
  assert.equal((await desk.send("GET", "/readyz?for=verify")).status, 200);
  assert.deepEqual(desk.app.ctx.problems.current().map(({ name }) => name), ["audit_stream_away"]);
  // What carries data away does not go either.
  const exported = await desk.send("GET", "/v1/developers/export");
  assert.deepEqual([exported.status, codeOf(exported)], [503, "audit_stream_unavailable"]);
  const found = await call(desk, "GET", "/v1/developers");
  assert.deepEqual(found.data.map(({ email }: { email: string }) => email).toSorted(), [
    "one1@example.org",
    "one2@example.org",
  ]);
  await Deno.remove(path);
  await eventually("the stream takes rows again", () => desk.app.ctx.stream?.takes === true);
  assert.equal((await deed(desk, 4)).status, 200);
  assert.deepEqual(desk.app.ctx.problems.current(), []);
  // Nothing is missing, and what was left came before what is new.
  const created = (rows: { action: string; object_id: string }[]) =>
    rows.filter(({ action }) => action === "developer.created").map(({ object_id }) => object_id);
  const order = [...created(await rowsIn(`${path}.1`)), ...created(await rowsIn(path))];
  const { data } = await call(desk, "GET", "/v1/developers?sort=email");
  const ids = data.toSorted((a: { email: string }, b: { email: string }) =>
    a.email < b.email ? -1 : 1
  ).map(({ id }: { id: string }) => id);
  assert.deepEqual(order, ids);
  await assertWhole(desk, [...await linesOf(`${path}.1`), ...await linesOf(path)]);
});

testWithFile("sink: what ends access is done while it is away, and follows", async (place) => {
  const { path, open } = place;
  await using desk = await open();
  const person = await newPerson(desk, ["approve"]);
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  await deed(desk, 1);
  const response = await desk.send("DELETE", `/v1/access-tokens/${person.credential_id}`);
  assert.ok(response.status < 300, await response.text());
  await Deno.remove(path);
  await eventually("the stream takes rows again", () => desk.app.ctx.stream?.takes === true);
  const rows = await rowsIn(path);
  assert.ok(rows.some(({ action }) => action === "access_token.revoked"));
});

testWithFile("sink: a repeat is not answered before the row stands there", async (place) => {
  const { path, open } = place;
  await using desk = await open();
  const key = { "idempotency-key": "0123456789abcdef" };
  assert.equal((await deed(desk, 0)).status, 200);
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  assert.equal(codeOf(await deed(desk, 1, key)), "audit_stream_behind");
  assert.equal(codeOf(await deed(desk, 1, key)), "audit_stream_unavailable");
  await Deno.remove(path);
  await eventually("the stream takes rows again", () => desk.app.ctx.stream?.takes === true);
  assert.equal((await deed(desk, 1, key)).status, 200);
  const { data } = await call(desk, "GET", "/v1/developers");
  assert.equal(data.length, 2);
});

testWithFile("sink: what is kept of a key request is not repeated either", async (place) => {
  const { path, open } = place;
  await using desk = await open();
  const ask = (key: string) =>
    desk.send("POST", "/api/portal/requests", {
      body: smallRequest(),
      headers: { "idempotency-key": `0123456789abcde${key}` },
    });
  assert.equal((await ask("1")).status, 200);
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  assert.equal(codeOf(await ask("2")), "audit_stream_behind");
  for (const key of ["1", "2"]) {
    const repeat = await ask(key);
    assert.deepEqual([repeat.status, codeOf(repeat)], [503, "audit_stream_unavailable"]);
  }
  await Deno.remove(path);
  await eventually("the stream takes rows again", () => desk.app.ctx.stream?.takes === true);
  for (const key of ["1", "2"]) assert.equal((await ask(key)).status, 200);
});

testWithFile("sink: a repeat waits for what is on its way", async ({ path, open }) => {
  await using desk = await open();
  const { storage } = desk.app.ctx;
  assert.ok(storage.outlet?.takes);
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  // Not known yet: the place was there a moment ago.
  await assert.rejects(waitForOutlet(storage.outlet), { code: "audit_stream_behind" });
  await assert.rejects(waitForOutlet(storage.outlet), { code: "audit_stream_unavailable" });
  await Deno.remove(path);
  await eventually("the outlet takes rows again", () => storage.outlet?.takes === true);
  await waitForOutlet(storage.outlet);
});

testWithFile("sink: retention leaves what the place may lack", async ({ path, open }) => {
  await using desk = await open();
  const { org_id } = desk;
  const { ctx } = desk.app;
  assert.equal((await deed(desk, 1)).status, 200);
  await eventually("all rows are sent", async () => await unsentIn(desk) === 0);
  await appendAll(ctx);
  const sent = (await auditLogOf(desk)).length;
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  assert.equal(codeOf(await deed(desk, 2)), "audit_stream_behind");
  await appendAll(ctx);
  const before = new Date(Date.now() + 60_000).toISOString();
  const purge = () =>
    ctx.storage.commit(purgeOld, {
      table: "audit_events",
      org_id,
      before,
      by: "retention",
      now: ctx.clock.now(),
    });
  assert.ok(await purge() <= sent);
  assert.equal(await purge(), 0);
  assert.ok((await auditLogOf(desk)).some(({ action }) => action === "developer.created"));
  await Deno.remove(path);
  await eventually("the stream takes rows again", () => desk.app.ctx.stream?.takes === true);
  await eventually("all rows are sent", async () => await unsentIn(desk) === 0);
  assert.ok(await purge() > 0);
  const places = [...await rowsIn(`${path}.1`), ...await rowsIn(path)];
  assert.equal(places.filter(({ action }) => action === "developer.created").length, 2);
});

testWithFile(
  "sink: what somebody removed before it was sent is told of",
  async ({ path, open }) => {
    await using desk = await open();
    await Deno.rename(path, `${path}.1`);
    await Deno.mkdir(path);
    assert.equal(codeOf(await deed(desk, 1)), "audit_stream_behind");
    await behindItsBack(desk, "delete from audit_events where action = 'developer.created'");
    await Deno.remove(path);
    const next = await openSecond(desk);
    const gap = next.ctx.problems.current().find(({ name }) => name === "audit_stream_gap");
    assert.match(gap?.reason ?? "", /has 1 rows? no more/);
    await close(next);
  },
);

testWithFile("sink: what a process left goes out by the next one", async ({ path, open }) => {
  await using desk = await open();
  assert.equal((await deed(desk, 1)).status, 200);
  await Deno.rename(path, `${path}.1`);
  await Deno.mkdir(path);
  assert.equal(codeOf(await deed(desk, 2)), "audit_stream_behind");
  // As a kill leaves it: the other one begins beside it.
  await Deno.remove(path);
  const next = await openSecond(desk);
  await assertWhole(desk, [...await linesOf(`${path}.1`), ...await linesOf(path)]);
  await close(next);
});

testWithFile("sink: a line that was cut off is followed by a new one", async ({ path, open }) => {
  await Deno.writeTextFile(path, '{"id":"half');
  await using desk = await open();
  assert.equal((await deed(desk, 1)).status, 200);
  const [first, ...others] = await linesOf(path);
  assert.equal(first, '{"id":"half');
  await assertWhole(desk, others);
});

testWithFile("sink: a file that was renamed is followed by a new one", async ({ path, open }) => {
  await using desk = await open();
  assert.equal((await deed(desk, 1)).status, 200);
  await Deno.rename(path, `${path}.1`);
  assert.equal((await deed(desk, 2)).status, 200);
  await assertWhole(desk, [...await linesOf(`${path}.1`), ...await linesOf(path)]);
  assert.equal((await rowsIn(path)).length, 1);
});

testWithFile("sink: a symbolic link is not followed", async ({ path, open }) => {
  await Deno.writeTextFile(`${path}.elsewhere`, "");
  await Deno.symlink(`${path}.elsewhere`, path);
  await using desk = await open();
  assert.equal(codeOf(await deed(desk, 1)), "audit_stream_unavailable");
  assert.equal(await Deno.readTextFile(`${path}.elsewhere`), "");
});
