/** Tokens of developers' own: made in a session that is theirs, shown once, ended. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  codesOf,
  type DeveloperClient,
  openPages,
  registered,
  signIn,
  signInByCode,
  signInByLink,
} from "../../../support/developers.ts";
import { call } from "../../../support/people.ts";

interface Made {
  id: string;
  token: string;
  expires_at: string;
}

const make = (client: DeveloperClient, more: Record<string, unknown> = {}) =>
  client.send("POST", "/v1/my/tokens", {
    body: { name: "Nightly", scope: "look", days: 30, ...more },
  });
const made = async (client: DeveloperClient, more = {}): Promise<Made> =>
  await (await make(client, more)).json();
const asToken = (desk: TestDesk, token: string, method: string, path: string, body?: unknown) =>
  desk.send(method, path, { credential: `Bearer ${token}`, ...body ? { body } : {} });

testOnEngines("developer tokens: one opens what its scope says, and ends", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const look = await made(ada);
  const keys = await made(ada, { scope: "keys", days: 90 });
  assert.match(look.token, /^kdd_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  const { data } = await ada.get<{ data: Made[] }>("GET", "/v1/my/tokens");
  assert.deepEqual(data.map(({ id }) => id).toSorted(), [look.id, keys.id].toSorted());
  assert.ok(!JSON.stringify(data).includes(look.token));
  for (const { token } of [look, keys]) {
    assert.equal((await asToken(desk, token, "GET", "/v1/my/sessions")).status, 200);
    // Neither the account, nor more of its kind, nor the desk.
    const another = await asToken(desk, token, "POST", "/v1/my/tokens", {
      name: "more",
      scope: "keys",
      days: 1,
    });
    assert.equal(another.status, 403);
    await assertFailure(await asToken(desk, token, "GET", "/v1/me"), "not_authorised");
    await assertFailure(
      await asToken(desk, token, "GET", "/api/portal/developers"),
      "not_authorised",
    );
  }
  // Who is signed in is the account itself: no token ends a session or another token.
  const { data: [session] } = await ada.get<{ data: { id: string }[] }>("GET", "/v1/my/sessions");
  for (
    const path of [`tokens/${look.id}`, `tokens/${keys.id}`, `sessions/${session?.id}`, "sessions"]
  ) {
    for (const { token } of [look, keys]) {
      assert.equal((await asToken(desk, token, "DELETE", `/v1/my/${path}`)).status, 403, path);
    }
  }
  assert.equal((await asToken(desk, look.token, "GET", "/v1/my/sessions")).status, 200);
  const end = () => ada.send("DELETE", `/v1/my/tokens/${look.id}`);
  assert.equal((await end()).status, 200);
  await assertFailure(await asToken(desk, look.token, "GET", "/v1/my/sessions"), "not_authorised");
  await assertFailure(await end(), "not_found");
  const { data: auditLog } = await call(desk, "GET", "/v1/audit-log?object=developer_token");
  assert.deepEqual(
    auditLog.map(({ action, actor }: { action: string; actor: string }) => [action, actor]),
    [
      ["developer_token.ended", "developer:dev-ada"],
      ["developer_token.created", "developer:dev-ada"],
      ["developer_token.created", "developer:dev-ada"],
    ],
  );
});

testOnEngines("developer tokens: no session that a back end opened makes one", async (desk) => {
  await openPages(desk, { back_end_access: "all" });
  const { id, email } = await registered(desk, "dev-ada");
  const byLink = await signInByLink(desk, id, await desk.token(["act:developer"]));
  assert.equal(byLink.session.access, "all");
  await assertFailure(await make(byLink), "fresh_sign_in_required");
  const { Meta: nonce } = await succeed<{ Meta: string }>(desk, "POST", "/api/sso", {
    body: { ForSection: "portal", EmailAddress: email },
  });
  await assertFailure(await make(await signIn(desk, { nonce })), "fresh_sign_in_required");
});

testOnEngines("developer tokens: nor one of a password that a token set", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const password = "correct horse battery";
  await succeed(desk, "POST", `/api/portal/developers/password/${id}`, { body: { password } });
  const ada = await signIn(desk, { email, password });
  await assertFailure(await make(ada), "fresh_sign_in_required");
  const { ticket } = await ada.get<{ ticket: string }>("POST", "/v1/my/session/codes");
  const [{ code } = { code: "" }] = await codesOf(desk);
  const proof = { ticket, code };
  const { access: opens } = await ada.get<{ access: string }>(
    "POST",
    "/v1/my/session/proof",
    proof,
  );
  assert.equal(opens, "all");
  await assertFailure(await make(ada), "fresh_sign_in_required");
});

testOnEngines("developer tokens: 50 at the most, for 90 days, and only at once", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  await assertFailure(await make(ada, { days: 91 }), "invalid_input", {
    message: "days: expected at most 90",
    errors: ["days: expected at most 90"],
  });
  for (let n = 0; n < 50; n++) assert.equal((await make(ada)).status, 200);
  await assertFailure(await make(ada), "too_many_tokens");
});

testOnEngines("developer tokens: they end with their developer, for good", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const { token } = await made(ada, { scope: "keys" });
  const opens = async () => [
    (await asToken(desk, token, "GET", "/v1/my/sessions")).status,
    (await ada.send("GET", "/v1/my/session")).status,
  ];
  assert.deepEqual(await opens(), [200, 200]);
  await succeed(desk, "DELETE", `/api/portal/developers/${id}`);
  assert.deepEqual(await opens(), [401, 401]);
  // Whoever is registered under the id now is somebody else.
  await registered(desk, id, "eve@example.org");
  assert.deepEqual(await opens(), [401, 401]);
});
