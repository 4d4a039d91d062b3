/**
 * Access tokens: their form, from where they open something, how long they live, and what is told
 * of their use.
 */
import assert from "node:assert/strict";
import { dailyWarnings } from "../../../src/cli/start-warnings.ts";
import { isMistyped, newAccessToken } from "../../../src/features/people/access-token.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { allItems, call, newPerson, testClock } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";
import { watchReads } from "../../support/verification.ts";

const clock = testClock();
const DAY_MS = 86_400_000;
const HERE = "192.0.2.7";
const ELSEWHERE = "198.51.100.1";

/** The status of a call from an address. */
async function statusFrom(
  desk: TestDesk,
  credential: string,
  from?: string,
  headers: Record<string, string> = {},
) {
  const init = from === undefined ? { credential, headers } : { credential, headers, from };
  const response = await desk.send("GET", "/v1/me", init);
  await response.body?.cancel();
  return response.status;
}

/** Limits an access token; the author calls from HERE. */
async function limit(desk: TestDesk, id: string, addresses: string[], from = HERE) {
  return await desk.send("PUT", `/v1/access-tokens/${id}/addresses`, { body: { addresses }, from });
}

const actionsOn = async (desk: TestDesk, id: string) => {
  const { data } = await call(desk, "GET", `/v1/audit-log?object_id=${id}`);
  return data as {
    action: string;
    actor: string;
    client_address: string;
    detail: Record<string, unknown>;
  }[];
};

Deno.test("access tokens: what is made has a checksum, and any typing error is found", () => {
  const token = newAccessToken();
  assert.match(token, /^kda_[A-Za-z0-9]{43}_[A-Za-z0-9]{6}$/);
  assert.ok(!isMistyped(token));
  for (let i = 4; i < token.length; i++) {
    const other = token[i] === "x" ? "y" : "x";
    assert.ok(isMistyped(`${token.slice(0, i)}${other}${token.slice(i + 1)}`), `place ${i}`);
  }
  for (const text of [token.slice(0, -1), `${token}0`, "kda_", "kda_x"]) {
    assert.ok(isMistyped(text), text);
  }
  for (const text of ["", "abc", "KDA_x", `x${token}`, "a".repeat(43)]) {
    assert.ok(!isMistyped(text), text);
  }
});

testOnEngines(
  "access tokens: a mistyped one asks no store, and looks like any wrong one",
  async (desk) => {
    const { credential } = await newPerson(desk, ["approve"]);
    const mistyped = `${credential.slice(0, -1)}${credential.endsWith("0") ? "1" : "0"}`;
    const unknown = newAccessToken();
    const answer = async (wrong: string) => {
      const response = await desk.send("GET", "/v1/me", { credential: wrong, from: HERE });
      const { request_id: _, ...problem } = await response.json();
      return { status: response.status, problem };
    };
    const like = await answer(unknown);
    assert.equal(like.status, 401);
    const reads = watchReads(desk);
    assert.deepEqual(await answer(mistyped), like);
    assert.equal(reads.sql.length, 0);
    for (const wrong of [mistyped, unknown]) {
      const body = { access_token: wrong };
      await assertFailure(
        await desk.send("POST", "/v1/session", { credential: null, body }),
        "not_authorised",
      );
    }
    assert.equal(await statusFrom(desk, credential), 200);
  },
);

testOnEngines("access tokens: those of the former form go on", async (desk) => {
  // The administrator's is one that a setting gave, the other what earlier releases made.
  assert.equal(await statusFrom(desk, desk.admin), 200);
  assert.equal(await statusFrom(desk, await desk.token(["approve"])), 200);
});

