/**
 * What the audit log tells of calls that change nothing: refused sign-ins and calls, secrets that
 * were read, exports.
 */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { allItems, call, newPerson, testClock } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";

const AUDIT_LOG = "/v1/audit-log";
const LIST = "/api/portal/requests";
const MINUTE = 60_000;
const clock = testClock();

async function auditLogOf(desk: TestDesk, action: string, credential = desk.admin) {
  await desk.app.ctx.notes.flush();
  return await allItems(desk, `${AUDIT_LOG}?action=${action}`, credential);
}

async function refuse(desk: TestDesk, times: number, from: string): Promise<void> {
  for (let n = 0; n < times; n++) {
    const answer = await desk.send("GET", "/v1/me", { credential: `wrong-${n}`, from });
    assert.ok([401, 429].includes(answer.status));
    await answer.body?.cancel();
  }
}

testOnEngines(
  "audit log: ten refused sign-ins of nobody a minute, and one row with the number of the others",
  async (desk) => {
    await refuse(desk, 130, "192.0.2.7");
    await desk.app.ctx.notes.flush();
    clock.at += MINUTE;
    await refuse(desk, 1, "192.0.2.8");
    const found = await auditLogOf(desk, "sign_in.refused");
    const counts = found.filter(({ detail }) => detail.count !== undefined);
    assert.equal(found.length - counts.length, 11);
    assert.deepEqual(counts.map(({ detail, actor }) => [detail.count, actor]), [[120, "unknown"]]);
    const { object, object_id, client_address, detail, token_id, request_id } = found.find((one) =>
      one.client_address === "192.0.2.8"
    );
    assert.deepEqual({ object, object_id, client_address, detail, token_id }, {
      object: "sign_in",
      object_id: "/v1/me",
      client_address: "192.0.2.8",
      detail: { by: "header" },
      token_id: "",
    });
    assert.match(request_id, /^[0-9a-f-]{36}$/);
    assert.equal(JSON.stringify(found).includes("wrong-"), false);
  },
  { clock },
);

testOnEngines("audit log: nothing is written while calls are refused", async (desk) => {
  const before = desk.app.ctx.storage.stats().commits;
  await refuse(desk, 10, "192.0.2.7");
  assert.equal(desk.app.ctx.storage.stats().commits, before);
  assert.equal((await auditLogOf(desk, "sign_in.refused")).length, 10);
  assert.equal((await auditLogOf(desk, "sign_in.refused")).length, 10, "twice");
});

testOnEngines(
  "audit log: an access token that was revoked is its owner's refused sign-in, in their audit log",
  async (desk) => {
    const { org_id, admin } = await desk.otherOrganisation();
    const person = await call(desk, "POST", "/v1/people", { name: "Eve", permissions: [] }, admin);
    const path = `/v1/people/${person.id}/access-tokens`;
    const body = { name: "x", deliver: "answer" };
    const token = await call(desk, "POST", path, body, admin);
    await call(desk, "DELETE", `/v1/access-tokens/${token.id}`, undefined, admin);
    await desk.send("POST", "/v1/session", {
      credential: null,
      body: { access_token: token.access_token },
    });
    await desk.send("POST", "/v1/session", { credential: null, body: { code: "x".repeat(43) } });
    const theirs = await auditLogOf(desk, "sign_in.refused", admin);
    assert.deepEqual(theirs.map((one) => [one.actor, one.token_id, one.object_id, one.detail]), [
      [person.id, token.id, "/v1/session", { by: "credential" }],
    ]);
    const ours = await auditLogOf(desk, "sign_in.refused");
    assert.deepEqual(ours.map((one) => [one.actor, one.detail]), [["unknown", { by: "code" }]]);
    assert.notEqual(org_id, desk.org_id);
  },
);

