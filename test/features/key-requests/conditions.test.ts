/** Keys that are granted on conditions: what stands where, and what each door does about it. */
import assert from "node:assert/strict";
import { gatewayConditions } from "../../../src/features/keys/gateway-conditions.ts";
import { CONDITIONAL, conditionalHash } from "../../../src/features/keys/key-conditions.ts";
import { isOlder } from "../../../src/changes/older-nodes.store.ts";
import { leaveNodes, noteNode } from "../../../src/maintenance/nodes/nodes.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { statement } from "../../../src/storage/statement.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { tamper } from "../../support/damage.ts";
import { introspected, sendForm, tokenFor } from "../../support/oauth.ts";
import { askedForPlan, makeOffer } from "../../support/offers.ts";
import { changePlan, heeds, outcome, planWith } from "../../support/verification.ts";

const HERE = "192.0.2.7";
const ELSEWHERE = "198.51.100.1";
const addresses = ["192.0.2.0/24", "2001:db8::/32"];
const conditions = { addresses, review_at: "2040-01-01T00:00:00Z" };

interface Approved {
  key_id: string;
  key: { RawKey: string; Password: string };
}

async function approved(desk: TestDesk, id: string, body: unknown): Promise<Approved> {
  return await succeed<Approved>(desk, "POST", `/v1/key-requests/${id}/approve`, { body });
}

testOnEngines(
  "conditions: granted at once, beside what was asked; the message goes out, the reason stays",
  async (desk) => {
    const { id, ada } = await askedForPlan(desk);
    const expires_at = "2040-06-01T00:00:00.000Z";
    const words = { reason: "Their firewall is known.", message: "From your office alone." };
    const { key_id } = await approved(desk, id, { ...words, expires_at, conditions });
    const review_at = "2040-01-01T00:00:00.000Z";
    const granted = { addresses, rate: null, quota: null, review_at };
    const shown = await succeed<Record<string, unknown>>(desk, "GET", `/v1/key-requests/${id}`);
    assert.deepEqual(shown.granted, { ...granted, expires_at, plans: null });
    assert.deepEqual([shown.reason, shown.message], [words.reason, words.message]);
    const kept = shown.decided_on as { plans: unknown[]; developer: unknown };
    const limits = { rate: 100, per: 1, quota_max: 1000, quota_renewal_rate: 86_400 };
    const plan = { id: shown.for_plan, limits, key_expires_in: 0, held: false };
    const developer = { inactive: false, keys: 0, email_state: "proved", email_changed_at: null };
    assert.deepEqual(kept, { plans: [plan], developer });
    const key = await succeed<Record<string, unknown>>(desk, "GET", `/v1/keys/${key_id}`);
    assert.deepEqual([key.conditions, key.algorithm], [granted, "sha256"]);
    const mine = await ada.get("GET", `/v1/my/requests/${id}`);
    assert.deepEqual([mine.message, mine.granted], [
      words.message,
      { ...granted, expires_at, plans: null },
    ]);
    assert.ok(!JSON.stringify(mine).includes(words.reason));
    assert.deepEqual((await ada.get("GET", `/v1/my/keys/${key_id}`)).conditions, granted);
    const auditLog = await succeed(desk, "GET", "/v1/audit-log?action=key_request.approved");
    assert.match(JSON.stringify(auditLog), /From your office alone/);
  },
);

