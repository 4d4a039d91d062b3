/**
 * POST /oauth/token as RFC 6749 has it: who gets a token, what it is worth, and how refusals look.
 */
import assert from "node:assert/strict";
import { invalidationsAfter } from "../../../src/changes/invalidations.store.ts";
import { MOST_TOKENS } from "../../../src/features/keys/oauth.store.ts";
import { issueTransaction } from "../../../src/features/keys/oauth.transactions.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { statement } from "../../../src/storage/statement.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import {
  addOAuthClient,
  changeOAuthClient,
  introspected,
  oauthClientOf,
  sendForm,
  tokenFor,
} from "../../support/oauth.ts";
import { mutate, randomFrom } from "../../../packages/x509/test/support/mutate.ts";

const TOKEN = "/oauth/token";
const client = { client_id: "the-client", client_secret: "the secret: of+100% ünïcode" };
const grant = { grant_type: "client_credentials" };

const clock = { at: 0, now: () => clock.at };
const onEngines = (
  promise: string,
  test: (desk: TestDesk) => Promise<void>,
  settings: Record<string, string> = {},
) =>
  testOnEngines(
    promise,
    async (desk) => {
      clock.at = Date.parse("2026-03-01T00:00:00.000Z");
      await oauthClientOf(desk, client);
      await test(desk);
    },
    { environment: settings, extra: [addOAuthClient, changeOAuthClient], clock },
  );

const tokensSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("oauth_tokens").select(["hash", "key_id", "issued_at", "expires_at"])
    .where("org_id", "=", p.org_id).orderBy("issued_at").orderBy("hash")
);
const storedTokens = (desk: TestDesk) =>
  desk.app.ctx.storage.reader.rows(tokensSql, { org_id: desk.org_id });

function basic({ client_id, client_secret }: typeof client): Record<string, string> {
  const encoded = new URLSearchParams([[client_id, client_secret]]).toString().replace("=", ":");
  return { authorization: `Basic ${btoa(encoded)}` };
}

/** Asserts a refusal in the shape of RFC 6749, 5.2, with the headers that it wants. */
async function refused(response: Response, status: number, error: string): Promise<string> {
  const answer = await response.json();
  assert.deepEqual([response.status, answer.error], [status, error], JSON.stringify(answer));
  assert.deepEqual(Object.keys(answer), ["error", "error_description"]);
  assert.match(answer.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("pragma"), "no-cache");
  const challenge = status === 401 ? 'Basic realm="keydesk"' : null;
  assert.equal(response.headers.get("www-authenticate"), challenge);
  return answer.error_description;
}

onEngines("token: Basic and body both get one, stored as its hash alone", async (desk) => {
  const inBody = await sendForm(desk, TOKEN, { ...grant, ...client });
  const inHeader = await sendForm(desk, TOKEN, grant, { headers: basic(client) });
  const twice = { ...grant, client_id: client.client_id };
  const withId = await sendForm(desk, TOKEN, twice, { headers: basic(client) });
  const hashes: string[] = [];
  for (const response of [inBody, inHeader, withId]) {
    const answer = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    assert.deepEqual(answer, {
      access_token: answer.access_token,
      token_type: "Bearer",
      expires_in: 3600,
    });
    assert.match(answer.access_token, /^kdt_[A-Za-z0-9]{43}$/);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("pragma"), "no-cache");
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    hashes.push(sha256(answer.access_token));
  }
  assert.deepEqual(
    await storedTokens(desk),
    hashes.sort().map((hash) => ({
      hash,
      key_id: sha256(client.client_id),
      issued_at: "2026-03-01T00:00:00.000Z",
      expires_at: "2026-03-01T01:00:00.000Z",
    })),
  );
});

onEngines("token: a client out of an approval gets one", async (desk) => {
  const oauth_info = { redirect_uri: "https://app.example.org/back" };
  const issued = await approve(desk, await create(desk, smallRequest({ oauth_info })));
  const { client_id = "", secret = "" } = issued;
  const token = await tokenFor(desk, { client_id, client_secret: secret });
  assert.deepEqual((await introspected(desk, token)).client_id, client_id);
});

