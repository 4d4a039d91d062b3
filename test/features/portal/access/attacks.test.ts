/** What must not open: another's, what is over, what was used, what only looks like it. */
import assert from "node:assert/strict";
import { signInByPassword } from "../../../../src/features/portal/access/developer-sessions.transactions.ts";
import { findPasswordOf } from "../../../../src/features/developers/developer-accounts.store.ts";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  codesOf,
  openPages,
  registered,
  signIn,
  signInByCode,
} from "../../../support/developers.ts";
import { call } from "../../../support/people.ts";

async function purposeOf(
  desk: TestDesk,
  email: string,
  from?: string,
): Promise<string | undefined> {
  const init = { body: { email }, credential: null, ...from === undefined ? {} : { from } };
  assert.equal((await desk.send("POST", "/v1/my/codes", init)).status, 202);
  return (await codesOf(desk))[0]?.purpose;
}

testOnEngines("attacks: a link and a nonce sign one in, of many who try at once", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const { token: link } = await succeed<{ token: string }>(
    desk,
    "POST",
    `/v1/developers/${id}/sign-in-links`,
  );
  const { Meta: nonce } = await succeed<{ Meta: string }>(desk, "POST", "/api/sso", {
    body: { ForSection: "portal", EmailAddress: email },
  });
  for (const body of [{ link }, { nonce }]) {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => desk.send("POST", "/v1/my/session", { body, credential: null })),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, 401, 401, 401], Object.keys(body).join());
  }
});

testOnEngines("attacks: whoever is deactivated or switched off is out at once", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const status = async () => (await ada.send("GET", "/v1/my/session")).status;
  assert.equal(await status(), 200);
  await openPages(desk, { enabled: false });
  assert.equal(await status(), 404);
  await assertFailure(
    await desk.send("POST", `/v1/developers/${id}/sign-in-links`),
    "not_found",
  );
  await openPages(desk);
  assert.equal(await status(), 200);
  await succeed(desk, "POST", `/v1/developers/${id}/deactivate`, { body: { keys: "keep" } });
  assert.equal(await status(), 401);
  assert.equal(await purposeOf(desk, email), "nobody");
});

testOnEngines(
  "attacks: another organisation's session and token open nothing here",
  async (desk) => {
    const other = await desk.otherOrganisation();
    await openPages(desk);
    await call(
      desk,
      "PUT",
      "/v1/developer-pages",
      { enabled: true, host: "other.example.org" },
      other.admin,
    );
    const { email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    const { token } = await ada.get<{ token: string }>("POST", "/v1/my/tokens", {
      name: "mine",
      scope: "keys",
      days: 1,
    });
    const at = { host: "other.example.org" };
    const bySession = await ada.send("GET", "/v1/my/session", { headers: at });
    await assertFailure(bySession, "not_authorised");
    const byToken = await desk.send("GET", "/v1/my/sessions", {
      credential: `Bearer ${token}`,
      headers: at,
    });
    await assertFailure(byToken, "not_authorised");
    // An access token of the desk is no developer's, and the cookie none of the console's.
    await assertFailure(await desk.send("GET", "/v1/my/sessions"), "not_authorised");
    const value = ada.cookie.slice(ada.cookie.indexOf("=") + 1);
    const asConsole = await desk.send("GET", "/v1/me", {
      credential: null,
      headers: { cookie: `keydesk_session=${value}; __Host-keydesk=${value}` },
    });
    assert.equal(asConsole.status, 401);
  },
);

testOnEngines("attacks: another site signs nobody in, and changes nothing", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const foreign: Record<string, string>[] = [{ "sec-fetch-site": "cross-site" }, {
    origin: "https://evil.example",
  }];
  const ada = await signInByCode(desk, email);
  for (const headers of foreign) {
    for (
      const [path, body] of [
        ["/v1/my/codes", { email }],
        ["/v1/my/session", { link: "x" }],
      ] as const
    ) {
      const answer = await desk.send("POST", path, { body, headers, credential: null });
      await assertFailure(answer, "csrf_refused");
    }
    await assertFailure(await ada.send("DELETE", "/v1/my/sessions", { headers }), "csrf_refused");
  }
  const without = await ada.send("DELETE", "/v1/my/session", { headers: { "x-csrf-token": "" } });
  await assertFailure(without, "csrf_refused");
  assert.equal((await ada.send("GET", "/v1/my/session")).status, 200);
});