testOnEngines(
  "access tokens: one with addresses opens nothing from elsewhere, within the second neither",
  async (desk) => {
    const { id } = await call(desk, "POST", "/v1/people", { name: "Ci", permissions: ["approve"] });
    const addresses = ["192.0.2.0/24", "2001:DB8:0::/48", "192.0.2.0/24"];
    const body = { name: "ci", addresses, deliver: "answer" };
    const path = `/v1/people/${id}/access-tokens`;
    const issued = await (await desk.send("POST", path, { body, from: HERE })).json();
    assert.deepEqual(issued.addresses, ["192.0.2.0/24", "2001:db8::/48"]);
    const { access_token: credential } = issued;
    assert.equal(await statusFrom(desk, credential, HERE), 200);
    // In memory now: it is looked at for each call.
    assert.equal(await statusFrom(desk, credential, ELSEWHERE), 401);
    assert.equal(await statusFrom(desk, credential, HERE), 200);
    assert.equal(await statusFrom(desk, credential, "2001:db8::1:2"), 200);
    assert.equal(await statusFrom(desk, credential, "::ffff:192.0.2.1"), 200);
    assert.equal(await statusFrom(desk, credential, "2001:db8:1::1"), 401);
    // Nobody says what address this is.
    assert.equal(await statusFrom(desk, credential), 401);
    // A header says nothing where no proxy is trusted.
    assert.equal(await statusFrom(desk, credential, ELSEWHERE, { "x-forwarded-for": HERE }), 401);

    const fresh = await call(desk, "POST", `/v1/access-tokens/${issued.id}/rotate`, {
      overlap_seconds: 0,
      deliver: "answer",
    });
    assert.deepEqual(fresh.addresses, issued.addresses);
    assert.equal(await statusFrom(desk, fresh.access_token, ELSEWHERE), 401);
  },
  { clock },
);

testOnEngines(
  "access tokens: the refusal of an address looks like any other, is kept, and makes no holder wait",
  async (desk) => {
    const { id, credential, credential_id } = await newPerson(desk, ["approve"]);
    assert.equal((await limit(desk, credential_id, [HERE])).status, 200);
    clock.at += 1000;
    const outside = await desk.send("GET", "/v1/me", { credential, from: ELSEWHERE });
    const unknown = await desk.send("GET", "/v1/me", { credential: "x", from: ELSEWHERE });
    const told = async (response: Response) => ({ ...await response.json(), request_id: "" });
    assert.deepEqual(await told(outside), await told(unknown));
    for (let i = 0; i < 40; i++) await statusFrom(desk, credential, ELSEWHERE);
    assert.equal(await statusFrom(desk, credential, ELSEWHERE), 429);
    assert.equal(await statusFrom(desk, credential, HERE), 200);
    const body = { access_token: credential };
    const attempt = { credential: null, body, from: "203.0.113.9" };
    await assertFailure(await desk.send("POST", "/v1/session", attempt), "not_authorised");
    await desk.app.ctx.tokenUses.flush();
    const refusals = (await actionsOn(desk, credential_id))
      .filter(({ action }) => action === "access_token.refused");
    // At most once a minute.
    assert.deepEqual(
      refusals.map(({ detail, client_address }) => ({ ...detail, client_address })),
      [{ reason: "address", person_id: id, client_address: ELSEWHERE }],
    );
  },
  { clock },
);

testOnEngines(
  "access tokens: a session opens nothing from outside of its access token's addresses",
  async (desk) => {
    const { credential, credential_id } = await newPerson(desk, ["approve"]);
    const browser = await signIn(desk, { credential });
    assert.equal((await bySession(desk, browser, "GET", "/v1/me")).status, 200);
    assert.equal((await limit(desk, credential_id, [HERE])).status, 200);
    assert.equal((await bySession(desk, browser, "GET", "/v1/me")).status, 401);
    const headers = { cookie: browser.cookie };
    const from = (address: string) =>
      desk.send("GET", "/v1/me", { credential: null, headers, from: address });
    assert.equal((await from(HERE)).status, 200);
    assert.equal((await from(ELSEWHERE)).status, 401);
  },
  { clock },
);

