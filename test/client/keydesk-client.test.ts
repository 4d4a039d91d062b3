/**
 * The client that the package publishes, over the application in process and over answers that go
 * wrong.
 */
import { type Client, type ClientOptions, createClient, Failure } from "keydesk/client";
import assert from "node:assert/strict";
import { decideOne } from "../../examples/client.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { made } from "../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { create, smallRequest } from "../support/key-requests.ts";

/** A client of the desk, and the requests that it sent. */
function clientOf(desk: TestDesk, more: Partial<ClientOptions> = {}) {
  const sent: Request[] = [];
  const client = createClient({
    url: "http://desk.test",
    credential: desk.admin,
    fetch: async (request) => {
      sent.push(request);
      return await desk.app.fetch(request);
    },
    ...more,
  });
  return { client, sent };
}

testOnEngines("client: the example does what it says", async (desk) => {
  const { client, sent } = clientOf(desk);
  const said: string[] = [];
  await decideOne(client, (line) => said.push(line));
  assert.match(
    said.join("\n"),
    /^asked: request [0-9a-f]{24}\nupdated: for plan-climate, pending\nfound among those that wait\n1 waiting\napproved: key \S+\napproved again: 400 already_processed: Key request has already been processed\.$/,
  );
  // Bun sends a method that it does not know as GET.
  const methods = new Set(sent.map(({ method }) => method));
  assert.deepEqual([...methods].sort(), ["GET", "POST", "PUT"]);
});

testOnEngines("client: a list is read to its end, a page at a time", async (desk) => {
  const ids = new Set<string>();
  for (let i = 0; i < 5; i++) ids.add(await create(desk, smallRequest()));
  const { client, sent } = clientOf(desk);
  const found: string[] = [];
  for await (const { id } of client.listKeyRequests.all({ limit: 2 })) found.push(id);
  assert.deepEqual(new Set(found), ids);
  assert.deepEqual([found.length, sent.length], [5, 3]);
  // Whoever stops early asks for no more.
  for await (const _ of client.listKeyRequests.all({ limit: 2 })) break;
  assert.equal(sent.length, 4);
});

testOnEngines("client: failures of both interfaces and of OAuth are told alike", async (desk) => {
  const { client } = clientOf(desk);
  const absent = "0".repeat(24);
  const legacy = await failureOf(client.getClassicKeyRequest({ id: absent }));
  const v1 = await failureOf(client.getKeyRequest({ id: absent }));
  for (const { status, code, message, title, requestId } of [legacy, v1]) {
    assert.deepEqual([status, code, message], [
      404,
      "not_found",
      "Could not retrieve portal object.",
    ]);
    assert.equal(title, message);
    assert.match(requestId ?? "", /^[0-9a-f-]{36}$/);
  }
  const body = { grant_type: "client_credentials", client_id: "x", client_secret: "y" };
  assert.equal((await failureOf(client.issueToken({ body }))).code, "oauth_invalid_client");
  const invalid = await failureOf(client.createPerson({ body: { name: "", permissions: [] } }));
  assert.equal(invalid.code, "invalid_input");
  assert.match(invalid.errors.join(), /^name: /);
  const nobody = clientOf(desk, { credential: "wrong" }).client;
  assert.equal((await failureOf(nobody.getCaller())).status, 401);
});

testOnEngines("client: If-Match refuses what was changed since", async (desk) => {
  const { client } = clientOf(desk);
  const { id } = await client.createPerson({ body: { name: "Grace", permissions: ["approve"] } });
  const { etag } = await client.getPerson.answer({ id });
  assert.ok(etag);
  const body = { name: "Grace", permissions: ["portal:read" as const] };
  await client.updatePerson({ id, body }, { ifMatch: etag });
  const failure = await failureOf(client.updatePerson({ id, body }, { ifMatch: etag }));
  assert.equal(failure.code, "precondition_failed");
});

testOnEngines(
  "client: forms, bytes, texts, numbers and truths are sent as the interface takes them",
  async (desk) => {
    const { client } = clientOf(desk, { credential: () => Promise.resolve(desk.admin) });
    const pem = made({ cn: "example.org" });
    const { id } = await client.uploadCertificate({ body: new TextEncoder().encode(pem) });
    assert.equal((await client.getClassicCertificate({ id })).subject_cn, "example.org");
    assert.match(
      await client.exportClassicCertificates({ has_private: false }),
      /^# example\.org\n-----BEGIN CERTIFICATE/,
    );
    assert.deepEqual(await client.introspectToken({ body: { token: "kdt_x" } }), { active: false });
    assert.deepEqual(await client.listClassicKeyRequests({ p: 1, approved: true }), {
      Data: [],
      Pages: 0,
    });
  },
);

testOnEngines("client: below a proxy's path, and with ids that need encoding", async (desk) => {
  const urls: string[] = [];
  const { client } = clientOf(desk, {
    url: "http://proxy.test/desk",
    fetch: (request) => {
      urls.push(request.url);
      return Promise.resolve(Response.json({}));
    },
  });
  await client.getDeveloperByEmail({ email: "a/b@example.org" });
  await client.listKeys({ developer: "a&b" });
  assert.deepEqual(urls, [
    "http://proxy.test/desk/api/portal/developers/email/a%2Fb%40example.org",
    "http://proxy.test/desk/v1/keys?developer=a%26b",
  ]);
  await assert.rejects(client.deleteClassicDeveloper({ id: "" }), /id is missing/);
});

