/** Logging out means out: what a logout ends, and whom a provider no longer vouches for. */
import assert from "node:assert/strict";
import { recheckDue } from "../../../../src/features/people/identity-providers/recheck.ts";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { addProvider, come, enter, link, standIn } from "../../../support/identity-provider.ts";
import { call, newPerson, testClock } from "../../../support/people.ts";
import { type Browser, bySession, signIn } from "../../../support/sign-in.ts";
import { storedText } from "../../../support/stored.ts";

const PROVIDERS = "/v1/identity-providers";
const GRACE = { sub: "grace", name: "Grace", groups: ["desk"] };
const MINUTE_MS = 60_000;

async function statusOf(desk: TestDesk, browser: Browser): Promise<number> {
  const response = await bySession(desk, browser, "GET", "/v1/me");
  await response.body?.cancel();
  return response.status;
}

async function ended(desk: TestDesk, id: string, logout_token: string): Promise<number> {
  const response = await desk.send("POST", `/v1/session/provider/${id}/logout`, {
    credential: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ logout_token }).toString(),
  });
  return (await response.json()).ended;
}

/** Two sessions of whom the provider added, two of who linked an account, and one of another. */
async function sessions(desk: TestDesk, logout_ends: string) {
  const provider = await standIn();
  const id = await addProvider(desk, provider, { logout_ends });
  const come = (claims: Record<string, unknown>, sid: string) =>
    enter(desk, provider, id, { ...claims, sid });
  const added = [await come(GRACE, "a1"), await come(GRACE, "a2")];
  const known = await newPerson(desk, ["portal:read"]);
  const own = await signIn(desk, { credential: known.credential });
  const linking = await link(desk, provider, id, own, { sub: "known" });
  assert.equal(linking.status, 200, await linking.text());
  const linked = [await come({ sub: "known" }, "l1"), await come({ sub: "known" }, "l2")];
  const other = await come({ ...GRACE, sub: "other" }, "o1");
  const states = async () =>
    await Promise.all([...added, ...linked, own, other].map((one) => statusOf(desk, one)));
  return { provider, id, states };
}

// Keycloak's "Logout all sessions" sends one token with the name of one of them.
for (
  const [logout_ends, states] of [
    ["named", [401, 200, 401, 200, 200, 200]],
    ["added", [401, 401, 401, 200, 200, 200]],
    ["all", [401, 401, 401, 401, 200, 200]],
  ] as const
) {
  testOnEngines(`logout: "${logout_ends}" by one token with one session's name`, async (desk) => {
    const made = await sessions(desk, logout_ends);
    await using provider = made.provider;
    assert.ok(await ended(desk, made.id, await provider.logoutToken({ sub: "grace", sid: "a1" })));
    assert.ok(await ended(desk, made.id, await provider.logoutToken({ sub: "known", sid: "l1" })));
    assert.deepEqual(await made.states(), states);
  });

  // Ory Hydra's token has neither a subject nor an end.
  testOnEngines(
    `logout: "${logout_ends}" by a session's name alone, without an end`,
    async (desk) => {
      const made = await sessions(desk, logout_ends);
      await using provider = made.provider;
      const token = (sid: string) => provider.logoutToken({ sid, exp: undefined }, { typ: "JWT" });
      assert.ok(await ended(desk, made.id, await token("a1")));
      assert.ok(await ended(desk, made.id, await token("l1")));
      assert.deepEqual(await made.states(), states);
      assert.equal(await ended(desk, made.id, await token("nobody's")), 0);
    },
  );
}

testOnEngines(
  "logout: without an end a token is as old as it says at the most, and counts once",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider);
    await enter(desk, provider, id, GRACE);
    const now = Math.floor(Date.now() / 1000);
    for (const claims of [{ iat: now - 660 }, { iat: undefined }, { iat: now + 660 }]) {
      const token = await provider.logoutToken({ sub: "grace", exp: undefined, ...claims });
      assert.equal(await ended(desk, id, token), undefined);
    }
    const token = await provider.logoutToken({ sub: "grace", exp: undefined });
    assert.equal(await ended(desk, id, token), 1);
    assert.equal(await ended(desk, id, token), undefined);
  },
);

