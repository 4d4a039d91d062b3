/** What developers keep of themselves: fields, password, address. */
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
import { emailTokenOf } from "../../../support/email-links.ts";
import { addMailChannel } from "../../../support/mail-server.ts";
import { call, testClock } from "../../../support/people.ts";

const PASSWORD = "correct horse battery";

/** Asks for a code to another address, and enters it. */
async function takeEmail(desk: TestDesk, ada: DeveloperClient, email: string): Promise<Response> {
  const { ticket } = await ada.get<{ ticket: string }>("POST", "/v1/my/email/codes", { email });
  const [{ code } = { code: "" }] = await codesOf(desk);
  return await ada.send("PUT", "/v1/my/email", { body: { ticket, code } });
}

testOnEngines("my account: the own password opens all, and ends other sessions", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const other = await signInByCode(desk, email);
  const ada = await signInByCode(desk, email);
  const set = (password: string) => ada.send("PUT", "/v1/my/password", { body: { password } });
  assert.equal((await set("password")).status, 400, "one of the commonest");
  assert.deepEqual(await (await set(PASSWORD)).json(), { ended: 1 });
  assert.equal((await other.send("GET", "/v1/my/session")).status, 401);
  const again = await signIn(desk, { email, password: PASSWORD });
  assert.equal(again.session.access, "all");
  assert.equal(
    (await again.get<{ has_password: boolean }>("GET", "/v1/my/profile")).has_password,
    true,
  );
  const made = await again.send("POST", "/v1/my/tokens", {
    body: { name: "mine", scope: "keys", days: 1 },
  });
  assert.equal(made.status, 200, "a session of their own");
  // From then on it is nobody's choice of theirs.
  await succeed(desk, "POST", "/api/portal/developers/password/dev-ada", {
    body: { password: `${PASSWORD}!` },
  });
  assert.equal((await signIn(desk, { email, password: `${PASSWORD}!` })).session.access, "look");
  const { data } = await call(desk, "GET", "/v1/audit-log?action=developer.password_changed");
  assert.equal(data.at(-1).actor, "developer:dev-ada");
});

testOnEngines("my account: nobody but the developer's own session changes it", async (desk) => {
  await openPages(desk, { back_end_access: "all" });
  const { id, email } = await registered(desk, "dev-ada");
  const byLink = await signInByLink(desk, id);
  const body = { password: PASSWORD };
  await assertFailure(
    await byLink.send("PUT", "/v1/my/password", { body }),
    "fresh_sign_in_required",
  );
  await openPages(desk);
  const looks = await signInByLink(desk, id);
  const asked = await looks.send("POST", "/v1/my/email/codes", { body: { email: "a@b.example" } });
  await assertFailure(asked, "code_required");
  const ada = await signInByCode(desk, email);
  const { token } = await ada.get<{ token: string }>("POST", "/v1/my/tokens", {
    name: "mine",
    scope: "keys",
    days: 1,
  });
  const byToken = (method: string, path: string, sent: unknown) =>
    desk.send(method, path, { credential: `Bearer ${token}`, body: sent });
  for (
    const [method, path, sent] of [
      ["PUT", "/v1/my/password", body],
      ["PUT", "/v1/my/profile", { fields: { name: "Eve" } }],
      ["POST", "/v1/my/email/codes", { email: "eve@example.org" }],
      ["PUT", "/v1/my/email", { ticket: "t", code: "000000" }],
    ] as const
  ) assert.equal((await byToken(method, path, sent)).status, 403, path);
});

{
  const clock = testClock();
  testOnEngines(
    "my account: whoever names ever more addresses has codes mailed to none, and is told nothing",
    async (desk) => {
      await openPages(desk);
      const { email } = await registered(desk, "dev-ada");
      const ada = await signInByCode(desk, email);
      for (let n = 0; n < 33; n++) {
        const body = { email: `stranger-${n}@example.net` };
        const asked = await ada.send("POST", "/v1/my/email/codes", { body });
        assert.equal(asked.status, 202);
        assert.deepEqual(Object.keys(await asked.json()), ["ticket", "expires_at"]);
      }
      const purposes = (await codesOf(desk)).map(({ purpose }) => purpose);
      assert.equal(purposes.filter((one) => one === "change").length, 31);
      assert.equal(purposes.filter((one) => one === "nobody").length, 2);
    },
    { clock },
  );
}

