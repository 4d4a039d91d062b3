/** GET /v1/forward-auth, as proxies call it. */
import assert from "node:assert/strict";
import { type SendInit, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { call, issue, KEYS } from "../../support/keys.ts";
import { openListeningDesk } from "../../support/raw-http.ts";
import { heeds, issueKnown, makeKnown, planWith } from "../../support/verification.ts";

const PATH = "/v1/forward-auth";

/** Asks as a proxy would that presents `visitor` in Authorization. */
async function forward(
  desk: TestDesk,
  visitor: string | null,
  init: SendInit & { method?: string; path?: string } = {},
): Promise<Response> {
  const { method = "GET", path = PATH } = init;
  const headers: Record<string, string> = { "x-keydesk-authorization": desk.admin };
  if (visitor !== null) headers.authorization = visitor;
  return await desk.send(method, path, {
    credential: null,
    headers: { ...headers, ...init.headers },
  });
}

/**
 * Queries that no proxy of ours would write: what we know, what nobody does, twice, too long, no
 * encoding.
 */
const VISITORS = [
  "api=mine",
  "api=other",
  "api_id=other",
  "header=X-Api-Key",
  "x=1&%61pi=other",
  "apid=mine",
  "api=mine&api=other",
  "api=mine&api_id=other",
  "api=%zz%00",
  "header=,",
  `api=${"a".repeat(17_000)}`,
];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "UPDATE", "PROPFIND"];

testOnEngines("forward-auth: every method and every path below it asks the same", async (desk) => {
  const { RawKey, key_id } = await issueKnown(desk);
  for (const method of METHODS) {
    for (const path of [PATH, `${PATH}/`, `${PATH}/a/b%2Fc?x=1`, `${PATH}/v1/keys?api=none`]) {
      const yes = await forward(desk, RawKey, { method, path });
      assert.equal(yes.status, 200, `${method} ${path}`);
      assert.equal(yes.headers.get("x-keydesk-key-id"), key_id);
      assert.equal(await yes.text(), "");
      const no = await forward(desk, `${RawKey}x`, { method, path });
      assert.equal(no.status, 401, `${method} ${path}`);
      assert.equal(no.headers.get("x-keydesk-reason"), "unknown");
      assert.equal((await forward(desk, null, { method, path })).status, 401);
    }
  }
});

testOnEngines(
  "forward-auth: the API of the query counts however the path is written",
  async (desk) => {
    const plan = await planWith(desk, {}, ["mine"]);
    const { RawKey } = await issue(desk, [plan]);
    const headers = { "x-keydesk-api": "mine" };
    for (const path of [PATH, "/v1/%66orward-auth", "/%761/forward-aut%68"]) {
      assert.equal((await forward(desk, RawKey, { path: `${path}?api=mine` })).status, 200, path);
      assert.equal((await forward(desk, RawKey, { path: `${path}?api=other` })).status, 403, path);
      const init = { path: `${path}?api=mine&header=X-Api-Key`, headers: { "x-api-key": RawKey } };
      assert.equal((await forward(desk, null, init)).status, 200, path);
    }
    // With a slash at its end the path is a visitor's, who must not say which API it is, nor be
    // answered for a query.
    for (const path of [`${PATH}/`, "/v1/%66orward-auth/"]) {
      for (const query of VISITORS) {
        const asked = `${path}?${query}`;
        assert.equal((await forward(desk, RawKey, { path: asked })).status, 200, asked);
        assert.equal((await forward(desk, RawKey, { path: asked, headers })).status, 200, asked);
        const other = { path: asked, headers: { "x-keydesk-api": "other" } };
        assert.equal((await forward(desk, RawKey, other)).status, 403, asked);
        const elsewhere = { path: asked, headers: { "x-api-key": RawKey } };
        assert.equal((await forward(desk, null, elsewhere)).status, 401, asked);
      }
    }
  },
);

testOnEngines(
  "forward-auth: with origins allowed a browser's question before the call opens nothing either",
  async (desk) => {
    const headers = {
      origin: "https://portal.example.org",
      "access-control-request-method": "GET",
    };
    for (const path of [PATH, `${PATH}/x`]) {
      const response = await forward(desk, null, { method: "OPTIONS", path, headers });
      assert.equal(response.status, 401);
    }
  },
  { environment: { KEYDESK_CORS_ORIGINS: "https://portal.example.org" } },
);