const atTheirClock = (
  name: string,
  test: (desk: TestDesk, clock: ReturnType<typeof testClock>) => Promise<void>,
) => {
  const clock = testClock();
  const start = clock.at;
  testOnEngines(name, async (desk) => {
    clock.at = start;
    await test(desk, clock);
  }, { clock });
};

atTheirClock(
  "asked again: whom the provider disabled is out within the hour, and nobody else",
  async (desk, clock) => {
    await using provider = await standIn(() => clock.at);
    provider.lies = { refreshes: true };
    const id = await addProvider(desk, provider);
    const grace = await enter(desk, provider, id, GRACE);
    const other = await enter(desk, provider, id, { ...GRACE, sub: "other" });
    const text = await storedText(desk);
    assert.ok(!text.includes("refresh-"), "what it is asked by is sealed");
    clock.at += 59 * MINUTE_MS;
    assert.equal(await recheckDue(desk.app.ctx), 0, "it is not due yet");
    provider.disabled.add("grace");
    clock.at += MINUTE_MS;
    // Of several nodes one asks.
    const looks = await Promise.all([recheckDue(desk.app.ctx), recheckDue(desk.app.ctx)]);
    assert.deepEqual(looks.toSorted(), [0, 1]);
    assert.deepEqual([await statusOf(desk, grace), await statusOf(desk, other)], [401, 200]);
    const { data } = await call(desk, "GET", "/v1/audit-log?action=session.ended");
    assert.match(data[0].detail.reason, /no longer vouches: .*"invalid_grant": "User disabled"/);
    // What it gave in its place is what counts the next time.
    for (let hour = 0; hour < 3; hour++) {
      clock.at += 60 * MINUTE_MS;
      assert.equal(await recheckDue(desk.app.ctx), 0);
    }
    assert.equal(await statusOf(desk, other), 200);
    provider.disabled.add("other");
    clock.at += 60 * MINUTE_MS;
    assert.equal(await recheckDue(desk.app.ctx), 1);
  },
);

atTheirClock(
  "asked again: a provider that fails, or is away, takes nothing away",
  async (desk, clock) => {
    await using provider = await standIn(() => clock.at);
    provider.lies = { refreshes: true };
    const id = await addProvider(desk, provider, { recheck_minutes: 5 });
    const grace = await enter(desk, provider, id, GRACE);
    const failures: [() => Response, RegExp][] = [
      [() => new Response("down", { status: 503 }), /status 503/],
      [() => Response.json({ error: "invalid_client" }, { status: 401 }), /invalid_client/],
      [() => Response.json({ error: "server_error" }, { status: 400 }), /server_error/],
      [() => new Response("<html>"), /asked again/],
      [() => new Response(null, { status: 302, headers: { location: "/login" } }), /asked again/],
    ];
    for (const [answer, expected] of failures) {
      provider.lies = {
        refreshes: true,
        answer: (path) => path === "/token" ? answer() : undefined,
      };
      clock.at += 5 * MINUTE_MS;
      assert.equal(await recheckDue(desk.app.ctx), 0);
      assert.equal(await statusOf(desk, grace), 200, String(expected));
      const { problem } = await call(desk, "GET", `${PROVIDERS}/${id}`);
      assert.match(problem.reason, expected);
    }
    provider.lies = { refreshes: true };
    clock.at += 5 * MINUTE_MS;
    assert.equal(await recheckDue(desk.app.ctx), 0);
    assert.equal((await call(desk, "GET", `${PROVIDERS}/${id}`)).problem, null, "it is over");
    // Back again it still says no where that is what it means.
    provider.disabled.add("grace");
    clock.at += 5 * MINUTE_MS;
    assert.equal(await recheckDue(desk.app.ctx), 1);
    assert.equal(await statusOf(desk, grace), 401);
  },
);

