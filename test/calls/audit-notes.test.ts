/**
 * What the audit log is told in passing: written by itself, at an orderly stop, and never in a
 * call's way.
 */
import assert from "node:assert/strict";
import { Origin } from "../../src/calls/origin.ts";
import { ANONYMOUS } from "../../src/calls/principal.ts";
import { ClientAddresses } from "../../src/calls/abuse/client-addresses.ts";
import { AuditLogNotes, type AuditLogSource } from "../../src/calls/audit-notes.ts";
import type { AuditLogRow } from "../../src/calls/audit-notes.transactions.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { statement } from "../../src/storage/statement.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { withDesks } from "../support/desks.ts";
import { engines } from "../support/desk.ts";
import { testClock } from "../support/people.ts";

const MINUTE = 60_000;
const stranger = {
  ...ANONYMOUS,
  origin: new Origin(
    { request_id: "r-1", caller_request_id: "" },
    undefined,
    new Headers(),
    new ClientAddresses([]),
  ),
};
const person = { ...stranger, org_id: "org", user_id: "u", token_id: "t" };
const refusal = { path: "/v1/me", by: "header" };

/** A store that keeps what it is given, while it is there. */
function notesOver(source: Partial<AuditLogSource> = {}) {
  const store = { rows: [] as AuditLogRow[], isThere: true };
  const check = () => {
    if (!store.isThere) throw new Failure("unavailable");
  };
  // as: the notes ask for nothing else.
  const storage = {
    ping: async () => await Promise.resolve().then(check),
    commit: async (_: unknown, input: { rows: AuditLogRow[] }) => {
      await Promise.resolve().then(check);
      store.rows.push(...input.rows);
    },
  } as unknown as Storage;
  const clock = testClock();
  const notes = new AuditLogNotes(storage, clock, {
    ownerOf: () => Promise.resolve(undefined),
    firstOrganisation: () => Promise.resolve("first"),
    ...source,
  });
  return { notes, store, clock };
}

Deno.test("notes: refusals of a store that is away wait, and what is beyond the minute's rows counts", async () => {
  const { notes, store, clock } = notesOver();
  store.isThere = false;
  for (let n = 0; n < 150; n++) {
    notes.refusedSignIn(stranger, { ...refusal, presented: `${n % 2}` });
  }
  await notes.flush();
  assert.equal(store.rows.length, 0);
  store.isThere = true;
  clock.at += MINUTE;
  await notes.close();
  await notes.close();
  assert.equal(store.rows.length, 11);
  const { actor, event } = store.rows.at(-1) ?? assert.fail();
  assert.deepEqual([actor.org_id, actor.user_id, event.detail?.count], ["first", "unknown", 140]);
});

Deno.test("notes: an organisation's refusals leave another one's their rows", async () => {
  const { notes, store } = notesOver();
  const call = { method: "GET", path: "/v1/people", code: "access_denied" };
  for (let n = 0; n < 150; n++) notes.refusedCall({ ...person, token_id: `t${n % 15}` }, call);
  notes.refusedCall({ ...person, org_id: "other" }, call);
  notes.refusedSignIn(stranger, refusal);
  await notes.close();
  const of = (org_id: string) => store.rows.filter(({ actor }) => actor.org_id === org_id).length;
  assert.deepEqual([of("org"), of("other"), of("first")], [101, 1, 1]);
});

Deno.test("notes: one caller's refusals leave another one's in the organisation theirs", async () => {
  const { notes, store } = notesOver();
  const call = { method: "GET", path: "/v1/people", code: "access_denied" };
  for (let n = 0; n < 150; n++) notes.refusedCall(person, call);
  notes.refusedCall({ ...person, user_id: "u2", token_id: "t2" }, call);
  await notes.close();
  const by = (id: string) => store.rows.filter(({ actor }) => actor.token_id === id).length;
  assert.deepEqual([by("t"), by("t2")], [10, 1]);
  const { count, most } = store.rows.at(-1)?.event.detail ?? assert.fail();
  assert.deepEqual([count, most], [140, [{ actor: "u", token_id: "t", count: 140 }]]);
});

Deno.test("notes: one developer's refused sign-ins leave another one's theirs", async () => {
  const { notes, store } = notesOver();
  for (let n = 0; n < 150; n++) notes.refusedDeveloper(person, "d1");
  notes.refusedDeveloper(person, "d2");
  await notes.close();
  const of = (id: string) => store.rows.filter(({ event }) => event.object_id === id).length;
  assert.deepEqual([of("d1"), of("d2")], [10, 1]);
  assert.deepEqual(store.rows.at(-1)?.event.detail?.most, [{ developer: "d1", count: 140 }]);
});

