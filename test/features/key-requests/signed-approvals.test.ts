/** Approvals that a passkey signs: what is demanded, what is kept, and all that is refused. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { canonicalJson } from "../../../src/kernel/canonical-json.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { assertFailure } from "../../support/answers.ts";
import { Authenticator, type Told } from "../../support/authenticator.ts";
import { succeed } from "../../support/companions.ts";
import { openTestDesk, type TestDesk, testEachEngine, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { approvalOf, create, smallRequest, update } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { offer } from "../../support/offer.ts";
import { askedForPlan } from "../../support/offers.ts";
import { addPasskey, HOST } from "../../support/passkeys.ts";
import { newPerson, testClock } from "../../support/people.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type Browser, bySession, signIn } from "../../support/sign-in.ts";
import { challengeOf, decide, demandSignatures, signatureBy } from "../../support/signing.ts";
import { auditTrail, storedCredentials } from "../../support/stored.ts";
import { changePlan } from "../../support/verification.ts";

const clock = testClock();
const path = (id: string) => `/v1/key-requests/${id}`;
const conditions = { addresses: ["192.0.2.0/24"], review_at: "2040-01-01T00:00:00Z" };
const expires_at = "2040-06-01T00:00:00.000Z";

/** A desk whose approvals are signed: its administrator's browser and passkey. */
async function signing(
  desk: TestDesk,
): Promise<{ browser: Browser; authenticator: Authenticator }> {
  const browser = await signIn(desk, { credential: desk.admin });
  const { authenticator } = await addPasskey(desk, browser);
  await demandSignatures(desk, browser);
  return { browser, authenticator };
}

async function asked(desk: TestDesk, changes = {}): Promise<string> {
  const id = await create(desk, smallRequest(changes));
  await known(desk, id);
  return id;
}

testOnEngines(
  "signed: without a signature nothing approves, whoever calls and by whichever way",
  async (desk) => {
    const { browser } = await signing(desk);
    const id = await asked(desk);
    const { revision } = await succeed<{ revision: string }>(desk, "GET", path(id));
    const older = await desk.send("PUT", approvalOf(id));
    assert.equal(older.status, 400);
    assert.match((await older.json()).Message, /signed by a passkey.*in the console/);
    const approve = `${path(id)}/approve`;
    await assertFailure(await desk.send("POST", approve), "signature_required");
    await assertFailure(await decide(desk, browser, id, {}), "signature_required");
    const body = { requests: [{ id, revision }] };
    const { data } = await succeed<{ data: { error: { code: string } }[] }>(
      desk,
      "POST",
      "/v1/key-requests/approve",
      { body },
    );
    assert.deepEqual(data.map(({ error }) => error.code), ["signature_required"]);
    const job = { kind: "approve", ids: [id] };
    await assertFailure(await desk.send("POST", "/v1/jobs", { body: job }), "signature_required");
    // An access token has no session to sign in.
    await assertFailure(await desk.send("POST", `${path(id)}/challenge`), "not_found", {
      message: "This call comes by access token, not by session.",
    });
    assert.deepEqual(await storedCredentials(desk), []);
    await succeed(desk, "POST", `${path(id)}/decline`);
    const session = await (await bySession(desk, browser, "GET", "/v1/session")).json();
    assert.equal(session.signs_approvals, true);
    await demandSignatures(desk, browser, false);
    await succeed(desk, "POST", `${path(id)}/reopen`);
    await succeed(desk, "POST", approve);
  },
  { clock },
);

testOnEngines("signed: the trail keeps all that the challenge was made of", async (desk) => {
  const { browser, authenticator } = await signing(desk);
  const { id, plan } = await askedForPlan(desk);
  const given = await challengeOf(desk, browser, id, { conditions, expires_at });
  const signature = signatureBy(authenticator, given);
  const body = { deliver: "claim", conditions, expires_at, signature };
  const response = await decide(desk, browser, id, body);
  assert.equal(response.status, 200, await response.clone().text());
  await response.body?.cancel();
  const [row] = (await auditTrail(desk)).filter(({ action }) => action === "key_request.approved");
  const { signed } = JSON.parse(row?.detail ?? "{}");
  const { content, public_key, ...proof } = signed;
  assert.equal(canonicalJson(content), given.content);
  const hash = createHash("sha256").update(given.content).digest("base64url");
  assert.equal(hash, given.challenge);
  const { granted, ...about } = content;
  const person = await succeed<{ person: { id: string } }>(desk, "GET", "/v1/me");
  assert.deepEqual({ ...about, revision: "" }, {
    v: 1,
    decision: "approve",
    nonce: given.nonce,
    org_id: desk.org_id,
    user_id: person.person.id,
    key_request_id: id,
    revision: "",
  });
  const limits = { rate: 100, per: 1, quota_max: 1000, quota_renewal_rate: 86_400 };
  assert.deepEqual(granted, {
    developer_id: "dev-ada",
    key: null,
    plans: [{ id: plan, limits, key_expires_in: 0 }],
    remove_plans: [],
    asked_end: null,
    expires_at,
    addresses: ["192.0.2.0/24"],
    rate: null,
    quota: null,
    review_at: "2040-01-01T00:00:00.000Z",
  });
  const { passkey_id: _, ...sent } = proof;
  const { nonce: __, id: credential_id, ...others } = signature;
  assert.deepEqual(sent, { credential_id, ...others });
  assert.deepEqual(Object.keys(public_key), ["kty", "crv", "x", "y"]);
});