testOnEngines(
  "conditions: other addresses count at every door within a second; a key for all stays so",
  async (desk) => {
    const { id, plan } = await askedForPlan(desk);
    const { key_id, key: { RawKey: key } } = await approved(desk, id, { conditions });
    const path = `/v1/keys/${key_id}`;
    const ask = (address: string) => outcome(desk, { key, address });
    assert.deepEqual([await ask(ELSEWHERE), await ask(HERE)], ["address", "valid"]);
    const before = (await desk.send("GET", path)).headers.get("etag");
    const body = { addresses: ["198.51.100.0/24", " 198.51.100.0/24", "2001:DB8::1"] };
    const changed = await succeed<Record<string, unknown>>(desk, "PUT", `${path}/addresses`, {
      body,
    });
    const now = ["198.51.100.0/24", "2001:db8::1"];
    const review_at = "2040-01-01T00:00:00.000Z";
    const all = { addresses: now, rate: null, quota: null, review_at };
    assert.deepEqual([changed.conditions, changed.algorithm], [all, "sha256"]);
    await heeds(desk, { key, address: ELSEWHERE }, "valid");
    assert.equal(await ask(HERE), "address");
    const read = await desk.send("GET", path);
    assert.notEqual(read.headers.get("etag"), before);
    await read.body?.cancel();
    const [event] = (await succeed<{ data: { detail: unknown }[] }>(
      desk,
      "GET",
      "/v1/audit-log?action=key.addresses_changed",
    )).data;
    assert.deepEqual(event?.detail, { addresses: now, before: addresses });
    // Neither what is none, nor an empty list, nor a key that opens from all.
    for (const addresses of [[], ["here"], ["10.0.0.0/33"]]) {
      const refused = await desk.send("PUT", `${path}/addresses`, { body: { addresses } });
      assert.equal((await refused.json()).code, "invalid_input");
    }
    const free = await succeed<{ key_id: string }>(desk, "POST", "/v1/developers/dev-ada/keys", {
      body: { plans: [plan] },
    });
    const refused = await desk.send("PUT", `/v1/keys/${free.key_id}/addresses`, { body });
    assert.equal((await refused.json()).code, "key_opens_from_all");
    const { admin } = await desk.otherOrganisation();
    const foreign = await desk.send("PUT", `${path}/addresses`, { body, credential: admin });
    assert.equal((await foreign.json()).code, "not_found");
    await succeed(desk, "POST", `${path}/revoke`, { body: { reason: "for a test" } });
    const late = await desk.send("PUT", `${path}/addresses`, { body });
    assert.equal((await late.json()).code, "key_revoked");
  },
);

