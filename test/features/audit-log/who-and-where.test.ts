/**
 * Every event names its person, access token, session, request and address; what names a person is
 * kept apart.
 */
import assert from "node:assert/strict";
import { sql } from "kysely";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, type TestDeskOptions, testOnEngines } from "../../support/desk.ts";
import { approvalOf, create, smallRequest } from "../../support/key-requests.ts";
import { allItems, call, newPerson } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";

const AUDIT_LOG = "/v1/audit-log";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const rowsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events")
    .select([
      "action",
      "detail",
      "personal",
      "token_id",
      "session",
      "request_id",
      "caller_request_id",
      "client_address",
    ])
    .where("org_id", "=", p.org_id).orderBy("id")
);

async function rowsOf(desk: TestDesk) {
  return await desk.app.ctx.storage.reader.rows(rowsSql, { org_id: desk.org_id });
}

/** Files a request from an address and gives what the audit log says of where it came from. */
async function addressOf(desk: TestDesk, from: string, headers: Record<string, string> = {}) {
  const body = smallRequest({ by_user: `dev-${crypto.randomUUID()}` });
  const sent = await desk.send("POST", "/api/portal/requests", { body, from, headers });
  const { Message: id } = await sent.json();
  const { data } = await call(desk, "GET", `${AUDIT_LOG}?object_id=${id}`);
  assert.equal(data.length, 1);
  return data[0].client_address;
}

testOnEngines("audit log: an approval names token, request and address", async (desk) => {
  const { id: person, credential, credential_id } = await newPerson(desk, ["approve"]);
  const id = await create(desk, smallRequest());
  const headers = { "x-request-id": "approve-0815" };
  const from = "192.0.2.17";
  const answer = await desk.send("PUT", approvalOf(id), { credential, headers, from });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("x-request-id"), "approve-0815");
  const [{ request_id }] = await allItems(desk, `${AUDIT_LOG}?token_id=${credential_id}`);
  assert.match(request_id, UUID);
  const call = [person, credential_id, "", "approve-0815", from];
  const expected = ["key.issued", "key_request.approved"].map((action) => [action, ...call]);
  for (
    const query of [
      `token_id=${credential_id}`,
      "request_id=approve-0815",
      `request_id=${request_id}`,
      `q=${request_id}`,
      "q=approve-0815",
      `client_address=${from}`,
      `object_id=${id}&client_address=${from}&token_id=${credential_id}`,
    ]
  ) {
    const found = await allItems(desk, `${AUDIT_LOG}?${query}`);
    const shown = found.map((one) => [
      one.action,
      one.actor,
      one.token_id,
      one.session,
      one.caller_request_id,
      one.client_address,
    ]);
    const ofIt = query.startsWith("object_id") ? expected.slice(1) : expected;
    assert.deepEqual(shown.sort(), ofIt, query);
    const exported = await desk.send("GET", `${AUDIT_LOG}/export?${query}`);
    const lines = (await exported.text()).trim().split("\n");
    assert.deepEqual(lines.map((line) => JSON.parse(line)), found, query);
  }
  assert.deepEqual(await allItems(desk, `${AUDIT_LOG}?request_id=approve-0816`), []);
  // A refusal says both, each by its own name.
  const refused = await desk.send("GET", "/v1/people", { credential, headers });
  assert.equal(refused.headers.get("x-request-id"), "approve-0815");
  const { request_id: ours, caller_request_id } = await refused.json();
  assert.deepEqual([refused.status, caller_request_id], [403, "approve-0815"]);
  await desk.app.ctx.notes.flush();
  const [row] = await allItems(desk, `${AUDIT_LOG}?request_id=${ours}`);
  assert.deepEqual([row?.action, row?.request_id], ["call.refused", ours]);
});

testOnEngines(
  "audit log: calls to which a caller gives one id, or another call's, have each one of ours",
  async (desk) => {
    const first = await desk.send("POST", "/api/portal/requests", { body: smallRequest() });
    const theirs = first.headers.get("x-request-id") ?? "";
    const headers = { "x-request-id": theirs };
    for (let i = 0; i < 2; i++) {
      await desk.send("POST", "/api/portal/requests", { body: smallRequest(), headers });
    }
    const found = await allItems(desk, `${AUDIT_LOG}?request_id=${theirs}`);
    assert.deepEqual(
      found.map((one) => one.caller_request_id).toSorted(),
      ["", theirs, theirs],
    );
    assert.equal(new Set(found.map((one) => one.request_id)).size, 3);
    const [own] = found.filter((one) => one.caller_request_id === "");
    assert.equal(own.request_id, theirs);
  },
);

testOnEngines("audit log: a session's acts name it and its access token", async (desk) => {
  const { credential, credential_id } = await newPerson(desk, ["portal:write", "approve"]);
  const browser = await signIn(desk, { credential });
  const id = await create(desk, smallRequest());
  const path = `/v1/key-requests/${id}/decline`;
  const declined = await bySession(desk, browser, "POST", path, { reason: "Not this year." });
  assert.equal(declined.status, 200);
  const began = await allItems(desk, `${AUDIT_LOG}?action=session.created`);
  const session: string = began[0].object_id;
  assert.deepEqual([began[0].session, began[0].token_id], [session, credential_id]);
  const acts = await allItems(desk, `${AUDIT_LOG}?session=${session}`);
  assert.deepEqual(acts.map(({ action }) => action), ["key_request.declined", "session.created"]);
  assert.deepEqual(acts.map(({ token_id }) => token_id), [credential_id, credential_id]);
  assert.equal(acts[0].request_id, declined.headers.get("x-request-id"));
  assert.deepEqual(acts[0].detail, { reason: "Not this year." });
});

