/** Signing a browser in and out, and what its cookie may do. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call, newPerson, testClock } from "../../support/people.ts";
import { addCode, bySession, cookieOf, signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const clock = testClock();
const HOUR = 60 * 60 * 1000;

/** Takes a signed-in browser as itself. */
const nobody = { credential: null };

testOnEngines(
  "sign-in: an access token gives a session that says who it is",
  async (desk) => {
    const init = { ...nobody, body: { access_token: `  ${desk.admin}\n` } };
    const response = await desk.send("POST", "/v1/session", init);
    const session = await response.json();
    assert.equal(response.status, 200);
    assert.match(
      response.headers.get("set-cookie") ?? "",
      /^keydesk_session=[A-Za-z0-9]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(response.headers.get("cache-control"), "no-store");
    const me = await call(desk, "GET", "/v1/me");
    const { person, organisation, csrf_token, expires_at } = session;
    assert.deepEqual({ person, organisation }, {
      person: me.person,
      organisation: me.organisation,
    });
    assert.deepEqual(session.permissions, [...permissions]);
    assert.match(csrf_token, /^[0-9a-f]{64}$/);
    assert.equal(Date.parse(expires_at), clock.at + 12 * HOUR);
    const cookie = cookieOf(response);
    const again = await bySession(desk, { cookie, csrf: "" }, "GET", "/v1/session");
    assert.deepEqual(await again.json(), session);
    const [, secret = ""] = cookie.split("=");
    const kept = await storedText(desk);
    assert.ok(!kept.includes(secret) && !kept.includes(csrf_token));
    assert.ok(!desk.logLines.join("\n").includes(secret));
  },
  { clock },
);

testOnEngines(
  "sign-in: a code signs in once, and not after ten minutes",
  async (desk) => {
    const post = (code: string) => desk.send("POST", "/v1/session", { ...nobody, body: { code } });
    await addCode(desk, "first-code");
    assert.ok(!(await storedText(desk)).includes("first-code"));
    assert.equal((await post("first-code")).status, 200);
    await assertFailure(await post("first-code"), "not_authorised");
    await addCode(desk, "late-code");
    clock.at += 10 * 60 * 1000;
    await assertFailure(await post("late-code"), "not_authorised");
  },
  { clock },
);

testOnEngines(
  "sign-in: whom a code would sign in is read before, and uses it up for nobody",
  async (desk) => {
    const preview = (code: string, init = {}) =>
      desk.send("POST", "/v1/session/preview", { ...nobody, body: { code }, ...init });
    await addCode(desk, "a-code");
    const { person, organisation } = await call(desk, "GET", "/v1/me");
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await (await preview("a-code")).json(), { person, organisation });
    }
    const from = { headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" } };
    await assertFailure(await preview("a-code", from), "csrf_refused");
    await assertFailure(await preview("another"), "not_found");
    const signedIn = await desk.send("POST", "/v1/session", {
      ...nobody,
      body: { code: "a-code" },
    });
    assert.equal(signedIn.status, 200);
    await assertFailure(await preview("a-code"), "not_found");
    for (let n = 0; n < 12; n++) await preview("guess", { from: "192.0.2.9" });
    await assertFailure(await preview("guess", { from: "192.0.2.9" }), "too_many_requests");
  },
  { clock },
);

testOnEngines("sign-in: of many who present one code at once, one gets in", async (desk) => {
  await addCode(desk, "contested");
  const init = { ...nobody, body: { code: "contested" } };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => desk.send("POST", "/v1/session", init)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(7).fill(401)]);
});

testOnEngines(
  "session: always a fresh secret, whatever cookie a browser brings along",
  async (desk) => {
    const planted = "keydesk_session=planted-by-somebody-else";
    const body = { access_token: desk.admin };
    const init = { ...nobody, body, headers: { cookie: planted } };
    const [one, two] = [
      cookieOf(await desk.send("POST", "/v1/session", init)),
      cookieOf(await desk.send("POST", "/v1/session", init)),
    ];
    assert.equal(new Set([one, two, planted]).size, 3);
    const response = await bySession(desk, { cookie: planted, csrf: "" }, "GET", "/v1/me");
    await assertFailure(response, "not_authorised");
  },
);

testOnEngines(
  "session: its permissions are those of the access token, and its acts the person's",
  async (desk) => {
    const person = await newPerson(desk, ["portal:write", "admin"], { scope: ["admin"] });
    const browser = await signIn(desk, { credential: person.credential });
    const made = await bySession(desk, browser, "POST", "/v1/people", {
      name: "x",
      permissions: [],
    });
    assert.equal(made.status, 200);
    const { id } = await made.json();
    const { data } = await call(desk, "GET", `/v1/audit-log?object_id=${id}`);
    assert.deepEqual([data[0].actor, data[0].actor_name], [person.id, "Grace"]);
    const more = { name: "y", permissions: ["portal:write"] };
    const refused = await bySession(desk, browser, "POST", "/v1/people", more);
    assert.equal(refused.headers.get("x-keydesk-error"), "permission_not_held");
  },
);

