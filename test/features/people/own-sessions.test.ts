/** How long a session lasts unused, one's own list of them, and what asks for a fresh one. */
import assert from "node:assert/strict";
import { browserName } from "../../../src/features/people/browser-name.ts";
import { Sessions } from "../../../src/features/people/sessions.ts";
import { endpoints } from "../../../src/reference/registry.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { TERMS } from "../../support/identity-provider.ts";
import { call, newPerson, testClock } from "../../support/people.ts";
import { addCode, type Browser, bySession, cookieOf, signIn } from "../../support/sign-in.ts";

/** A rule for temporary access, as far as one can be refused before it is looked at. */
const RULE = { name: "x", people: ["x"], role: "approver", minutes: 60, proof: "passkey" };

const MINUTE = 60_000;
const PASSKEY = { name: "x", ticket: "x", id: "A", client_data: "A", attestation: "A" };

const statusOf = async (
  desk: TestDesk,
  browser: Browser,
  headers: Record<string, string> = {},
): Promise<number> => {
  const response = await bySession(desk, browser, "GET", "/v1/me", undefined, headers);
  await response.body?.cancel();
  return response.status;
};

// deno-lint-ignore no-explicit-any -- tests look at members of many shapes
async function own(desk: TestDesk, browser: Browser): Promise<any[]> {
  const headers = { "x-keydesk-background": "true" };
  const response = await bySession(desk, browser, "GET", "/v1/sessions", undefined, headers);
  const { data } = await response.json();
  assert.equal(response.status, 200);
  return data;
}

/** Resolves once the store has the use of this moment, which is written beside the call. */
async function used(desk: TestDesk, browser: Browser, at: number): Promise<void> {
  const wanted = new Date(at).toISOString();
  await eventually(
    "the use is written",
    async () =>
      (await own(desk, browser)).some((one) => one.current && one.last_used_at === wanted),
  );
}

for (const minutes of [30, 5]) {
  const clock = testClock();
  const environment: Record<string, string> = minutes === 30
    ? {}
    : { KEYDESK_SESSION_IDLE_MINUTES: String(minutes) };
  testOnEngines(
    `session: ends after ${minutes} minutes without use, on every node, and each use counts anew`,
    async (desk) => {
      const browser = await signIn(desk, { credential: desk.admin });
      for (let turn = 0; turn < 3; turn++) {
        clock.at += minutes * MINUTE - 1;
        assert.equal(await statusOf(desk, browser), 200);
        await used(desk, browser, clock.at);
      }
      // Another node, or this one after a restart, knows nothing but the store.
      const [, secret] = browser.cookie.split("=");
      const elsewhere = new Sessions(desk.app.ctx);
      clock.at += minutes * MINUTE - 1;
      assert.ok(await elsewhere.find(secret));
      clock.at += 1;
      assert.equal(await elsewhere.find(secret), undefined);
      assert.equal(await statusOf(desk, browser), 401);
    },
    { clock, environment },
  );
}

{
  const clock = testClock();
  testOnEngines(
    "session: what a page asks for by itself, and what is refused, keeps none alive",
    async (desk) => {
      const browser = await signIn(desk, { credential: desk.admin });
      const began = clock.at;
      for (let minute = 5; minute < 30; minute += 5) {
        clock.at = began + minute * MINUTE;
        assert.equal(await statusOf(desk, browser, { "x-keydesk-background": "true" }), 200);
        const forged = { cookie: browser.cookie, csrf: "wrong" };
        const refused = await bySession(desk, forged, "DELETE", "/v1/session");
        await assertFailure(refused, "csrf_refused");
      }
      clock.at = began + 30 * MINUTE;
      assert.equal(await statusOf(desk, browser), 401);
    },
    { clock },
  );
}

{
  const clock = testClock();
  testOnEngines(
    "session: its use is written once a minute at the most",
    async (desk) => {
      const browser = await signIn(desk, { credential: desk.admin });
      const began = clock.at;
      clock.at += MINUTE;
      assert.equal(await statusOf(desk, browser), 200);
      await used(desk, browser, began + MINUTE);
      clock.at += MINUTE - 1;
      assert.equal(await statusOf(desk, browser), 200);
      // What is written comes in its order: had that use been, it would be seen before the next.
      const other = await signIn(desk, { credential: desk.admin });
      assert.equal(
        (await own(desk, other)).at(-1).last_used_at,
        new Date(began + MINUTE).toISOString(),
      );
    },
    { clock },
  );
}