testOnEngines("my account: where the pages take no passwords none is chosen", async (desk) => {
  await openPages(desk, { passwords: false });
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const sent = await ada.send("PUT", "/v1/my/password", { body: { password: PASSWORD } });
  await assertFailure(sent, "not_found");
});

testOnEngines("my account: fields that sign-up asks for are theirs, no others", async (desk) => {
  await openPages(desk, { sign_up: "open" });
  await call(desk, "POST", "/api/portal/configuration", {
    signup_fields: ["Company", { name: "Use" }],
  });
  const body = { id: "dev-ada", email: "ada@example.org", fields: { tier: "gold", name: "A" } };
  await call(desk, "POST", "/v1/developers", body);
  const ada = await signInByCode(desk, "ada@example.org");
  const put = (fields: unknown) => ada.send("PUT", "/v1/my/profile", { body: { fields } });
  assert.equal((await put({ tier: "platinum" })).status, 400);
  const { fields } = await (await put({ Company: "Analytical", Use: "" })).json();
  assert.deepEqual(fields, { Company: "Analytical" });
  const stored = await call(desk, "GET", "/v1/developers/dev-ada");
  assert.deepEqual(stored.fields, { tier: "gold", Company: "Analytical" });
  // Nor at sign-up, where the code is good still.
  const asked = await desk.send("POST", "/v1/my/codes", {
    body: { email: "grace@example.org" },
    credential: null,
  });
  const { ticket } = await asked.json();
  const [{ code } = { code: "" }] = await codesOf(desk);
  const enter = (given: Record<string, string>) =>
    desk.send("POST", "/v1/my/session", {
      body: { ticket, code, fields: given },
      credential: null,
    });
  assert.equal((await enter({ tier: "gold" })).status, 400);
  assert.equal((await enter({ Company: "Eckert" })).status, 200);
});

testOnEngines("my account: another address answered, and the one before agrees", async (desk) => {
  await openPages(desk);
  await addMailChannel(desk);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const taken = await takeEmail(desk, ada, "ada@example.net");
  const profile = await taken.json();
  assert.deepEqual([profile.email, profile.email_state], ["ada@example.net", "reached"]);
  const purposeOf = async (address: string) => {
    await desk.send("POST", "/v1/my/codes", { body: { email: address }, credential: null });
    return (await codesOf(desk))[0]?.purpose;
  };
  assert.equal(await purposeOf("ada@example.net"), "nobody", "nothing before it is confirmed");
  const agree = await desk.send("POST", "/v1/email-confirmations", {
    credential: null,
    body: { token: await emailTokenOf(desk, "dev-ada", "old") },
  });
  assert.equal((await agree.json()).email_state, "proved");
  assert.equal(await purposeOf("ada@example.net"), "sign_in");
});

testOnEngines("my account: whether another has an address is not told", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  await registered(desk, "dev-eve", "eve@example.org");
  const ada = await signInByCode(desk, email);
  const sent = await ada.send("POST", "/v1/my/email/codes", { body: { email: "eve@example.org" } });
  assert.equal(sent.status, 202);
  assert.deepEqual(Object.keys(await sent.json()), ["ticket", "expires_at"]);
  assert.equal((await codesOf(desk))[0]?.purpose, "nobody");
  await assertFailure(await takeEmail(desk, ada, "eve@example.org"), "wrong_code");
  // Taken meanwhile by somebody else: the code is as wrong as any.
  const { ticket } = await ada.get<{ ticket: string }>("POST", "/v1/my/email/codes", {
    email: "grace@example.org",
  });
  const [{ code } = { code: "" }] = await codesOf(desk);
  await registered(desk, "dev-grace", "grace@example.org");
  const late = await ada.send("PUT", "/v1/my/email", { body: { ticket, code } });
  await assertFailure(late, "wrong_code");
});
