/** How many key requests may wait, and how large one may be. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, list, listIds, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { plansOf } from "../../support/query-plans.ts";
import { countWaiting } from "../../../src/features/key-requests/request-limits.store.ts";
import { call } from "../../support/people.ts";

const ask = (desk: TestDesk, changes: Record<string, unknown> = {}) =>
  desk.send("POST", REQUESTS, { body: smallRequest(changes) });

const codeOf = async (response: Response) => {
  await response.body?.cancel();
  return response.headers.get("x-keydesk-error") ?? String(response.status);
};

/** How often each outcome came. */
async function outcomes(answers: Promise<Response>[]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const code of await Promise.all(answers.map(async (one) => await codeOf(await one)))) {
    counted[code] = (counted[code] ?? 0) + 1;
  }
  return counted;
}

testOnEngines(
  "limits: of many at once exactly so many requests of a developer wait as may",
  async (desk) => {
    const answers = Array.from({ length: 40 }, () => ask(desk));
    assert.deepEqual(await outcomes(answers), { 200: 7, too_many_pending: 33 });
    const message = "by_user: 7 key requests of this developer wait already";
    await assertFailure(await ask(desk), "too_many_pending", { message, errors: [message] });
    // Others are not concerned, nor is `/v1` spared.
    assert.equal((await ask(desk, { by_user: "dev-bob" })).status, 200);
    const v1 = await desk.send("POST", "/v1/key-requests", { body: smallRequest() });
    assert.equal(await codeOf(v1), "too_many_pending");
    // What was decided or deleted waits no more.
    const hers = (await list(desk)).Data.filter(({ by_user }) => by_user === "dev-ada");
    const [first, second, third] = hers.map(({ id }) => id);
    const approved = await desk.send("PUT", `${REQUESTS}/approve/${first}`, {});
    assert.equal(approved.status, 200, await approved.text());
    assert.equal((await desk.send("DELETE", `${REQUESTS}/${second}`)).status, 200);
    await call(desk, "POST", `/v1/key-requests/${third}/decline`, {});
    const again = Array.from({ length: 10 }, () => ask(desk));
    assert.deepEqual(await outcomes(again), { 200: 3, too_many_pending: 7 });
  },
  { environment: { KEYDESK_PENDING_PER_DEVELOPER: "7" } },
);

testOnEngines(
  "limits: of many at once exactly so many wait in an organisation as may, whosever they are",
  async (desk) => {
    const answers = Array.from({ length: 40 }, (_, n) => ask(desk, { by_user: `dev-${n}` }));
    assert.deepEqual(await outcomes(answers), { 200: 9, too_many_pending: 31 });
    const message = "9 key requests wait already in this organisation";
    await assertFailure(await ask(desk), "too_many_pending", { message, errors: [message] });
    const { admin } = await desk.otherOrganisation();
    const elsewhere = await desk.send("POST", REQUESTS, {
      body: smallRequest(),
      credential: admin,
    });
    assert.equal(elsewhere.status, 200);
    const [first = ""] = await listIds(desk);
    assert.equal((await desk.send("DELETE", `${REQUESTS}/${first}`)).status, 200);
    const more = Array.from({ length: 5 }, (_, n) => ask(desk, { by_user: `more-${n}` }));
    assert.deepEqual(await outcomes(more), { 200: 1, too_many_pending: 4 });
  },
  { environment: { KEYDESK_PENDING_PER_ORGANISATION: "9" } },
);

testOnEngines(
  "limits: above the margin too, where most are added side by side",
  async (desk) => {
    for (let turn = 0; turn < 6; turn++) {
      assert.deepEqual(await outcomes(Array.from({ length: 50 }, () => ask(desk))), { 200: 50 });
    }
    const answers = Array.from({ length: 40 }, () => ask(desk));
    assert.deepEqual(await outcomes(answers), { 200: 20, too_many_pending: 20 });
  },
  { environment: { KEYDESK_PENDING_PER_DEVELOPER: "320" } },
);

testOnEngines(
  "limits: a repeated call gets its answer, an equal request is found, an update moves none in",
  async (desk) => {
    await call(desk, "POST", "/api/portal/policies", { id: "plan-weather", name: "Weather" });
    const developer = { email: "ada@example.org" };
    const { Message: ada } = await call(desk, "POST", "/api/portal/developers", developer);
    const other = { email: "bob@example.org" };
    const { Message: bob } = await call(desk, "POST", "/api/portal/developers", other);
    const headers = { "idempotency-key": "0123456789abcdef" };
    const body = smallRequest({ by_user: ada });
    const first = await desk.send("POST", REQUESTS, { body, headers });
    const told = await first.json();
    assert.equal(first.status, 200, JSON.stringify(told));
    const repeated = await desk.send("POST", REQUESTS, { body, headers });
    assert.deepEqual(await repeated.json(), told);
    const equal = await desk.send("POST", REQUESTS, { body });
    assert.deepEqual(await equal.json(), told);
    const moved = (await (await desk.send("POST", REQUESTS, {
      body: smallRequest({ by_user: bob }),
    })).json()).Message;
    const update = (by_user: string) =>
      desk.send("UPDATE", `${REQUESTS}/${moved}`, { body: smallRequest({ by_user }) });
    assert.equal(await codeOf(await update(ada)), "too_many_pending");
    assert.equal((await update(bob)).status, 200);
  },
  { environment: { KEYDESK_PENDING_PER_DEVELOPER: "1", KEYDESK_REFERENCES: "strict" } },
);

testOnEngines(
  "limits: what would be kept of a request has its own, in bytes, and nothing of it stays",
  async (desk) => {
    // Two bytes a letter.
    const large = { fields: { why: "ä".repeat(600) } };
    const refused = await ask(desk, large);
    assert.equal(refused.status, 413);
    const { Message } = await refused.json();
    assert.match(Message, /^\d+ bytes would be kept of this key request; at most 1500 are\.$/);
    assert.deepEqual(await listIds(desk), []);
    const id = await create(desk, smallRequest());
    const update = await desk.send("UPDATE", `${REQUESTS}/${id}`, { body: smallRequest(large) });
    assert.equal(await codeOf(update), "key_request_too_large");
  },
  { environment: { KEYDESK_REQUEST_BYTES: "1500" } },
);

testOnEngines("limits: the server tells them, and 0 is none", async (desk) => {
  const { settings } = await call(desk, "GET", "/v1/server");
  const { pending_per_developer, pending_per_organisation, request_bytes } = settings;
  assert.deepEqual([pending_per_developer, pending_per_organisation, request_bytes], [0, 0, 0]);
  assert.deepEqual(await outcomes(Array.from({ length: 20 }, () => ask(desk))), { 200: 20 });
  assert.equal((await ask(desk, { fields: { why: "x".repeat(600_000) } })).status, 200);
}, {
  environment: {
    KEYDESK_PENDING_PER_DEVELOPER: "0",
    KEYDESK_PENDING_PER_ORGANISATION: "0",
    KEYDESK_REQUEST_BYTES: "0",
  },
});

Deno.test("sqlite: what waits is counted by an index of its own, and no further than the limit", async () => {
  const [counted, ...more] = await plansOf(async (tx) => {
    await countWaiting(tx, "org", "dev", 1000);
  });
  assert.deepEqual(more, []);
  assert.match(
    counted?.plan ?? "",
    /COVERING INDEX key_requests_pending \(org_id=\? AND by_user=\?\)/,
  );
  assert.match(counted?.plan ?? "", /SEARCH list_counts USING PRIMARY KEY \(org_id=\? AND list=\?/);
});
