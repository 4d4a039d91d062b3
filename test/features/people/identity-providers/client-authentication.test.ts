/** By what Keydesk proves itself to a provider, and how it asks and is answered. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { openTestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages } from "../../../support/developers.ts";
import {
  addProvider,
  begin,
  come,
  enter,
  finish,
  type Lies,
  standIn,
} from "../../../support/identity-provider.ts";
import { call } from "../../../support/people.ts";
import { Browser } from "../../../support/portal.ts";
import { storedText } from "../../../support/stored.ts";

const PROVIDERS = "/v1/identity-providers";
const GRACE = { sub: "grace", name: "Grace", groups: ["desk"] };

/** Each way, and by which providers know the client. */
const WAYS: readonly [string, NonNullable<Lies["knows"]>][] = [
  ["auto", "encoded"],
  ["client_secret_basic", "encoded"],
  ["client_secret_basic_unencoded", "plain"],
  ["client_secret_post", "form"],
];

testOnEngines(
  "client: a secret with signs is known encoded, plain, and in the form",
  async (desk) => {
    // "a secret of both" has blanks, which forms write otherwise.
    for (const [client_auth, knows] of WAYS) {
      await using provider = await standIn();
      provider.lies = { knows };
      const id = await addProvider(desk, provider, { client_auth });
      await enter(desk, provider, id, GRACE);
      // By another way than the provider's it is nobody, which says why.
      provider.lies = { knows: knows === "form" ? "encoded" : "form" };
      await assertFailure(await come(desk, provider, id, GRACE), "not_authorised");
      const { last_refused } = await call(desk, "GET", `${PROVIDERS}/${id}`);
      assert.match(last_refused.reason, /invalid_client/);
      await call(desk, "DELETE", `${PROVIDERS}/${id}`);
    }
  },
);

testOnEngines(
  "client: private_key_jwt by a key that is made here and shown to nobody",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider, {
      client_auth: "private_key_jwt",
      client_secret: null,
    });
    const path = `/v1/session/provider/${id}/jwks`;
    const keys = async () => (await desk.send("GET", path, { credential: null })).json();
    const shown = await keys();
    assert.deepEqual(Object.keys(shown.keys[0]).sort(), ["alg", "e", "kid", "kty", "n", "use"]);
    provider.lies = { knows: "key", clientKeys: keys };
    await enter(desk, provider, id, GRACE);
    const { name, client_id, domains, groups } = await call(desk, "GET", `${PROVIDERS}/${id}`);
    const body = { name, client_id, domains, groups: [], client_auth: "private_key_jwt" };
    await call(desk, "PUT", `${PROVIDERS}/${id}`, { ...body, name: "Renamed" });
    assert.deepEqual(await keys(), shown, "a change leaves the key as it is");
    await call(desk, "PUT", `${PROVIDERS}/${id}`, { ...body, client_auth: "auto" });
    assert.deepEqual(await keys(), { keys: [] });
    await call(desk, "PUT", `${PROVIDERS}/${id}`, body);
    assert.notEqual((await keys()).keys[0].kid, shown.keys[0].kid, "another one is made");
    // Neither in the store nor in what is told of it.
    const { n } = (await keys()).keys[0];
    const { data } = await call(desk, "GET", "/v1/audit-log?object=identity_provider");
    assert.ok(!(await storedText(desk)).includes(n));
    assert.ok(!JSON.stringify([data, groups]).includes(n));
  },
);

testOnEngines(
  "client: requests are pushed where the provider demands it, or as is set",
  async (desk) => {
    await using provider = await standIn();
    provider.lies = { pushed: true };
    const id = await addProvider(desk, provider);
    const { url } = await begin(desk, id);
    assert.deepEqual([...new URL(url).searchParams.keys()].sort(), ["client_id", "request_uri"]);
    await enter(desk, provider, id, GRACE);
    assert.equal(provider.asked.filter((path) => path === "/par").length, 2);
    // What refuses the push refuses the way there, and says why.
    provider.lies = { pushed: true, knows: "form" };
    const refused = await desk.send("POST", `/v1/session/provider/${id}`, {
      credential: null,
      headers: { host: "localhost:3000" },
      body: {},
    });
    await assertFailure(refused, "provider_away");
    const { last_refused } = await call(desk, "GET", `${PROVIDERS}/${id}`);
    assert.match(last_refused.reason, /^the pushed request: .*invalid_client/);
  },
);

Deno.test("client: an answer that is posted goes on by an address, at the console and the pages", async () => {
  await using provider = await standIn();
  await using desk = await openTestDesk("sqlite");
  const id = await addProvider(desk, provider, { response_mode: "form_post" });
  const { url, cookie } = await begin(desk, id);
  assert.equal(new URL(url).searchParams.get("response_mode"), "form_post");
  const post = (path: string, body: string, type = "application/x-www-form-urlencoded") =>
    desk.send("POST", path, {
      credential: null,
      // From the provider's own site, without a cookie.
      headers: { "host": "localhost:3000", "origin": provider.issuer, "content-type": type },
      body,
    });
  const answer = new URLSearchParams(provider.authorize(url, GRACE));
  answer.set("user", "{}");
  const arrived = await post(`/console/from/${id}`, answer.toString());
  assert.equal(arrived.status, 303);
  const to = new URL(arrived.headers.get("location") ?? "", "http://localhost:3000");
  assert.equal(to.pathname, `/console/from/${id}`);
  assert.equal(to.searchParams.has("user"), false, "nothing else goes along");
  assert.equal((await finish(desk, id, to.search.slice(1), cookie)).status, 200);
  for (
    const [path, body, status] of [
      [`/console/from/${id}`, "code=x", 400],
      ["/console/keys", answer.toString(), 405],
      [`/console/from/${id}/more`, answer.toString(), 405],
      [`/console/from/${id}`, `state=${"x".repeat(20_000)}`, 413],
    ] as const
  ) {
    const refused = await post(path, body);
    assert.equal(refused.status, status, path + body.slice(0, 20));
    await refused.body?.cancel();
  }
  assert.equal((await post(`/console/from/${id}`, "{}", "application/json")).status, 400);
  // The pages of developers, which take no other form of another site.
  await openPages(desk, { sign_up: "open" });
  const theirs = await addProvider(desk, provider, {
    for: "developers",
    groups: [],
    creates_people: false,
    response_mode: "form_post",
  });
  const browser = new Browser(desk);
  browser.headers.host = "localhost:3000";
  const left = await browser.submit(
    await browser.get("/portal/sign-in"),
    `/portal/sign-in/with/${theirs}`,
  );
  const onTo = (left.headers.get("refresh") ?? "").replace("0; url=", "");
  const posted = await post(`/portal/from/${theirs}`, provider.authorize(onTo, { sub: "ada" }));
  assert.equal(posted.status, 303);
  const page = await browser.get(posted.headers.get("location") ?? "");
  const back = await browser.submit(page, `/portal/from/${theirs}`);
  assert.match(back.words, /No one has this account yet/);
  const foreign = await post(`/portal/from/${theirs}`, "answer=code%3Dx&state=x");
  assert.equal(foreign.status, 403);
});