testOnEngines("conditions: a key opens for its addresses alone, at every door", async (desk) => {
  const { id } = await askedForPlan(desk);
  const { key: { RawKey: key } } = await approved(desk, id, { conditions });
  const ask = (address?: string) =>
    outcome(desk, address === undefined ? { key } : { key, address });
  assert.deepEqual(
    [await ask(), await ask("nonsense"), await ask(ELSEWHERE), await ask(HERE)],
    ["address_unknown", "address_unknown", "address", "valid"],
  );
  // A gateway's variable that is empty.
  assert.equal(await ask(""), "address_unknown");
  for (
    const spelling of ["::ffff:192.0.2.7", ` ${HERE} `, `${HERE}:4711`, "[2001:db8:1::2]:4711"]
  ) {
    assert.equal(await ask(spelling), "valid", spelling);
  }
  assert.equal(await ask("2001:db8:1::2"), "valid");
  const forward = async (from: string | undefined, forwarded?: string) => {
    const answer = await desk.send("GET", "/v1/forward-auth", {
      credential: null,
      headers: {
        "x-keydesk-authorization": desk.admin,
        authorization: key,
        ...forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      },
      ...from === undefined ? {} : { from },
    });
    return [answer.status, answer.headers.get("x-keydesk-reason")];
  };
  const proxy = "10.0.0.1";
  assert.deepEqual(await forward(proxy, HERE), [200, null]);
  assert.deepEqual(await forward(proxy, `${HERE}, ${ELSEWHERE}`), [403, "address"]);
  assert.deepEqual(await forward(proxy), [403, "address_unknown"]);
  assert.deepEqual(await forward(proxy, "unknown"), [403, "address_unknown"]);
  // What a proxy says that is not trusted is what any visitor could say.
  assert.deepEqual(await forward(HERE, HERE), [403, "address_unknown"]);
}, { environment: { KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8" } });

testOnEngines(
  "conditions: a rotated and a re-issued key have those of the one before",
  async (desk) => {
    const { id } = await askedForPlan(desk);
    const { key_id } = await approved(desk, id, { conditions });
    const rotated = await succeed<{ RawKey: string; key_id: string }>(
      desk,
      "POST",
      `/v1/keys/${key_id}/rotate`,
      { body: { overlap_seconds: 60 } },
    );
    assert.equal(await outcome(desk, rotated.RawKey), "address_unknown");
    const again = await succeed<{ RawKey: string }>(desk, "POST", `/v1/key-requests/${id}/reissue`);
    assert.equal(await outcome(desk, again.RawKey), "address_unknown");
    assert.equal(await outcome(desk, { key: again.RawKey, address: HERE }), "valid");
  },
);

testOnEngines("conditions: an OAuth client's tokens open for its addresses alone", async (desk) => {
  const plan = await planWith(desk, { auth_type: "oauth" }, ["tides"]);
  await succeed(desk, "POST", "/v1/developers", {
    body: { id: "dev-ada", email: "a@example.org" },
  });
  const body = { by_user: "dev-ada", for_plan: plan, oauth_info: { redirect_uri: "" } };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  const { key_id, key: credential } = await approved(desk, id, { conditions });
  const client = { client_id: credential.RawKey, client_secret: credential.Password };
  const token = await tokenFor(desk, client);
  assert.equal(await outcome(desk, token), "address_unknown");
  assert.equal(await outcome(desk, { key: token, address: HERE }), "valid");
  // Introspection can't know the visitor.
  assert.deepEqual(await introspected(desk, token), { active: false });
  await assertOlderFindsNothing(desk, { key_id, token, secret: client.client_secret });
  await sendForm(desk, "/oauth/revoke", { token, ...client });
  await heeds(desk, { key: token, address: HERE }, "unknown");
});

testOnEngines("conditions: a user name's password too; older code knows neither", async (desk) => {
  const plan = await planWith(desk, { auth_type: "basic" }, ["tides"]);
  await succeed(desk, "POST", "/v1/developers", {
    body: { id: "dev-ada", email: "a@example.org" },
  });
  const body = { by_user: "dev-ada", for_plan: plan };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  const { key_id, key: credential } = await approved(desk, id, { conditions });
  const asked = { username: credential.RawKey, password: credential.Password };
  assert.equal(await outcome(desk, { ...asked, address: HERE }), "valid");
  assert.equal(await outcome(desk, { ...asked, password: "wrong", address: HERE }), "unknown");
  await assertOlderFindsNothing(desk, { key_id, secret: credential.Password });
});

const olderKeySql = statement<{ key_id: string }>()((db, p) =>
  db.selectFrom("credentials").select("key_id").where("key_id", "=", p.key_id)
    .where("algorithm", "=", "sha256")
);
const secretSql = statement<{ key_id: string }>()((db, p) =>
  db.selectFrom("credentials").select("secret_hash").where("key_id", "=", p.key_id)
);
const olderTokenSql = statement<{ hash: string }>()((db, p) =>
  db.selectFrom("oauth_tokens").select("hash").where("hash", "=", p.hash)
);

/**
 * By the rules of the release before conditions: a key is looked for by its SHA-256 with that
 * algorithm, a secret compared with its SHA-256, a token found by it.
 */
async function assertOlderFindsNothing(
  { app: { ctx: { storage: { reader } } } }: TestDesk,
  { key_id, secret, token }: { key_id: string; secret?: string; token?: string },
): Promise<void> {
  assert.equal(await reader.row(olderKeySql, { key_id }), undefined);
  if (secret !== undefined) {
    const stored = await reader.row(secretSql, { key_id });
    assert.equal(stored?.secret_hash, conditionalHash(sha256(secret)));
    assert.notEqual(stored?.secret_hash, sha256(secret));
  }
  if (token !== undefined) {
    assert.equal(await reader.row(olderTokenSql, { hash: sha256(token) }), undefined);
  }
}

testOnEngines(
  "conditions: older code finds no key that has some, and one that has none",
  async (desk) => {
    const { id } = await askedForPlan(desk);
    const { key_id } = await approved(desk, id, { conditions });
    await assertOlderFindsNothing(desk, { key_id });
    const body = { by_user: "dev-ada", for_plan: "plan-2" };
    await planWith(desk, { id: "plan-2" });
    const plain = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
    const { key_id: other } = await approved(desk, plain.id, { message: "Welcome." });
    const { reader } = desk.app.ctx.storage;
    assert.equal((await reader.row(olderKeySql, { key_id: other }))?.key_id, other);
  },
);

testOnEngines(
  "conditions: what is no network, and a time that is over, grants nothing",
  async (desk) => {
    const { id } = await askedForPlan(desk);
    const path = `/v1/key-requests/${id}/approve`;
    for (const wrong of [{ addresses: ["office"] }, { review_at: "2020-01-01T00:00:00Z" }]) {
      const answer = await desk.send("POST", path, { body: { conditions: wrong } });
      assert.deepEqual([answer.status, (await answer.json()).code], [400, "invalid_input"]);
    }
    assert.equal(
      (await succeed<{ state: string }>(desk, "GET", `/v1/key-requests/${id}`)).state,
      "pending",
    );
  },
);

testOnEngines("conditions: changed in the store, the key opens nothing", async (desk) => {
  const { id } = await askedForPlan(desk);
  const { key_id, key: credential } = await approved(desk, id, { conditions });
  const fewer = '{"addresses":null,"rate":null,"quota":null,"review_at":null}';
  await tamper(desk, `update credentials set conditions = '${fewer}' where key_id = '${key_id}'`);
  assert.equal(await outcome(desk, { key: credential.RawKey, address: HERE }), "damaged");
});

testOnEngines(
  "conditions: an end that was granted stays, whoever replaces the key",
  async (desk) => {
    const { id, plan, ada } = await askedForPlan(desk);
    const year = 365 * 24 * 60 * 60;
    await changePlan(desk, plan, { key_expires_in: 50 * year });
    const expires_at = "2040-06-01T00:00:00.000Z";
    const replaced = (path: string, body?: unknown) =>
      succeed<{ key_id: string; expires_at: string | null }>(desk, "POST", path, { body });
    const { key_id } = await approved(desk, id, { expires_at });
    const rotated = await replaced(`/v1/keys/${key_id}/rotate`, { overlap_seconds: 5 });
    const reissued = await replaced(`/v1/key-requests/${id}/reissue`);
    assert.deepEqual([rotated.expires_at, reissued.expires_at], [expires_at, expires_at]);

    const body = { by_user: "dev-ada", for_plan: plan };
    const again = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
    const terms = { expires_at, rate: { calls: 60, seconds: 60 } };
    const offer = await makeOffer(desk, again.id, terms);
    const accepted = await ada.send("POST", `/v1/my/requests/${again.id}/accept`, {
      body: { offer_id: offer.id },
    });
    const { key: { id: waits } } = await accepted.json();
    const opened = await ada.get<{ expires_at: string }>(
      "POST",
      `/v1/my/keys/${waits}/one-time-link`,
    );
    assert.equal(opened.expires_at, expires_at);

    // Without a granted end the plan's counts, from the moment of the rotation.
    const plain = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
    const { key_id: other } = await approved(desk, plain.id, {});
    await changePlan(desk, plan, { key_expires_in: 60 * year });
    const longer = await replaced(`/v1/keys/${other}/rotate`, { overlap_seconds: 5 });
    assert.ok((longer.expires_at ?? "") > expires_at, longer.expires_at ?? "none");

    // An end that people set later is chosen too, and so is that there is none.
    const rotate = (key_id: string) =>
      replaced(`/v1/keys/${key_id}/rotate`, { overlap_seconds: 5 });
    const { key_id: third } = await rotate(longer.key_id);
    await succeed(desk, "PUT", `/v1/keys/${third}/expiry`, { body: { expires_at } });
    const fourth = await rotate(third);
    assert.equal(fourth.expires_at, expires_at);
    await succeed(desk, "PUT", `/v1/keys/${fourth.key_id}/expiry`, { body: {} });
    assert.equal((await rotate(fourth.key_id)).expires_at, null);
  },
);

testOnEngines(
  "conditions: while a node of an older release serves, none are granted or offered",
  async (desk) => {
    const { id } = await askedForPlan(desk);
    const { storage, clock } = desk.app.ctx;
    const older = { id: "older", name: "older:8080", up_ms: 0, stale_ms: 0, ahead_ms: null };
    const note = (version: string) =>
      storage.commit(noteNode, { ...older, version, now: clock.now() });
    await note("0.8.3");
    const path = `/v1/key-requests/${id}`;
    const calls = [
      [`${path}/approve`, { conditions }],
      [`${path}/offer`, { conditions: { rate: { calls: 1, seconds: 60 } } }],
    ] as const;
    for (const [at, body] of calls) {
      const answer = await desk.send("POST", at, { body });
      const { code, detail } = await answer.json();
      assert.deepEqual([answer.status, code], [503, "unavailable"]);
      assert.match(detail, /older release still serves/);
    }
    await storage.commit(leaveNodes, { id: older.id });
    await approved(desk, id, { conditions });
    assert.deepEqual(["0.8.99", "0.1.0", "", "0.9.0", "0.10.0", "1.0.0-rc.1"].map(isOlder), [
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  },
);

Deno.test("conditions: what can't be read is no key without conditions", () => {
  const read = (text: string | null) =>
    gatewayConditions({ algorithm: CONDITIONAL, conditions: text });
  assert.deepEqual(["null", null, "{"].map(read), [undefined, undefined, undefined]);
  assert.equal(gatewayConditions({ algorithm: "sha256", conditions: "{}" }), undefined);
  assert.equal(gatewayConditions({ algorithm: "sha256", conditions: null }), null);
});