testOnEngines("session: a header decides alone, even a wrong one", async (desk) => {
  const { cookie } = await signIn(desk, { credential: desk.admin });
  const init = { credential: "wrong", headers: { cookie } };
  await assertFailure(await desk.send("GET", "/v1/me", init), "not_authorised");
  // By header no token is asked for: no browser adds that header by itself.
  const body = { name: "x", permissions: [] };
  const evil = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const byHeader = await desk.send("POST", "/v1/people", { body, headers: { cookie, ...evil } });
  assert.equal(byHeader.status, 200);
});

testOnEngines("session: a change needs the session's own token and our own page", async (desk) => {
  const browser = await signIn(desk, { credential: desk.admin });
  const other = await signIn(desk, { credential: desk.admin });
  const body = { name: "x", permissions: [] };
  const before = await storedText(desk);
  const post = (csrf: string, headers: Record<string, string> = {}) =>
    bySession(desk, { cookie: browser.cookie, csrf }, "POST", "/v1/people", body, headers);
  for (const csrf of ["", "x", other.csrf, `${browser.csrf}0`, browser.csrf.toUpperCase()]) {
    await assertFailure(await post(csrf), "csrf_refused");
  }
  const host = { host: "desk.test" };
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { ...host, origin: "https://evil.example" },
    { ...host, origin: "http://desk.test:81" },
    { ...host, origin: "null" },
    { origin: "http://desk.test" },
  ];
  for (const headers of foreign) {
    await assertFailure(await post(browser.csrf, headers), "csrf_refused");
  }
  const { cookie } = browser;
  const bare = await desk.send("DELETE", "/v1/session", { ...nobody, headers: { cookie } });
  await assertFailure(bare, "csrf_refused");
  assert.equal(await storedText(desk), before);
  const own: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "same-origin", origin: "http://other.example" },
    { ...host, origin: "http://desk.test" },
    { ...host, origin: "https://desk.test" },
  ];
  for (const headers of own) assert.equal((await post(browser.csrf, headers)).status, 200);
});

testOnEngines(
  "session: signing out ends it and no other, and takes the cookie away",
  async (desk) => {
    const browser = await signIn(desk, { credential: desk.admin });
    const other = await signIn(desk, { credential: desk.admin });
    const out = await bySession(desk, browser, "DELETE", "/v1/session");
    assert.deepEqual(await out.json(), { signed_out: true });
    assert.match(out.headers.get("set-cookie") ?? "", /^keydesk_session=; Max-Age=0; Path=\//);
    assert.equal(out.headers.get("clear-site-data"), '"cache", "storage"');
    await assertFailure(await bySession(desk, browser, "GET", "/v1/me"), "not_authorised");
    assert.equal((await bySession(desk, other, "GET", "/v1/me")).status, 200);
  },
);

testOnEngines(
  "session: ends with its access token, its person, its rotation and its time",
  async (desk) => {
    const sessionOf = async (more = {}) => {
      const person = await newPerson(desk, ["approve"], more);
      return { ...person, browser: await signIn(desk, { credential: person.credential }) };
    };
    const ended = async ({ browser }: Awaited<ReturnType<typeof sessionOf>>) => {
      clock.at += 1000;
      await assertFailure(await bySession(desk, browser, "GET", "/v1/me"), "not_authorised");
    };
    const revoked = await sessionOf();
    await call(desk, "DELETE", `/v1/access-tokens/${revoked.credential_id}`);
    await ended(revoked);
    const left = await sessionOf();
    await call(desk, "DELETE", `/v1/people/${left.id}`);
    await ended(left);
    const rotated = await sessionOf();
    const path = `/v1/access-tokens/${rotated.credential_id}/rotate`;
    await call(desk, "POST", path, { overlap_seconds: 0 });
    await ended(rotated);
    const expires_at = new Date(clock.at + HOUR).toISOString();
    const short = await sessionOf({ expires_at });
    const shown = await (await bySession(desk, short.browser, "GET", "/v1/session")).json();
    assert.equal(shown.expires_at, expires_at);
    clock.at += HOUR;
    await ended(short);
    const long = await sessionOf();
    clock.at += 12 * HOUR - 1;
    assert.equal((await bySession(desk, long.browser, "GET", "/v1/me")).status, 200);
    await ended(long);
  },
  // Without an idle end, which would come first.
  { clock, environment: { KEYDESK_SESSION_IDLE_MINUTES: "0" } },
);

testOnEngines("session: of its traces the audit log tells, without a secret", async (desk) => {
  const browser = await signIn(desk, { credential: desk.admin });
  await bySession(desk, browser, "DELETE", "/v1/session");
  const { data } = await call(desk, "GET", "/v1/audit-log?object=session");
  const actions = data.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions, ["session.ended", "session.created"]);
  const [, secret = ""] = browser.cookie.split("=");
  assert.ok(!JSON.stringify(data).includes(sha256(secret)));
});

