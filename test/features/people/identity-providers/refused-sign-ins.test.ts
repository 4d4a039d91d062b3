/**
 * A refused sign-in has its reason, for administrators alone: in activity, in the log, and at the
 * provider; strangers get one answer for all.
 */
import assert from "node:assert/strict";
import * as jose from "jose";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  addProvider,
  begin,
  CLIENT,
  come,
  enter,
  finish,
  type Lies,
  link,
  standIn,
  TERMS,
} from "../../../support/identity-provider.ts";
import { call, newPerson, testClock } from "../../../support/people.ts";
import { notifyOfProvider } from "../../../../src/features/people/identity-providers/provider-states.service.ts";
import { signIn } from "../../../support/sign-in.ts";

const PROVIDERS = "/v1/identity-providers";
const GRACE = { sub: "grace", name: "Grace", groups: ["desk"] };

const at = (path: string, answer: () => Response): Lies => ({
  answer: (asked) => asked === path ? answer() : undefined,
});

const now = () => Math.floor(Date.now() / 1000);

const refusing = (error: string, error_description: string) =>
  at("/token", () => Response.json({ error, error_description }, { status: 401 }));

const REASONS: Readonly<Record<string, [Lies, RegExp]>> = {
  "a secret that is wrong": [
    refusing("invalid_client", "Invalid client or Invalid client credentials"),
    /status 401, "invalid_client": "Invalid client or Invalid client credentials" \(it does not know/,
  ],
  "another audience": [
    { claims: { aud: "another" } },
    /"aud".*it is "another", expected "keydesk-console"/,
  ],
  "another issuer": [{ claims: { iss: "https://evil.example" } }, /"iss".*it is "https:\/\/evil/],
  "another nonce": [{ claims: { nonce: "secret-of-this-browser" } }, /"nonce"/],
  "a token that is over": [
    { claims: { iat: now() - 7200, exp: now() - 3600 } },
    /"exp".*36\d\d seconds before this server's time/,
  ],
  "a token of later": [{ claims: { nbf: now() + 3600 } }, /"nbf".*3[56]\d\d seconds after/],
  "a missing claim": [{ claims: { exp: undefined } }, /"exp" .*missing/],
  "an algorithm that it does not name": [
    {
      idToken: async (claims) => {
        const { privateKey } = await jose.generateKeyPair("RS256");
        return await new jose.SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(privateKey);
      },
    },
    /"alg".*it is "RS256", expected "ES256"/,
  ],
  "another's signature": [
    {
      idToken: async (claims) => {
        const { privateKey } = await jose.generateKeyPair("ES256");
        return await new jose.SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "key-1" })
          .sign(privateKey);
      },
    },
    /signature verification failed/,
  ],
};

async function lastRefused(desk: TestDesk, id: string) {
  return (await call(desk, "GET", `${PROVIDERS}/${id}`)).last_refused;
}

testOnEngines(
  "refused: each reason stands in activity, in the log and at the provider",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    assert.equal(await lastRefused(desk, id), null);
    const answers = new Set<string>();
    for (const [name, [lies, expected]] of Object.entries(REASONS)) {
      provider.lies = lies;
      const lines = desk.logLines.length;
      const refused = await come(desk, provider, id, GRACE);
      const { request_id: _, ...body } = await refused.json();
      answers.add(JSON.stringify([refused.status, body]));
      const { reason } = await lastRefused(desk, id);
      assert.match(reason, expected, `${name}: ${reason}`);
      const told = desk.logLines.slice(lines).filter((line) => line.includes("sign-in refused"));
      assert.equal(told.length, 1, name);
      const line = JSON.parse(told[0] ?? "");
      assert.deepEqual([line.level, line.identity_provider, line.reason], ["warn", id, reason]);
    }
    assert.equal(answers.size, 1, "strangers get one answer");
    await desk.app.ctx.notes.flush();
    const { data } = await call(desk, "GET", "/v1/audit-log?action=sign_in.refused&limit=100");
    const reasons = data.map((one: { detail: { reason: string } }) => one.detail.reason);
    for (const [name, [, expected]] of Object.entries(REASONS)) {
      assert.ok(reasons.some((one: string) => expected.test(one)), name);
    }
    assert.ok(
      data.every((one: { detail: Record<string, string> }) =>
        one.detail.identity_provider_id === id
      ),
    );
    // No nonce and no secret of either is told.
    const all = JSON.stringify([data, desk.logLines]);
    assert.ok(!all.includes("secret-of-this-browser") && !all.includes(CLIENT.client_secret));
  },
);

