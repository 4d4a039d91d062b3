/** A person of the organisation sees a developer's pages as that developer does, and no more. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signIn, signInByCode } from "../../../support/developers.ts";
import { call, newPerson, testClock } from "../../../support/people.ts";
import { Browser } from "../../../support/portal.ts";
import { absent, denied, testRefusals, unauthenticated } from "../../../support/refusals.ts";

const clock = testClock();

interface Made {
  id: string;
  token: string;
  pages_url: string;
}

const seenBy = (desk: TestDesk, id: string) =>
  succeed<Made>(desk, "POST", `/v1/developers/${id}/views`);

async function refused(answer: Response, code: string) {
  assert.equal(answer.headers.get("x-keydesk-error"), code, await answer.text());
}

interface Event {
  action: string;
  actor: string;
  actor_type: string;
  detail: Record<string, unknown>;
}

testOnEngines(
  "views: a person reads as the developer, changes nothing, and is in the audit log",
  async (desk) => {
    // Not even where a portal's back end is trusted with keys.
    await openPages(desk, { back_end_access: "all" });
    const { id, email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    const before = await succeed<{ last_login_date: string }>(desk, "GET", `/v1/developers/${id}`);
    const { token, pages_url } = await seenBy(desk, id);
    assert.equal(pages_url, "");
    const seen = await signIn(desk, { link: token });
    assert.deepEqual([seen.session.developer.id, seen.session.access], [id, "read"]);
    assert.deepEqual(await seen.get("GET", "/v1/my/keys"), await ada.get("GET", "/v1/my/keys"));
    for (
      const [method, path, body] of [
        ["POST", "/v1/my/requests", { plans: ["p"], fields: {} }],
        ["PUT", "/v1/my/profile", { fields: { name: "Eve" } }],
        ["PUT", "/v1/my/mails", { language: "de", quota: false, key_ends: false }],
        ["POST", "/v1/my/session/codes"],
        ["POST", "/v1/my/session/proof", { ticket: "t", code: "123456" }],
        ["POST", "/v1/my/email/codes", { email: "eve@example.org" }],
        ["DELETE", "/v1/my/sessions"],
      ] as const
    ) {
      await refused(await seen.send(method, path, { body }), "access_denied");
    }
    for (
      const [path, body] of [
        ["/v1/my/tokens", { name: "Eve", scope: "look", days: 1 }],
        ["/v1/my/password", { password: "a password of Eve" }],
      ] as const
    ) {
      const method = path.endsWith("password") ? "PUT" : "POST";
      await refused(await seen.send(method, path, { body }), "fresh_sign_in_required");
    }
    const { data } = await ada.get<{ data: { signed_in_by: string; access: string }[] }>(
      "GET",
      "/v1/my/sessions",
    );
    assert.deepEqual(data.map(({ signed_in_by: opened_by, access: opens }) => [opened_by, opens]), [
      ["view", "read"],
      ["code", "all"],
    ]);
    const after = await succeed<{ last_login_date: string }>(desk, "GET", `/v1/developers/${id}`);
    assert.equal(after.last_login_date, before.last_login_date, "they did not sign in");

    const { person } = await succeed<{ person: { id: string } }>(desk, "GET", "/v1/me");
    const auditLog = async (kind: string) =>
      (await succeed<{ data: Event[] }>(desk, "GET", `/v1/audit-log?object=${kind}`)).data;
    const [made] = await auditLog("developer_view");
    const [begun] = await auditLog("developer_session");
    for (const event of [made, begun]) {
      assert.deepEqual([event?.actor, event?.actor_type], [person.id, "person"]);
      assert.equal(event?.detail.developer_id, id);
    }
    assert.equal(begun?.detail.by, "view");
    await seen.get("DELETE", "/v1/my/session");
    const [ended] = await auditLog("developer_session");
    assert.deepEqual([ended?.action, ended?.actor], ["developer_session.ended", person.id]);
    await ada.get("GET", "/v1/my/keys");
  },
);

testOnEngines(
  "views: a link shows once, for half an hour, and only where there are pages",
  async (desk) => {
    const { id } = await registered(desk, "dev-ada");
    await assertFailure(await desk.send("POST", `/v1/developers/${id}/views`), "not_found");
    await openPages(desk, { host: "developers.example.org" });
    const { token, pages_url } = await seenBy(desk, id);
    assert.equal(pages_url, "https://developers.example.org");
    const host = "developers.example.org";
    const seen = await signIn(desk, { link: token }, host);
    await assertFailure(
      await desk.send("POST", "/v1/my/session", {
        body: { link: token },
        credential: null,
        headers: { host },
      }),
      "not_authorised",
    );
    clock.at += 31 * 60_000;
    await assertFailure(await seen.send("GET", "/v1/my/session"), "not_authorised");
  },
  { clock },
);

testOnEngines("views: end with what their person may do", async (desk) => {
  await openPages(desk);
  const { id } = await registered(desk, "dev-ada");
  const person = await newPerson(desk, ["admin", "portal:read"], { name: "Grace" });
  const look = async (): Promise<string> => {
    const path = `/v1/developers/${id}/views`;
    return (await call(desk, "POST", path, undefined, person.credential)).token;
  };
  const seen = await signIn(desk, { link: await look() });
  const kept = await look();
  const set = (permissions: string[]) =>
    call(desk, "PUT", `/v1/people/${person.id}`, { name: "Grace", permissions });
  const opens = async () => {
    const answer = await seen.send("GET", "/v1/my/session");
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await opens(), 200);
  for (const less of [["portal:read"], ["admin"]]) {
    await set(less);
    assert.equal(await opens(), 401);
    const init = { body: { link: kept }, credential: null };
    await assertFailure(await desk.send("POST", "/v1/my/session", init), "not_authorised");
  }
  await set(["admin", "portal:read"]);
  assert.equal(await opens(), 200);
  await call(desk, "POST", `/v1/people/${person.id}/suspend`);
  assert.equal(await opens(), 401);
});

testOnEngines("views: many of them end no session of the developer", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  for (let n = 0; n < 21; n++) await signIn(desk, { link: (await seenBy(desk, id)).token });
  await ada.get("GET", "/v1/my/session");
  await signInByCode(desk, email);
  await ada.get("GET", "/v1/my/session");
});

testOnEngines("views: the pages say so, send no form, and let one leave", async (desk) => {
  await openPages(desk, { back_end_access: "all" });
  const { id } = await registered(desk, "dev-ada");
  const browser = new Browser(desk);
  const entering = await browser.get("/portal/enter");
  const { token } = await seenBy(desk, id);
  const entered = await browser.submit(entering, "/portal/enter", { link: token });
  const page = await browser.follow(entered);
  assert.match(page.words, /You see what .*dev-ada.* sees\. Nothing can be changed here\./);
  const account = await browser.get("/portal/account");
  assert.match(account.text, /<fieldset disabled>/);
  const { hidden = {} } = account.forms().find(({ action }) => action === "/portal/sign-out") ?? {};
  for (
    const path of [
      "/portal/account/profile",
      "/portal/account/mails",
      "/portal/account/email",
      "/portal/account/tokens",
      "/portal/account/sessions",
      "/portal/prove",
    ]
  ) {
    const answer = await browser.post(path, { ...hidden, name: "Eve" });
    assert.equal(answer.headers.get("x-keydesk-error"), "access_denied", path);
  }
  // Of these pages' own choices one is of the developer's mails, too.
  await browser.post("/portal/language", { ...hidden, language: "de", to: "/portal" });
  const mails = await (await signInByCode(desk, "dev-ada@example.org")).get("GET", "/v1/my/mails");
  assert.equal(mails.language, "");
  const left = await browser.submit(account, "/portal/sign-out");
  assert.equal(left.location, "/portal/sign-in");
});

testRefusals("views", async (desk) => {
  await openPages(desk);
  const { id } = await registered(desk, "dev-ada");
  const view = ["POST", `/v1/developers/${id}/views`] as const;
  return {
    rows: [
      unauthenticated(...view),
      denied(view, "portal:write", "act:developer"),
      // Who may not read developers sees nothing as one.
      denied(view, "admin"),
      absent(["POST", "/v1/developers/nobody/views"]),
    ],
  };
});