testOnEngines("attacks: of codes of one address five an hour are mailed", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  for (let n = 0; n < 5; n++) assert.equal(await purposeOf(desk, email), "sign_in");
  assert.equal(await purposeOf(desk, email.toUpperCase()), "nobody");
});

testOnEngines(
  "attacks: who enters wrong codes keeps none from their owner elsewhere",
  async (desk) => {
    await openPages(desk);
    const { email } = await registered(desk, "dev-ada");
    const ask = (from: string) => purposeOf(desk, email, from);
    for (let n = 0; n < 5; n++) await ask("203.0.113.7");
    assert.equal(await ask("203.0.113.7"), "nobody");
    assert.equal(await ask("198.51.100.9"), "sign_in");
    // All together have a bound, too: a million codes are not tried from many places.
    for (let n = 0; n < 23; n++) await ask(`192.0.2.${n}`);
    assert.equal(await ask("198.51.100.10"), "nobody");
  },
);

testOnEngines("attacks: two ways to sign in at once are none", async (desk) => {
  await openPages(desk);
  const ways = [
    { link: "a", nonce: "b" },
    { ticket: "a" },
    { email: "a@b.example", link: "a" },
    {},
  ];
  for (const body of ways) {
    const answer = await desk.send("POST", "/v1/my/session", { body, credential: null });
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).detail, /expected ticket and code/);
  }
});

testOnEngines("attacks: a letter that folds into another is another mailbox", async (desk) => {
  // The Kelvin sign, which lower case makes a k.
  await openPages(desk, { sign_up: "domains", mail_domains: ["bank.example"] });
  assert.equal(await purposeOf(desk, "kim@bank.example"), "sign_up");
  assert.equal(await purposeOf(desk, "eve@ban\u212a.example"), "nobody");
  await openPages(desk, { sign_up: "invitation" });
  await call(desk, "POST", "/v1/developer-invitations", { email: "kate@example.org" });
  assert.equal(await purposeOf(desk, "\u212aate@example.org"), "nobody");
  assert.equal(await purposeOf(desk, "Kate@Example.org"), "sign_up");
});

testOnEngines("attacks: a password is no way in where the pages take none", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const password = "correct horse battery";
  await succeed(desk, "POST", `/api/portal/developers/password/${id}`, { body: { password } });
  assert.equal((await signIn(desk, { email, password })).session.access, "look");
  await openPages(desk, { passwords: false });
  for (const address of [email, "nobody@example.org"]) {
    const body = { email: address, password };
    const answer = await desk.send("POST", "/v1/my/session", { body, credential: null });
    await assertFailure(answer, "not_authorised");
  }
});

testOnEngines("attacks: a password that was changed meanwhile opens no session", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const password = "correct horse battery";
  await ada.get("PUT", "/v1/my/password", { password });
  const { storage } = desk.app.ctx;
  const { org_id } = desk;
  const { password_hash } = await findPasswordOf(storage.reader, { org_id, id }) ?? {};
  assert.ok(password_hash);
  // Checked against the one before, just before this was chosen.
  await ada.get("PUT", "/v1/my/password", { password: `${password}!` });
  const session = { id: "s", hash: "h", browser: "", now: desk.app.ctx.clock.now() };
  const input = { org_id, developer_id: id, checked: password_hash, session };
  await assert.rejects(storage.commit(signInByPassword, input), { code: "not_authorised" });
});

testOnEngines("invitations: one counts until it is used, withdrawn or over", async (desk) => {
  await openPages(desk, { sign_up: "invitation" });
  const invite = (email: string) => call(desk, "POST", "/v1/developer-invitations", { email });
  const grace = await invite("grace@example.org");
  await invite("ada@example.org");
  const { data } = await call(desk, "GET", "/v1/developer-invitations");
  assert.equal(data.length, 2);
  await call(desk, "DELETE", `/v1/developer-invitations/${grace.id}`);
  assert.equal(await purposeOf(desk, "grace@example.org"), "nobody");
  const ada = await signInByCode(desk, "ada@example.org");
  assert.equal(ada.session.access, "all");
  const after = await call(desk, "GET", "/v1/developer-invitations");
  const states = after.data.map(({ state }: { state: string }) => state);
  assert.deepEqual(states, ["used", "withdrawn"]);
  const twice = await desk.send("DELETE", `/v1/developer-invitations/${grace.id}`);
  assert.equal(twice.status, 404, "what counts no more is not withdrawn");
  const again = await desk.send("POST", "/v1/developer-invitations", {
    body: { email: "ADA@example.org" },
  });
  assert.equal(again.status, 400, "who has an account needs none");
});