testOnEngines(
  "audit log: a refused call names its caller and the pattern of its path, never the path",
  async (desk) => {
    const { id, credential, credential_id } = await newPerson(desk, ["portal:read"]);
    const path = `${LIST}/approve/secret-in-the-path`;
    const answer = await desk.send("PUT", path, { credential, from: "192.0.2.9" });
    assert.equal(answer.status, 403);
    const browser = await signIn(desk, { credential });
    const forged = { ...browser, csrf: "forged" };
    const refused = await bySession(desk, forged, "DELETE", "/v1/session");
    assert.equal(refused.status, 403);
    const found = await auditLogOf(desk, "call.refused");
    assert.deepEqual(
      found.map((one) => [one.actor, one.token_id, one.object_id, one.detail]).toSorted(),
      [
        [id, credential_id, `${LIST}/approve/{id}`, {
          method: "PUT",
          reason: "access_denied",
        }],
        [id, credential_id, "/v1/session", { method: "DELETE", reason: "csrf_refused" }],
      ],
    );
    const bySessionAlone = found.filter(({ session }) => session !== "");
    assert.deepEqual(bySessionAlone.map(({ object_id }) => object_id), ["/v1/session"]);
    assert.equal(JSON.stringify(found).includes("secret-in-the-path"), false);
  },
);

testOnEngines(
  "audit log: invented access tokens don't hide that one was revoked, in its own organisation's audit log",
  async (desk) => {
    const { admin } = await desk.otherOrganisation();
    const person = await call(desk, "POST", "/v1/people", { name: "Eve", permissions: [] }, admin);
    const path = `/v1/people/${person.id}/access-tokens`;
    const token = await call(desk, "POST", path, { name: "x", deliver: "answer" }, admin);
    await call(desk, "DELETE", `/v1/access-tokens/${token.id}`, undefined, admin);
    await refuse(desk, 120, "192.0.2.7");
    const { access_token: credential } = token;
    // Where somebody guesses, it is counted; from elsewhere it is a row.
    for (const [from, status] of [["192.0.2.7", 429], ["192.0.2.8", 401]] as const) {
      const answer = await desk.send("GET", "/v1/me", { credential, from });
      assert.equal(answer.status, status);
    }
    const theirs = await auditLogOf(desk, "sign_in.refused", admin);
    const most = [{ actor: person.id, token_id: token.id, count: 1 }];
    assert.deepEqual(theirs.map((one) => [one.actor, one.token_id, one.detail.most]).toSorted(), [
      [person.id, token.id, undefined],
      ["unknown", "", most],
    ]);
    const ours = await auditLogOf(desk, "sign_in.refused");
    assert.deepEqual([ours.length, ours.find((one) => one.detail.count)?.detail.count], [11, 110]);
  },
  { clock },
);

testOnEngines(
  "audit log: ten refused calls of a caller a minute, and one row with the others, who is named",
  async (desk) => {
    const { id, credential, credential_id } = await newPerson(desk, []);
    const other = await newPerson(desk, []);
    for (let n = 0; n < 117; n++) {
      assert.equal((await desk.send("GET", LIST, { credential })).status, 403);
    }
    assert.equal((await desk.send("GET", LIST, { credential: other.credential })).status, 403);
    const found = await auditLogOf(desk, "call.refused");
    assert.equal(found.length, 12);
    assert.equal(found.filter((one) => one.token_id === other.credential_id).length, 1);
    const most = [{ actor: id, token_id: credential_id, count: 107 }];
    assert.deepEqual(
      found.filter(({ detail }) => detail.count).map(({ detail }) => [detail.count, detail.most]),
      [[107, most]],
    );
  },
  { clock },
);

testOnEngines("audit log: a developer's refused sign-in names who was meant", async (desk) => {
  const developer = { email: "ada@example.org", password: "correct horse" };
  const made = await call(desk, "POST", "/api/portal/developers", developer);
  for (const username of ["ada@example.org", "nobody@example.org"]) {
    const body = { username, password: "wrong horse" };
    const path = "/api/portal/developers/verify_credentials";
    assert.equal((await desk.send("POST", path, { body })).status, 401);
  }
  const found = await auditLogOf(desk, "developer.sign_in_refused");
  assert.deepEqual(found.map(({ object_id }) => object_id).toSorted(), ["", made.Message]);
});

