/**
 * Access tokens for somebody else: marked by who issued them, and handed over by a one-time link.
 */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import { v1 } from "../../../support/v1-requests.ts";
import { allItems, call, newPerson, statusOf, testClock } from "../../../support/people.ts";
import { bySession, signIn } from "../../../support/sign-in.ts";
import { storedText } from "../../../support/stored.ts";

const clock = testClock();

async function personOf(desk: TestDesk): Promise<string> {
  const body = { name: "Grace", permissions: ["portal:read"] };
  return (await call(desk, "POST", "/v1/people", body)).id;
}

const open = (desk: TestDesk, link: string) =>
  desk.send("POST", "/v1/one-time-links/open", {
    credential: null,
    body: { token: link.slice(link.indexOf("#") + 1) },
  });

testOnEngines(
  "access token: somebody else's comes by a one-time link, which opens once",
  async (desk) => {
    const id = await personOf(desk);
    const path = `/v1/people/${id}/access-tokens`;
    const headers = { "idempotency-key": "issue-0123456789" };
    const issue = async () =>
      await (await desk.send("POST", path, { body: { name: "laptop" }, headers })).json();
    const issued = await issue();
    assert.deepEqual(await issue(), issued, "a repeat");
    const { person: me } = await call(desk, "GET", "/v1/me");
    assert.equal(issued.access_token, null);
    assert.equal(issued.issued_by, me.id);
    assert.match(issued.one_time_link.link, /^\/claim#[\w-]{43}$/);
    const opened = await open(desk, issued.one_time_link.link);
    assert.equal(opened.status, 200);
    const { key: credential, ...about } = await opened.json();
    assert.deepEqual(about, {
      key_id: "",
      plans: [],
      access_token: { id: issued.id, name: "laptop", expires_at: null },
    });
    assert.equal(credential.Password, "");
    assert.equal((await call(desk, "GET", "/v1/me", undefined, credential.RawKey)).person.id, id);
    assert.equal((await open(desk, issued.one_time_link.link)).status, 410);
    const stored = await storedText(desk);
    for (const secret of [credential.RawKey, issued.one_time_link.link.slice(7)]) {
      assert.ok(!stored.includes(secret));
      assert.ok(!desk.logLines.join("\n").includes(secret));
    }
    const { data: oneTimeLinks } = await call(desk, "GET", "/v1/one-time-links");
    const shown = oneTimeLinks.map((
      one: Record<string, string>,
    ) => [one.access_token_id, one.state]);
    assert.deepEqual(shown, [[issued.id, "opened"]]);
    const auditLog = await allItems(desk, "/v1/audit-log");
    const detailOf = (action: string) => auditLog.find((event) => event.action === action)?.detail;
    const { detail } = auditLog.find(({ object_id }) => object_id === issued.id);
    assert.deepEqual([detail.issued_by, detail.deliver], [me.id, "claim"]);
    assert.deepEqual(detailOf("one_time_link.opened"), { access_token_id: issued.id });
    assert.equal(detailOf("one_time_link.created").access_token_id, issued.id);
  },
);

testOnEngines("access token: one's own comes in the answer, and nobody issued it", async (desk) => {
  const { person: me } = await call(desk, "GET", "/v1/me");
  const path = `/v1/people/${me.id}/access-tokens`;
  const issued = await call(desk, "POST", path, { name: "mine" });
  assert.deepEqual([issued.one_time_link, issued.issued_by], [null, null]);
  assert.equal(await statusOf(desk, issued.access_token), 200);
  const asked = await call(desk, "POST", path, { name: "mine too", deliver: "one_time_link" });
  assert.equal(asked.access_token, null);
  assert.equal((await open(desk, asked.one_time_link.link)).status, 200);
});

testOnEngines(
  "access token: in the answer where that is asked for, and marked all the same",
  async (desk) => {
    const id = await personOf(desk);
    const body = { name: "script", deliver: "answer" };
    const issued = await call(desk, "POST", `/v1/people/${id}/access-tokens`, body);
    assert.equal(issued.one_time_link, null);
    assert.equal(await statusOf(desk, issued.access_token), 200);
    const [listed] = await allItems(desk, `/v1/people/${id}/access-tokens`);
    const { person: me } = await call(desk, "GET", "/v1/me");
    assert.equal(listed.issued_by, me.id);
    assert.deepEqual((await call(desk, "GET", "/v1/one-time-links")).data, []);
    const wrong = { name: "x", deliver: "pigeon" };
    const answer = await desk.send("POST", `/v1/people/${id}/access-tokens`, { body: wrong });
    assert.equal(answer.status, 400);
  },
);

testOnEngines("access token: rotating somebody else's hands the fresh one over", async (desk) => {
  const { id, credential_id, credential } = await newPerson(desk, ["portal:read"]);
  const path = `/v1/access-tokens/${credential_id}/rotate`;
  const fresh = await call(desk, "POST", path, { overlap_seconds: 60 });
  assert.equal(fresh.access_token, null);
  assert.equal(await statusOf(desk, credential), 200);
  const opened = await (await open(desk, fresh.one_time_link.link)).json();
  assert.equal(opened.access_token.id, fresh.id);
  const who = await call(desk, "GET", "/v1/me", undefined, opened.key.RawKey);
  assert.equal(who.person.id, id);
});

testOnEngines(
  "access token: revoked, ended, late and withdrawn, a link opens nothing",
  async (desk) => {
    const id = await personOf(desk);
    const path = `/v1/people/${id}/access-tokens`;
    const issue = (more = {}) => call(desk, "POST", path, { name: "x", ...more });
    const [revoked, withdrawn, late, live] = [
      await issue(),
      await issue(),
      await issue({ expires_at: new Date(clock.at + 1000).toISOString() }),
      await issue(),
    ];
    await call(desk, "DELETE", `/v1/access-tokens/${revoked.id}`);
    await call(desk, "DELETE", `/v1/one-time-links/${withdrawn.one_time_link.id}`);
    clock.at += 1000;
    for (const { one_time_link } of [revoked, withdrawn, late]) {
      const answer = await open(desk, one_time_link.link);
      assert.equal((await answer.json()).code, "one_time_link_gone");
    }
    assert.equal((await open(desk, live.one_time_link.link)).status, 200);
    const { data } = await call(desk, "GET", "/v1/people?limit=1");
    await call(desk, "DELETE", `/v1/people/${data[0].id}`);
  },
  { clock },
);

testOnEngines("access token: of many who open its link at once, one gets it", async (desk) => {
  const id = await personOf(desk);
  const issued = await call(desk, "POST", `/v1/people/${id}/access-tokens`, { name: "x" });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => open(desk, issued.one_time_link.link)),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, ...Array(7).fill(410)]);
  for (const { body } of answers) await body?.cancel();
});

