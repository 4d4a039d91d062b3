/** POST /oauth/introspect (RFC 7662) and POST /oauth/revoke (RFC 7009). */
import assert from "node:assert/strict";
import { invalidationsAfter } from "../../../src/changes/invalidations.store.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  addOAuthClient,
  changeOAuthClient,
  introspected,
  oauthClientOf,
  sendForm,
  tokenFor,
} from "../../support/oauth.ts";

const client = { client_id: "the-client", client_secret: "the-secret" };
const neighbour = { client_id: "neighbour", client_secret: "their-secret" };
const inactive = { active: false };
const extra = [addOAuthClient, changeOAuthClient];
const clock = { now: () => Date.parse("2026-03-01T00:00:00.000Z") };

const onEngines = (promise: string, test: (desk: TestDesk) => Promise<void>) =>
  testOnEngines(
    promise,
    async (desk) => {
      await oauthClientOf(desk, client);
      await oauthClientOf(desk, neighbour);
      await test(desk);
    },
    { extra, clock },
  );

onEngines("introspect: a good token tells client, developer, plans and times", async (desk) => {
  const token = await tokenFor(desk, client);
  const verify = await desk.token(["verify"]);
  const iat = Date.parse("2026-03-01T00:00:00.000Z") / 1000;
  assert.deepEqual(await introspected(desk, token, verify), {
    active: true,
    client_id: "the-client",
    token_type: "Bearer",
    exp: iat + 3600,
    iat,
    sub: "dev-ada",
    key_id: sha256("the-client"),
    plans: ["plan-weather"],
  });
});

onEngines(
  "introspect: what is no token of the organisation is inactive, and no more",
  async (desk) => {
    const token = await tokenFor(desk, client);
    const other = await desk.otherOrganisation();
    assert.deepEqual(await introspected(desk, token, other.admin), inactive);
    const wrong = [`${token}x`, token.slice(0, -1), token.toLowerCase(), `kdt_${"0".repeat(43)}`];
    for (const one of [...wrong, desk.admin, "the-client", "\0", "x".repeat(4096)]) {
      assert.deepEqual(await introspected(desk, one), inactive);
    }
  },
);

onEngines("introspect: needs the permission verify, and refuses as RFC 6750 says", async (desk) => {
  const token = await tokenFor(desk, client);
  const path = "/oauth/introspect";
  for (const credential of [null, "wrong", token]) {
    const response = await sendForm(desk, path, { token }, { credential });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("www-authenticate"), "Bearer");
    assert.equal((await response.json()).error, "invalid_token");
  }
  const weak = await desk.token(["portal:write", "approve", "admin"]);
  const response = await sendForm(desk, path, { token }, { credential: weak });
  assert.deepEqual([response.status, (await response.json()).error], [403, "insufficient_scope"]);
  const none = await sendForm(desk, path, {}, { credential: desk.admin });
  assert.deepEqual([none.status, (await none.json()).error], [400, "invalid_request"]);
});

const INTROSPECT = "/oauth/introspect";
const basic = (id: string, secret: string) =>
  `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`;
/** Asks without an access token of the test's own. */
const asking = (desk: TestDesk, form: Record<string, string>, authorization?: string) =>
  sendForm(desk, INTROSPECT, form, {
    credential: null,
    ...authorization === undefined ? {} : { headers: { authorization } },
  });
const formEncoded = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);

onEngines("introspect: an access token is taken as an OAuth client's secret", async (desk) => {
  const token = await tokenFor(desk, client);
  const verify = await desk.token(["verify"]);
  const expected = await introspected(desk, token, verify);
  const ask = async (form: Record<string, string>, authorization?: string) => {
    const response = await asking(desk, form, authorization);
    return [response.status, await response.json()];
  };
  for (const id of ["gateway", "", "a:b c+ü", "x".repeat(255)]) {
    assert.deepEqual(await ask({ token }, basic(id, verify)), [200, expected]);
    assert.deepEqual(await ask({ token, client_id: id, client_secret: verify }), [200, expected]);
  }
  assert.deepEqual(await ask({ token, client_secret: verify }), [200, expected]);
  assert.deepEqual(await ask({ token }, basic("g", verify).replace("Basic", "bAsIc ")), [
    200,
    expected,
  ]);
  // Only a second secret is a second method.
  assert.deepEqual(await ask({ token, client_id: "another" }, basic("g", verify)), [200, expected]);
});

testOnEngines("introspect: the secret is form-encoded within Basic", async (desk) => {
  const secret = desk.admin;
  const authorization = `Basic ${btoa(`gateway:${formEncoded(secret)}`)}`;
  assert.notEqual(formEncoded(secret), secret);
  const send = (value: string) =>
    sendForm(desk, INTROSPECT, { token: "none" }, {
      credential: null,
      headers: { authorization: value },
    });
  assert.equal((await send(authorization)).status, 200);
  assert.equal((await send(`Basic ${btoa(`gateway:${secret}`)}`)).status, 401);
}, { environment: { KEYDESK_ADMIN_TOKEN: "an admin+token % that = is & long: enough, 50%" } });

