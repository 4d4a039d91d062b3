/**
 * `Idempotency-Key` on everything that creates or issues: a repeat gets the first answer, and
 * nothing is done twice.
 */
import assert from "node:assert/strict";
import { z } from "zod";
import { type Endpoint, refusesUnlisted } from "../../src/contract/endpoint.ts";
import { createClassicDeveloper } from "../../src/features/accounts/developer-accounts.operations.ts";
import { idempotencyOf } from "../../src/http/call.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { statement } from "../../src/storage/statement.ts";
import { assertFailure } from "../support/answers.ts";
import { made } from "../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { exampleOf, readDocument } from "../support/document.ts";
import { type Example, prepared } from "../support/examples/examples.ts";
import { newStage, type Stage } from "../support/examples/stage.ts";

const KEY = "a-key-of-16-or-more";
const OTHER = "another-key-of-this-test";

/**
 * What makes or issues nothing: it reads, signs in, sets what it names, or hands over what was made
 * before.
 */
const MAKES_NOTHING = [
  "openOneTimeLink",
  // An offer is accepted once, and answered once.
  // The same words once more in a row are added once.
  "addWordsToMyRequest",
  // Once in 24 hours.
  "remindOfMyRequest",
  "previewOffer",
  "verifyCredentials",
  "setDeveloperPassword",
  "findKey",
  "verifyKey",
  // A call is counted each time, as verification counts it.
  "verifyKeyInShadow",
  "reportAllowedCall",
  "checkKey",
  "createCatalogue",
  "createConfiguration",
  "resetKeyQuota",
  // The same report twice is one.
  "reportLeaks",
  "reportPartnerLeaks",
  // What is sent again has the id that it had.
  "pauseChannel",
  "resumeChannel",
  "pauseGateway",
  "resumeGateway",
  "hurryGateway",
  "reconcileGateway",
  "testChannel",
  "testMailServer",
  "replayDelivery",
  "replayDeliveries",
  "deliverNow",
  "previewMail",
  // A nonce of an earlier answer would be over, and one is redeemed once.
  "createSsoNonce",
  "redeemSsoNonce",
  // What was stopped stays so, and a link is given once.
  "stopJob",
  "takeJobLinks",
  "takeJobOneTimeLinks",
  "previewOneTimeLink",
  "readOneTimeLinkFate",
  // Said again it changes nothing.
  "dismissLeak",
  // A link confirms once.
  "previewEmailConfirmation",
  "confirmEmail",
  "issueToken",
  "introspectToken",
  "revokeToken",
  "signIn",
  // A challenge is answered once, and an invitation lets in once.
  "beginPasskeySignIn",
  "beginPasskey",
  "createPasskey",
  // A further secret is another one, and so are recovery codes.
  "beginOneTimeCodes",
  "createOneTimeCodes",
  "renewRecoveryCodes",
  // The same of a way to an identity provider, and a logout token counts once.
  "beginProviderSignIn",
  "finishProviderSignIn",
  "endByProvider",
  "endDevelopersByProvider",
  "beginIdentity",
  "createIdentity",
  "checkApprovalPolicy",
  // One temporary access a person, and each is signed or confirmed once.
  "challengeForTemporaryAccess",
  "startTemporaryAccess",
  "confirmTemporaryAccess",
  // So is what an access token added or moved.
  "confirmGateway",
  "confirmLosses",
  "checkIdentityProvider",
  "previewPersonInvitation",
  "previewSignIn",
  "acceptPersonInvitation",
  "listSignInWays",
  // A further code is another one, and a link or a code signs in once.
  "requestSignInCode",
  "requestProofCode",
  "requestEmailCode",
  "enterProofCode",
  "signInDeveloper",
  "createSignInLink",
  "createDeveloperView",
  // Its value is shown once, and two of a name are listed and ended by themselves.
  "createMyToken",
  // An address is invited once, however often that is said.
  "inviteDeveloper",
  "suspendPerson",
  "resumePerson",
  // A file that was applied changes nothing, and one yes is as good as two.
  "diffConfig",
  "applyConfig",
  "confirmConfigReview",
];

/** The token in their body is who calls: with another one the call is another's. */
const BY_LINK = ["acceptOfferByLink", "answerOfferByLink"];

const { operations } = readDocument();
const idempotent = operations.filter(({ endpoint, method }) =>
  endpoint.idempotent && method === endpoint.method
);

Deno.test("every POST takes Idempotency-Key, or makes nothing", () => {
  const others = endpoints.filter(({ method, idempotent }) => method === "POST" && !idempotent);
  assert.deepEqual(others.map(({ id }) => id).sort(), MAKES_NOTHING.toSorted());
});