/** What is sent instead of what was signed: each is refused, and nothing is minted. */
const refused: Record<
  string,
  (at: {
    desk: TestDesk;
    browser: Browser;
    authenticator: Authenticator;
    id: string;
  }) => Promise<Response>
> = {
  "another request": async ({ desk, browser, authenticator, id }) => {
    const other = await asked(desk, { by_user: "dev-bob" });
    const signature = signatureBy(authenticator, await challengeOf(desk, browser, other));
    return await decide(desk, browser, id, { signature });
  },
  "other addresses": async ({ desk, browser, authenticator, id }) => {
    const signature = signatureBy(authenticator, await challengeOf(desk, browser, id));
    return await decide(desk, browser, id, { conditions, signature });
  },
  "another end": async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id, { expires_at });
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "an offer of it": async ({ desk, browser, authenticator, id }) => {
    const terms = { rate: { calls: 2, seconds: 60 } };
    const given = await challengeOf(desk, browser, id, { decision: "offer", conditions: terms });
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "its plan with other limits": async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id);
    const { for_plan } = await succeed<{ for_plan: string }>(desk, "GET", path(id));
    await changePlan(desk, for_plan, { rate: 999, per: 1 });
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "another revision": async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id);
    const [{ id: for_plan }] = JSON.parse(given.content).granted.plans;
    const fields = { use_case: "Something else" };
    await update(desk, id, smallRequest({ by_user: "dev-ada", for_plan, fields }));
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "another person's passkey": async ({ desk, browser, id }) => {
    const grace = await newPerson(desk, ["approve", "portal:read"]);
    const hers = await signIn(desk, { credential: grace.credential });
    const { authenticator } = await addPasskey(desk, hers, "Hers");
    const given = await challengeOf(desk, browser, id);
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "another session's nonce": async ({ desk, browser, authenticator, id }) => {
    const other = await signIn(desk, { credential: desk.admin });
    const given = await challengeOf(desk, other, id);
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "a nonce of its own": async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id);
    const nonce = `${"a".repeat(43)}.${clock.at + 60_000}.${"b".repeat(43)}`;
    const content = given.content.replace(given.nonce, nonce);
    const challenge = createHash("sha256").update(content).digest("base64url");
    const signature = signatureBy(authenticator, { nonce, challenge });
    return await decide(desk, browser, id, { signature });
  },
  "a nonce that is over": async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id);
    clock.at += 2 * 60_000;
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
  "an unknown passkey": async ({ desk, browser, id }) => {
    const given = await challengeOf(desk, browser, id);
    return await decide(desk, browser, id, { signature: signatureBy(new Authenticator(), given) });
  },
  "a removed passkey": async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id);
    const { data } = await (await bySession(desk, browser, "GET", "/v1/passkeys")).json();
    const removed = await bySession(desk, browser, "DELETE", `/v1/passkeys/${data[0].id}`);
    assert.equal(removed.status, 200);
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given) });
  },
};

const falsified: Record<string, Partial<Told>> = {
  "another origin": { origin: "https://desk.example.org" },
  "another host": { rpId: "example.org" },
  "nobody looked at": { isVerified: false },
  "a counter that stood still": { counter: 0 },
};

for (const [what, told] of Object.entries(falsified)) {
  refused[what] = async ({ desk, browser, authenticator, id }) => {
    const given = await challengeOf(desk, browser, id);
    // What counts has counted on before.
    const first = await asked(desk, { by_user: "dev-bob" });
    const signed = signatureBy(authenticator, await challengeOf(desk, browser, first));
    assert.equal((await decide(desk, browser, first, { signature: signed })).status, 200);
    return await decide(desk, browser, id, { signature: signatureBy(authenticator, given, told) });
  };
}

