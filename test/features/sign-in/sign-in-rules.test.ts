/** How an organisation's people sign in, what the sign-in page is told, and who stays able to. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { addProvider, enter, standIn } from "../../support/identity-provider.ts";
import { addPasskey, HOST, signInByPasskey } from "../../support/passkeys.ts";
import { call, newPerson, statusOf } from "../../support/people.ts";
import { addCode, bySession, signIn } from "../../support/sign-in.ts";

const RULES = "/v1/sign-in-rules";
const OFF = { tokens: false, domains: [] };

/** All that the first administrator holds. */
const everything = async (desk: TestDesk) => (await call(desk, "GET", "/v1/me")).permissions;

async function waysOf(desk: TestDesk, email: string, host = HOST): Promise<unknown> {
  const init = { credential: null, headers: { host }, body: { email } };
  const response = await desk.send("POST", "/v1/session/ways", init);
  assert.equal(response.status, 200);
  return (await response.json()).ways;
}

testOnEngines(
  "sign-in rules: tokens are switched off only while an administrator has a passkey",
  async (desk) => {
    const put = () => desk.send("PUT", RULES, { body: OFF });
    await assertFailure(await put(), "last_administrator");
    const grace = await newPerson(desk, ["portal:read"]);
    await addPasskey(desk, await signIn(desk, { credential: grace.credential }));
    await assertFailure(await put(), "last_administrator");
    const browser = await signIn(desk, { credential: desk.admin });
    const { authenticator, id } = await addPasskey(desk, browser);
    const set = { ...OFF, signed_approvals: false, second_factor: false };
    assert.deepEqual(await call(desk, "PUT", RULES, OFF), set);
    assert.deepEqual(await call(desk, "GET", RULES), set);
    const refused = () =>
      desk.send("POST", "/v1/session", { credential: null, body: { access_token: desk.admin } });
    await assertFailure(await refused(), "sign_in_by_token_off");
    // Programs go on, and so do sessions that have begun.
    assert.equal(await statusOf(desk, desk.admin), 200);
    assert.equal((await bySession(desk, browser, "GET", "/v1/me")).status, 200);
    const fresh = await signInByPasskey(desk, authenticator);
    // Neither the passkey nor its person can go, whatever access tokens there are.
    const removed = await bySession(desk, fresh, "DELETE", `/v1/passkeys/${id}`);
    await assertFailure(removed, "last_administrator");
    const me = await (await bySession(desk, fresh, "GET", "/v1/me")).json();
    const other = await newPerson(desk, (await call(desk, "GET", "/v1/me")).permissions);
    for (const [method, path] of [["DELETE", ""], ["POST", "/suspend"]] as const) {
      const path_ = `/v1/people/${me.person.id}${path}`;
      const left = await desk.send(method, path_, { credential: other.credential });
      await assertFailure(left, "last_administrator");
    }
    // At the machine there is a way in, always.
    await addCode(desk, "from-the-machine");
    await signIn(desk, { code: "from-the-machine" });
    await call(desk, "PUT", RULES, { tokens: true, domains: [] });
    await signIn(desk, { credential: desk.admin });
  },
);

testOnEngines(
  "sign-in rules: an administrator by a provider alone is not the last, whatever else is there",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider, {
      groups: [{ group: "admins", permissions: await everything(desk) }],
    });
    const claims = { sub: "radia", name: "Radia", groups: ["admins"] };
    const { session, ...radia } = await enter(desk, provider, id, claims, true);
    assert.ok(session.permissions.includes("admin"));
    // By accounts alone nobody could get in once the provider is away.
    await assertFailure(await desk.send("PUT", RULES, { body: OFF }), "last_administrator");
    const token = (await call(desk, "GET", "/v1/me")).access_token.id;
    const revoked = await bySession(desk, radia, "DELETE", `/v1/access-tokens/${token}`);
    await assertFailure(revoked, "last_administrator");
    const browser = await signIn(desk, { credential: desk.admin });
    const passkey = await addPasskey(desk, browser);
    await call(desk, "PUT", RULES, OFF);
    const { person } = await call(desk, "GET", "/v1/me");
    for (
      const [method, path] of [
        ["DELETE", `/v1/people/${person.id}/passkeys/${passkey.id}`],
        ["POST", `/v1/people/${person.id}/suspend`],
        ["DELETE", `/v1/people/${person.id}`],
      ] as const
    ) {
      const refused = await bySession(desk, radia, method, path);
      await assertFailure(refused, "last_administrator");
    }
  },
);

testOnEngines("sign-in rules: a passkey of another address counts for nobody", async (desk) => {
  const browser = await signIn(desk, { credential: desk.admin });
  await addPasskey(desk, browser);
  const settings = desk.app.ctx.settings as { publicUrl: string };
  settings.publicUrl = "https://moved.example.org";
  await assertFailure(await desk.send("PUT", RULES, { body: OFF }), "last_administrator");
});

testOnEngines(
  "sign-in rules: an address is told its domain's ways, whoever has it",
  async (desk) => {
    const grace = await newPerson(desk, ["portal:read"]);
    const body = { name: "Grace", permissions: ["portal:read"], email: "grace@example.org" };
    await call(desk, "PUT", `/v1/people/${grace.id}`, body);
    await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
    await call(desk, "PUT", RULES, { tokens: false, domains: ["example.org"] });
    const known = await waysOf(desk, "grace@example.org");
    assert.deepEqual(known, ["passkey"]);
    assert.deepEqual(await waysOf(desk, "nobody@EXAMPLE.org"), known);
    assert.deepEqual(await waysOf(desk, "nobody@example.org", "192.0.2.1:3000"), []);
    const other = await desk.otherOrganisation();
    assert.deepEqual(await waysOf(desk, "somebody@elsewhere.example"), ["passkey", "token"]);
    const taken = { tokens: true, domains: ["example.org"] };
    const refused = await desk.send("PUT", RULES, { credential: other.admin, body: taken });
    await assertFailure(refused, "domain_taken");
  },
);