Deno.test("the document tells header and failures where the contract says idempotent", () => {
  for (const { name, endpoint, operation } of operations) {
    const told = [
      operation?.parameters.some((one) => one.name === "idempotency-key"),
      endpoint.errors.includes("idempotency_key_invalid"),
      endpoint.errors.includes("idempotency_key_reused") && "422" in (operation?.responses ?? {}),
    ];
    assert.deepEqual(told, Array(3).fill(endpoint.idempotent ?? false), name);
  }
});

type Send = (body: string | null, key?: string) => Promise<Response>;

/** Calls `test` for each such endpoint with its example, in an organisation of its own. */
function onEachEndpoint(
  promise: string,
  test: (endpoint: Endpoint, example: Example, send: Send, stage: Stage) => Promise<void>,
): void {
  testOnEngines(promise, async (desk) => {
    for (const { name, endpoint, method, operation } of idempotent) {
      assert.ok(operation);
      const stage = await newStage(desk);
      if (endpoint.id === "createOrganisation") stage.admin = desk.admin;
      const sample = exampleOf({ endpoint, method }, operation);
      assert.ok(sample, name);
      const example = await prepared(stage, sample);
      const { path, headers } = example;
      const send: Send = (body, key = KEY) =>
        desk.send(method, encodeURI(path), {
          // A developer calls by their cookie.
          credential: headers.cookie ? null : stage.admin,
          body,
          headers: { ...headers, "idempotency-key": key },
        });
      try {
        await test(endpoint, example, send, stage);
      } catch (error) {
        throw new Error(name, { cause: error });
      }
    }
  });
}

onEachEndpoint(
  "repeated: the first answer is given again, and nothing is written",
  async (_, { body }, send, { desk }) => {
    const first = await told(await send(body));
    const before = await changes(desk);
    for (let n = 0; n < 2; n++) assert.equal(await told(await send(body)), first);
    assert.deepEqual(await changes(desk), before);
  },
);

onEachEndpoint(
  "repeated: twins at once do it once and get the same answer",
  async (_, { body }, send) => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => await told(await send(body))),
    );
    assert.equal(new Set(answers).size, 1);
  },
);

onEachEndpoint(
  "repeated: what was parsed is compared, not how it was written",
  async (endpoint, { body }, send) => {
    if (typeof endpoint.body !== "object" && endpoint.body !== "ignored") return;
    const first = await told(await send(body));
    const value: unknown = JSON.parse(body ?? '""');
    const again = body === null ? null : JSON.stringify(otherwiseWritten(value, endpoint), null, 2);
    assert.equal(await told(await send(again)), first);
  },
);

onEachEndpoint(
  "repeated: another body is refused, and a key that is none",
  async (endpoint, { body }, send) => {
    await assertFailure(await send(body, "short"), "idempotency_key_invalid");
    await told(await send(body));
    if (BY_LINK.includes(endpoint.id)) return;
    const another = anotherBody(endpoint, body);
    if (another === undefined) return;
    await assertFailure(await send(another), "idempotency_key_reused");
    await assertFailure(await send(another), "idempotency_key_reused");
  },
);

testOnEngines(
  "repeated: a failure is not kept, neither of a certificate that exists",
  async (desk) => {
    const headers = { "idempotency-key": KEY };
    const pem = made({ cn: "twice" });
    const id = await told(await desk.send("POST", "/api/certs", { body: pem }));
    const again = () => desk.send("POST", "/api/certs", { body: pem, headers });
    assert.equal(codeOf(await again()), "certificate_exists");
    await desk.send("DELETE", `/api/certs/${JSON.parse(id).id}`);
    assert.equal(await told(await again()), id);
    assert.equal(await told(await again()), id);
  },
);

