/** Operations are tried from an API's page with a key that is made for it, and for little else. */
import assert from "node:assert/strict";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered } from "../../../support/developers.ts";
import { approve, create as request, smallRequest } from "../../../support/key-requests.ts";
import { offer } from "../../../support/offer.ts";
import { introspected } from "../../../support/oauth.ts";
import { type Browser, signInAtPages } from "../../../support/portal.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Tides", version: "2" },
  servers: [{ url: "https://evil.example.net" }],
  paths: {
    "/ports/{port}": {
      get: {
        summary: "One port",
        parameters: [
          { name: "port", in: "path", required: true, schema: { type: "string" } },
          { name: "sid", in: "cookie" },
        ],
      },
    },
  },
});
const PAGE = "/portal/apis/tides";

interface Listed {
  key_id: string;
  name: string | null;
  state: string;
  expires_at: string | null;
  plans: string[];
  key_request_id: string | null;
}

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Fast", quota_max: 5, quota_renewal_rate: 86_400 },
    { api: "tides", plan: "Slow", quota_max: 5, quota_renewal_rate: 86_400 },
  ]);
  const body = { documentation: DOCUMENT, base_url: "https://api.example.org/tides/v2" };
  await succeed(desk, "PUT", "/v1/apis/tides", { body });
  await succeed(desk, "PUT", `/v1/plans/${plans.Slow}`, { body: { rate: 1, per: 1 } });
  const { id, email } = await registered(desk, "dev-ada");
  const issue = async (plan: string, more = {}) =>
    await succeed<{ key_id: string; RawKey: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
      body: { plans: [plans[plan]], ...more },
    });
  return { id, plans, issue, ada: await signInAtPages(desk, email) };
}

const keys = async (desk: TestDesk) =>
  (await succeed<{ data: Listed[] }>(desk, "GET", "/v1/keys?limit=100")).data;

async function pressed(ada: Browser): Promise<{ key: string; policy: string; text: string }> {
  const page = await ada.submit(await ada.get(PAGE), `${PAGE}/try`);
  assert.equal(page.status, 200, page.words);
  return {
    key: /data-try-key="([^"]+)"/.exec(page.text)?.[1] ?? "",
    policy: page.headers.get("content-security-policy") ?? "",
    text: page.text,
  };
}

async function verified(desk: TestDesk, key: string) {
  const body = { key, api_id: "tides" };
  return await succeed<{ valid: boolean; reason?: string }>(desk, "POST", "/v1/keys/verify", {
    body,
  });
}

testOnEngines("page key: for an hour, for the slowest plan, named in the list", async (desk) => {
  const { id, plans, issue, ada } = await begin(desk);
  assert.match((await ada.get(PAGE)).words, /can be tried here once you have a key/);
  await issue("Fast");
  const for_plan = plans.Slow;
  const asked = await request(desk, smallRequest({ by_user: id, for_plan }));
  const own = await approve(desk, asked);
  const before = await ada.get(PAGE);
  assert.match(before.words, /for the plan Slow, valid for an hour/);
  assert.doesNotMatch(before.text, /data-try-key|data-try /);
  assert.match(before.headers.get("content-security-policy") ?? "", /connect-src 'self';/);
  const { key, policy, text } = await pressed(ada);
  // The page may call the administrator's address, and no address of the document.
  assert.match(policy, /connect-src 'self' https:\/\/api\.example\.org;/);
  assert.match(text, /data-base="https:\/\/api\.example\.org\/tides\/v2"/);
  assert.match(text, /data-method="GET" data-path="\/ports\/\{port\}"/);
  assert.match(text, /data-in="path" data-name="port"/);
  assert.doesNotMatch(text, /evil\.example|data-name="sid"/);
  assert.equal((await verified(desk, key)).valid, true);
  const made = (await keys(desk)).filter(({ name }) => name === "Test: tides");
  assert.equal(made.length, 1);
  assert.deepEqual(made[0]?.plans, [plans.Slow]);
  const life = Date.parse(made[0]?.expires_at ?? "") - Date.now();
  assert.ok(life > 3_500_000 && life <= 3_600_000, `${life} ms`);
  // Its calls are in the quota of the key that it was made out of.
  for (let n = 0; n < 4; n++) await verified(desk, n % 2 === 0 ? key : own.RawKey);
  assert.equal((await verified(desk, own.RawKey)).valid, false);
  // It is no key of the request that led to the other.
  assert.equal(made[0]?.key_request_id, null);
  // Another press replaces it.
  const again = await pressed(ada);
  assert.notEqual(again.key, key);
  assert.equal((await verified(desk, key)).valid, false);
  const live = (await keys(desk)).filter((one) => one.name === "Test: tides");
  assert.deepEqual(live.map(({ state }) => state).toSorted(), ["active", "revoked"]);
});

