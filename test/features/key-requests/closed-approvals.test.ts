/** Approvals that an earlier release was to have signed by a passkey: none goes through. */
import assert from "node:assert/strict";
import { setOffer } from "../../../src/features/key-requests/v1.store.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { approvalOf, create, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { offer } from "../../support/offer.ts";
import { askedForPlan, makeOffer } from "../../support/offers.ts";
import { newPerson } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";
import { closeApprovals, demandSignatures, openApprovals } from "../../support/signing.ts";
import { storedCredentials } from "../../support/stored.ts";

const path = (id: string) => `/v1/key-requests/${id}`;
const RULES = "/v1/sign-in-rules";
const terms = { conditions: { rate: { calls: 2, seconds: 60 } } };

/** Writes an offer as a release did that had it signed. */
const signOffer = defineTransaction(
  "test.sign-offer",
  async (tx, { org_id, id, offer }: { org_id: string; id: string; offer: object }) => {
    await setOffer(tx, { org_id, id, offer: JSON.stringify({ ...offer, signed: true }) });
  },
);
const extra = [demandSignatures, signOffer];

const offersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("key_requests").select("offer").where("offer", "is not", null)
);

async function asked(desk: TestDesk): Promise<string> {
  const id = await create(desk, smallRequest());
  await known(desk, id);
  return id;
}

testOnEngines(
  "closed: nothing approves, whoever calls and by whichever way, until it is set anew",
  async (desk) => {
    await closeApprovals(desk);
    const browser = await signIn(desk, { credential: desk.admin });
    const id = await asked(desk);
    const { revision } = await succeed<{ revision: string }>(desk, "GET", path(id));
    const older = await desk.send("PUT", approvalOf(id));
    assert.equal(older.status, 400);
    assert.match((await older.json()).Message, /^Approvals are closed here: .*sets it anew/);
    const approve = `${path(id)}/approve`;
    await assertFailure(await desk.send("POST", approve), "approvals_closed");
    await assertFailure(await bySession(desk, browser, "POST", approve), "approvals_closed");
    const seen = { body: { kind: "approve", seen: [{ id, revision }] } };
    await assertFailure(await desk.send("POST", "/v1/jobs", seen), "approvals_closed");
    const job = { kind: "approve", ids: [id] };
    await assertFailure(await desk.send("POST", "/v1/jobs", { body: job }), "approvals_closed");
    const offered = await desk.send("POST", `${path(id)}/offer`, { body: terms });
    await assertFailure(offered, "approvals_closed");
    assert.deepEqual(await storedCredentials(desk), []);
    // What grants nothing is not closed.
    await succeed(desk, "POST", `${path(id)}/decline`);
    await succeed(desk, "POST", `${path(id)}/reopen`);
    const session = async () => await (await bySession(desk, browser, "GET", "/v1/session")).json();
    assert.equal((await session()).approvals_closed, true);
    await openApprovals(desk);
    assert.equal((await session()).approvals_closed, false);
    await succeed(desk, "POST", approve);
    const { data: events } = await succeed<{
      data: { action: string; detail: { signed_approvals?: boolean } }[];
    }>(desk, "GET", "/v1/audit-log?limit=20");
    const set = events.find(({ action }) => action === "sign_in_rules.updated");
    assert.equal(set?.detail.signed_approvals, false);
  },
  { extra },
);

testOnEngines("closed: nobody signs any more", async (desk) => {
  await closeApprovals(desk);
  const id = await asked(desk);
  const begun = await desk.send("POST", `${path(id)}/challenge`, { body: {} });
  assert.equal(begun.status, 404);
  await begun.body?.cancel();
  const body = { signature: { nonce: "n", id: "i" } };
  const signed = await desk.send("POST", `${path(id)}/approve`, { body });
  assert.match((await signed.json()).detail, /signature/);
  assert.equal(signed.status, 400);
}, { extra });

testOnEngines("closed: what needs nobody's approval goes through", async (desk) => {
  await closeApprovals(desk);
  const id = await asked(desk);
  await succeed(desk, "PUT", "/api/portal/configuration", {
    body: { require_key_approval: false },
  });
  await succeed(desk, "POST", `${path(id)}/approve`);
}, { extra });

testOnEngines("closed: a later end is, also of a plan that needs nobody", async (desk) => {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides", approval: "automatic" }]);
  const { id, email } = await registered(desk, "dev-ada");
  const body = { plans: [plans.Tides], expires_at: "2040-06-01T00:00:00.000Z" };
  const { key_id } = await succeed(desk, "POST", `/v1/developers/${id}/keys`, { body });
  const ada = await signInByCode(desk, email);
  await closeApprovals(desk);
  const until = "2041-01-01T00:00:00.000Z";
  const later = await ada.get<{ id: string }>("POST", `/v1/my/keys/${key_id}/later-end`, { until });
  await assertFailure(await desk.send("POST", `${path(later.id)}/approve`), "approvals_closed");
}, { extra });

testOnEngines(
  "closed: a signed offer is accepted, one that nobody signed is none",
  async (desk) => {
    const { id, ada } = await askedForPlan(desk);
    const made = await makeOffer(desk, id, terms.conditions);
    await closeApprovals(desk);
    const accept = () =>
      ada.send("POST", `/v1/my/requests/${id}/accept`, { body: { offer_id: made.id } });
    await assertFailure(await accept(), "no_offer");
    const { storage } = desk.app.ctx;
    const stored = await storage.reader.rows(offersSql, {});
    await storage.commit(signOffer, {
      org_id: desk.org_id,
      id,
      offer: JSON.parse(stored[0]?.offer ?? "{}"),
    });
    assert.equal((await accept()).status, 200);
  },
  { extra },
);

testOnEngines("closed: a step that was given counts once approvals are open", async (desk) => {
  const { id, plan } = await askedForPlan(desk);
  await newPerson(desk, ["approve", "portal:read"]);
  const bob = await newPerson(desk, ["approve", "portal:read"]);
  const body = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
  const { by_user } = await succeed<{ by_user: string }>(desk, "GET", path(id));
  const waiting = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
    body: { by_user, for_plan: plan, fields: { use_case: "another" } },
  });
  await succeed(desk, "POST", `${path(waiting.id)}/approve`);
  await closeApprovals(desk);
  const second = () =>
    desk.send("POST", `${path(waiting.id)}/approve`, { credential: bob.credential });
  await assertFailure(await second(), "approvals_closed");
  await openApprovals(desk);
  const answer = await second();
  assert.equal((await answer.json()).state, "issued");
}, { extra });

testOnEngines(
  "closed: it stays so until somebody says otherwise, and comes never again",
  async (desk) => {
    await closeApprovals(desk);
    const body = { tokens: true, domains: ["example.org"] };
    // A client that does not know the member, and one that sends what it has read.
    for (const sent of [body, { ...body, signed_approvals: true }]) {
      const put = await succeed(desk, "PUT", RULES, { body: sent });
      assert.deepEqual(put, { ...body, signed_approvals: true, second_factor: false });
    }
    await succeed(desk, "PUT", RULES, { body: { ...body, signed_approvals: false } });
    const again = await desk.send("PUT", RULES, { body: { ...body, signed_approvals: true } });
    assert.equal(again.status, 400);
    assert.match((await again.json()).detail, /passkeys sign no approvals any more/);
    assert.equal((await succeed(desk, "GET", RULES)).signed_approvals, false);
  },
  { extra },
);