testOnEngines("repeated: one certificate is one call in whatever form it comes", async (desk) => {
  const form = (boundary: string, field: string, text: string) => ({
    body:
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="a.pem"\r\n\r\n` +
      `${text}\r\n--${boundary}--\r\n`,
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "idempotency-key": KEY,
    },
  });
  for (const [n, path] of ["/api/certs", "/v1/certificates?as=one"].entries()) {
    const pem = made({ cn: `forms ${n}` });
    const send = (init: { body: string; headers: Record<string, string> }) =>
      desk.send("POST", path, init);
    const first = await told(await send(form("one", "data", pem)));
    assert.equal(await told(await send(form("another", "file", pem))), first);
    const plain = { body: pem, headers: { "idempotency-key": KEY } };
    assert.equal(await told(await send(plain)), first);
    const spaced = { ...plain, body: `\n${pem.replaceAll("\n", "\r\n")}\n` };
    assert.equal(await told(await send(spaced)), first);
    const opened = { ...plain, headers: { ...plain.headers, passphrase: "words" } };
    await assertFailure(await send(opened), "idempotency_key_reused");
    await assertFailure(
      await send({ ...plain, body: made({ cn: "others" }) }),
      "idempotency_key_reused",
    );
  }
});

testOnEngines(
  "repeated: the answer is given again when the catalogue asks for more now",
  async (desk) => {
    const body = { by_user: "dev", for_plan: "plan-of-the-catalogue" };
    for (const path of ["/api/portal/requests", "/v1/key-requests"]) {
      const send = (key: string) =>
        desk.send("POST", path, { body, headers: { "idempotency-key": `${key} ${path}` } });
      const first = await told(await send(KEY));
      const configuration = { key_request_fields: [{ name: "team", required: true }] };
      await told(await desk.send("PUT", "/api/portal/configuration", { body: configuration }));
      const catalogue = { apis: [{ name: "API", policy_id: body.for_plan }] };
      await told(await desk.send("PUT", "/api/portal/catalogue", { body: catalogue }));
      assert.equal(idOf(await told(await send(KEY))), idOf(first));
      assert.equal(codeOf(await send(OTHER)), "invalid_input");
      await told(await desk.send("PUT", "/api/portal/configuration", { body: {} }));
    }
  },
);

testOnEngines("repeated: what is kept tells nothing of what was sent", async (desk) => {
  const password = "a long sentence that only she knows";
  const body = { email: "ada@example.org", password };
  const headers = { "idempotency-key": KEY };
  await told(await desk.send("POST", "/api/portal/developers", { body, headers }));
  const call = { params: {}, query: undefined, body: createClassicDeveloper.body?.parse(body) };
  const request = { ...call, rawBody: new Uint8Array(), headers: new Headers(headers) };
  const unkeyed = idempotencyOf(createClassicDeveloper, request)?.fingerprint;
  assert.match(unkeyed ?? "", /^[0-9a-f]{64}$/);
  const [kept] = await desk.app.ctx.storage.reader.rows(keptSql, {});
  assert.match(kept?.fingerprint ?? "", /^[0-9a-f]{64}$/);
  assert.notEqual(kept?.fingerprint, unkeyed);
  for (const text of Object.values(kept ?? {})) assert.ok(!String(text).includes(password));
});

const keptSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("idempotent_answers").select(["scope", "fingerprint", "answer"])
);

/** The text of a success. */
async function told(response: Response): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

function codeOf(response: Response): string | null {
  return response.headers.get("x-keydesk-error");
}

function idOf(text: string): string {
  const { Message, id } = JSON.parse(text);
  return Message ?? id;
}

const countSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("audit_events").select(["id"])
);

/** Every change leaves a row in the audit log. */
async function changes(desk: TestDesk): Promise<number> {
  return (await desk.app.ctx.storage.reader.rows(countSql, {})).length;
}

/**
 * The same value with its members in another order, with one that nobody knows where such are
 * dropped.
 */
function otherwiseWritten(value: unknown, endpoint: Endpoint): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).reverse();
  const drops = !endpoint.keepsUnknown && !refusesUnlisted(endpoint);
  return Object.fromEntries(drops ? [...members, ["not_there", null]] : members);
}

/** A body that the endpoint takes and that says something else; undefined: there is none. */
function anotherBody(endpoint: Endpoint, body: string | null): string | undefined {
  const { body: schema } = endpoint;
  // Under /v1 members would be refused; what else comes there is ignored, and compared.
  if (schema === "ignored") {
    return refusesUnlisted(endpoint) ? `["something else"]` : `{"said":"something else"}`;
  }
  if (schema === "bytes") return made({ cn: "another" });
  if (!(schema instanceof z.ZodType)) return undefined;
  const value: unknown = body === null ? {} : JSON.parse(body);
  const parsed = JSON.stringify(schema.parse(value));
  for (const changed of changesOf(value)) {
    const result = schema.safeParse(changed);
    if (result.success && JSON.stringify(result.data) !== parsed) return JSON.stringify(changed);
  }
  return undefined;
}

/**
 * The value with one of its texts or numbers changed, one after the other, the last first: ids
 * stand in front.
 */
function* changesOf(value: unknown): Generator<unknown> {
  if (typeof value === "string") yield `${value} more`;
  else if (typeof value === "number") yield value + 1;
  else if (typeof value === "boolean") yield !value;
  else if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) {
      for (const changed of changesOf(item)) yield value.with(n, changed);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value).reverse()) {
      for (const changed of changesOf(member)) yield { ...value, [name]: changed };
    }
  }
}
