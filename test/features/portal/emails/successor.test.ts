/**
 * Whose an account is with another address: the same person's, to whom everything stays, or a
 * successor's, for whom nothing of the predecessor opens it.
 */
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
} from "../../../support/developers.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import {
  addMailChannel,
  mailBy,
  mailEngine,
  mailServer,
  PUBLIC_URL,
} from "../../../support/mail-server.ts";
import { call } from "../../../support/people.ts";
import { deliver } from "../../../support/receiver.ts";
import { tokenOf, v1 } from "../../../support/v1-requests.ts";

const ADA = "/v1/developers/dev-ada";
const OLD = "dev-ada@example.org";
const NEW = "grace@example.net";
const PASSWORD = "correct horse 9 battery";

/** A developer with a session, a token, a password, a key and an open one-time link. */
async function established(desk: TestDesk) {
  await openPages(desk, { passwords: true });
  await registered(desk, "dev-ada", OLD);
  const ada = await signInByCode(desk, OLD);
  await ada.get("PUT", "/v1/my/password", { password: PASSWORD });
  const { token } = await ada.get<{ token: string }>("POST", "/v1/my/tokens", {
    name: "Nightly",
    scope: "keys",
    days: 30,
  });
  const approved = async () => {
    const id = await create(desk, smallRequest({ by_user: "dev-ada" }));
    return await v1.approve(desk, id, "?deliver=one_time_link");
  };
  const { one_time_link } = await approved();
  return { ada, token, one_time_link: tokenOf(one_time_link) };
}

const byToken = (desk: TestDesk, token: string) =>
  desk.send("GET", "/v1/my/keys", { credential: `Bearer ${token}` });
const byPassword = (desk: TestDesk, email: string) =>
  desk.send("POST", "/v1/my/session", { credential: null, body: { email, password: PASSWORD } });
const openLink = (desk: TestDesk, token: string) =>
  desk.send("POST", "/v1/one-time-links/open", { credential: null, body: { token } });
const statusOf = async (answer: Promise<Response>) => {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
};
const change = (desk: TestDesk, more: Record<string, unknown>, email = NEW) =>
  desk.send("PUT", ADA, { body: { email, fields: {}, ...more } });

/** Asserts that it is refused with these words. */
async function refused(answer: Promise<Response>, words: string): Promise<void> {
  const response = await answer;
  const text = await response.text();
  assert.equal(response.status, 400, text);
  assert.ok(text.includes(words), text);
}

/** What of the predecessor still opens the account. */
const opens = async (
  desk: TestDesk,
  { ada, token }: { ada: DeveloperClient; token: string },
  email: string,
) => ({
  session: await statusOf(ada.send("GET", "/v1/my/keys")) === 200,
  token: await statusOf(byToken(desk, token)) === 200,
  password: await statusOf(byPassword(desk, email)) === 200,
});

testOnEngines(
  "successor: whoever changes an address for others has to say whose the account is",
  async (desk) => {
    await established(desk);
    await refused(change(desk, {}), "account: expected same_person");
    await refused(change(desk, { account: "successor" }), "predecessor_keys: expected keep");
    const both = { account: "same_person", predecessor_keys: "revoke" };
    await refused(change(desk, both), "a successor alone");
    const same = { account: "successor", predecessor_keys: "keep" };
    await refused(change(desk, same, OLD), "has another address");
    const writer = await desk.token(["portal:write", "portal:read"]);
    const body = { email: NEW, fields: {}, account: "successor", predecessor_keys: "suspend" };
    assert.equal(await statusOf(desk.send("PUT", ADA, { body, credential: writer })), 403);
    const { email, email_state, has_password } = await call(desk, "GET", ADA);
    assert.deepEqual([email, email_state, has_password], [OLD, "proved", true]);
  },
);

testOnEngines("successor: to the same person everything stays", async (desk) => {
  const before = await established(desk);
  await succeed(desk, "PUT", ADA, { body: { email: NEW, fields: {}, account: "same_person" } });
  assert.deepEqual(await opens(desk, before, NEW), { session: true, token: true, password: true });
  const unsaid = desk.send("POST", `${ADA}/email/confirm`, { body: { email: NEW } });
  await refused(unsaid, "account: expected");
  const body = { email: NEW, account: "same_person" };
  await succeed(desk, "POST", `${ADA}/email/confirm`, { body });
  assert.deepEqual(await opens(desk, before, NEW), { session: true, token: true, password: true });
  assert.equal(await statusOf(openLink(desk, before.one_time_link)), 200);
});

for (const said of ["with the change", "at its confirmation"]) {
  testOnEngines(
    `successor: said ${said}, nothing of the predecessor opens the account`,
    async (desk) => {
      await using smtp = await mailServer();
      await addMailChannel(desk);
      mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
      Object.assign(desk.app.ctx.settings, { publicUrl: PUBLIC_URL });
      const engine = mailEngine(desk, smtp);
      const before = await established(desk);
      await deliver(engine);
      smtp.taken.length = 0;
      const successor = { account: "successor", predecessor_keys: "suspend" };
      const isAtOnce = said === "with the change";
      const first = isAtOnce ? successor : { account: "same_person" };
      await succeed(desk, "PUT", ADA, { body: { email: NEW, fields: {}, ...first } });
      if (isAtOnce) await deliver(engine);
      const confirm = { email: NEW, ...isAtOnce ? {} : successor };
      const after = await call(desk, "POST", `${ADA}/email/confirm`, confirm);
      assert.equal(after.has_password, false);
      assert.deepEqual(await opens(desk, before, NEW), {
        session: false,
        token: false,
        password: false,
      });
      assert.equal(await statusOf(openLink(desk, before.one_time_link)), 410);
      await deliver(engine);
      const told = smtp.taken.filter(({ to }) => to[0] === OLD)
        .map(({ parsed }) => parsed.subject);
      assert.deepEqual(
        told.filter((subject) => subject === "Your account was given to another person").length,
        1,
        JSON.stringify(told),
      );
      // The predecessor is asked nothing of an account that is not theirs any more.
      if (isAtOnce) assert.equal(told.length, 1, JSON.stringify(told));
      const keys = await call(desk, "GET", "/v1/keys?developer=dev-ada");
      assert.deepEqual(keys.data.map(({ state }: { state: string }) => state), ["suspended"]);
      const { data } = await call(desk, "GET", "/v1/audit-log?object=developer");
      const row = data.find(({ action }: { action: string }) => action === "developer.handed_over");
      assert.deepEqual(row.detail, {
        keys: "suspend",
        claims: 1,
        sessions: 1,
        tokens: 1,
        accounts: 0,
      });
    },
  );
}