onEngines(
  "token: another id, secret or state is invalid_client, and all look alike",
  async (desk) => {
    const org_id = desk.org_id;
    const key_id = sha256(client.client_id);
    const state = (to: "active" | "suspended" | "revoked", expires = "2027-01-01T00:00:00.000Z") =>
      desk.app.ctx.storage.commit(changeOAuthClient, { org_id, key_id, state: to, expires });
    const said = new Set<string>();
    const refuse = async (form: Record<string, string>, headers = {}) => {
      said.add(
        await refused(await sendForm(desk, TOKEN, form, { headers }), 401, "invalid_client"),
      );
    };
    await refuse({ ...grant });
    await refuse({ ...grant, client_id: client.client_id });
    await refuse({ ...grant, client_secret: client.client_secret });
    await refuse({ ...grant, ...client, client_id: "nobody" });
    await refuse({ ...grant, ...client, client_secret: "wrong" });
    await refuse({ ...grant, ...client, client_id: client.client_secret });
    await refuse(grant, basic({ ...client, client_secret: "wrong" }));
    for (
      const header of ["Bearer x", desk.admin, "Basic", "Basic ", "Basic !!!", "Basic YQ==", ""]
    ) {
      await refuse(grant, { authorization: header });
    }
    await refuse(grant, { authorization: `Basic ${btoa("%zz:%zz")}` });
    await state("suspended");
    await refuse({ ...grant, ...client });
    await state("revoked");
    await refuse({ ...grant, ...client });
    await state("active", "2026-03-01T00:00:00.000Z");
    await refuse({ ...grant, ...client });
    assert.equal(said.size, 1);
    assert.deepEqual(await storedTokens(desk), []);
    await state("active");
    await tokenFor(desk, client);
  },
);

onEngines("token: a key or a user name with its password is no client", async (desk) => {
  const { RawKey } = await approve(desk, await create(desk, smallRequest()));
  for (const client_secret of ["", RawKey]) {
    const form = { ...grant, client_id: RawKey, client_secret };
    await refused(await sendForm(desk, TOKEN, form), 401, "invalid_client");
  }
});

onEngines("token: what is no proper request is told as the RFC says", async (desk) => {
  const invalid = async (form: string, headers = {}) =>
    await refused(await sendForm(desk, TOKEN, form, { headers }), 400, "invalid_request");
  const whole = new URLSearchParams({ ...grant, ...client }).toString();
  assert.match(await invalid(""), /^grant_type: /);
  assert.match(await invalid("grant_type="), /^grant_type: /);
  assert.match(await invalid(`${whole}&grant_type=client_credentials`), /^grant_type: .* once$/);
  assert.match(await invalid(`${whole}&x=1&x=`), /^x: .* once$/);
  const long = await sendForm(desk, TOKEN, `${whole}&x=${"y".repeat(9000)}`);
  assert.match(await refused(long, 413, "invalid_request"), /8192 bytes/);
  assert.match(await invalid(`${whole}&${'"\\é'.repeat(9)}=&${'"\\é'.repeat(9)}=`), / once$/);
  assert.match(await invalid(whole, basic(client)), /^client_secret: /);
  const other = `${new URLSearchParams({ ...grant, client_id: "other" })}`;
  assert.match(await invalid(other, basic(client)), /^client_id: /);
  for (const type of ["application/json", "text/plain", "multipart/form-data"]) {
    assert.match(await invalid(whole, { "content-type": type }), /^Content-Type: /);
  }
  for (const grant_type of ["password", "authorization_code", "CLIENT_CREDENTIALS", "x"]) {
    const response = await sendForm(desk, TOKEN, { grant_type, ...client });
    await refused(response, 400, "unsupported_grant_type");
  }
  const scoped = await sendForm(desk, TOKEN, { ...grant, ...client, scope: "read" });
  await refused(scoped, 400, "invalid_scope");
  const get = await desk.send("GET", TOKEN, { credential: null });
  assert.deepEqual([get.status, (await get.json()).error], [405, "invalid_request"]);
  assert.deepEqual(await storedTokens(desk), []);
  const type = "Application/X-WWW-Form-Urlencoded; charset=UTF-8";
  const fine = await sendForm(desk, TOKEN, `${whole}&scope=&extra=1`, {
    headers: { "content-type": type },
  });
  assert.equal(fine.status, 200);
});

onEngines(
  "token: two organisations with the same client id keep their own secrets",
  async (desk) => {
    const other = await desk.otherOrganisation();
    const theirs = { ...client, client_secret: "their secret" };
    await oauthClientOf(desk, theirs, other.org_id);
    const ourToken = await tokenFor(desk, client);
    const theirToken = await tokenFor(desk, theirs);
    assert.equal((await introspected(desk, ourToken)).active, true);
    assert.equal((await introspected(desk, theirToken, other.admin)).active, true);
    assert.deepEqual(await introspected(desk, theirToken), { active: false });
    assert.deepEqual(await introspected(desk, ourToken, other.admin), { active: false });
  },
);