testOnEngines("forward-auth: odd ids and e-mails come through a header whole", async (desk) => {
  const odd = 'dév "ada", 100%\r\nx: y';
  const plans = ["plän, one", "b%2C"];
  const body = {
    by_user: odd,
    for_plan: plans[0],
    apply_policies: plans,
    portal_developer: { id: odd, email: "Zoë+tag@example.org" },
  };
  const created = await desk.send("POST", "/api/portal/requests", { body });
  const { Message } = await created.json();
  if (created.status !== 200) {
    // What can't be an id is refused where it comes in; then what can is as odd as it gets.
    assert.equal(created.status, 400);
  }
  const id = created.status === 200 ? odd : "dév ada, 100%";
  const request = created.status === 200 ? Message : (await (await desk.send(
    "POST",
    "/api/portal/requests",
    { body: { ...body, by_user: id, portal_developer: { ...body.portal_developer, id } } },
  )).json()).Message;
  await makeKnown(desk, plans);
  const approved = await desk.send("PUT", `/api/portal/requests/approve/${request}`);
  const { RawKey } = await approved.json();
  const { headers, status } = await forward(desk, RawKey);
  assert.equal(status, 200);
  const read = (name: string) => headers.get(`x-keydesk-${name}`) ?? "";
  for (const value of headers.values()) assert.match(value, /^[\x20-\x7e]*$/);
  assert.equal(decodeURIComponent(read("developer")), id);
  assert.equal(decodeURIComponent(read("developer-email")), "zoë+tag@example.org");
  assert.deepEqual(read("plans").split(",").map(decodeURIComponent), plans);
});

testOnEngines("forward-auth: headers that pose as ours mean nothing", async (desk) => {
  const { RawKey } = await issueKnown(desk);
  const forged = {
    "x-keydesk-key-id": "f".repeat(64),
    "x-keydesk-developer": "admin",
    "x-keydesk-plans": "all",
    "x-keydesk-reason": "valid",
    "x-keydesk-rate-remaining": "1000",
  };
  const plain = await forward(desk, RawKey);
  const posed = await forward(desk, RawKey, { headers: forged });
  const shown = (response: Response) =>
    [...response.headers].filter(([name]) => name.startsWith("x-keydesk-"));
  assert.deepEqual(shown(posed), shown(plain));
  assert.equal((await forward(desk, "wrong", { headers: forged })).status, 401);
  assert.equal((await forward(desk, null, { headers: forged })).status, 401);
});

testOnEngines(
  "forward-auth: the proxy's own access token is needed, in its own header",
  async (desk) => {
    const { RawKey } = await issueKnown(desk);
    const with_ = (credential: string) =>
      forward(desk, RawKey, { headers: { "x-keydesk-authorization": credential } });
    assert.equal((await with_(`Bearer ${await desk.token(["verify"])}`)).status, 200);
    // An administrator's access token in the visitor's place is no key.
    const both = await forward(desk, desk.admin);
    assert.deepEqual([both.status, both.headers.get("x-keydesk-reason")], [401, "unknown"]);
  },
);

testOnEngines("forward-auth: the API is the proxy's to name, never the visitor's", async (desk) => {
  const plan = await planWith(desk, {}, ["weather"]);
  const { RawKey } = await issueKnown(desk, [plan]);
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await forward(desk, RawKey, { path, headers })).status;
  const tides = { "x-keydesk-api": "tides" };
  assert.equal(await status(`${PATH}?api=weather`), 200);
  assert.equal(await status(`${PATH}?api=tides`), 403);
  assert.equal(await status(`${PATH}?api_id=weather`), 200);
  assert.equal(await status(`${PATH}?api_id=tides`), 403);
  assert.equal(await status(`${PATH}?api=weather&api_id=weather`), 200);
  assert.equal(await status(PATH, tides), 403);
  // Where the proxy names it in the header the query is the visitor's, as Caddy hands it on, and
  // nothing in it counts.
  const weather = { "x-keydesk-api": "weather" };
  for (const query of ["api=tides", "api_id=tides", "api=weather&api_id=tides", "page=2&page=3"]) {
    assert.equal(await status(`${PATH}?${query}`, weather), 200, query);
  }
  for (const query of ["api=weather", "api_id=weather", "header=X-Api-Key"]) {
    assert.equal(await status(`${PATH}?${query}`, tides), 403, query);
  }
  assert.equal(await status(`${PATH}?api=`, tides), 403);
  assert.equal(await status(`${PATH}/x?api=weather`, tides), 403);
  // The visitor's own query is nothing to complain of.
  assert.equal(await status(`${PATH}/x?api=${"a".repeat(3000)}&api=%zz&api=`), 200);
  assert.equal(await status(`${PATH}?api=${"a".repeat(3000)}`), 403);
});