/** Keycloak has one word for a secret that is wrong and for what a client may not do. */
const UNAUTHORIZED: readonly [status: number, meaning: RegExp][] = [
  [401, /status 401, "unauthorized_client": "No such client" \(it does not know the client id/],
  [400, /status 400, "unauthorized_client": "No such client" \(this client may not do this there/],
];
testOnEngines("refused: unauthorized_client with 401 is a wrong secret", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  for (const [status, meaning] of UNAUTHORIZED) {
    const said = { error: "unauthorized_client", error_description: "No such client" };
    provider.lies = at("/token", () => Response.json(said, { status }));
    await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
    assert.match((await lastRefused(desk, id)).reason, meaning);
  }
});

testOnEngines(
  "refused: what the provider itself refuses comes back with its words",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    const { url, cookie } = await begin(desk, id);
    const state = new URL(url).searchParams.get("state") ?? "";
    const error_description = 'Unrecognized scope(s) ["groups"]\n';
    const answer = new URLSearchParams({ error: "invalid_scope", error_description, state });
    await assertFailure(await finish(desk, id, answer.toString(), cookie), "not_authorised");
    const { reason } = await lastRefused(desk, id);
    assert.equal(
      reason,
      'the provider answered "invalid_scope": "Unrecognized scope(s) ["groups"]" (it has no such scope)',
    );
    // What anybody can send, without a browser that began, is no word of the provider's.
    answer.set("state", "another");
    answer.set("error", "made-up");
    await assertFailure(await finish(desk, id, answer.toString(), cookie), "not_authorised");
    assert.equal((await lastRefused(desk, id)).reason, reason);
  },
);

const DAY_MS = 24 * 60 * 60_000;
const strangers = testClock();
testOnEngines(
  "refused: what a stranger's browser says takes no place of what the provider said",
  async (desk) => {
    await using provider = await standIn(() => strangers.at);
    const id = await addProvider(desk, provider);
    /** A stranger begins as anybody may, and comes back with words of their own. */
    const stranger = async (words: Record<string, string>) => {
      const { url, cookie } = await begin(desk, id);
      const state = new URL(url).searchParams.get("state") ?? "";
      const answer = new URLSearchParams({ ...words, state }).toString();
      const answered = await finish(desk, id, answer, cookie);
      await answered.body?.cancel();
      assert.ok(answered.status >= 400);
      // Each address has few tries.
      strangers.at += 15 * 60_000;
    };
    const made = (error_description: string) => ({ error: "access_denied", error_description });
    const last = async () => {
      const { reason, by } = await lastRefused(desk, id);
      return [/"(first|second|third|invalid_grant|iss|aud)"/.exec(reason)?.[1] ?? reason, by];
    };
    // Before the provider said anything it is told, and as what it is.
    await stranger(made("first"));
    assert.deepEqual(await last(), ["first", "browser"]);
    provider.lies = { claims: { aud: "another" } };
    await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
    assert.deepEqual(await last(), ["aud", "provider"]);
    provider.lies = {};
    await stranger(made("second"));
    await stranger({ code: "made-up", iss: provider.issuer });
    await stranger({ code: "made-up", iss: "https://evil.example" });
    assert.deepEqual(await last(), ["aud", "provider"]);
    // Behind a day, or once something was changed, the newest counts again.
    strangers.at += DAY_MS;
    await stranger({ code: "made-up", iss: provider.issuer });
    assert.deepEqual(await last(), ["invalid_grant", "browser"]);
    provider.lies = { claims: { aud: "another" } };
    await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
    provider.lies = {};
    await call(desk, "PUT", `${PROVIDERS}/${id}`, { ...TERMS, scopes: ["openid", "email"] });
    assert.deepEqual(await last(), ["aud", null]);
    await stranger(made("third"));
    assert.deepEqual(await last(), ["third", "browser"]);
    // Its words stand on one line, in quotation marks, and are cut.
    const long = made(`line\u2028line ${"x".repeat(5000)}`);
    await stranger(long);
    const { reason } = await lastRefused(desk, id);
    assert.ok(reason.length <= 600 && reason.includes('"line line xxx'), reason);
  },
  { clock: strangers },
);

testOnEngines("refused: it is written so often at the most", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  const { app: { ctx }, org_id } = desk;
  const told = new Set<string>();
  for (let n = 0; n < 40; n++) {
    const refused = { reason: `it says ${n}`, by: "provider" } as const;
    await notifyOfProvider(ctx, { org_id, id }, { refused });
    told.add((await lastRefused(desk, id)).reason);
  }
  assert.equal(told.size, 30);
  // A problem is told all the same.
  await notifyOfProvider(ctx, { org_id, id }, {
    refused: { reason: "one more", by: "provider" },
    problem: "it is slow",
  });
  const { problem, last_refused } = await call(desk, "GET", `${PROVIDERS}/${id}`);
  assert.deepEqual([problem.reason, last_refused.reason], ["it is slow", "it says 29"]);
});

