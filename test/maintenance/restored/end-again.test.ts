/** What a store that was put back calls open is ended again, on either engine. */
import assert from "node:assert/strict";
import { endAllAgain } from "../../../src/maintenance/restored/finish-restore.ts";
import type { Ending } from "../../../src/maintenance/restored/ending.ts";
import {
  keysInForce,
  peopleInForce,
  tokensInForce,
} from "../../../src/maintenance/restored/still-revoked.store.ts";
import { stillRevoked } from "../../../src/maintenance/restored/still-revoked.ts";
import { lastRestore } from "../../../src/maintenance/restored/last-restore.store.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { readKey } from "../../support/keys.ts";
import { call, newPerson, statusOf, testClock } from "../../support/people.ts";
import { plansOf } from "../../support/query-plans.ts";
import { heeds, planWith } from "../../support/verification.ts";

const AT = "2026-03-01T00:00:00.000Z";

async function issued(desk: TestDesk, developer: string, deliver = "answer") {
  const plan = await planWith(desk, {}, ["tides"]);
  const path = `/v1/developers/${developer}/keys`;
  return await call(desk, "POST", path, { plans: [plan], deliver });
}

const told = async (desk: TestDesk, credential?: string) =>
  (await call(desk, "GET", "/v1/server", undefined, credential)).restored;

testOnEngines("end again: what the file beside the store knows as revoked", async (desk) => {
  const { ctx } = desk.app;
  const { org_id } = desk;
  await registered(desk, "dev-ada");
  const [key, other] = [await issued(desk, "dev-ada"), await issued(desk, "dev-ada")];
  const mary = await newPerson(desk, ["portal:read"], { name: "Mary" });
  const nell = await newPerson(desk, ["portal:read"], { name: "Nell" });
  assert.deepEqual(await stillRevoked(ctx), []);
  const of = { org_id, at: AT, isRevoked: true };
  await ctx.revokedLately.add([
    { ...of, object: "credential", object_id: key.key_id },
    { ...of, object: "access_token", object_id: mary.credential_id },
    { ...of, object: "person", object_id: nell.id },
    { ...of, object: "credential", object_id: "0".repeat(64) },
  ]);
  const endings = await stillRevoked(ctx);
  assert.deepEqual(
    endings.map(({ of, what, id }) => [of, what, id]),
    [
      ["key", "revoked", key.key_id],
      ["access token", "revoked", mary.credential_id],
      ["person", "deactivated", nell.id],
    ],
  );
  await endAllAgain(ctx, { at: AT, known: false, reopen: false, endings });
  await heeds(desk, key.RawKey, "revoked");
  await heeds(desk, other.RawKey, "valid");
  assert.deepEqual([await statusOf(desk, mary.credential), await statusOf(desk, nell.credential)], [
    401,
    401,
  ]);
  assert.equal((await call(desk, "GET", `/v1/people/${mary.id}`)).state, "active");
  assert.equal((await call(desk, "GET", `/v1/people/${nell.id}`)).state, "deactivated");
  assert.deepEqual(await stillRevoked(ctx), []);
  const { data } = await call(desk, "GET", `/v1/audit-log?object_id=${key.key_id}&limit=1`);
  assert.deepEqual([data[0].action, data[0].actor], ["key.revoked", "operator"]);
});