testOnEngines(
  "forward-auth: of several headers the first that is there is looked at",
  async (desk) => {
    const { RawKey } = await issueKnown(desk);
    const path = `${PATH}?header=Authorization,X-Api-Key`;
    const status = async (visitor: string | null, headers: Record<string, string>, at = path) =>
      (await forward(desk, visitor, { path: at, headers })).status;
    assert.equal(await status(RawKey, {}), 200);
    assert.equal(await status(null, { "x-api-key": RawKey }), 200);
    assert.equal(await status("", { "x-api-key": `Bearer ${RawKey}` }), 200);
    assert.equal(await status("   ", { "x-api-key": RawKey }), 200);
    assert.equal(await status(null, {}), 401);
    // A wrong one is not made good by another.
    assert.equal(await status("wrong", { "x-api-key": RawKey }), 401);
    assert.equal(await status(RawKey, { "x-api-key": "wrong" }), 200);
    // In the order of the parameter, however it is written.
    const other = `${PATH}?header=%20x-api-KEY%20,+authorization`;
    assert.equal(await status("wrong", { "x-api-key": RawKey }, other), 200);
    assert.equal(await status(RawKey, {}, other), 200);
    // Without the parameter it is the setting's header alone, and no header of theirs names others.
    assert.equal(await status(null, { "x-api-key": RawKey }, PATH), 401);
    const posing = { "x-api-key": RawKey, "x-keydesk-header": "X-Api-Key" };
    assert.equal(await status(null, posing, PATH), 401);
    // Below the path the query is the visitor's.
    assert.equal(await status(null, { "x-api-key": RawKey }, `${PATH}/a?header=X-Api-Key`), 401);
    assert.equal(await status(RawKey, {}, `${PATH}/a?api=&api_id=`), 200);
    assert.equal(await status(RawKey, {}, `${PATH}/a?header=X-Api-Key`), 200);
  },
);

testOnEngines("forward-auth: up to eight names of headers are taken", async (desk) => {
  const { RawKey } = await issueKnown(desk);
  const statusOf = async (names: string) =>
    (await forward(desk, RawKey, { path: `${PATH}?header=${encodeURIComponent(names)}` })).status;
  assert.equal(await statusOf("x,".repeat(8000)), 400);
  assert.equal(await statusOf("a,b,c,d,e,f,g,Authorization"), 200);
});

testOnEngines("forward-auth: Basic with colons and letters beyond ASCII in it", async (desk) => {
  const plan = await planWith(desk, { auth_type: "basic" });
  const { RawKey: name, Password: password } = await issueKnown(desk, [plan]);
  const basic = (text: string) => `Basic ${btoa(text)}`;
  const yes = await forward(desk, basic(`${name}:${password}`));
  assert.deepEqual([yes.status, yes.headers.get("x-keydesk-kind")], [200, "basic"]);
  for (const wrong of [`${name}:${password}:`, `${name}:`, name, `:${password}`, "\xff:x"]) {
    const { status, headers } = await forward(desk, basic(wrong));
    assert.deepEqual([status, headers.get("x-keydesk-reason")], [401, "unknown"]);
  }
});

testOnEngines("forward-auth: reasons, statuses and when to come back", async (desk) => {
  const plan = await planWith(desk, { rate: 1, per: 3600 });
  const { RawKey, key_id } = await issueKnown(desk, [plan]);
  const seen = async () => {
    const { status, headers } = await forward(desk, RawKey);
    return [status, headers.get("x-keydesk-reason"), headers.get("www-authenticate")];
  };
  const first = await forward(desk, RawKey);
  assert.equal(first.status, 200);
  assert.equal(first.headers.get("x-keydesk-rate-limit"), "1");
  assert.equal(first.headers.get("x-keydesk-rate-remaining"), "0");
  assert.equal(first.headers.get("x-keydesk-quota-limit"), null);
  assert.equal(first.headers.get("cache-control"), "no-store");
  const over = await forward(desk, RawKey);
  assert.deepEqual([over.status, over.headers.get("x-keydesk-reason")], [429, "over_rate"]);
  assert.ok(Number(over.headers.get("retry-after")) > 3500);
  await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "x" });
  await heeds(desk, RawKey, "revoked");
  assert.deepEqual(await seen(), [401, "revoked", 'Bearer error="invalid_token"']);
  const none = await forward(desk, null);
  assert.deepEqual([none.status, none.headers.get("www-authenticate")], [401, "Bearer"]);
});

testOnEngines(
  "forward-auth: another header may carry the visitor's credential; then Authorization does not",
  async (desk) => {
    const { RawKey } = await issueKnown(desk);
    await eventually("the key in the header of the setting", async () => {
      const response = await forward(desk, null, { headers: { "x-api-key": RawKey } });
      return response.status === 200;
    });
    assert.equal((await forward(desk, RawKey)).status, 401);
  },
  { environment: { KEYDESK_FORWARD_AUTH_HEADER: "x-api-key" } },
);

Deno.test("forward-auth: a path that climbs back to the endpoint does not make its query ours", async () => {
  await using desk = await openListeningDesk();
  const plan = await planWith(desk, {}, ["weather"]);
  const { RawKey } = await issueKnown(desk, [plan]);
  const climbs = ["/../forward-auth", "/%2e%2e/forward-auth", "/..\\forward-auth", "/", "//"];
  for (const below of climbs) {
    using connection = await desk.connect();
    const line = `GET ${PATH}${below}?api=weather HTTP/1.1`;
    const lines = ["Host: desk.test", `X-Keydesk-Authorization: ${desk.admin}`];
    const rest = [`Authorization: ${RawKey}`, "X-Keydesk-Api: tides", "", ""];
    await connection.send([line, ...lines, ...rest].join("\r\n"));
    const answer = await connection.answer();
    assert.notEqual(answer?.status, 200, below);
    assert.equal(answer?.status, 403, below);
  }
});