atTheirClock(
  "asked again: groups are followed, and what names none leaves them as they are",
  async (desk, clock) => {
    await using provider = await standIn(() => clock.at);
    provider.lies = { refreshes: true };
    const id = await addProvider(desk, provider);
    const grace = await enter(desk, provider, id, { ...GRACE, groups: ["desk", "staff"] });
    const permissions = async () =>
      (await call(desk, "GET", `/v1/people/${grace.session.person.id}`)).permissions;
    const askWith = async (claims: Record<string, unknown>) => {
      provider.lies = { refreshes: true, claims };
      clock.at += 60 * MINUTE_MS;
      return await recheckDue(desk.app.ctx);
    };
    assert.equal(await askWith({ groups: undefined }), 0);
    assert.equal(await askWith({ groups: undefined, _claim_names: { groups: "src1" } }), 0);
    assert.deepEqual(await permissions(), ["portal:read", "approve"]);
    assert.equal(await askWith({ groups: ["admins"] }), 0);
    assert.deepEqual(await permissions(), ["admin"]);
    assert.equal(await statusOf(desk, grace), 200);
    assert.equal(await askWith({ groups: ["staff"] }), 1);
    assert.deepEqual([await permissions(), await statusOf(desk, grace)], [[], 401]);
    // Where the UserInfo endpoint leaves them out, too, there are none, as Keycloak says it.
    provider.lies = { refreshes: true };
    const other = await enter(desk, provider, id, { ...GRACE, sub: "other" });
    const { name, client_id, domains } = await call(desk, "GET", `${PROVIDERS}/${id}`);
    const groups = [{ group: "desk", permissions: ["portal:read"] }];
    // What it says of itself is read anew.
    await call(desk, "PUT", `${PROVIDERS}/${id}`, { name, client_id, domains, groups });
    provider.lies = {
      refreshes: true,
      claims: { groups: undefined },
      userInfo: {},
      answer: (path) => path === "/userinfo" ? new Response("no", { status: 500 }) : undefined,
    };
    clock.at += 60 * MINUTE_MS;
    assert.equal(await recheckDue(desk.app.ctx), 0, "its failure says nothing");
    assert.match((await call(desk, "GET", `${PROVIDERS}/${id}`)).problem.reason, /status 500/);
    provider.lies = { refreshes: true, claims: { groups: undefined }, userInfo: {} };
    clock.at += 60 * MINUTE_MS;
    assert.equal(await recheckDue(desk.app.ctx), 1);
    assert.equal(await statusOf(desk, other), 401);
  },
);

atTheirClock(
  "asked again: of an ended session nobody asks, nor what it was kept by stays",
  async (desk, clock) => {
    await using provider = await standIn(() => clock.at);
    provider.lies = { refreshes: true };
    const id = await addProvider(desk, provider);
    const grace = await enter(desk, provider, id, GRACE);
    const out = await bySession(desk, grace, "DELETE", "/v1/session");
    assert.equal(out.status, 200, await out.text());
    await enter(desk, provider, id, { ...GRACE, sub: "other" });
    // Twelve hours without a use are an end, too.
    clock.at += 13 * 60 * MINUTE_MS;
    const asked = provider.asked.length;
    assert.equal(await recheckDue(desk.app.ctx), 0);
    assert.equal(provider.asked.length, asked);
  },
);

atTheirClock(
  "session: its bound counts where the provider gives no refresh token, and is told",
  async (desk, clock) => {
    await using provider = await standIn(() => clock.at);
    const id = await addProvider(desk, provider, { session_minutes: 30 });
    const bound = await enter(desk, provider, id, GRACE);
    assert.equal((await call(desk, "GET", `${PROVIDERS}/${id}`)).gives_refresh_tokens, false);
    provider.lies = { refreshes: true };
    const asked = await enter(desk, provider, id, { ...GRACE, sub: "other" });
    assert.equal((await call(desk, "GET", `${PROVIDERS}/${id}`)).gives_refresh_tokens, true);
    clock.at += 29 * MINUTE_MS;
    assert.deepEqual([await statusOf(desk, bound), await statusOf(desk, asked)], [200, 200]);
    clock.at += MINUTE_MS;
    assert.deepEqual([await statusOf(desk, bound), await statusOf(desk, asked)], [401, 200]);
    await assertFailure(
      await come(desk, provider, id, { ...GRACE, groups: ["none"] }),
      "no_group_opens",
    );
  },
);