const problems = testClock();
testOnEngines(
  "problem: it goes once the provider works when it is tried, with other settings, and with time",
  async (desk) => {
    await using provider = await standIn(() => problems.at);
    const id = await addProvider(desk, provider);
    const told = async () => {
      const { problem } = await call(desk, "GET", `${PROVIDERS}/${id}`);
      const { warnings } = await call(desk, "GET", "/v1/server");
      const onHome = warnings.filter((one: string) => one.includes("identity provider")).length;
      assert.equal(onHome, problem === null ? 0 : 1);
      return problem?.reason;
    };
    const failing = (path: string): Lies => at(path, () => new Response("", { status: 503 }));
    const fail = async () => {
      provider.lies = failing("/token");
      await assertFailure(await come(desk, provider, id, GRACE), "provider_away");
      assert.equal(await told(), "status 503");
    };
    const tried = async () => (await call(desk, "POST", `${PROVIDERS}/${id}/check`)).works;
    await fail();
    // One that does not work leaves it as it is.
    assert.equal(await tried(), false);
    assert.equal(await told(), "status 503");
    provider.lies = {};
    assert.equal(await tried(), true);
    assert.equal(await told(), undefined);
    // A name says nothing of how it is asked; a secret does.
    await fail();
    const put = (more: object) => call(desk, "PUT", `${PROVIDERS}/${id}`, { ...TERMS, ...more });
    await put({ name: "Another name" });
    assert.equal(await told(), "status 503");
    await put({ name: "Another name", client_secret: "another secret" });
    assert.equal(await told(), undefined);
    await put({ client_secret: CLIENT.client_secret });
    // What is seen again stays; what was not for a week is over.
    await fail();
    for (let days = 0; days < 8; days += 2) {
      problems.at += 2 * DAY_MS;
      await fail();
    }
    problems.at += 7 * DAY_MS - 1000;
    assert.equal(await told(), "status 503");
    problems.at += 2000;
    assert.equal(await told(), undefined);
    // The next success ends it as ever.
    await fail();
    provider.lies = {};
    await enter(desk, provider, id, GRACE);
    assert.equal(await told(), undefined);
  },
  { clock: problems },
);

testOnEngines(
  "refused: who is known to be somebody, and does not come in, has a reason too",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider, { creates_people: false });
    await assertFailure(await come(desk, provider, id, GRACE), "identity_unknown");
    assert.match((await lastRefused(desk, id)).reason, /no person here has this account/);
    const known = await newPerson(desk, ["portal:read"]);
    const own = await signIn(desk, { credential: known.credential });
    const old = { ...GRACE, auth_time: now() - 3600 };
    await assertFailure(await link(desk, provider, id, own, old), "not_authorised");
    assert.match((await lastRefused(desk, id)).reason, /was not linked: the claim "auth_time"/);
    assert.equal((await link(desk, provider, id, own, GRACE)).status, 200);
    await call(desk, "DELETE", `/v1/people/${known.id}`);
    await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
    assert.match((await lastRefused(desk, id)).reason, /deactivated or suspended/);
  },
);

testOnEngines("refused: another organisation learns nothing of it", async (desk) => {
  await using provider = await standIn();
  const id = await addProvider(desk, provider);
  provider.lies = { claims: { aud: "another" } };
  await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
  await desk.app.ctx.notes.flush();
  const { admin } = await desk.otherOrganisation();
  const { data } = await call(desk, "GET", "/v1/audit-log", undefined, admin);
  assert.ok(!JSON.stringify(data).includes("sign_in.refused"));
  const shown = await desk.send("GET", `${PROVIDERS}/${id}`, { credential: admin });
  await assertFailure(shown, "not_found");
});

for (const seconds of [-290, 290, -61, 61]) {
  const clock = testClock();
  testOnEngines(
    `clock: one that is ${seconds} seconds off is told of, and lets people in`,
    async (desk) => {
      await using provider = await standIn(() => clock.at + seconds * 1000);
      const id = await addProvider(desk, provider);
      const known = await newPerson(desk, ["portal:read"]);
      const own = await signIn(desk, { credential: known.credential });
      const linked = await link(desk, provider, id, own, { sub: "known" });
      assert.equal(linked.status, 200, await linked.text());
      const { session } = await enter(desk, provider, id, GRACE, true);
      assert.equal(session.fresh, true);
      const { problem } = await call(desk, "GET", `${PROVIDERS}/${id}`);
      const words = seconds > 0 ? "ahead of" : "behind";
      assert.match(problem.reason, new RegExp(`clock is ${Math.abs(seconds)} seconds ${words}`));
      const token = await provider.logoutToken({ sub: GRACE.sub });
      const out = await desk.send("POST", `/v1/session/provider/${id}/logout`, {
        credential: null,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ logout_token: token }).toString(),
      });
      assert.deepEqual(await out.json(), { ended: 1 });
    },
    { clock },
  );
}