for (const [what, send] of Object.entries(refused)) {
  testOnEngines(`signed: ${what} is refused`, async (desk) => {
    const { browser, authenticator } = await signing(desk);
    const { id } = await askedForPlan(desk);
    const before = (await storedCredentials(desk)).length;
    await assertFailure(await send({ desk, browser, authenticator, id }), "signature_refused");
    const mine = (await storedCredentials(desk)).filter((one) => one.developer_id === "dev-ada");
    assert.deepEqual([before, mine], [0, []]);
    const { state } = await succeed<{ state: string }>(desk, "GET", path(id));
    assert.equal(state, "pending");
  }, { clock });
}

testOnEngines("signed: of one signature sent eight times, one approves", async (desk) => {
  const { browser, authenticator } = await signing(desk);
  const id = await asked(desk);
  const signature = signatureBy(authenticator, await challengeOf(desk, browser, id));
  const send = () => decide(desk, browser, id, { signature });
  const answers = await Promise.all(Array.from({ length: 8 }, send));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
  for (const answer of answers) await answer.body?.cancel();
  assert.equal((await storedCredentials(desk)).length, 1);
  // Nor is it good for the same request, when that waits again.
  const other = await asked(desk, { by_user: "dev-bob" });
  await assertFailure(await decide(desk, browser, other, { signature }), "signature_refused");
});

testOnEngines("signed: a call that is repeated gets the answer that it had", async (desk) => {
  const { browser, authenticator } = await signing(desk);
  const id = await asked(desk);
  const signature = signatureBy(authenticator, await challengeOf(desk, browser, id));
  const headers = { "idempotency-key": "0123456789abcdef-signed" };
  const send = async () =>
    await (await decide(desk, browser, id, { signature }, { headers })).json();
  const first = await send();
  assert.ok(first.credential.RawKey);
  clock.at += 5 * 60_000;
  assert.deepEqual(await send(), first);
}, { clock });

testOnEngines("signed: who knows an old state of it is told so first", async (desk) => {
  const { browser, authenticator } = await signing(desk);
  const id = await asked(desk);
  const signature = signatureBy(authenticator, await challengeOf(desk, browser, id));
  const headers = { "if-match": '"another"' };
  const stale = await decide(desk, browser, id, { signature }, { headers });
  await assertFailure(stale, "precondition_failed");
  const begun = await decide(desk, browser, id, {}, { what: "challenge", headers });
  await assertFailure(begun, "precondition_failed");
  assert.equal((await decide(desk, browser, id, { signature })).status, 200);
  const again = await decide(desk, browser, id, {});
  assert.equal((await again.json()).code, "already_decided");
});

testOnEngines(
  "signed: an offer is signed as it is made, and accepted without more",
  async (desk) => {
    const { browser, authenticator } = await signing(desk);
    const { id, ada } = await askedForPlan(desk);
    const terms = { rate: { calls: 2, seconds: 60 }, expires_at };
    const offer = { what: "offer" };
    const unsigned = await decide(desk, browser, id, { conditions: terms }, offer);
    await assertFailure(unsigned, "signature_required");
    const begin = { decision: "offer", conditions: terms };
    const wrong = signatureBy(authenticator, await challengeOf(desk, browser, id, begin));
    const more = { ...terms, rate: { calls: 90, seconds: 60 } };
    const other = await decide(desk, browser, id, { conditions: more, signature: wrong }, offer);
    await assertFailure(other, "signature_refused");
    const signature = signatureBy(authenticator, await challengeOf(desk, browser, id, begin));
    const made = await decide(desk, browser, id, { conditions: terms, signature }, offer);
    const answer = await made.json();
    assert.equal(made.status, 200, JSON.stringify(answer));
    const body = { offer_id: answer.offer.id };
    const accepted = await ada.send("POST", `/v1/my/requests/${id}/accept`, { body });
    assert.equal(accepted.status, 200, await accepted.text());
    const rows = await auditTrail(desk);
    const detailOf = (action: string) =>
      JSON.parse(rows.find((row) => row.action === action)?.detail ?? "{}");
    const offered = detailOf("key_request.offered");
    assert.deepEqual(offered.signed.content.granted.rate, { calls: 2, seconds: 60 });
    assert.equal(detailOf("key_request.approved").offer_id, offered.offer_id);
  },
);