{
  const clock = testClock();
  testOnEngines(
    "sessions: one's own are listed with their browser, one is ended, and all",
    async (desk) => {
      const post = async (agent: string) => {
        const response = await desk.send("POST", "/v1/session", {
          credential: null,
          body: { access_token: desk.admin },
          headers: { "user-agent": agent },
        });
        return { cookie: cookieOf(response), csrf: (await response.json()).csrf_token };
      };
      const first = await post(
        "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
      );
      clock.at += 1000;
      const second = await post("curl/8.5.0");
      clock.at += 1000;
      const grace = await newPerson(desk, ["portal:read"]);
      const hers = await signIn(desk, { credential: grace.credential });
      const listed = await own(desk, second);
      assert.deepEqual(
        listed.map(({ browser, current }) => ({ browser, current })),
        [{ browser: "", current: true }, { browser: "Firefox on Linux", current: false }],
      );
      assert.deepEqual(Object.keys(listed[0]), [
        "id",
        "current",
        "browser",
        "address",
        "signed_in_by",
        "date_created",
        "last_used_at",
        "expires_at",
      ]);
      assert.equal(Date.parse(listed[1].date_created), clock.at - 2000);
      const [her] = await own(desk, hers);
      // Another person's answers like one that is not there.
      for (const id of [her.id, "65b0c1d2e3f4a5b6c7d8e9f0"]) {
        await assertFailure(
          await bySession(desk, second, "DELETE", `/v1/sessions/${id}`),
          "not_found",
        );
      }
      const ended = await bySession(desk, second, "DELETE", `/v1/sessions/${listed[1].id}`);
      assert.deepEqual(await ended.json(), { ended: 1 });
      assert.equal(ended.headers.get("set-cookie"), null);
      assert.equal(await statusOf(desk, first), 401);
      const twice = await bySession(desk, second, "DELETE", `/v1/sessions/${listed[1].id}`);
      await assertFailure(twice, "not_found");
      const third = await post("x");
      const all = await bySession(desk, second, "DELETE", "/v1/sessions");
      assert.deepEqual(await all.json(), { ended: 2 });
      assert.match(all.headers.get("set-cookie") ?? "", /^keydesk_session=; Max-Age=0;/);
      assert.equal(all.headers.get("clear-site-data"), '"cache", "storage"');
      for (const browser of [second, third]) assert.equal(await statusOf(desk, browser), 401);
      assert.equal(await statusOf(desk, hers), 200);
      const own2 = await bySession(desk, hers, "DELETE", `/v1/sessions/${her.id}`);
      assert.match(own2.headers.get("set-cookie") ?? "", /^keydesk_session=; Max-Age=0;/);
      await own2.body?.cancel();
      const { data } = await call(desk, "GET", `/v1/audit-log?object_id=${listed[1].id}`);
      assert.deepEqual(data.map(({ action }: { action: string }) => action), [
        "session.ended",
        "session.created",
      ]);
    },
    { clock },
  );
}

testOnEngines("sessions: of more than twenty the oldest end, also at once", async (desk) => {
  const grace = await newPerson(desk, ["portal:read"]);
  const sign = () => signIn(desk, { credential: grace.credential });
  const oldest = await sign();
  const more = await Promise.all(Array.from({ length: 30 }, sign));
  assert.equal(await statusOf(desk, oldest), 401);
  const statuses = await Promise.all(more.map((browser) => statusOf(desk, browser)));
  assert.equal(statuses.filter((status) => status === 200).length, 20);
  const last = await sign();
  assert.equal((await own(desk, last)).length, 20);
  const admin = await signIn(desk, { credential: desk.admin });
  assert.equal((await own(desk, admin)).length, 1);
});

testOnEngines(
  "sign-in: over a session that the browser has ends it, whoever signs in",
  async (desk) => {
    const first = await signIn(desk, { credential: desk.admin });
    const grace = await newPerson(desk, ["portal:read"]);
    const response = await desk.send("POST", "/v1/session", {
      credential: null,
      body: { access_token: grace.credential },
      headers: { cookie: first.cookie },
    });
    assert.equal(response.status, 200);
    assert.equal(await statusOf(desk, first), 401);
    const wrong = await desk.send("POST", "/v1/session", {
      credential: null,
      body: { access_token: "wrong" },
      headers: { cookie: cookieOf(response) },
    });
    await assertFailure(wrong, "not_authorised");
    assert.equal(await statusOf(desk, { cookie: cookieOf(response), csrf: "" }), 200);
  },
);

