/** Approve, decline, reopen and reasons of `/v1`, one by one. */
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
import { seen, v1, V1_REQUESTS } from "../../support/v1-requests.ts";
import { call } from "../../support/people.ts";
import { auditRows, storedCredentials } from "../../support/stored.ts";

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
    assert.ok(approved.key?.RawKey);
    assert.equal(approved.one_time_link, null);
    const shown = await v1.get(desk, id);
    assert.equal(shown.state, "issued");
    assert.equal(shown.decided_at, AT);
    assert.equal(shown.decided_by_name, "administrator");
    assert.ok(!JSON.stringify(shown).includes(approved.key.RawKey));
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

  const actions = (await auditRows(desk)).map(({ action }) => action).sort();
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
    const first = await v1.approve(desk, id, "?deliver=one_time_link", init);
    assert.deepEqual(await v1.approve(desk, id, "?deliver=one_time_link", init), first);
    assert.equal((await v1.oneTimeLinks(desk)).data.length, 1);
    assert.equal((await storedCredentials(desk)).length, 1);
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
    const job = { kind: "approve", seen: await seen(desk, plan, developer, other) };
    const { id } = await call(desk, "POST", "/v1/jobs", job);
    const { data } = await call(desk, "GET", `/v1/jobs/${id}/rows`);
    const codes = data.map((row: { error: { code: string } | null }) => row.error?.code);
    assert.deepEqual(codes, ["unknown_plan", "unknown_developer", undefined]);
    assert.equal((await storedCredentials(desk)).length, 1);
    assert.equal((await desk.send("GET", pathTo(DEVELOPERS, "dev-ada"))).status, 404);
    // The older interface goes on as its clients know it.
    await approve(desk, plan);
    await approve(desk, developer);
    assert.equal((await storedCredentials(desk)).length, 3);
  },
);

testOnEngines("v1 approve: its reason is kept, shown and in the audit log", async (desk) => {
  const alone = await create(desk, smallRequest());
  await v1.approve(desk, alone, "", { body: { reason: "  Agreed with their lead.  " } });
  assert.equal((await v1.get(desk, alone)).reason, "Agreed with their lead.");
  const among = await create(desk, smallRequest());
  await v1.approveMany(desk, await seen(desk, among), {}, "All of the pilot.");
  assert.equal((await v1.get(desk, among)).reason, "All of the pilot.");
  const without = await create(desk, smallRequest());
  await v1.approve(desk, without, "", { body: { reason: " " } });
  assert.equal((await v1.get(desk, without)).reason, null);
  const reasons = (await auditRows(desk)).filter(({ action }) => action === "key_request.approved")
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
    const done = (await auditRows(desk)).filter(({ action }) => action === "key_request.declined");
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