onEngines("token: it ends after the setting's time, and never after its client", async (desk) => {
  const token = await tokenFor(desk, client);
  clock.at += 119_999;
  assert.equal((await introspected(desk, token)).active, true);
  clock.at += 1;
  assert.deepEqual(await introspected(desk, token), { active: false });
  const expires = new Date(clock.at + 30_500).toISOString();
  const key_id = sha256(client.client_id);
  await desk.app.ctx.storage.commit(changeOAuthClient, {
    org_id: desk.org_id,
    key_id,
    state: "active" as const,
    expires,
  });
  const response = await sendForm(desk, TOKEN, { ...grant, ...client });
  const short = await response.json();
  assert.equal(short.expires_in, 30);
  assert.equal((await introspected(desk, short.access_token)).active, true);
  clock.at += 30_500;
  assert.deepEqual(await introspected(desk, short.access_token), { active: false });
}, { KEYDESK_OAUTH_TOKEN_LIFE: "120" });

onEngines(
  "token: beyond the bound the oldest of the client end, and nobody else's",
  async (desk) => {
    const neighbour = { client_id: "neighbour", client_secret: "x" };
    await oauthClientOf(desk, neighbour);
    const theirs = await tokenFor(desk, neighbour);
    const tokens: string[] = [];
    for (let i = 0; i < MOST_TOKENS + 3; i++) {
      // The last ones in one millisecond: the newest must stay even so.
      if (i < MOST_TOKENS) clock.at += 1;
      tokens.push(await tokenFor(desk, client));
      const newest = tokens.at(-1) ?? "";
      assert.equal((await introspected(desk, newest)).active, true);
    }
    assert.equal((await storedTokens(desk)).length, MOST_TOKENS + 1);
    for (const token of tokens.slice(0, 3)) {
      assert.deepEqual(await introspected(desk, token), { active: false });
    }
    assert.equal((await introspected(desk, tokens[3] ?? "")).active, true);
    const heard = await invalidationsAfter(desk.app.ctx.storage.reader, 0);
    assert.deepEqual(heard.map((one) => one.object_id), Array(3).fill(sha256(client.client_id)));
    assert.equal((await introspected(desk, theirs)).active, true);
  },
);

onEngines("token: many at the same moment keep to the bound too", async (desk) => {
  await Promise.all(Array.from({ length: 150 }, () => tokenFor(desk, client)));
  assert.equal((await storedTokens(desk)).length, MOST_TOKENS);
});

onEngines("token: a client that was stopped after its secret was right gets none", async (desk) => {
  const { org_id } = desk;
  const key_id = sha256(client.client_id);
  const { storage } = desk.app.ctx;
  const expires = "2027-01-01T00:00:00.000Z";
  const order = { org_id, key_id, client_id: client.client_id, now: clock.at, lifeMs: 60_000 };
  for (const state of ["suspended", "revoked"] as const) {
    await storage.commit(changeOAuthClient, { org_id, key_id, state, expires });
    await assert.rejects(
      storage.commit(issueTransaction, { ...order, hash: "h" }),
      (error: unknown) => error instanceof Failure && error.code === "oauth_invalid_client",
    );
  }
  assert.deepEqual(await storedTokens(desk), []);
});

onEngines("token: changed forms are answered, and never with a 5xx", async (desk) => {
  const random = randomFrom(1);
  const whole = new TextEncoder().encode(
    new URLSearchParams({ ...grant, ...client, scope: "", "__proto__": "x" }).toString(),
  );
  const other = new TextEncoder().encode("%00%zz%ff&=&&grant_type=%ed%a0%80;a[]=+\0");
  for (let i = 0; i < 1000; i++) {
    const body = mutate(whole, other, random);
    const headers = { "content-type": "application/x-www-form-urlencoded", ...basicOrNone(i) };
    const response = await desk.send("POST", TOKEN, { credential: null, body, headers });
    assert.ok(response.status < 500, `case ${i}: ${response.status}`);
    const answer = await response.json();
    assert.ok(response.status === 200 || answer.error_description.length < 200);
  }
});

function basicOrNone(i: number): Record<string, string> {
  return i % 2 ? basic(client) : {};
}