testOnEngines(
  "signed: a later end takes a signature, also of a plan that needs nobody",
  async (desk) => {
    const { browser, authenticator } = await signing(desk);
    await openPages(desk);
    const { plans } = await offer(desk, [{ api: "tides", plan: "Tides", approval: "automatic" }]);
    const { id, email } = await registered(desk, "dev-ada");
    const issued = { plans: [plans.Tides], expires_at };
    const { key_id } = await succeed(desk, "POST", `/v1/developers/${id}/keys`, { body: issued });
    const ada = await signInByCode(desk, email);
    const until = "2041-01-01T00:00:00.000Z";
    const later = `/v1/my/keys/${key_id}/later-end`;
    const request = await ada.get<{ id: string }>("POST", later, { until });
    const unsigned = await desk.send("POST", `${path(request.id)}/approve`);
    await assertFailure(unsigned, "signature_required");
    const given = await challengeOf(desk, browser, request.id);
    const { granted } = JSON.parse(given.content);
    assert.deepEqual([granted.key, granted.asked_end, granted.expires_at], [key_id, until, null]);
    const signature = signatureBy(authenticator, given);
    assert.equal((await decide(desk, browser, request.id, { signature })).status, 200);
    assert.equal((await ada.get("GET", `/v1/my/keys/${key_id}`)).ends_at, until);
  },
);

testOnEngines(
  "signed: an offer from before is no offer once signatures are demanded",
  async (desk) => {
    const { browser } = await signing(desk);
    await demandSignatures(desk, browser, false);
    const { id, ada } = await askedForPlan(desk);
    const conditions = { rate: { calls: 2, seconds: 60 } };
    const { offer } = await succeed<{ offer: { id: string } }>(desk, "POST", `${path(id)}/offer`, {
      body: { conditions },
    });
    await demandSignatures(desk, browser);
    const body = { offer_id: offer.id };
    await assertFailure(
      await ada.send("POST", `/v1/my/requests/${id}/accept`, { body }),
      "no_offer",
    );
    await demandSignatures(desk, browser, false);
    assert.equal((await ada.send("POST", `/v1/my/requests/${id}/accept`, { body })).status, 200);
  },
);

testOnEngines("signed: what needs nobody's approval needs no signature", async (desk) => {
  const { browser } = await signing(desk);
  const id = await asked(desk);
  const body = { require_key_approval: false };
  await succeed(desk, "PUT", "/api/portal/configuration", { body });
  await succeed(desk, "POST", `${path(id)}/approve`);
  assert.ok(browser.csrf);
});

testOnEngines("signed: the setting stays where a client does not know it", async (desk) => {
  const { browser } = await signing(desk);
  const rules = "/v1/sign-in-rules";
  const body = { tokens: true, domains: ["example.org"] };
  const put = await (await bySession(desk, browser, "PUT", rules, body)).json();
  assert.deepEqual(put, { ...body, signed_approvals: true, second_factor: false });
  assert.deepEqual(await succeed(desk, "GET", rules), put);
});

testEachEngine("signed: a challenge of one node is answered at another, once", async (engine) => {
  const KEYDESK_SEALING_KEY = newSealingKey();
  const shared: Record<string, string> = engine === "postgres"
    ? { KEYDESK_DATABASE_URL: await createMigrated(), KEYDESK_SEALING_KEY }
    : {};
  await using desk = await openTestDesk(engine, { environment: shared });
  const environment: Record<string, string> = {
    ...engine === "postgres" ? shared : { KEYDESK_DATA_DIR: dirname(desk.config.databaseFile) },
    KEYDESK_ADMIN_TOKEN: desk.admin,
  };
  await using other = await openTestDesk(engine, { environment });
  const { browser, authenticator } = await signing(desk);
  const id = await asked(desk);
  const signature = signatureBy(authenticator, await challengeOf(desk, browser, id));
  const answers = await Promise.all(
    [desk, other, desk, other].map((node) => decide(node, browser, id, { signature })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  for (const answer of answers) await answer.body?.cancel();
  assert.equal((await storedCredentials(desk)).length, 1);
});

Deno.test("signed: where there can be no passkeys it is not switched on", async () => {
  const environment = { KEYDESK_PUBLIC_URL: "https://192.0.2.1" };
  await using desk = await openTestDesk("sqlite", { environment });
  const body = { tokens: true, domains: [], signed_approvals: true };
  const response = await desk.send("PUT", "/v1/sign-in-rules", { body, headers: { host: HOST } });
  await assertFailure(response, "passkeys_unavailable");
});