/** The access token `theirs` of another organisation, among those that are nobody's. */
function knowing(theirs: string) {
  const owner = { org_id: "theirs", user_id: "owner", token_id: "ended" };
  let asked = 0;
  const source = {
    ownerOf: (hash: string) => {
      asked++;
      return Promise.resolve(hash === theirs ? owner : undefined);
    },
  };
  return { ...notesOver(source), asked: () => asked };
}

Deno.test("notes: invented access tokens leave the known one its row, whoever's it is", async () => {
  const { notes, store } = knowing("x");
  for (let n = 0; n < 120; n++) notes.refusedSignIn(stranger, { ...refusal, presented: `no-${n}` });
  for (let n = 0; n < 15; n++) notes.refusedSignIn(stranger, { ...refusal, presented: "x" });
  await notes.close();
  const counts = store.rows.filter(({ event }) => event.detail?.count !== undefined);
  const of = (org_id: string) => store.rows.filter(({ actor }) => actor.org_id === org_id).length;
  assert.deepEqual([of("theirs"), of("first")], [11, 11]);
  const told = counts.map(({ actor, event }) => [actor.org_id, event.detail?.count]);
  assert.deepEqual(told.toSorted(), [["first", 110], ["theirs", 5]]);
});

Deno.test("notes: sign-ins that had to wait are counted, and are no rows", async () => {
  const { notes, store } = knowing("x");
  for (let n = 0; n < 50; n++) {
    notes.refusedSignIn(stranger, { ...refusal, presented: `no-${n}`, limited: true });
  }
  notes.refusedSignIn(stranger, { ...refusal, presented: "x", limited: true });
  notes.refusedSignIn(stranger, { ...refusal, presented: "no" });
  await notes.close();
  const told = store.rows.map(({ actor, event }) => [actor.org_id, event.detail?.count ?? 0]);
  assert.deepEqual(told.toSorted(), [["first", 0], ["first", 50], ["theirs", 1]]);
  const { most } = store.rows.find(({ actor }) => actor.org_id === "theirs")?.event.detail ?? {};
  assert.deepEqual(most, [{ actor: "owner", token_id: "ended", count: 1 }]);
});

Deno.test("notes: any number of invented access tokens costs six hundred look-ups and eleven rows", async () => {
  const { notes, store, asked } = knowing("x");
  notes.refusedSignIn(stranger, { ...refusal, presented: "x" });
  for (let n = 0; n < 5000; n++) {
    const limited = n % 2 === 1;
    notes.refusedSignIn(stranger, { ...refusal, presented: `no-${n}`, limited });
  }
  await notes.close();
  assert.equal(asked(), 600);
  const of = (org_id: string) => store.rows.filter(({ actor }) => actor.org_id === org_id);
  assert.deepEqual([of("theirs").length, of("first").length], [1, 11]);
  assert.equal(of("first").at(-1)?.event.detail?.count, 4990);
});

Deno.test("notes: each session, access token and kind is counted by itself", async () => {
  const { notes, store } = notesOver();
  const session = { id: "s", csrf_token: "", expires_at: "", isFresh: true };
  for (let n = 0; n < 5; n++) {
    notes.secretsRead(person, "developer", 2);
    notes.secretsRead(person, "key_request", 1);
    notes.secretsRead({ ...person, session }, "developer", 1);
    notes.secretsRead({ ...person, token_id: "t2" }, "developer", 1);
    notes.secretsRead({ ...person, token_id: "t3" }, "developer", 0);
  }
  await notes.close();
  const shown = store.rows.map(({ actor, event }) =>
    [actor.token_id, actor.call?.session, event.object, event.detail?.count].join(" ")
  );
  assert.deepEqual(shown.toSorted(), [
    "t  developer 10",
    "t  key_request 5",
    "t s developer 5",
    "t2  developer 5",
  ]);
});

Deno.test("notes: before there is an organisation, what belongs to none is dropped", async () => {
  const { notes, store } = notesOver({ firstOrganisation: () => Promise.resolve(undefined) });
  notes.refusedSignIn(stranger, refusal);
  await notes.close();
  assert.deepEqual(store.rows, []);
});

const actionsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("action").where("org_id", "=", p.org_id)
);

for (const engine of engines) {
  Deno.test(`${engine}: notes: an orderly close writes what was noted`, () =>
    withDesks(engine, 2, async ([one, two]) => {
      assert.ok(one && two);
      const { org_id } = one.principal;
      const call = { method: "GET", path: "/v1/people", code: "access_denied" };
      one.notes.refusedCall(one.principal, call);
      one.notes.secretsRead(one.principal, "developer", 1);
      await one.notes.close();
      const rows = await two.storage.reader.rows(actionsSql, { org_id });
      const actions = rows.map(({ action }) => action);
      assert.ok(actions.includes("call.refused") && actions.includes("secret.read"));
    }));
}
