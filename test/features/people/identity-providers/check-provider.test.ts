/** "Try it" finds what keeps people out before anybody comes. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  addProvider,
  CLIENT,
  enter,
  type Lies,
  reach,
  type StandIn,
  standIn,
  TERMS,
} from "../../../support/identity-provider.ts";
import { call } from "../../../support/people.ts";

const PROVIDERS = "/v1/identity-providers";
const SECRET = CLIENT.client_secret;

const PROBLEMS: readonly [Lies, Record<string, unknown>, RegExp][] = [
  [{}, { client_secret: "mistyped" }, /the token endpoint: .*"invalid_client" \(it does not know/],
  [{}, { client_id: "another" }, /the token endpoint: .*"invalid_client"/],
  [
    { metadata: { token_endpoint_auth_methods_supported: ["private_key_jwt"] } },
    {},
    /it takes private_key_jwt, and this client proves itself by client_secret_post/,
  ],
  [
    { metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } },
    { client_auth: "client_secret_basic" },
    /it takes client_secret_post, and this client proves itself by client_secret_basic/,
  ],
  [
    {},
    { client_auth: "client_secret_post", client_secret: "" },
    /it takes client_secret_basic, and/,
  ],
  [
    { metadata: { token_endpoint_auth_methods_supported: ["tls_client_auth"] } },
    { client_auth: "tls_client_auth" },
    /KEYDESK_PROVIDER_CLIENT_FILE names no certificate/,
  ],
  [
    { metadata: { require_pushed_authorization_requests: true } },
    {},
    /requests are to be pushed, and it names no address/,
  ],
  [
    { metadata: { id_token_signing_alg_values_supported: ["HS256"] } },
    {},
    /it signs by HS256, none of which is taken/,
  ],
  [{}, { response_mode: "form_post" }, /does not offer the response mode form_post/],
  [{ answer: (path) => path === "/jwks" ? Response.json({ keys: [] }) : undefined }, {}, /no keys/],
];

async function set(desk: TestDesk, id: string, terms: Record<string, unknown>): Promise<void> {
  await call(desk, "PUT", `${PROVIDERS}/${id}`, { ...TERMS, client_secret: SECRET, ...terms });
}

async function withProvider(
  work: (desk: TestDesk, provider: StandIn, id: string) => Promise<void>,
): Promise<void> {
  await using provider = await standIn();
  // What the provider says has nothing to do with the store.
  await using desk = await openTestDesk("sqlite");
  await work(desk, provider, await addProvider(desk, provider));
}

Deno.test("check: what keeps everybody out is named, and once it is set right it works", () =>
  withProvider(async (desk, provider, id) => {
    const check = () => call(desk, "POST", `${PROVIDERS}/${id}/check`);
    for (const [lies, terms, expected] of PROBLEMS) {
      provider.lies = lies;
      await set(desk, id, terms);
      const { works, problem, problems } = await check();
      assert.equal(works, false, String(expected));
      assert.match(problem, expected);
      assert.equal(problems[0], problem);
      assert.ok(!JSON.stringify(problems).includes("mistyped"), "no secret is told");
    }
    provider.lies = {};
    await set(desk, id, {});
    assert.equal((await check()).works, true);
    await enter(desk, provider, id, { sub: "grace", groups: ["desk"] });
  }));

Deno.test("check: what is set and not offered is noted, and keeps nobody out", () =>
  withProvider(async (desk, provider, id) => {
    provider.lies = {
      metadata: {
        scopes_supported: ["openid", "email", "groups"],
        claims_supported: ["sub", "email"],
        code_challenge_methods_supported: ["plain"],
        grant_types_supported: ["authorization_code"],
      },
    };
    await set(desk, id, {});
    const { works, notes } = await call(desk, "POST", `${PROVIDERS}/${id}/check`);
    assert.equal(works, true);
    assert.deepEqual(notes, [
      'it does not offer the scope "profile", which is set',
      'it offers the scope "groups", which is not set',
      'it does not name the claim "groups" among those that it gives',
      "it does not offer PKCE with S256",
      "it gives no refresh tokens: a person who is disabled there stays signed in until their session ends",
    ]);
  }));

Deno.test("check: hosts that KEYDESK_OUTBOUND lacks are written as it takes them", () =>
  withProvider(async (desk, provider, id) => {
    provider.lies = {
      metadata: {
        token_endpoint: "https://oauth.example.org/token",
        userinfo_endpoint: "https://api.example.org:8443/me",
        jwks_uri: "https://oauth.example.org/keys",
      },
    };
    await set(desk, id, {});
    const { works, problems, outbound } = await call(desk, "POST", `${PROVIDERS}/${id}/check`);
    assert.equal(works, false);
    assert.equal(outbound, "oauth.example.org,api.example.org:8443");
    assert.deepEqual(problems, [
      "it is called at oauth.example.org, which KEYDESK_OUTBOUND does not name",
      "it is called at api.example.org:8443, which KEYDESK_OUTBOUND does not name",
    ]);
    reach(desk, "another.example.org");
    const away = await call(desk, "POST", `${PROVIDERS}/${id}/check`);
    assert.deepEqual([away.works, away.outbound], [false, provider.host]);
  }));

testOnEngines(
  "check: what the provider calls itself is told, and set while nobody is linked",
  async (desk) => {
    await using provider = await standIn();
    const id = await addProvider(desk, provider, { issuer: `${provider.issuer}/` });
    const check = () => call(desk, "POST", `${PROVIDERS}/${id}/check`);
    const slash = await check();
    assert.deepEqual([slash.works, slash.issuer], [false, provider.issuer]);
    assert.match(slash.problem, /calls itself by another issuer/);
    for (const path of ["/realms/desk", "/.well-known/openid-configuration"]) {
      provider.lies = {
        answer: (asked) => asked.startsWith(path) ? new Response(null, { status: 404 }) : undefined,
      };
      await set(desk, id, { issuer: provider.issuer + path });
      assert.equal((await check()).issuer, provider.issuer, path);
    }
    provider.lies = {};
    await set(desk, id, { issuer: provider.issuer });
    assert.deepEqual([(await check()).works, (await check()).issuer], [true, null]);
    await enter(desk, provider, id, { sub: "grace", groups: ["desk"] });
    const put = (issuer: string) =>
      desk.send("PUT", `${PROVIDERS}/${id}`, { body: { ...TERMS, issuer } });
    await assertFailure(await put(`${provider.issuer}/`), "provider_has_accounts");
    await assertFailure(await put("https://uncalled.example.org"), "provider_uncalled", {
      message:
        "This identity provider can't be called: KEYDESK_OUTBOUND does not name uncalled.example.org.",
    });
    assert.equal((await put(provider.issuer)).status, 200, "the same is none");
  },
);