/** A client whose server answers with these, in their order; a string is thrown. */
function scripted(answers: (Response | string)[], more: Partial<ClientOptions> = {}) {
  const sent: Request[] = [];
  const client = createClient({
    url: "http://desk.test",
    fetch: (request) => {
      sent.push(request);
      const answer = answers.shift();
      return answer instanceof Response
        ? Promise.resolve(answer)
        : Promise.reject(new TypeError(answer ?? "no more answers"));
    },
    ...more,
  });
  return { client, sent };
}

const busy = (status: number) =>
  Response.json({ Status: "Error", Message: "later", Meta: null }, {
    status,
    headers: {
      "x-keydesk-error": status === 429 ? "too_many_requests" : "unavailable",
      "retry-after": "0",
    },
  });
const fine = () => Response.json({ id: "x", data: [], next_cursor: null });

Deno.test("client: a read is tried again when the connection broke or the server was busy", async () => {
  const { client, sent } = scripted(["broken", busy(503), fine()]);
  await client.listPeople();
  assert.equal(sent.length, 3);
});

Deno.test("client: a change is tried again with its Idempotency-Key alone, each time the same", async () => {
  const body = { name: "Grace", permissions: [] };
  for (const first of ["broken", busy(503)]) {
    const { client, sent } = scripted([first, fine()]);
    await assert.rejects(client.createPerson({ body }));
    assert.equal(sent.length, 1);
  }
  const { client, sent } = scripted(["broken", busy(503), fine()]);
  await client.createPerson({ body }, { idempotencyKey: true });
  const keys = new Set(sent.map(({ headers }) => headers.get("idempotency-key")));
  assert.equal(sent.length, 3);
  assert.match([...keys].join(), /^[0-9a-f]{32}$/);
  assert.deepEqual(await Promise.all(sent.map((one) => one.json())), [body, body, body]);
});

Deno.test("client: what was refused for now was not done, so any call is tried again", async () => {
  const { client, sent } = scripted([busy(429), fine()]);
  await client.deleteClassicDeveloper({ id: "x" });
  assert.equal(sent.length, 2);
});

Deno.test("client: tries end, and the last failure is told", async () => {
  const { client, sent } = scripted([busy(503), busy(503), busy(503)], { retries: 1 });
  const failure = await failureOf(client.listPeople());
  assert.deepEqual([failure.code, failure.retryAfterSeconds, sent.length], ["unavailable", 0, 2]);
});

Deno.test("client: a server that says to wait long is not waited for", async () => {
  const long = Response.json({}, { status: 429, headers: { "retry-after": "600" } });
  const { client, sent } = scripted([long, fine()]);
  assert.equal((await failureOf(client.listPeople())).retryAfterSeconds, 600);
  assert.equal(sent.length, 1);
});

Deno.test("client: a signal ends the call and the waiting, with its own reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const slow = Response.json({}, { status: 503, headers: { "retry-after": "20" } });
  const { client, sent } = scripted([slow, fine()]);
  const call = client.listPeople({}, { signal: controller.signal });
  queueMicrotask(() => controller.abort(reason));
  await assert.rejects(call, (error) => error === reason);
  await assert.rejects(
    client.listPeople({}, { signal: controller.signal }),
    (error) => error === reason,
  );
  assert.ok(sent.length <= 1);
});

Deno.test("client: an answer from something in between is a failure too", async () => {
  const { client } = scripted([new Response("<h1>Bad gateway</h1>", { status: 502 })], {
    retries: 0,
  });
  const failure = await failureOf(client.listPeople());
  assert.deepEqual([failure.status, failure.code, failure.message], [502, "unknown", "HTTP 502"]);
});

Deno.test("client: a header that an operation does not heed is refused, by types and at run time", async () => {
  const { client, sent } = scripted([]);
  // @ts-expect-error -- listPeople takes no idempotencyKey
  await assert.rejects(client.listPeople({}, { idempotencyKey: true }), /takes no idempotencyKey/);
  const body = { name: "x", permissions: [] };
  // @ts-expect-error -- createPerson takes no ifMatch
  await assert.rejects(client.createPerson({ body }, { ifMatch: "x" }), /takes no ifMatch/);
  // @ts-expect-error -- the id is missing
  await assert.rejects(client.getClassicKeyRequest({}), /id is missing/);
  assert.equal(sent.length, 0);
});

Deno.test("client: it has every operation but pages, documents and verdicts in headers", () => {
  const { client } = scripted([]);
  const others = endpoints.map(({ id }) => id).filter((id) => !(id in client));
  assert.deepEqual(others, [
    "offerPage",
    "offerScript",
    "oneTimeLinkPage",
    "oneTimeLinkScript",
    "oneTimeLinkStyle",
    "confirmPage",
    "confirmScript",
    "forwardAuth",
    "openapi",
    "openapi31",
    "referencePage",
    "referenceFile",
  ]);
});

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const failure = await call.then(() => undefined, (error) => error);
  assert.ok(failure instanceof Failure, String(failure));
  return failure;
}

// A client is one value: it can be handed on as what it is.
const _typed: (client: Client) => Promise<unknown> = (client) => client.getCaller();