testOnEngines(
  "access tokens: no list without its author's own address, nor with what is none",
  async (desk) => {
    const { id, credential_id } = await newPerson(desk, ["approve"]);
    const own = `addresses: your own address, ${HERE}, is not among them`;
    await assertInvalid(await limit(desk, credential_id, ["10.0.0.0/8"]), own);
    const body = { name: "x", addresses: [ELSEWHERE] };
    const issue = await desk.send("POST", `/v1/people/${id}/access-tokens`, { body, from: HERE });
    await assertInvalid(issue, own);
    for (
      const wrong of ["x", "10.0.0.0/33", "::ffff:192.0.2.0/95", "192.0.2.7/", "fe80::1%eth0"]
    ) {
      await assertInvalid(
        await limit(desk, credential_id, [HERE, wrong]),
        "addresses[1]: expected an address or a network such as 10.0.0.0/8",
      );
    }
    const limited = await (await limit(desk, credential_id, [HERE])).json();
    assert.deepEqual(limited.addresses, [HERE]);
    const lifted = await (await limit(desk, credential_id, [])).json();
    assert.equal(lifted.addresses, null);
    const auditLog = (await actionsOn(desk, credential_id)).map(({ action, detail }) => [
      action,
      detail.before,
      detail.after,
    ]);
    assert.deepEqual(auditLog.slice(0, 2), [
      ["access_token.limited", [HERE], null],
      ["access_token.limited", null, [HERE]],
    ]);
    const spelled = [
      ` ${HERE}:4711`,
      "::ffff:192.0.2.0/120",
      "[2001:DB8::]/32",
      "[2001:db8::1]:80",
    ];
    const list = await (await limit(desk, credential_id, [HERE, ...spelled])).json();
    assert.deepEqual(list.addresses, [HERE, "192.0.2.0/24", "2001:db8::/32", "2001:db8::1"]);
    await assertFailure(await limit(desk, "none", []), "not_found");
    await call(desk, "DELETE", `/v1/access-tokens/${credential_id}`);
    await assertFailure(await limit(desk, credential_id, []), "access_token_ended");
  },
);

