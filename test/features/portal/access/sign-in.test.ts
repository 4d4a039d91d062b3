/** Developers sign in at their own pages: by code, password, link and nonce. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import {
  codesOf,
  openPages,
  registered,
  signIn,
  signInByCode,
  signInByLink,
} from "../../../support/developers.ts";

testOnEngines("developer sign-in: a code opens all, once, and signs out again", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, ` ${email.toUpperCase()} `);
  assert.equal(ada.session.developer.id, id);
  assert.equal(ada.session.access, "all");
  const shown = await ada.get<{ signed_in_by: string; made_by: string }>("GET", "/v1/my/session");
  assert.deepEqual([shown.signed_in_by, shown.made_by], ["code", ""]);
  const [code] = await codesOf(desk);
  assert.equal(code?.code, "", "a code that was entered is kept no longer");
  await ada.get("DELETE", "/v1/my/session");
  await assertFailure(await ada.send("GET", "/v1/my/session"), "not_authorised");
});

testOnEngines("developer sign-in: no road leads to the console or back", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  for (const path of ["/v1/me", "/v1/session", "/v1/key-requests", "/api/portal/developers"]) {
    const answer = await ada.send("GET", path);
    assert.ok([401, 403, 404].includes(answer.status), `${path}: ${answer.status}`);
    assert.notEqual(answer.status, 200, path);
  }
  const asAdmin = await desk.send("GET", "/v1/my/session", { credential: desk.admin });
  await assertFailure(asAdmin, "not_authorised");
});

testOnEngines("developer sign-in: an address that nobody has is answered alike", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const ask = (address: string) =>
    desk.send("POST", "/v1/my/codes", { body: { email: address }, credential: null });
  const [known, unknown] = [await ask(email), await ask("nobody@example.org")];
  assert.equal(known.status, unknown.status);
  const bodies = [await known.json(), await unknown.json()];
  assert.deepEqual(bodies.map((body) => Object.keys(body)), [
    ["ticket", "expires_at"],
    ["ticket", "expires_at"],
  ]);
  assert.equal(bodies[0].ticket.length, bodies[1].ticket.length);
  const [nobody] = await codesOf(desk);
  assert.equal(nobody?.purpose, "nobody");
  const body = { ticket: bodies[1].ticket, code: nobody.code };
  await assertFailure(
    await desk.send("POST", "/v1/my/session", { body, credential: null }),
    "wrong_code",
  );
});

testOnEngines("developer sign-in: five wrong codes end a code, the right one too", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const asked = await desk.send("POST", "/v1/my/codes", { body: { email }, credential: null });
  const { ticket } = await asked.json();
  const [right] = await codesOf(desk);
  const wrong = right?.code === "000000" ? "000001" : "000000";
  const enter = (code: string | undefined) =>
    desk.send("POST", "/v1/my/session", { body: { ticket, code }, credential: null });
  for (let n = 0; n < 5; n++) await assertFailure(await enter(wrong), "wrong_code");
  await assertFailure(await enter(right?.code), "wrong_code");
});

testOnEngines("developer sign-in: of two who enter one code, one gets in", async (desk) => {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const asked = await desk.send("POST", "/v1/my/codes", { body: { email }, credential: null });
  const { ticket } = await asked.json();
  const [right] = await codesOf(desk);
  const body = { ticket, code: right?.code };
  const twins = await Promise.all(
    [1, 2, 3].map(() => desk.send("POST", "/v1/my/session", { body, credential: null })),
  );
  assert.equal(twins.filter(({ status }) => status === 200).length, 1);
});

testOnEngines("developer sign-in: what a back end opened looks, until a code", async (desk) => {
  await openPages(desk);
  const { id } = await registered(desk, "dev-ada");
  const credential = await desk.token(["act:developer"]);
  const ada = await signInByLink(desk, id, credential);
  assert.equal(ada.session.access, "look");
  const { ticket } = await ada.get<{ ticket: string }>("POST", "/v1/my/session/codes");
  const [{ code } = { code: "" }] = await codesOf(desk);
  const proved = await ada.get<{ access: string; fresh: boolean; made_by: string }>(
    "POST",
    "/v1/my/session/proof",
    { ticket, code },
  );
  assert.deepEqual([proved.access, proved.fresh], ["all", false]);
  assert.notEqual(proved.made_by, "", "who opened it stays with it");
});

testOnEngines("developer sign-in: a password that a token set opens no more", async (desk) => {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const path = `/api/portal/developers/password/${id}`;
  const password = "correct horse battery";
  await succeed(desk, "POST", path, { body: { password } });
  const ada = await signIn(desk, { email, password });
  assert.equal(ada.session.access, "look");
});

testOnEngines("developer sign-in: who signs up has shown that mail reaches them", async (desk) => {
  await openPages(desk, { sign_up: "open" });
  const grace = await signInByCode(desk, "grace@example.org", { name: "Grace Hopper" });
  const { id } = grace.session.developer;
  const { email } = await succeed<{ email: string }>(desk, "GET", `/v1/developers/${id}`);
  assert.equal(email, "grace@example.org");
  await openPages(desk, { sign_up: "closed" });
  const asked = await desk.send("POST", "/v1/my/codes", {
    body: { email: "eve@example.org" },
    credential: null,
  });
  assert.equal(asked.status, 202);
  assert.equal((await codesOf(desk))[0]?.purpose, "nobody");
});

testOnEngines("developer sign-in: where the pages are off there is nothing", async (desk) => {
  const body = { email: "ada@example.org" };
  await assertFailure(
    await desk.send("POST", "/v1/my/codes", { body, credential: null }),
    "not_found",
  );
  await assertFailure(await desk.send("GET", "/v1/my/pages", { credential: null }), "not_found");
});
