/** By what somebody else gets in: seen and taken away by an administrator, who mails them of it. */
import assert from "node:assert/strict";
import type { DeliveryEngine } from "../../../src/features/notifications/delivery-engine.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { addProvider, come, enter, link, standIn } from "../../support/identity-provider.ts";
import {
  addMailTarget,
  mailEngine,
  mailServer,
  type TestMailServer,
} from "../../support/mail-server.ts";
import {
  addPasskey,
  presentPasskey,
  signInByPasskey,
  signInChallenge,
} from "../../support/passkeys.ts";
import { call, newPerson } from "../../support/people.ts";
import { type Browser, bySession, signIn } from "../../support/sign-in.ts";

const MAIL = { environment: { KEYDESK_SMTP_URL: "smtp://127.0.0.1:1" } };
const EMAIL = "grace@example.org";

async function grace(desk: TestDesk): Promise<{ id: string; browser: Browser; token: string }> {
  const { id, credential, credential_id } = await newPerson(desk, ["portal:read"]);
  const body = { name: "Grace", email: EMAIL, permissions: ["portal:read"] };
  await call(desk, "PUT", `/v1/people/${id}`, body);
  return { id, token: credential_id, browser: await signIn(desk, { credential }) };
}

const isIn = async (desk: TestDesk, browser: Browser) =>
  (await bySession(desk, browser, "GET", "/v1/me")).status;

const noted = async (desk: TestDesk, action: string) =>
  (await call(desk, "GET", `/v1/audit-log?action=${action}`)).data[0].detail;

/** What was mailed, after a turn of the engine: to whom, and the subject without its place. */
async function mailed(
  { engine, server }: { engine: DeliveryEngine; server: TestMailServer },
): Promise<unknown[]> {
  await engine.turn();
  return server.taken.map(({ to, parsed }) => `${to[0]}: ${parsed.subject?.replace(/ at .*/, "")}`);
}

testOnEngines(
  "ways in: an administrator removes a lost passkey, and its owner is mailed",
  async (desk) => {
    await using server = await mailServer();
    const { id, browser } = await grace(desk);
    const { authenticator, id: passkey } = await addPasskey(desk, browser, "Phone");
    const byPasskey = await signInByPasskey(desk, authenticator);
    await addMailTarget(desk);
    const mail = { server, engine: mailEngine(desk, server) };
    const ways = await call(desk, "GET", `/v1/people/${id}/ways-in`);
    assert.deepEqual(ways.passkeys.map(({ name }: { name: string }) => name), ["Phone"]);
    assert.deepEqual(ways.identities, []);
    const removed = await call(desk, "DELETE", `/v1/people/${id}/passkeys/${passkey}`);
    assert.deepEqual(removed, { removed: true, sessions_ended: 1 });
    assert.deepEqual([await isIn(desk, byPasskey), await isIn(desk, browser)], [401, 200]);
    const again = await presentPasskey(desk, authenticator, await signInChallenge(desk));
    await assertFailure(again, "not_authorised");
    const detail = await noted(desk, "passkey.deleted");
    assert.deepEqual(detail, { person_id: id, sessions_ended: 1 });
    assert.deepEqual(await mailed(mail), [`${EMAIL}: A passkey of yours was removed`]);
  },
  MAIL,
);

testOnEngines("ways in: what one takes away oneself is mailed to nobody", async (desk) => {
  await using server = await mailServer();
  const { browser } = await grace(desk);
  const { id } = await addPasskey(desk, browser);
  await addMailTarget(desk);
  const mail = { server, engine: mailEngine(desk, server) };
  const removed = await bySession(desk, browser, "DELETE", `/v1/passkeys/${id}`);
  assert.equal(removed.status, 200);
  assert.deepEqual(await mailed(mail), []);
}, MAIL);