testOnEngines(
  "access token: its one-time link is there for administrators alone, and needs a fresh sign-in",
  async (desk) => {
    const request = await create(desk, smallRequest());
    const approved = await v1.approve(desk, request, "?deliver=one_time_link");
    const id = await personOf(desk);
    const issued = await call(desk, "POST", `/v1/people/${id}/access-tokens`, { name: "laptop" });
    const { one_time_link: { id: one_time_link } } = issued;
    const approver = await newPerson(desk, ["portal:read", "approve"]);
    const administrator = await newPerson(desk, ["admin"]);
    const ids = async (credential: string, query = "") =>
      (await allItems(desk, `/v1/one-time-links${query}`, credential)).map((one) => one.id);
    for (const query of ["", "?limit=1", "?state=open"]) {
      assert.deepEqual(await ids(approver.credential, query), [approved.one_time_link?.id]);
      assert.deepEqual(await ids(administrator.credential, query), [one_time_link]);
      assert.deepEqual(await ids(desk.admin, query), [one_time_link, approved.one_time_link?.id]);
    }
    const withdraw = (credential: string, one = one_time_link) =>
      desk.send("DELETE", `/v1/one-time-links/${one}`, { credential });
    await assertFailure(await withdraw(approver.credential), "not_found");
    await assertFailure(
      await withdraw(administrator.credential, approved.one_time_link?.id),
      "not_found",
    );
    const browser = await signIn(desk, { credential: administrator.credential });
    clock.at += 5 * 60_000;
    const path = `/v1/one-time-links/${one_time_link}`;
    await assertFailure(await bySession(desk, browser, "DELETE", path), "fresh_sign_in_required");
    assert.deepEqual(await ids(administrator.credential, "?state=open"), [one_time_link]);
    // For whoever may not, the one-time link is as absent by a session that is not fresh.
    const his = await signIn(desk, { credential: approver.credential });
    clock.at += 5 * 60_000;
    await assertFailure(await bySession(desk, his, "DELETE", path), "not_found");
    // The key's one-time link is daily work.
    const ofKey = `/v1/one-time-links/${approved.one_time_link?.id}`;
    assert.equal((await bySession(desk, his, "DELETE", ofKey)).status, 200);
    const again = await signIn(desk, { credential: administrator.credential });
    const withdrawn = await bySession(desk, again, "DELETE", path);
    assert.deepEqual([withdrawn.status, (await withdrawn.json()).state], [200, "withdrawn"]);
    const answer = await open(desk, issued.one_time_link.link);
    await assertFailure(answer, "one_time_link_gone");
  },
  { clock },
);