testOnEngines("end again: every kind, each where it is not so already", async (desk) => {
  const { ctx } = desk.app;
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  await registered(desk, "dev-bob");
  const keys = [];
  for (let n = 0; n < 3; n++) keys.push(await issued(desk, "dev-ada"));
  const [revoked, suspended, ending] = keys;
  const { one_time_link } = await issued(desk, "dev-ada", "one_time_link");
  const ada = await signInByCode(desk, email);
  const token = await ada.get("POST", "/v1/my/tokens", { name: "laptop", scope: "look", days: 30 });
  const people = [];
  for (const name of ["Mary", "Nell", "Olga"]) {
    people.push(await newPerson(desk, ["portal:read", "approve"], { name }));
  }
  const [gone, away, less] = people;
  assert.ok(gone && away && less);
  const { org_id } = desk;
  const of = { org_id, at: AT, name: "" };
  const end = new Date(Date.now() + 3_600_000).toISOString();
  const endings: Ending[] = [
    { of: "key", what: "revoked", id: revoked.key_id, ...of },
    { of: "key", what: "suspended", id: suspended.key_id, ...of },
    { of: "key", what: "expires", id: ending.key_id, expires_at: end, ...of },
    { of: "person", what: "deactivated", id: gone.id, ...of },
    { of: "person", what: "suspended", id: away.id, ...of },
    {
      of: "person",
      what: "narrowed",
      id: less.id,
      permissions: "portal:read",
      covers: null,
      ...of,
    },
    { of: "developer", what: "deactivated", id: "dev-bob", ...of },
    {
      of: "developer's token",
      what: "revoked",
      id: String(token.id),
      developer_id: "dev-ada",
      ...of,
    },
    { of: "one-time link", what: "withdrawn", id: one_time_link.id, ...of },
    { of: "key", what: "revoked", id: "0".repeat(64), ...of },
  ];
  for (const at of [AT, "2026-03-02T00:00:00.000Z"]) {
    await endAllAgain(ctx, { at, known: true, reopen: false, endings });
  }
  const states = [];
  for (const { key_id } of keys) {
    const { state, expires_at } = await readKey(desk, key_id);
    states.push([state, expires_at]);
  }
  assert.deepEqual(states, [["revoked", null], ["suspended", null], ["active", end]]);
  const person = (id: string) => call(desk, "GET", `/v1/people/${id}`);
  assert.equal((await person(gone.id)).state, "deactivated");
  assert.equal((await person(away.id)).state, "suspended");
  assert.deepEqual((await person(less.id)).permissions, ["portal:read"]);
  assert.equal((await call(desk, "GET", "/v1/developers/dev-bob")).inactive, true);
  const { data: links } = await call(desk, "GET", "/v1/one-time-links");
  assert.equal(links.find((one: { id: string }) => one.id === one_time_link.id).state, "withdrawn");
  const { data: ends } = await call(desk, "GET", "/v1/audit-log?action=developer_token.ended");
  assert.deepEqual(ends.map((one: { object_id: string }) => one.object_id), [token.id]);
  assert.equal((await ada.send("GET", "/v1/my")).status, 401, "sessions end");
  const { data } = await call(desk, "GET", "/v1/audit-log?action=key.suspended");
  assert.equal(data.length, 1, "once, however often it is done");
});

const clock = testClock();
testOnEngines("end again: the first organisation is told for 7 days", async (desk) => {
  clock.at = Date.parse(AT);
  const { ctx } = desk.app;
  const other = await desk.otherOrganisation();
  assert.equal(await told(desk), null);
  const endings: Ending[] = [
    { of: "key", what: "revoked", id: "k", org_id: desk.org_id, at: "", name: "" },
  ];
  const restore = { at: AT, known: false, reopen: true, endings };
  for (let n = 0; n < 2; n++) await endAllAgain(ctx, restore);
  assert.deepEqual(await told(desk), { at: AT, known: false, reopened: true, counts: { key: 1 } });
  assert.equal(await told(desk, other.admin), null);
  const { data } = await call(desk, "GET", "/v1/audit-log?action=store.restored");
  assert.equal(data.length, 1, "a restore is told once");
  clock.at += 7 * 24 * 60 * 60 * 1000;
  assert.equal(await told(desk), null);
}, { clock });

Deno.test("sqlite: what is in force is walked by its key, and a restore is found by an index", async () => {
  const asked = await plansOf(async (tx) => {
    const behind = { org_id: "o", id: "i" };
    await keysInForce(tx, behind, 10);
    await tokensInForce(tx, behind, 10);
    await peopleInForce(tx, behind, 10);
    await lastRestore(tx, "o");
  });
  assert.ok(asked.length >= 4);
  for (const { sql, steps } of asked) {
    assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), `${sql}\n${steps}`);
    assert.ok(steps.every((step) => !/^SCAN (?!.*USING)/.test(step)), `${sql}\n${steps}`);
  }
});