testOnEngines(
  "ways in: a linked account is mailed to its person, and so is its end",
  async (desk) => {
    await using server = await mailServer();
    await using provider = await standIn();
    const provider_id = await addProvider(desk, provider);
    const { id, browser } = await grace(desk);
    await addMailTarget(desk);
    const mail = { server, engine: mailEngine(desk, server) };
    const account = { sub: "grace-there" };
    const linked = await (await link(desk, provider, provider_id, browser, account)).json();
    assert.deepEqual(await mailed(mail), [`${EMAIL}: An account was linked to you`]);
    const there = await enter(desk, provider, provider_id, account);
    const { identities } = await call(desk, "GET", `/v1/people/${id}/ways-in`);
    assert.deepEqual(identities.map((one: { id: string }) => one.id), [linked.id]);
    const path = `/v1/people/${id}/identities/${linked.id}`;
    assert.deepEqual(await call(desk, "DELETE", path), { removed: true, sessions_ended: 1 });
    assert.deepEqual([await isIn(desk, there), await isIn(desk, browser)], [401, 200]);
    await assertFailure(await come(desk, provider, provider_id, account), "no_group_opens");
    assert.deepEqual((await mailed(mail)).slice(1), [
      `${EMAIL}: An account of yours was unlinked`,
    ]);
  },
  MAIL,
);

testOnEngines(
  "ways in: whom a provider adds is not mailed of that, and stays with it",
  async (desk) => {
    await using server = await mailServer();
    await using provider = await standIn();
    const provider_id = await addProvider(desk, provider);
    await addMailTarget(desk);
    const mail = { server, engine: mailEngine(desk, server) };
    const claims = { sub: "hedy", name: "Hedy", email: "hedy@example.org", groups: ["desk"] };
    const { session } = await enter(desk, provider, provider_id, claims);
    const { id } = session.person;
    const { identities: [account] } = await call(desk, "GET", `/v1/people/${id}/ways-in`);
    const path = `/v1/people/${id}/identities/${account.id}`;
    await assertFailure(await desk.send("DELETE", path), "added_by_provider");
    assert.deepEqual(await mailed(mail), []);
  },
  MAIL,
);

testOnEngines(
  "ways in: nobody takes one of who holds more, of others, or the last",
  async (desk) => {
    const admin = await signIn(desk, { credential: desk.admin });
    const { id: passkey } = await addPasskey(desk, admin);
    const { person } = await call(desk, "GET", "/v1/me");
    const own = `/v1/people/${person.id}/passkeys/${passkey}`;
    const lesser = (await newPerson(desk, ["admin"])).credential;
    const stronger = await desk.send("DELETE", own, { credential: lesser });
    assert.equal((await stronger.json()).code, "person_holds_more");
    const { admin: other } = await desk.otherOrganisation();
    await assertFailure(await desk.send("DELETE", own, { credential: other }), "not_found");
    const ways = `/v1/people/${person.id}/ways-in`;
    await assertFailure(await desk.send("GET", ways, { credential: other }), "not_found");
    const { id: another } = await grace(desk);
    const mixed = `/v1/people/${another}/passkeys/${passkey}`;
    await assertFailure(await desk.send("DELETE", mixed), "not_found");
    await call(desk, "PUT", "/v1/sign-in-rules", { tokens: false, domains: [] });
    await assertFailure(await desk.send("DELETE", own), "last_administrator");
    const [one] = (await call(desk, "GET", ways)).passkeys;
    assert.equal(one.id, passkey);
  },
);

testOnEngines("ways in: of several removals at once one removes", async (desk) => {
  const { id, browser } = await grace(desk);
  const { id: passkey } = await addPasskey(desk, browser);
  const remove = () => desk.send("DELETE", `/v1/people/${id}/passkeys/${passkey}`);
  const answers = await Promise.all([remove(), remove(), remove()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
  for (const answer of answers) await answer.body?.cancel();
});

testOnEngines(
  "ways in: the audit log tells the passkeys that a revoked access token leaves",
  async (desk) => {
    const { browser, token } = await grace(desk);
    await addPasskey(desk, browser);
    await call(desk, "DELETE", `/v1/credentials/${token}`);
    assert.equal((await noted(desk, "access_token.revoked")).passkeys_left, 1);
  },
);