testOnEngines(
  "successor: keys are kept or revoked as it was said, and the rate limit counts them",
  async (desk) => {
    for (
      const [id, keys, states] of [["dev-keep", "keep", ["active"]], ["dev-end", "revoke", [
        "revoked",
      ]]] as const
    ) {
      await registered(desk, id);
      await v1.approve(desk, await create(desk, smallRequest({ by_user: id })));
      await succeed(desk, "PUT", `/v1/developers/${id}`, {
        body: {
          email: `new-${id}@example.net`,
          fields: {},
          account: "successor",
          predecessor_keys: keys,
        },
      });
      const read = await call(desk, "GET", `/v1/keys?developer=${id}`);
      assert.deepEqual(read.data.map(({ state }: { state: string }) => state), states);
    }
    Object.assign(desk.app.ctx.settings, { revokeRateLimit: 1 });
    const credential = await desk.token(["portal:write", "revoke"]);
    for (const [id, code] of [["dev-first", ""], ["dev-limited", "too_many_revoked"]] as const) {
      await registered(desk, id);
      await v1.approve(desk, await create(desk, smallRequest({ by_user: id })));
      const body = {
        email: `new-${id}@example.net`,
        fields: {},
        account: "successor",
        predecessor_keys: "revoke",
      };
      const answer = await desk.send("PUT", `/v1/developers/${id}`, { body, credential });
      assert.equal(answer.headers.get("x-keydesk-error") ?? "", code);
      await answer.body?.cancel();
    }
    const { email } = await call(desk, "GET", "/v1/developers/dev-limited");
    assert.equal(email, "dev-limited@example.org");
  },
);

testOnEngines(
  "successor: the sign-in of an identity broker goes with the account",
  async (desk) => {
    await succeed(desk, "POST", "/api/portal/developers", {
      body: { id: "dev-sso", email: "sso@example.org", sso_key: "broker-1", nonce: "n" },
    });
    await succeed(desk, "PUT", "/v1/developers/dev-sso", {
      body: { email: NEW, fields: {}, account: "successor", predecessor_keys: "keep" },
    });
    const gone = await desk.send("GET", "/api/portal/developers/ssokey/broker-1");
    await assertFailure(gone, "not_found");
  },
);

testOnEngines(
  "older interface: another address ends sessions and tokens, and the password stays",
  async (desk) => {
    const before = await established(desk);
    const whole = await succeed<Record<string, unknown>>(
      desk,
      "GET",
      "/api/portal/developers/dev-ada",
    );
    await succeed(desk, "PUT", "/api/portal/developers/dev-ada", { body: whole });
    assert.deepEqual(await opens(desk, before, OLD), {
      session: true,
      token: true,
      password: true,
    });
    await succeed(desk, "PUT", "/api/portal/developers/dev-ada", {
      body: { ...whole, email: NEW },
    });
    assert.deepEqual(await opens(desk, before, NEW), {
      session: false,
      token: false,
      password: true,
    });
  },
);

testOnEngines(
  "older interface: a password that a portal sets ends sessions and tokens",
  async (desk) => {
    const other = "another good password 7";
    for (
      const [method, path, body] of [
        ["POST", "/api/portal/developers/password/dev-ada", { password: other }],
        ["PUT", "/api/portal/developers/dev-ada", { email: OLD, password: PASSWORD }],
      ] as const
    ) {
      const before = method === "POST"
        ? await established(desk)
        : { ada: await signInByCode(desk, OLD), token: "" };
      await succeed(desk, method, path, { body });
      const { session, token } = await opens(desk, before, OLD);
      assert.deepEqual([method, session, token], [method, false, false]);
    }
  },
);

testOnEngines(
  "deactivating ends sessions, tokens and links for good: reactivating revives none",
  async (desk) => {
    const before = await established(desk);
    const link = await succeed<{ token: string }>(desk, "POST", `${ADA}/sign-in-links`);
    await succeed(desk, "POST", `${ADA}/deactivate`, { body: { keys: "keep" } });
    await succeed(desk, "POST", `${ADA}/reactivate`);
    const { session, token } = await opens(desk, before, OLD);
    assert.deepEqual([session, token], [false, false]);
    const entered = await desk.send("POST", "/v1/my/session", {
      credential: null,
      body: { link: link.token },
    });
    await assertFailure(entered, "not_authorised");
    const again = await signIn(desk, { email: OLD, password: PASSWORD });
    await succeed(desk, "PUT", "/api/portal/developers/dev-ada", {
      body: { email: OLD, inactive: true },
    });
    await succeed(desk, "PUT", "/api/portal/developers/dev-ada", {
      body: { email: OLD, inactive: false },
    });
    assert.equal(await statusOf(again.send("GET", "/v1/my/keys")), 401);
    assert.ok((await codesOf(desk)).length > 0);
  },
);