for (const publicUrl of ["https://desk.example.org", "https://desk.example.org/"]) {
  testOnEngines(`session: with ${publicUrl} the cookie goes over https alone`, async (desk) => {
    const body = { access_token: desk.admin };
    const headers = { host: "10.0.0.1:3000", origin: "https://desk.example.org" };
    const response = await desk.send("POST", "/v1/session", { ...nobody, body, headers });
    assert.match(response.headers.get("set-cookie") ?? "", /; HttpOnly; Secure; SameSite=Strict$/);
  }, { environment: { KEYDESK_PUBLIC_URL: publicUrl } });
}

testOnEngines(
  "session: a proxy that is trusted says whether the browser came by https, and nobody else",
  async (desk) => {
    const cookieFor = async (proto: string, from: string) => {
      const headers = { "x-forwarded-proto": proto };
      const init = { ...nobody, body: { access_token: desk.admin }, headers, from };
      const response = await desk.send("POST", "/v1/session", init);
      return response.headers.get("set-cookie") ?? "";
    };
    const secure =
      /^__Host-keydesk=[A-Za-z0-9]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/;
    for (const proto of ["https", "HTTPS", "Https", "https, http", " https "]) {
      assert.match(await cookieFor(proto, "10.0.0.7"), secure, proto);
    }
    for (const proto of ["http", "", "http, https", "httpsx"]) {
      assert.match(
        await cookieFor(proto, "10.0.0.7"),
        /^keydesk_session=[^;]+; (?!.*Secure)/,
        proto,
      );
    }
    assert.match(await cookieFor("https", "192.0.2.1"), /^keydesk_session=/);
  },
  { environment: { KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8" } },
);

testOnEngines(
  "session: over https its own cookie counts and the other does not, and the other way round",
  async (desk) => {
    const https = { headers: { "x-forwarded-proto": "https" }, from: "10.0.0.7" };
    const plain = { headers: {}, from: "10.0.0.7" };
    const secretBy = async (way: typeof https | typeof plain) => {
      const init = { ...nobody, ...way, body: { access_token: desk.admin } };
      const [, secret = ""] = cookieOf(await desk.send("POST", "/v1/session", init)).split("=");
      return secret;
    };
    const statusBy = async (way: typeof https | typeof plain, cookie: string) => {
      const init = { ...nobody, ...way, headers: { ...way.headers, cookie } };
      const response = await desk.send("GET", "/v1/me", init);
      await response.body?.cancel();
      return response.status;
    };
    const [overTls, bare] = [await secretBy(https), await secretBy(plain)];
    assert.equal(await statusBy(https, `keydesk_session=x; __Host-keydesk=${overTls}`), 200);
    assert.equal(await statusBy(https, `keydesk_session=${overTls}`), 401);
    assert.equal(await statusBy(plain, `__Host-keydesk=x; keydesk_session=${bare}`), 200);
    assert.equal(await statusBy(plain, `__Host-keydesk=${bare}`), 401);
  },
  { environment: { KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8" } },
);

testOnEngines(
  "session: what a proxy asks for its visitors is not opened by their cookies",
  async (desk) => {
    const browser = await signIn(desk, { credential: desk.admin });
    const response = await bySession(desk, browser, "GET", "/v1/forward-auth");
    assert.equal(response.status, 401);
    await response.body?.cancel();
  },
);

testOnEngines("sign-in: who guesses has to wait, whoever knows gets in", async (desk) => {
  const post = (body: unknown, from: string) =>
    desk.send("POST", "/v1/session", { ...nobody, body, from });
  const codes = [];
  for (let n = 0; n < 25; n++) {
    const body = n % 2 === 0 ? { access_token: `guess-${n}` } : { code: `guess-${n}` };
    const response = await post(body, "192.0.2.1");
    codes.push(response.headers.get("x-keydesk-error"));
  }
  assert.deepEqual(new Set(codes.slice(0, 20)), new Set(["not_authorised"]));
  assert.ok(codes.slice(21).every((code) => code === "too_many_requests"), codes.join(" "));
  const wait = await post({ code: "guess" }, "192.0.2.1");
  assert.match(wait.headers.get("retry-after") ?? "", /^\d+$/);
  assert.equal((await post({ access_token: "guess" }, "192.0.2.2")).status, 401);
  assert.equal((await post({ access_token: desk.admin }, "192.0.2.1")).status, 200);
});