testOnEngines("page key: of presses at once one key is left", async (desk) => {
  const { issue, ada } = await begin(desk);
  await issue("Slow");
  const page = await ada.get(PAGE);
  const presses = Array.from({ length: 5 }, () => ada.submit(page, `${PAGE}/try`));
  const made = (await Promise.all(presses)).map(({ status, text }) => {
    assert.equal(status, 200);
    return /data-try-key="([^"]+)"/.exec(text)?.[1] ?? "";
  });
  assert.equal(new Set(made).size, 5);
  const valid = await Promise.all(made.map(async (key) => (await verified(desk, key)).valid));
  assert.equal(valid.filter(Boolean).length, 1, String(valid));
  const live = (await keys(desk)).filter(({ name }) => name === "Test: tides");
  assert.equal(live.filter(({ state }) => state === "active").length, 1);
});

testOnEngines("page key: gives no further access, and never lives longer", async (desk) => {
  const { issue, ada } = await begin(desk);
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  const own = await issue("Slow", { expires_at });
  await pressed(ada);
  const made = (await keys(desk)).find(({ name }) => name === "Test: tides");
  const given = (await keys(desk)).find(({ key_id }) => key_id === own.key_id);
  assert.equal(made?.expires_at, given?.expires_at);
  await succeed(desk, "POST", `/v1/keys/${own.key_id}/revoke`, {
    body: { reason: "left" },
  });
  const page = await ada.get(PAGE);
  assert.match(page.words, /can be tried here once you have a key/);
  assert.doesNotMatch(page.words, /You have a key/);
  const account = await ada.get("/portal/account");
  const [{ hidden } = { hidden: {} }] = account.forms().filter((one) => "csrf" in one.hidden);
  assert.equal((await ada.post(`${PAGE}/try`, { ...hidden })).status, 404);
});

testOnEngines("page key: a user name is tried with a password of its own", async (desk) => {
  const { plans, issue, ada } = await begin(desk);
  await succeed(desk, "PUT", `/v1/plans/${plans.Slow}`, { body: { auth_type: "basic" } });
  const own = await issue("Slow");
  const { key, text } = await pressed(ada);
  assert.match(text, /data-header="Authorization"/);
  const [username = "", password] = atob(key.replace(/^Basic /, "")).split(":");
  assert.notEqual(username, own.RawKey);
  const body = { username, password, api_id: "tides" };
  const { valid, kind } = await succeed<{ valid: boolean; kind: string }>(
    desk,
    "POST",
    "/v1/keys/verify",
    { body },
  );
  assert.deepEqual({ valid, kind }, { valid: true, kind: "basic" });
});

testOnEngines(
  "page key: an OAuth client is tried by a token, for an hour at the most",
  async (desk) => {
    const { plans, issue, ada } = await begin(desk);
    await succeed(desk, "PUT", `/v1/plans/${plans.Slow}`, { body: { auth_type: "oauth" } });
    const { key_id } = await issue("Slow");
    const { key, text } = await pressed(ada);
    assert.match(text, /data-header="Authorization"/);
    assert.doesNotMatch(text, /client_secret/);
    const token = key.replace(/^Bearer /, "");
    const found = await verified(desk, token);
    assert.equal(found.valid, true, `${found.reason}`);
    const { client_id, exp } = await introspected(desk, token);
    assert.notEqual(sha256(String(client_id)), key_id);
    assert.ok(Number(exp) * 1000 - Date.now() <= 3_600_000);
    // Another press ends the client, and its token with it.
    await pressed(ada);
    assert.equal((await verified(desk, token)).valid, false);
  },
);

testOnEngines(
  "page key: without a usable key the page says why, and leads to the key",
  async (desk) => {
    const { plans, issue, ada } = await begin(desk);
    await succeed(desk, "PUT", `/v1/plans/${plans.Slow}`, { body: { auth_type: "oauth" } });
    const fast = await issue("Fast");
    await succeed(desk, "POST", `/v1/keys/${fast.key_id}/suspend`, { body: { reason: "late" } });
    const suspended = await ada.get(PAGE);
    assert.match(suspended.words, /once your key for the plan Fast is active: it is suspended/);
    assert.match(suspended.text, new RegExp(`href="/portal/keys/${fast.key_id}">Show the key`));
    await succeed(desk, "POST", "/v1/gateways", {
      body: {
        connection: "synced",
        name: "City",
        url: "https://gw.example.org",
        secret: "352d20ee67be67f6",
      },
    });
    const slow = await issue("Slow");
    const atGateway = await ada.get(PAGE);
    assert.match(
      atGateway.words,
      /the gateway gives your OAuth client for the plan Slow its tokens/,
    );
    assert.match(atGateway.text, new RegExp(`href="/portal/keys/${slow.key_id}">Show the key`));
  },
);

testOnEngines("page key: no call goes to an address that is not https", async (desk) => {
  const { issue, ada } = await begin(desk);
  await issue("Slow");
  // The console takes https alone; a client of the older interface may keep anything there.
  const { apis } = await succeed<{ apis: object[] }>(desk, "GET", "/api/portal/catalogue");
  const at = async (base_url: string) => {
    const body = { apis: apis.map((entry) => ({ ...entry, base_url })) };
    await succeed(desk, "PUT", "/api/portal/catalogue", { body });
    return (await ada.get(PAGE)).words;
  };
  assert.match(await at("http://api.example.org"), /does not begin with https/);
  assert.match(await at("javascript:alert(1)"), /does not begin with https/);
  assert.match(await at(""), /has set no base URL/);
  assert.match(await at("http://localhost:8080"), /Make a key for this page/);
});