onEngines("introspect: a wrong client is 401 with Basic, and learns nothing", async (desk) => {
  const token = await tokenFor(desk, client);
  const wrong: [form: Record<string, string>, authorization?: string][] = [
    [{ token }, basic("gateway", "wrong")],
    [{ token }, basic(client.client_id, client.client_secret)],
    [{ token }, basic("gateway", "")],
    [{ token }, basic(desk.admin, "")],
    [{ token }, "Basic"],
    [{ token }, "Basic !!!"],
    [{ token }, `Basic ${btoa("no colon")}`],
    [{ token }, `Basic ${btoa("gateway:%E0%A4")}`],
    [{ token, client_secret: "wrong" }],
    [{ token, ...client }],
    [{ client_secret: "wrong" }],
  ];
  for (const [form, authorization] of wrong) {
    const response = await asking(desk, form, authorization);
    assert.equal(response.status, 401, JSON.stringify([form, authorization]));
    assert.equal(response.headers.get("www-authenticate"), 'Basic realm="keydesk"');
    assert.equal((await response.json()).error, "invalid_client");
  }
  const weak = await desk.token(["portal:write", "approve", "admin"]);
  for (
    const [form, authorization] of [
      [{ token }, basic("gateway", weak)],
      [{ token, client_secret: weak }, undefined],
    ] as const
  ) {
    const response = await asking(desk, form, authorization);
    assert.deepEqual([response.status, (await response.json()).error], [403, "insufficient_scope"]);
  }
});

onEngines("introspect: two ways at once are refused, whichever is right", async (desk) => {
  const token = await tokenFor(desk, client);
  const right = desk.admin;
  for (const authorization of [right, `Bearer ${right}`, basic("g", right), "Bearer wrong"]) {
    for (const client_secret of [right, "wrong"]) {
      const response = await sendForm(desk, INTROSPECT, { token, client_secret }, {
        credential: null,
        headers: { authorization },
      });
      assert.deepEqual([response.status, (await response.json()).error], [400, "invalid_request"]);
    }
  }
});

onEngines(
  "introspect: wrong secrets wait as wrong access tokens do, a right one passes",
  async (desk) => {
    const send = (client_secret: string) =>
      sendForm(desk, INTROSPECT, { token: "none", client_secret }, {
        credential: null,
        from: "192.0.2.7",
      });
    const statuses: number[] = [];
    for (let n = 0; n < 30; n++) statuses.push((await send(`wrong ${n}`)).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
    assert.equal((await send(desk.admin)).status, 200);
  },
);

onEngines("introspect: who is not known sends 8 KiB at the most", async (desk) => {
  const form = { token: "x".repeat(9000) };
  const response = await sendForm(desk, INTROSPECT, form, { credential: null });
  assert.equal(response.status, 413);
});

onEngines("introspect: a client's suspension and end stop its tokens at once", async (desk) => {
  const token = await tokenFor(desk, client);
  const place = { org_id: desk.org_id, key_id: sha256("the-client") };
  const later = "2027-01-01T00:00:00.000Z";
  const change = (state: "active" | "suspended" | "revoked", expires = later) =>
    desk.app.ctx.storage.commit(changeOAuthClient, { ...place, state, expires });
  await change("suspended");
  assert.deepEqual(await introspected(desk, token), inactive);
  await change("active");
  assert.equal((await introspected(desk, token)).active, true);
  await change("active", "2026-03-01T00:00:00.000Z");
  assert.deepEqual(await introspected(desk, token), inactive);
  await change("revoked");
  assert.deepEqual(await introspected(desk, token), inactive);
});

onEngines(
  "revoke: ends the client's own token, and nodes with a memory hear of it",
  async (desk) => {
    const [token, kept, theirs] = [
      await tokenFor(desk, client),
      await tokenFor(desk, client),
      await tokenFor(desk, neighbour),
    ];
    const revoke = async (form: Record<string, string>, status = 200) => {
      const response = await sendForm(desk, "/oauth/revoke", { ...form });
      assert.equal(response.status, status);
      return await response.json();
    };
    const hint = { token_type_hint: "access_token" };
    for (const one of [theirs, `kdt_${"0".repeat(43)}`, "no token at all"]) {
      assert.deepEqual(await revoke({ token: one, ...client }), {});
    }
    const { reader } = desk.app.ctx.storage;
    assert.deepEqual(await invalidationsAfter(reader, 0), []);
    assert.equal((await introspected(desk, theirs)).active, true);
    assert.deepEqual(await revoke({ token, ...hint, ...client }), {});
    assert.deepEqual(await introspected(desk, token), inactive);
    assert.equal((await introspected(desk, kept)).active, true);
    assert.deepEqual(await invalidationsAfter(reader, 0), [
      { position: 1, org_id: desk.org_id, kind: "key", object_id: sha256("the-client") },
    ]);
    assert.deepEqual(await revoke({ token, ...client }), {});
    const wrong = await revoke({ token: kept, ...client, client_secret: "wrong" }, 401);
    assert.equal(wrong.error, "invalid_client");
    assert.equal((await revoke(client, 400)).error, "invalid_request");
    assert.equal((await introspected(desk, kept)).active, true);
  },
);

onEngines("oauth: no secret and no token stands in the log", async (desk) => {
  const token = await tokenFor(desk, client);
  await introspected(desk, token);
  await sendForm(desk, "/oauth/token", { grant_type: "client_credentials", ...client, scope: "x" });
  await sendForm(desk, "/oauth/revoke", { token, ...client });
  const log = desk.logLines.join("");
  assert.ok(log.includes('"path":"/oauth/token","status":200'));
  for (const secret of [token, token.slice(4), client.client_secret, client.client_id]) {
    assert.ok(!log.includes(secret));
  }
});
