/** Approve, decline, reopen and reasons of `/v1`, one by one and several at once. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { addPlan, DEVELOPERS, pathTo, register } from "../../support/companions.ts";
import { known } from "../../support/known-parties.ts";
import {
  approvalOf,
  approve,
  create,
  list,
  pathOf,
  type Sent,
  smallRequest,
  update,
} from "../../support/key-requests.ts";
import { seen, tokenOf, v1, V1_REQUESTS } from "../../support/v1-requests.ts";
import { auditTrail, storedCredentials } from "../../support/stored.ts";

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };
const AT = "2026-03-01T00:00:00.000Z";

testOnEngines(
  "v1 approve: the credential once, with what was stored",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const approved = await v1.approve(desk, id);
    const [stored] = await storedCredentials(desk);
    assert.equal(approved.key_id, stored?.key_id);
    assert.match(approved.mask, /^.{4}….{4}$/);
    assert.ok(approved.credential?.RawKey);
    assert.equal(approved.claim, null);
    const shown = await v1.get(desk, id);
    assert.equal(shown.state, "issued");
    assert.equal(shown.decided_at, AT);
    assert.equal(shown.decided_by_name, "administrator");
    assert.ok(!JSON.stringify(shown).includes(approved.credential.RawKey));
  },
  { clock },
);

testOnEngines(
  "v1 approve: 412 when it changed since it was read, and nothing is minted",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const { revision } = await v1.get(desk, id);
    await update(desk, id, smallRequest({ for_plan: "plan-everything" }));
    const headers = { "if-match": `"${revision}"` };
    for (const what of ["approve", "decline"]) {
      const response = await desk.send("POST", `${V1_REQUESTS}/${id}/${what}`, { headers });
      await assertFailure(response, "precondition_failed");
    }
    for (const tag of [`W/"${revision}"`, "nonsense", '""']) {
      const init = { headers: { "if-match": tag } };
      const response = await desk.send("POST", `${V1_REQUESTS}/${id}/approve`, init);
      await assertFailure(response, "precondition_failed");
    }
    assert.deepEqual(await storedCredentials(desk), []);
    const fresh = (await v1.get(desk, id)).revision;
    await v1.approve(desk, id, "", { headers: { "if-match": `"other", "${fresh}"` } });
  },
);

testOnEngines(
  "v1 decisions: the second one learns who decided what and when",
  async (desk) => {
    const approved = await create(desk, smallRequest());
    const declined = await create(desk, smallRequest());
    await approve(desk, approved);
    await v1.decline(desk, declined, { reason: "no" });
    const told = (what: string) => ({
      message: `This key request was ${what} by administrator at ${AT}.`,
    });
    // An If-Match that no longer matches says less than who decided.
    const headers = { "if-match": '"old"' };
    for (const what of ["approve", "decline"]) {
      await assertFailure(
        await desk.send("POST", `${V1_REQUESTS}/${approved}/${what}`, { headers }),
        "already_decided",
        told("approved"),
      );
      await assertFailure(
        await desk.send("POST", `${V1_REQUESTS}/${declined}/${what}`),
        "already_decided",
        told("declined"),
      );
    }
    await assertFailure(await desk.send("PUT", approvalOf(approved)), "already_processed");
    assert.equal((await storedCredentials(desk)).length, 1);
  },
  { clock },
);

testOnEngines("v1 decline: out of the older lists, with its reason, and back", async (desk) => {
  const id = await create(desk, smallRequest());
  const declined = await v1.decline(desk, id, { reason: "  Use the partners' plan.  " });
  assert.equal(declined.state, "declined");
  assert.equal(declined.reason, "Use the partners' plan.");
  assert.equal((await list(desk)).Data.length, 0);
  assert.equal((await list(desk, "?declined=true")).Data.length, 1);
  assert.deepEqual(await v1.counts(desk), { pending: 0, issued: 0, declined: 1, all: 1 });

  const reason = (text: unknown) =>
    desk.send("PUT", `${V1_REQUESTS}/${id}/reason`, { body: { reason: text } });
  assert.equal((await (await reason("Another")).json()).reason, "Another");
  assert.equal((await (await reason("")).json()).reason, null);

  const reopened = await v1.reopen(desk, id);
  assert.equal(reopened.state, "pending");
  assert.equal(reopened.decided_at, null);
  assert.deepEqual((await list(desk)).Data.map((request) => request.id), [id]);
  await assertFailure(await reason("too late"), "not_declined");
  await assertFailure(await desk.send("POST", `${V1_REQUESTS}/${id}/reopen`), "not_declined");
  await approve(desk, id);
  await assertFailure(await desk.send("POST", `${V1_REQUESTS}/${id}/reopen`), "not_declined");
  assert.deepEqual(await v1.counts(desk), { pending: 0, issued: 1, declined: 0, all: 1 });

  const actions = (await auditTrail(desk)).map(({ action }) => action).sort();
  assert.deepEqual(actions, [
    "key_request.approved",
    "key_request.created",
    "key_request.declined",
    "key_request.reason_changed",
    "key_request.reason_changed",
    "key_request.reopened",
  ]);
});

testOnEngines(
  "v1 decisions: a repeat with its Idempotency-Key gets the first answer",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const init = { headers: { "idempotency-key": "0123456789abcdef" } };
    const first = await v1.approve(desk, id, "?deliver=claim", init);
    assert.deepEqual(await v1.approve(desk, id, "?deliver=claim", init), first);
    assert.equal((await v1.claims(desk)).data.length, 1);
    const other = await create(desk, smallRequest());
    const bulk = { headers: { "idempotency-key": "fedcba9876543210" } };
    const both = await seen(desk, other, id);
    const many = await v1.approveMany(desk, both, bulk);
    assert.deepEqual(await v1.approveMany(desk, both, bulk), many);
    assert.equal((await storedCredentials(desk)).length, 2);
  },
);

testOnEngines(
  "v1 decisions: several at once, each by itself, with no secret in the answer",
  async (desk) => {
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push(await create(desk, smallRequest({ by_user: `dev-${i}` })));
    const [first = "", second = "", third = "", fourth = ""] = ids;
    await v1.decline(desk, second);
    const all = await seen(desk, first, second, "nothing", third, first);
    const { data } = await v1.approveMany(desk, all);
    assert.deepEqual(data.map(({ id, approved }) => [id, approved]), [
      [first, true],
      [second, false],
      ["nothing", false],
      [third, true],
    ]);
    assert.deepEqual(data.map(({ error }) => error?.code), [
      undefined,
      "already_decided",
      "not_found",
      undefined,
    ]);
    for (const result of data.filter(({ approved }) => approved)) {
      const { credential } = await v1.open(desk, tokenOf(result.claim));
      assert.ok(!JSON.stringify(data).includes(credential.RawKey));
    }
    const { admin } = await desk.otherOrganisation();
    const foreign = await v1.approveMany(desk, await seen(desk, fourth), { credential: admin });
    assert.equal(foreign.data[0]?.error?.code, "not_found");
    assert.equal((await v1.get(desk, fourth)).state, "pending");
    const declined = await v1.declineMany(desk, [fourth, first], "The programme has ended.");
    assert.deepEqual(declined.data.map(({ declined }) => declined), [true, false]);
    assert.equal((await v1.get(desk, fourth)).reason, "The programme has ended.");
  },
);

testOnEngines(
  "v1 approve of several: one that changed since it was looked at is its row's conflict alone",
  async (desk) => {
    const first = await create(desk, smallRequest());
    const changed = await create(desk, smallRequest());
    const last = await create(desk, smallRequest());
    const looked = await seen(desk, first, changed, last);
    await update(desk, changed, smallRequest({ for_plan: "plan-everything" }));
    const { data } = await v1.approveMany(desk, looked);
    assert.deepEqual(data.map(({ id, approved, error }) => [id, approved, error]), [
      [first, true, null],
      [changed, false, {
        code: "precondition_failed",
        detail: "This request has changed since it was read. Read it again.",
      }],
      [last, true, null],
    ]);
    assert.equal((await v1.get(desk, changed)).state, "pending");
    assert.equal((await storedCredentials(desk)).length, 2);
    const again = await v1.approveMany(desk, await seen(desk, changed));
    assert.equal(again.data[0]?.approved, true);
  },
);

testOnEngines(
  "v1 approve of several: of two looks at one request the right one is approved, repeated or not",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const [now] = await seen(desk, id);
    assert.ok(now);
    const looks = [{ id, revision: "an older one" }, now, now];
    const init = { headers: { "idempotency-key": "0123456789abcdef" } };
    for (let turn = 0; turn < 2; turn++) {
      const { data } = await v1.approveMany(desk, looks, init);
      assert.deepEqual(data.map(({ approved }) => approved), [false, true]);
    }
    assert.equal((await storedCredentials(desk)).length, 1);
  },
);

testOnEngines(
  "v1 approve: of a change and an approval at once, only what was seen is issued",
  async (desk) => {
    for (let round = 0; round < 10; round++) {
      const id = await create(desk, smallRequest({ by_user: `dev-${round}` }));
      const looked = await seen(desk, id);
      const change = smallRequest({ by_user: `dev-${round}`, for_plan: "plan-everything" });
      await known(desk, id);
      const [answer, changed] = await Promise.all([
        desk.send("POST", `${V1_REQUESTS}/approve`, { body: { requests: looked } }),
        desk.send("UPDATE", pathOf(id), { body: change }),
      ]);
      const won = (await answer.json()).data[0].approved;
      assert.equal(changed.status, won ? 400 : 200);
      assert.equal((await v1.get(desk, id)).state, won ? "issued" : "pending");
    }
    for (const { plans } of await storedCredentials(desk)) {
      assert.deepEqual(JSON.parse(plans), ["plan-weather"]);
    }
  },
);

testOnEngines(
  "v1 approve: no key for a plan or to a developer that nobody knows, alone or among others",
  async (desk) => {
    await addPlan(desk, { id: "plan-maps" });
    await register(desk, { id: "dev-bob" });
    const ask = (changes: Sent) => create(desk, smallRequest(changes));
    const plan = await ask({ by_user: "dev-bob" });
    const developer = await ask({ for_plan: "plan-maps" });
    const other = await ask({ by_user: "dev-bob", for_plan: "plan-maps" });
    const requests = await seen(desk, plan, developer, other);
    const answer = await desk.send("POST", `${V1_REQUESTS}/approve`, { body: { requests } });
    const { data } = await answer.json();
    assert.deepEqual(data.map(({ error }: { error: unknown }) => error), [
      { code: "unknown_plan", detail: "Nobody knows the plan plan-weather: create it first." },
      {
        code: "unknown_developer",
        detail: "Nobody knows the developer dev-ada: register them first.",
      },
      null,
    ]);
    assert.equal((await storedCredentials(desk)).length, 1);
    assert.equal((await desk.send("GET", pathTo(DEVELOPERS, "dev-ada"))).status, 404);
    // The older interface goes on as its clients know it.
    await approve(desk, plan);
    await approve(desk, developer);
    assert.equal((await storedCredentials(desk)).length, 3);
  },
);

testOnEngines("v1 approve: its reason is kept, shown and in the trail", async (desk) => {
  const alone = await create(desk, smallRequest());
  await v1.approve(desk, alone, "", { body: { reason: "  Agreed with their lead.  " } });
  assert.equal((await v1.get(desk, alone)).reason, "Agreed with their lead.");
  const among = await create(desk, smallRequest());
  await v1.approveMany(desk, await seen(desk, among), {}, "All of the pilot.");
  assert.equal((await v1.get(desk, among)).reason, "All of the pilot.");
  const without = await create(desk, smallRequest());
  await v1.approve(desk, without, "", { body: { reason: " " } });
  assert.equal((await v1.get(desk, without)).reason, null);
  const reasons = (await auditTrail(desk)).filter(({ action }) => action === "key_request.approved")
    .map(({ object_id, personal }) => [object_id, JSON.parse(personal)["/reason"]]);
  assert.deepEqual(
    new Map(reasons as [string, unknown][]),
    new Map<string, unknown>([
      [alone, "Agreed with their lead."],
      [among, "All of the pilot."],
      [without, undefined],
    ]),
  );
});

testOnEngines("v1 decisions: of many at once on one request, one wins", async (desk) => {
  for (let round = 0; round < 5; round++) {
    const [id] = await known(desk, await create(desk, smallRequest({ approved: round % 2 === 0 })));
    const answers = await Promise.all(
      Array.from(
        { length: 12 },
        (_, i) => desk.send("POST", `${V1_REQUESTS}/${id}/${i % 2 ? "approve" : "decline"}`),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
  }
  const counts = await v1.counts(desk) as Record<string, number>;
  assert.equal(counts.pending, 0);
  assert.equal((await storedCredentials(desk)).length, counts.issued);
});

testOnEngines("v1 decisions: one whose request is deleted since is told as done", async (desk) => {
  const told = new Map<string, number>();
  for (let round = 0; round < 40 && !told.has("deleted_meanwhile"); round++) {
    const asked = Array.from({ length: 12 }, () => create(desk, smallRequest()));
    const ids = await Promise.all(asked);
    const declines = ids.map((id) => desk.send("POST", `${V1_REQUESTS}/${id}/decline`));
    const removals = ids.map((id, n) =>
      turns(round % 8 + n % 4).then(() => desk.send("DELETE", pathOf(id)))
    );
    const answers = await Promise.all(declines);
    for (const { status } of await Promise.all(removals)) assert.equal(status, 200);
    const done = (await auditTrail(desk)).filter(({ action }) => action === "key_request.declined");
    for (const [n, answer] of answers.entries()) {
      const { code = "shown" } = await answer.json();
      told.set(code, answer.status);
      assert.equal(done.some(({ object_id }) => object_id === ids[n]), code !== "not_found");
    }
  }
  assert.deepEqual(told.get("deleted_meanwhile"), 410, JSON.stringify([...told]));
  told.delete("deleted_meanwhile");
  for (const [code, status] of told) assert.equal(status, code === "shown" ? 200 : 404);
});

/** Waits so many turns of the event loop: of two calls each may then come first. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}