{
  const clock = testClock();
  testOnEngines(
    "session: people and access tokens are changed within five minutes of its sign-in alone",
    async (desk) => {
      const grace = await newPerson(desk, ["portal:read"]);
      const guarded: [string, string, unknown?][] = [
        ["POST", "/v1/people", { name: "x", permissions: [] }],
        ["PUT", `/v1/people/${grace.id}`, { name: "y", permissions: [] }],
        ["POST", `/v1/people/${grace.id}/access-tokens`, { name: "z" }],
        ["POST", `/v1/access-tokens/${grace.credential_id}/rotate`, { overlap_seconds: 0 }],
        ["DELETE", `/v1/access-tokens/${grace.credential_id}`],
        ["PUT", `/v1/access-tokens/${grace.credential_id}/addresses`, { addresses: [] }],
        ["POST", `/v1/people/${grace.id}/suspend`],
        ["POST", `/v1/people/${grace.id}/resume`],
        ["DELETE", `/v1/people/${grace.id}`],
        ["POST", "/v1/organisations", { name: "o", administrator: "a" }],
        ["DELETE", "/v1/sessions/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["DELETE", "/v1/sessions"],
        ["POST", "/v1/channels", { name: "t", url: "https://portal.example.org/" }],
        ["PUT", "/v1/channels/65b0c1d2e3f4a5b6c7d8e9f0", { name: "t", url: "https://a.example/" }],
        ["POST", "/v1/channels/65b0c1d2e3f4a5b6c7d8e9f0/rotate"],
        ["POST", "/v1/gateways", {
          name: "g",
          connection: "synced",
          url: "https://gateway.example.org",
          secret: "s",
        }],
        ["PUT", "/v1/gateways/65b0c1d2e3f4a5b6c7d8e9f0", { name: "g", url: "https://a.example" }],
        ["POST", "/v1/gateways/65b0c1d2e3f4a5b6c7d8e9f0/confirm", {
          unconfirmed_since: "2036-01-31T09:00:00Z",
        }],
        ["DELETE", "/v1/gateways/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["POST", "/v1/gateways/65b0c1d2e3f4a5b6c7d8e9f0/lazy-migration/confirm", { awaiting: 1 }],
        ["PUT", "/v1/gateways/65b0c1d2e3f4a5b6c7d8e9f0/lazy-migration", {
          ends_at: "2036-01-31T09:00:00Z",
        }],
        ["PUT", "/v1/server/mail", { host: "mail.example.org" }],
        ["DELETE", "/v1/server/mail"],
        ["POST", "/v1/server/mail/test", { to: "ada@example.org" }],
        ["PUT", "/v1/branding", { name: "A" }],
        ["PUT", "/v1/config/managed", { changes: "refuse" }],
        ["POST", "/v1/config/reviews/65b0c1d2e3f4a5b6c7d8e9f0/confirm"],
        ["PUT", "/v1/developer-pages", { enabled: true }],
        ["PUT", "/v1/settings/alerts", { days: [7], at_end: true }],
        ["POST", "/v1/people/invitations", { name: "x", permissions: [], email: "x@example.org" }],
        ["DELETE", `/v1/people/${grace.id}/passkeys/65b0c1d2e3f4a5b6c7d8e9f0`],
        ["DELETE", `/v1/people/${grace.id}/identities/65b0c1d2e3f4a5b6c7d8e9f0`],
        ["DELETE", `/v1/people/${grace.id}/one-time-codes`],
        ["DELETE", `/v1/people/${grace.id}/sessions`],
        ["DELETE", `/v1/people/${grace.id}/sessions/65b0c1d2e3f4a5b6c7d8e9f0`],
        ["POST", `/v1/people/${grace.id}/invitation`],
        ["DELETE", `/v1/people/${grace.id}/invitation`],
        ["PUT", "/v1/sign-in-rules", { tokens: true, domains: [] }],
        ["POST", "/v1/passkeys/challenge"],
        ["POST", "/v1/passkeys", PASSKEY],
        ["DELETE", "/v1/passkeys/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["POST", "/v1/one-time-codes/secret"],
        ["POST", "/v1/one-time-codes/recovery"],
        ["DELETE", "/v1/one-time-codes"],
        ["POST", "/v1/roles", { name: "x", permissions: ["audit"] }],
        ["PUT", "/v1/roles/65b0c1d2e3f4a5b6c7d8e9f0", { name: "x", permissions: ["audit"] }],
        ["DELETE", "/v1/roles/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["POST", "/v1/identity-providers", { issuer: "https://login.example.org", ...TERMS }],
        ["PUT", "/v1/identity-providers/65b0c1d2e3f4a5b6c7d8e9f0", TERMS],
        ["DELETE", "/v1/identity-providers/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["POST", "/v1/identity-providers/65b0c1d2e3f4a5b6c7d8e9f0/link"],
        ["DELETE", "/v1/identities/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["POST", "/v1/temporary-access-rules", RULE],
        ["PUT", "/v1/temporary-access-rules/65b0c1d2e3f4a5b6c7d8e9f0", RULE],
        ["DELETE", "/v1/temporary-access-rules/65b0c1d2e3f4a5b6c7d8e9f0"],
        ["POST", "/v1/temporary-access/65b0c1d2e3f4a5b6c7d8e9f0/confirm"],
        ["PUT", "/v1/me/delegation", { delegate_id: grace.id, until: "2036-01-31T09:00:00Z" }],
      ];
      const needing = endpoints.filter(({ needsFreshSignIn }) => needsFreshSignIn);
      assert.equal(needing.length, guarded.length);
      const browser = await signIn(desk, { credential: desk.admin });
      const isFresh = async () =>
        (await (await bySession(desk, browser, "GET", "/v1/session")).json()).fresh;
      clock.at += 5 * MINUTE - 1;
      assert.equal(await isFresh(), true);
      const made = await bySession(desk, browser, ...guarded[0] as [string, string, unknown]);
      assert.equal(made.status, 200);
      clock.at += 1;
      assert.equal(await isFresh(), false);
      const { data: before } = await call(desk, "GET", "/v1/people");
      for (const [method, path, body] of guarded) {
        await assertFailure(
          await bySession(desk, browser, method, path, body),
          "fresh_sign_in_required",
        );
      }
      assert.deepEqual((await call(desk, "GET", "/v1/people")).data, before);
      for (const path of ["/v1/people", `/v1/people/${grace.id}/access-tokens`, "/v1/sessions"]) {
        assert.equal((await bySession(desk, browser, "GET", path)).status, 200);
      }
      // By itself an access token is what is asked for.
      await call(desk, "POST", "/v1/people", { name: "x", permissions: [] });
      // A code is as good as an access token.
      await addCode(desk, "again");
      const again = await signIn(desk, { code: "again" });
      const done = await bySession(desk, again, "DELETE", `/v1/people/${grace.id}`);
      assert.equal(done.status, 200);
      // Who may not do it is told so, and not asked for more.
      const bob = await newPerson(desk, ["portal:read"]);
      const his = await signIn(desk, { credential: bob.credential });
      clock.at += 5 * MINUTE;
      const body = { name: "x", permissions: [] };
      const refused = await bySession(desk, his, "POST", "/v1/people", body);
      assert.equal(refused.headers.get("x-keydesk-error"), "access_denied");
    },
    { clock },
  );
}

Deno.test("sessions: browsers are named by what they are, and nothing else is kept of them", () => {
  const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15";
  const chrome = "(KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
  const named: [string | null, string][] = [
    [`${mac} (KHTML, like Gecko) Version/17.5 Safari/605.1.15`, "Safari on macOS"],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${chrome}`, "Chrome on Windows"],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${chrome} Edg/126.0.0.0`,
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 CriOS/126.0 Safari/604.1",
      "Chrome on iPhone",
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 ${chrome}`,
      "Chrome on Android",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64)", "A browser on Linux"],
    ["curl/8.5.0", ""],
    [null, ""],
    [`Firefox/1 Linux ${"x".repeat(2000)}`, ""],
  ];
  for (const [agent, name] of named) assert.equal(browserName(agent), name, agent ?? "none");
});