testOnEngines("audit log: the start and the command line name no call", async (desk) => {
  const [first] = await rowsOf(desk);
  assert.equal(first?.action, "access_token.created");
  const { token_id, session, request_id, caller_request_id, client_address } = first ?? {};
  assert.deepEqual([token_id, session, request_id, client_address], ["", "", "", ""]);
  assert.equal(caller_request_id, "");
});

/** What earlier code writes of an event: it knows none of the new columns. */
const writeAsBefore = defineTransaction(
  "test.write-as-before",
  async (tx, input: { org_id: string }) => void await tx.change(insertAsBefore, input),
);

const insertAsBefore = statement<{ org_id: string }>()((db, p) => ({
  compile: () =>
    sql`insert into audit_events (org_id, id, at, actor, action, object, object_id, detail)
      values (${p.org_id}, 'ffffffff0000000000000000', '2106-01-01T00:00:00.000Z', 'user',
        'person.created', 'person', 'p', '{"name":"Ada"}')`.compile(db),
}));

testOnEngines("audit log: what earlier code writes is shown with empty members", async (desk) => {
  await desk.app.ctx.storage.commit(writeAsBefore, { org_id: desk.org_id });
  const { data: [event] } = await call(desk, "GET", `${AUDIT_LOG}?limit=1`);
  const { detail, token_id, session, request_id, client_address } = event;
  assert.deepEqual({ detail, token_id, session, request_id, client_address }, {
    detail: { name: "Ada" },
    token_id: "",
    session: "",
    request_id: "",
    client_address: "",
  });
}, { extra: [writeAsBefore] });

const addresses: [setting: string | undefined, kept: (string | undefined)[]][] = [
  [undefined, ["192.0.2.17", "2001:db8:1:2:3::4", "192.0.2.18", "198.51.100.9"]],
  ["full", ["192.0.2.17", "2001:db8:1:2:3::4", "192.0.2.18", "198.51.100.9"]],
  ["short", ["192.0.2.0/24", "2001:db8:1::/48", "192.0.2.0/24", "198.51.100.0/24"]],
  ["off", ["", "", "", ""]],
];
for (const [setting, kept] of addresses) {
  const environment = {
    KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8",
    ...setting === undefined ? {} : { KEYDESK_AUDIT_ADDRESSES: setting },
  };
  const options: TestDeskOptions = { environment };
  testOnEngines(`audit log: addresses with the setting ${setting ?? "as it is"}`, async (desk) => {
    const forwarded = { "x-forwarded-for": "203.0.113.1, 198.51.100.9" };
    const found = [
      await addressOf(desk, "192.0.2.17"),
      await addressOf(desk, "2001:db8:1:2:3::4"),
      // A mapped address is one of IPv4; what a stranger says of itself is not believed.
      await addressOf(desk, "::ffff:192.0.2.18", forwarded),
      await addressOf(desk, "10.1.2.3", forwarded),
    ];
    assert.deepEqual(found, kept);
  }, options);
}

testOnEngines("audit log: names, reasons and e-mail addresses stand apart", async (desk) => {
  const { id } = await newPerson(desk, ["portal:read"], { name: "Grace Hopper" });
  const path = `/v1/people/${id}`;
  await call(desk, "PUT", path, { name: "Grace B. Hopper", permissions: ["portal:write"] });
  const token = await call(desk, "POST", `${path}/credentials`, { name: "Hopper's laptop" });
  await call(desk, "POST", `/v1/credentials/${token.id}/rotate`, { overlap_seconds: 0 });
  await call(desk, "DELETE", path);
  const catalogue = { apis: [], email: "hopper@example.org" };
  await call(desk, "POST", "/api/portal/catalogue", catalogue);
  const plan = { name: "Gold", owner: { mail: ["ask hopper@example.org or Bob"] } };
  await call(desk, "POST", "/api/portal/policies", plan);
  const request = await create(desk, smallRequest({ by_user: "hopper@example.org" }));
  await call(desk, "POST", `/v1/key-requests/${request}/decline`, { reason: "Hopper left." });

  const rows = await rowsOf(desk);
  for (const { action, detail } of rows) assert.doesNotMatch(detail, /hopper/i, action);
  const shown = await allItems(desk, AUDIT_LOG);
  const detailOf = (action: string) => shown.find((event) => event.action === action)?.detail;
  assert.deepEqual(detailOf("person.created"), {
    name: "Grace Hopper",
    permissions: ["portal:read"],
  });
  assert.deepEqual(detailOf("person.updated"), {
    name: "Grace B. Hopper",
    permissions: ["portal:write"],
    before: { name: "Grace Hopper", permissions: ["portal:read"] },
    after: { name: "Grace B. Hopper", permissions: ["portal:write"] },
  });
  assert.deepEqual(detailOf("person.deactivated"), {
    name: "Grace B. Hopper",
    before: { state: "active" },
    after: { state: "deactivated" },
  });
  assert.equal(detailOf("access_token.rotated").name, "Hopper's laptop");
  assert.equal(detailOf("catalogue.updated").after.email, "hopper@example.org");
  assert.deepEqual(detailOf("plan.created").after.owner, "(changed)");
  assert.deepEqual(detailOf("key_request.created"), { by_user: "hopper@example.org" });
  assert.deepEqual(detailOf("key_request.declined"), { reason: "Hopper left." });
});