testOnEngines(
  "access tokens: behind a trusted proxy the visitor's address counts",
  async (desk) => {
    const { credential, credential_id } = await newPerson(desk, ["approve"]);
    const init = { from: "10.0.0.1", headers: { "x-forwarded-for": HERE } };
    const body = { addresses: [HERE] };
    const path = `/v1/access-tokens/${credential_id}/addresses`;
    assert.equal((await desk.send("PUT", path, { ...init, body })).status, 200);
    assert.equal(await statusFrom(desk, credential, "10.0.0.1", { "x-forwarded-for": HERE }), 200);
    const forged = { "x-forwarded-for": `${HERE}, ${ELSEWHERE}` };
    assert.equal(await statusFrom(desk, credential, "10.0.0.1", forged), 401);
    assert.equal(await statusFrom(desk, credential, "10.0.0.1"), 401);
  },
  { environment: { KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8" } },
);

testOnEngines(
  "access tokens: the last use is kept with its address, once a minute at the most",
  async (desk) => {
    const { id, credential, credential_id } = await newPerson(desk, ["approve"]);
    const { storage, tokenUses } = desk.app.ctx;
    const shown = async () => {
      await tokenUses.flush();
      const [one] = await allItems(desk, `/v1/people/${id}/access-tokens`);
      assert.equal(one.id, credential_id);
      return [one.last_used_at, one.last_used_from];
    };
    assert.deepEqual(await shown(), [null, null]);
    const first = new Date(clock.at).toISOString();
    await statusFrom(desk, credential, HERE);
    assert.deepEqual(await shown(), [first, HERE]);
    const { commits } = storage.stats();
    clock.at += 59_000;
    await statusFrom(desk, credential, ELSEWHERE);
    assert.deepEqual(await shown(), [first, HERE]);
    assert.equal(storage.stats().commits, commits);
    clock.at += 1000;
    await statusFrom(desk, credential, ELSEWHERE);
    assert.deepEqual(await shown(), [new Date(clock.at).toISOString(), ELSEWHERE]);
    clock.at += 60_000;
    const browser = await signIn(desk, { credential });
    await bySession(desk, browser, "GET", "/v1/me");
    assert.deepEqual(await shown(), [new Date(clock.at).toISOString(), null]);
  },
  { clock },
);

const LONGEST = { clock, environment: { KEYDESK_TOKEN_LONGEST_DAYS: "30" } };

testOnEngines(
  "access tokens: none outlives the longest life, and those without an end get it",
  async (desk) => {
    const latest = new Date(clock.at + 30 * DAY_MS).toISOString();
    const { id } = await call(desk, "POST", "/v1/people", {
      name: "Ada",
      permissions: ["admin"],
    });
    const path = `/v1/people/${id}/access-tokens`;
    const issued = await call(desk, "POST", path, { name: "endless" });
    assert.equal(issued.expires_at, latest);
    const sooner = new Date(clock.at + DAY_MS).toISOString();
    const brief = await call(desk, "POST", path, { name: "brief", expires_at: sooner });
    assert.equal(brief.expires_at, sooner);
    const expires_at = new Date(clock.at + 30 * DAY_MS + 1).toISOString();
    await assertInvalid(
      await desk.send("POST", path, { body: { name: "x", expires_at } }),
      `expires_at: must be ${latest} or before`,
    );
    // The first start's stays as it is, until it is rotated: one that ends is as good as can be
    // here.
    const me = await call(desk, "GET", "/v1/me");
    assert.equal(me.access_token.expires_at, null);
    const rotated = await call(desk, "POST", `/v1/access-tokens/${me.access_token.id}/rotate`, {
      overlap_seconds: 60,
    });
    assert.equal(rotated.expires_at, latest);
    const body = { name: "Other", administrator: "Grace" };
    const { administrator } = await call(desk, "POST", "/v1/organisations", body);
    const [theirs] = await allItems(
      desk,
      `/v1/people/${administrator.person_id}/access-tokens`,
      administrator.access_token,
    );
    assert.equal(theirs.expires_at, latest);
  },
  LONGEST,
);

testOnEngines(
  "access tokens: two weeks before its end, or half its life, one is warned of",
  async (desk) => {
    const after = (days: number) => new Date(clock.at + days * DAY_MS).toISOString();
    const long = await newPerson(desk, ["approve"], { expires_at: after(90) });
    const brief = await newPerson(desk, ["approve"], { expires_at: after(2) });
    const endsSoon = async ({ id }: { id: string }) =>
      (await allItems(desk, `/v1/people/${id}/access-tokens`)).at(-1)?.expires_soon;
    const warned = async () => {
      const { warnings } = await call(desk, "GET", "/v1/server");
      return (warnings as string[]).filter((one) => one.startsWith("Access tokens that end soon"));
    };
    assert.deepEqual([await endsSoon(long), await endsSoon(brief)], [false, false]);
    assert.deepEqual(await warned(), []);
    clock.at += DAY_MS;
    assert.deepEqual([await endsSoon(long), await endsSoon(brief)], [false, true]);
    clock.at += 75 * DAY_MS;
    assert.deepEqual([await endsSoon(long), await endsSoon(brief)], [true, false]);
    const [sentence = "", ...more] = await warned();
    assert.equal(more.length, 0);
    assert.ok(
      sentence.startsWith(`Access tokens that end soon (1): "laptop" (${long.credential_id})`),
    );
    // The log tells of all organisations, by ids and by what they are for, and of nobody.
    assert.deepEqual(await dailyWarnings(desk.app.ctx.storage.reader, clock.at), [sentence]);
    assert.ok(!sentence.includes("Grace"));
    // Nobody else's business.
    const { admin } = await desk.otherOrganisation();
    const { warnings } = await call(desk, "GET", "/v1/server", undefined, admin);
    assert.ok(!JSON.stringify(warnings).includes(long.credential_id));
    // What took over is warned of in its own time.
    await call(desk, "POST", `/v1/access-tokens/${long.credential_id}/rotate`, {
      overlap_seconds: 60,
      expires_at: after(90),
    });
    assert.deepEqual([await endsSoon(long), await warned()], [false, []]);
  },
  { clock },
);