testOnEngines(
  "audit log: of secrets that were read there is a row a minute for each caller and kind",
  async (desk) => {
    const id = await create(desk, smallRequest({ jwt_secret: "jwt-secret-1" }));
    const bare = await create(desk, smallRequest({ by_user: "dev-bob" }));
    const developer = { email: "ada@example.org", sso_key: "sso-1" };
    await call(desk, "POST", "/api/portal/developers", developer);
    const { credential, credential_id } = await newPerson(desk, ["portal:read", "secrets"]);
    const blind = await newPerson(desk, ["portal:read"]);
    const read = async (path: string, by = credential) =>
      await (await desk.send("GET", path, { credential: by })).text();
    // From the store, then from memory.
    for (let turn = 0; turn < 3; turn++) {
      assert.match(await read(`${LIST}/${id}`), /jwt-secret-1/);
      assert.doesNotMatch(await read(`${LIST}/${id}`, blind.credential), /jwt-secret-1/);
    }
    assert.match(await read(`${LIST}?p=1`), /jwt-secret-1/);
    assert.match(await read(LIST), /jwt-secret-1/);
    await read(`${LIST}/${bare}`);
    assert.match(await read("/api/portal/developers?p=1"), /sso-1/);
    clock.at += MINUTE;
    await read(`${LIST}/${id}`);
    const found = await auditLogOf(desk, "secret.read");
    const shown = found.map((one) => [one.token_id, one.object, one.detail.count]).toSorted();
    assert.deepEqual(shown, [
      [credential_id, "developer", 1],
      [credential_id, "key_request", 6],
    ]);
    await read(`${LIST}/${bare}`);
    await read(`${LIST}/${id}`, blind.credential);
    assert.equal((await auditLogOf(desk, "secret.read")).length, 2);
  },
  { clock },
);

testOnEngines("audit log: masked secrets are none", async (desk) => {
  const id = await create(desk, smallRequest({ jwt_secret: "jwt-secret-1" }));
  await call(desk, "GET", `${LIST}/${id}`);
  assert.deepEqual(await auditLogOf(desk, "secret.read"), []);
}, { environment: { KEYDESK_MASK_SECRETS: "true" } });

testOnEngines("audit log: an export is in it before its first byte", async (desk) => {
  const exports: [path: string, action: string, detail: unknown][] = [
    [
      `${AUDIT_LOG}/export?object_id=PLAIN-KEY&client_address=192.0.2.1&after=2026-01-01T00:00:00Z`,
      "audit_log.exported",
      { after: "2026-01-01T00:00:00Z", filters: ["object_id", "client_address"] },
    ],
    ["/api/certs/export?format=csv&q=gateway", "certificates.exported", {
      format: "csv",
      filters: ["q"],
    }],
  ];
  for (const [path, action, detail] of exports) {
    const headers = { "x-request-id": `of-${action}` };
    const answer = await desk.send("GET", path, { headers });
    assert.equal(answer.status, 200);
    const found = await allItems(desk, `${AUDIT_LOG}?action=${action}`);
    assert.deepEqual(found.map((one) => [one.caller_request_id, one.detail]), [[
      `of-${action}`,
      detail,
    ]]);
    await answer.text();
  }
  assert.deepEqual(await auditLogOf(desk, "list.streamed"), []);
});

testOnEngines("audit log: lists that go out whole are counted by caller", async (desk) => {
  for (let n = 0; n < 20; n++) await create(desk, smallRequest({ by_user: `dev-${n}` }));
  for (let n = 0; n < 3; n++) await (await desk.send("GET", LIST)).text();
  await (await desk.send("GET", `${LIST}?p=1`)).text();
  const found = await auditLogOf(desk, "list.streamed");
  assert.deepEqual(found.map((one) => [one.object_id, one.detail]), [[LIST, { count: 3 }]]);
});
