/** Offers: less than was asked, or something else; and that each ends once, in one way. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../src/features/notifications/alerts/alert-engine.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import type { DeveloperClient } from "../../support/developers.ts";
import { tamper } from "../../support/damage.ts";
import { askedForPlan, makeOffer, type ShownOffer } from "../../support/offers.ts";
import { newPerson } from "../../support/people.ts";
import { storedCredentials } from "../../support/stored.ts";
import { changePlan, outcome, planWith, valid } from "../../support/verification.ts";

const less = { rate: { calls: 2, seconds: 60 }, quota: { calls: 3, seconds: 86_400 } };

interface Mine {
  state: string;
  granted: unknown;
  message: string | null;
  offer: ShownOffer | null;
  key: { id: string; waits_until: string | null } | null;
}

const mine = (ada: DeveloperClient, id: string) => ada.get<Mine>("GET", `/v1/my/requests/${id}`);
const accept = (ada: DeveloperClient, id: string, offer_id: string) =>
  ada.send("POST", `/v1/my/requests/${id}/accept`, { body: { offer_id } });
const shown = (desk: TestDesk, id: string) =>
  succeed<Mine & { decided_by_name: string; reason: string; revision: string }>(
    desk,
    "GET",
    `/v1/key-requests/${id}`,
  );

async function codeOf(answer: Response): Promise<string> {
  const code = answer.headers.get("x-keydesk-error");
  return code ?? (await answer.json()).code;
}

testOnEngines(
  "offer: it is withdrawn by itself where its author may decide no more",
  async (desk) => {
    const { id, ada } = await askedForPlan(desk);
    const bob = await newPerson(desk, ["portal:read", "approve"], { name: "Bob" });
    const offer = { body: { conditions: less } };
    const made = await desk.send("POST", `/v1/key-requests/${id}/offer`, {
      credential: bob.credential,
      ...offer,
    });
    assert.equal(made.status, 200, await made.clone().text());
    const engine = new AlertEngine(desk.app.ctx);
    await engine.turn();
    assert.equal((await mine(ada, id)).offer?.state, "waiting");
    await succeed(desk, "PUT", `/v1/people/${bob.id}`, {
      body: { name: "Bob", permissions: ["portal:read"] },
    });
    await engine.turn();
    assert.equal((await mine(ada, id)).offer, null);
    const { data } = await succeed<{ data: { actor: string; detail: { author: string } }[] }>(
      desk,
      "GET",
      "/v1/audit-log?action=key_request.offer_withdrawn",
    );
    assert.deepEqual(data.map(({ actor, detail }) => [actor, detail.author]), [[
      "keydesk",
      bob.id,
    ]]);
    // Somebody else decides it now.
    const approved = await desk.send("POST", `/v1/key-requests/${id}/approve`, { body: {} });
    assert.equal(approved.status, 200);
  },
);

testOnEngines("offer: accepted, the key opens as offered, and no more", async (desk) => {
  const { id, ada } = await askedForPlan(desk);
  const words = { message: "Begin with less, please.", reason: "New here." };
  const offer = await makeOffer(desk, id, less, words);
  assert.equal((await storedCredentials(desk)).length, 0);
  const told = await mine(ada, id);
  assert.deepEqual([told.state, told.offer?.id, told.offer?.state, told.offer?.message], [
    "pending",
    offer.id,
    "waiting",
    words.message,
  ]);
  assert.ok(!JSON.stringify(told).includes(words.reason));
  assert.equal((await accept(ada, id, "another")).status, 409);
  const accepted = await accept(ada, id, offer.id);
  assert.equal(accepted.status, 200, await accepted.clone().text());
  const { state, key, message } = await accepted.json() as Mine;
  assert.deepEqual([state, message], ["approved", words.message]);
  assert.ok(key?.waits_until);
  const { RawKey } = await ada.get<{ RawKey: string }>("POST", `/v1/my/keys/${key.id}/claim`);
  const first = await valid(desk, RawKey);
  assert.deepEqual([first.rate?.limit, first.quota?.limit], [2, 3]);
  await valid(desk, RawKey);
  assert.equal(await outcome(desk, RawKey), "over_rate");
  const decided = await shown(desk, id);
  assert.deepEqual([decided.decided_by_name, decided.reason], ["administrator", words.reason]);
  assert.equal(await codeOf(await accept(ada, id, offer.id)), "already_decided");
});

testOnEngines("offer: the quota of the key counts, below that of its plan", async (desk) => {
  const { id, ada } = await askedForPlan(desk);
  const { id: offer_id } = await makeOffer(desk, id, { quota: less.quota });
  await accept(ada, id, offer_id);
  const { key } = await mine(ada, id);
  const { RawKey } = await ada.get<{ RawKey: string }>("POST", `/v1/my/keys/${key?.id}/claim`);
  const seen = [];
  for (let i = 0; i < 4; i++) seen.push(await outcome(desk, RawKey));
  assert.deepEqual(seen, ["valid", "valid", "valid", "over_quota"]);
  // Another key is no other quota.
  const rotated = await ada.get<{ RawKey: string }>(
    "POST",
    `/v1/my/keys/${sha256(RawKey)}/rotate`,
    {
      overlap_seconds: 0,
    },
  );
  assert.equal(await outcome(desk, rotated.RawKey), "over_quota");
  const [own] = (await ada.get<{ data: { quota: unknown }[] }>("GET", "/v1/my/keys")).data;
  assert.equal((own?.quota as { limit: number }).limit, 3);
});

testOnEngines("offer: the quota of the key is counted apart from its plans' own", async (desk) => {
  const { ada } = await askedForPlan(desk);
  const month = 30 * 86_400;
  const first = await planWith(
    desk,
    { rate: 50, per: 1, quota_max: 1, quota_renewal_rate: month },
    ["maps"],
  );
  const second = await planWith(
    desk,
    { rate: 9, per: 1, quota_max: 1000, quota_renewal_rate: 86_400 },
    ["roads"],
  );
  const body = { by_user: "dev-ada", for_plan: first, plans: [first, second] };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  const { id: offer_id } = await makeOffer(desk, id, { quota: { calls: 3, seconds: 86_400 } });
  await accept(ada, id, offer_id);
  const { key: waits } = await mine(ada, id);
  const { RawKey: key } = await ada.get<{ RawKey: string }>(
    "POST",
    `/v1/my/keys/${waits?.id}/claim`,
  );
  const seen = [];
  for (const api_id of ["maps", "roads", "roads", "roads", "roads", "maps"]) {
    seen.push(await outcome(desk, { key, api_id }));
  }
  assert.deepEqual(seen, ["valid", "valid", "valid", "valid", "over_quota", "over_quota"]);
});

testOnEngines("offer: of a quota that is never renewed, less of it alone", async (desk) => {
  const { id, ada, plan } = await askedForPlan(desk);
  await changePlan(desk, plan, { quota_max: 1000, quota_renewal_rate: -1 });
  const NEVER = 10_000_000_000;
  const path = `/v1/key-requests/${id}/offer`;
  for (const quota of [{ calls: 1000, seconds: NEVER }, { calls: 2, seconds: 86_400 }]) {
    const answer = await desk.send("POST", path, { body: { conditions: { quota } } });
    assert.equal(answer.status, 400);
  }
  const { id: offer_id } = await makeOffer(desk, id, { quota: { calls: 2, seconds: NEVER } });
  await accept(ada, id, offer_id);
  const { key } = await mine(ada, id);
  const { RawKey } = await ada.get<{ RawKey: string }>("POST", `/v1/my/keys/${key?.id}/claim`);
  const { quota } = await valid(desk, RawKey);
  assert.deepEqual(quota, { limit: 2, remaining: 1, reset: null });
  await valid(desk, RawKey);
  assert.equal(await outcome(desk, RawKey), "over_quota");
});

testOnEngines("offer: nobody accepts what stands no more as it was offered", async (desk) => {
  const { id, ada, plan, other } = await askedForPlan(desk);
  const grace = await newPerson(desk, ["approve"]);
  const { offer } = await succeed<{ offer: ShownOffer }>(
    desk,
    "POST",
    `/v1/key-requests/${id}/offer`,
    { body: { conditions: less }, credential: grace.credential },
  );
  const refused = async () =>
    assert.equal(await codeOf(await accept(ada, id, offer.id)), "no_offer");
  // Whoever offered may approve no more, and then again.
  await succeed(desk, "POST", `/v1/people/${grace.id}/suspend`);
  await refused();
  await succeed(desk, "POST", `/v1/people/${grace.id}/resume`);
  // Code that knows no offers changes what is asked for, and leaves the offer.
  const change = (from: string, to: string) =>
    tamper(desk, `update key_requests set head = replace(head, '${from}', '${to}')`);
  await change(plan, other);
  await refused();
  await change(other, plan);
  // The command line on the server's machine is no person.
  await tamper(desk, `update key_requests set offer = replace(offer, '${grace.id}', 'operator')`);
  assert.equal((await accept(ada, id, offer.id)).status, 200);
});

testOnEngines("offer: another plan takes the place of the one that was asked for", async (desk) => {
  const { id, ada, other } = await askedForPlan(desk);
  const { id: offer_id } = await makeOffer(desk, id, { plans: [other] });
  await accept(ada, id, offer_id);
  const { key } = await mine(ada, id);
  const { RawKey } = await ada.get<{ RawKey: string }>("POST", `/v1/my/keys/${key?.id}/claim`);
  assert.equal(await outcome(desk, { key: RawKey, api_id: "waves" }), "valid");
  assert.equal(await outcome(desk, { key: RawKey, api_id: "tides" }), "wrong_api");
});

testOnEngines("offer: turned down or answered, the request waits with the words", async (desk) => {
  const { id, ada } = await askedForPlan(desk);
  const answer = (body: unknown) => ada.send("POST", `/v1/my/requests/${id}/answer`, { body });
  const one = await makeOffer(desk, id, less);
  assert.equal((await answer({ offer_id: one.id, turn_down: false })).status, 400);
  const asked = { offer_id: one.id, turn_down: false, words: "Could it be 60?" };
  assert.equal((await answer(asked)).status, 200);
  const { offer } = await shown(desk, id);
  assert.deepEqual([offer?.state, offer?.words], ["answered", asked.words]);
  assert.equal(await codeOf(await accept(ada, id, one.id)), "no_offer");
  const two = await makeOffer(desk, id, less);
  assert.equal((await answer({ offer_id: two.id, turn_down: true })).status, 200);
  assert.equal((await shown(desk, id)).offer?.state, "turned_down");
  // The request is as good as before.
  await succeed(desk, "POST", `/v1/key-requests/${id}/approve`, { body: {} });
  assert.equal((await shown(desk, id)).offer, null);
});

testOnEngines("offer: while it waits nobody approves, on the older interface 400", async (desk) => {
  const { id, ada } = await askedForPlan(desk);
  const before = await desk.send("GET", `/api/portal/requests/${id}`);
  const { revision } = await shown(desk, id);
  const offer = await makeOffer(desk, id, less);
  assert.notEqual((await shown(desk, id)).revision, revision);
  const older = await desk.send("PUT", `/api/portal/requests/approve/${id}`);
  assert.equal(older.status, 400);
  assert.deepEqual(await older.json(), {
    Status: "Error",
    Message: "The developer was offered something else, and has not answered yet.",
    Meta: null,
  });
  const byV1 = await desk.send("POST", `/v1/key-requests/${id}/approve`, { body: {} });
  assert.equal(await codeOf(byV1), "offer_waits");
  const pending = await desk.send("GET", `/api/portal/requests/${id}`);
  assert.equal(await pending.text(), await before.text());
  await succeed(desk, "DELETE", `/v1/key-requests/${id}/offer`);
  assert.equal(await codeOf(await accept(ada, id, offer.id)), "no_offer");
  const again = await desk.send("DELETE", `/v1/key-requests/${id}/offer`);
  assert.equal(await codeOf(again), "no_offer");
  assert.equal((await storedCredentials(desk)).length, 0);
});

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

testOnEngines("offer: past its time it can't be accepted, and the request waits", async (desk) => {
  clock.at = Date.parse("2026-03-01T00:00:00Z");
  const { id, ada } = await askedForPlan(desk);
  const offer = await makeOffer(desk, id, less);
  clock.at += 7 * 24 * 60 * 60 * 1000 - 1;
  const token = await ada.get<{ token?: string }>("GET", "/v1/my").catch(() => ({}));
  assert.ok(token);
  assert.equal((await shown(desk, id)).offer?.state, "waiting");
  clock.at += 1;
  assert.equal((await shown(desk, id)).offer?.state, "expired");
  await succeed(desk, "POST", `/v1/key-requests/${id}/approve`, { body: {} });
  assert.notEqual((await shown(desk, id)).offer?.id, offer.id);
}, { clock });

testOnEngines("offer: what is not less is no offer, and says what the most is", async (desk) => {
  const { id, plan } = await askedForPlan(desk);
  const refusalOf = async (conditions: unknown) => {
    const body = { conditions };
    const answer = await desk.send("POST", `/v1/key-requests/${id}/offer`, { body });
    assert.equal(answer.status, 400);
    return (await answer.json()).detail;
  };
  const nothing = "conditions: nothing is less than what is asked for; approve it instead";
  assert.equal(await refusalOf({}), nothing);
  assert.equal(await refusalOf({ plans: [plan] }), nothing);
  assert.equal(await refusalOf({ addresses: ["192.0.2.1"] }), nothing);
  assert.match(
    await refusalOf({ rate: { calls: 100, seconds: 1 } }),
    /^conditions.rate: .* 100 calls/,
  );
  assert.match(await refusalOf({ rate: { calls: 200, seconds: 60 } }), /^conditions.rate/);
  assert.match(await refusalOf({ quota: { calls: 5000, seconds: 86_400 } }), /1000 calls$/);
});

testOnEngines("offer: of all that happens to it at once, one thing does", async (desk) => {
  const { id, ada, plan } = await askedForPlan(desk);
  const path = `/v1/key-requests/${id}`;
  for (let round = 0; round < 6; round++) {
    const body = { by_user: "dev-ada", for_plan: plan };
    const { id } = round === 0
      ? { id: path.slice(17) }
      : await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
    const offer = await makeOffer(desk, id, less);
    const before = (await storedCredentials(desk)).length;
    const answer = { offer_id: offer.id, turn_down: true };
    const of = `/v1/key-requests/${id}`;
    const all: (() => Promise<Response>)[] = [
      () => accept(ada, id, offer.id),
      () => accept(ada, id, offer.id),
      () => ada.send("POST", `/v1/my/requests/${id}/answer`, { body: answer }),
      () => desk.send("DELETE", `${of}/offer`),
      () => desk.send("POST", `${of}/decline`),
      () => desk.send("POST", `${of}/offer`, { body: { conditions: less } }),
      () => desk.send("PUT", `/api/portal/requests/${id}`, { body }),
      () => desk.send("PUT", `/api/portal/requests/approve/${id}`),
    ];
    // Another order each time; withdrawn by its developer in the last.
    const order = [...all.slice(round), ...all.slice(0, round)];
    if (round === 5) order.push(() => ada.send("DELETE", `/v1/my/requests/${id}`));
    const answers = await Promise.all(order.map((call) => call()));
    for (const { status } of answers) assert.ok(status < 500, String(status));
    const minted = (await storedCredentials(desk)).length - before;
    const after = await desk.send("GET", of);
    const state = after.status === 404 ? "gone" : (await after.json()).state;
    assert.ok(minted <= 1);
    if (state !== "gone") assert.equal(minted, state === "issued" ? 1 : 0, state);
    const accepted = order.filter((_, i) => answers[i]?.status === 200)
      .filter((call) => call === all[0] || call === all[1]).length;
    assert.ok(accepted <= 1);
  }
});
