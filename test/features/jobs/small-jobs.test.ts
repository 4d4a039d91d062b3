/**
 * Small jobs: done within the call that starts them, several of a person at once, over what was
 * seen, and by temporary access. Whatever holds one up, a row has its turn once.
 */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { job, jobRow, takenOneTimeLinks } from "../../../src/features/jobs/jobs.contract.ts";
import { JobEngine } from "../../../src/features/jobs/job-engine.ts";
import { insider, ruleFor, takeTemporaryAccess } from "../../support/temporary-access.ts";
import {
  ask,
  assertFailure,
  engineOf,
  JOBS,
  onEngines,
  outcomes,
  read,
  start,
  startOnly,
  work,
} from "../../support/jobs.ts";
import { create, pathOf, smallRequest, update } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { storedCredentials } from "../../support/stored.ts";
import { allItems, call, newPerson } from "../../support/people.ts";
import { bySession } from "../../support/sign-in.ts";
import { seen, tokenOf, v1 } from "../../support/v1-requests.ts";
import type { TestDesk } from "../../support/desk.ts";

type Job = z.output<typeof job>;
type Row = z.output<typeof jobRow>;

const rowsOf = async (desk: TestDesk, { id }: Job, credential?: string): Promise<Row[]> =>
  (await call(desk, "GET", `${JOBS}/${id}/rows?limit=100`, undefined, credential)).data;

const oneTimeLinksOf = async (
  desk: TestDesk,
  { id }: Job,
): Promise<z.output<typeof takenOneTimeLinks>> =>
  await call(desk, "POST", `${JOBS}/${id}/one-time-links`);

const shortly = (rows: readonly Row[]) =>
  rows.map(({ id, outcome, error }) => [id, outcome, error?.code ?? null]);

onEngines("small: done within the call, each by itself, and a link is given once", async (desk) => {
  const [first = "", second = "", third = "", fourth = ""] = await ask(desk, 4);
  await v1.decline(desk, second);
  const all = await seen(desk, first, second, "nothing", third, first);
  const reason = "All of the pilot.";
  const done: Job = await start(desk, { kind: "approve", seen: all, reason });
  assert.deepEqual(outcomes(done), { state: "done", total: 4, done: 2, left_alone: 2, failed: 0 });
  assert.equal(done.links_wait, true);
  const rows = await rowsOf(desk, done);
  assert.deepEqual(shortly(rows), [
    [first, "done", null],
    [second, "left_alone", "already_decided"],
    ["nothing", "left_alone", "not_found"],
    [third, "done", null],
  ]);
  const { data, more } = await oneTimeLinksOf(desk, done);
  assert.deepEqual(data.map(({ id, key_id }) => [id, key_id]), [
    [first, rows[0]?.key_id],
    [third, rows[3]?.key_id],
  ]);
  assert.equal(more, false);
  for (const { one_time_link } of data) {
    const { key: credential } = await v1.open(desk, tokenOf(one_time_link));
    assert.ok(!JSON.stringify([done, rows, data]).includes(credential.RawKey));
  }
  assert.deepEqual((await oneTimeLinksOf(desk, done)).data, []);
  assert.equal((await v1.get(desk, first)).reason, reason);
  const { admin } = await desk.otherOrganisation();
  const theirs = { kind: "approve", seen: await seen(desk, fourth) };
  const foreign: Job = await start(desk, theirs, admin);
  assert.deepEqual(shortly(await rowsOf(desk, foreign, admin)), [[
    fourth,
    "left_alone",
    "not_found",
  ]]);
  for (const path of ["rows", "one-time-links"]) {
    const method = path === "rows" ? "GET" : "POST";
    const answer = await desk.send(method, `${JOBS}/${foreign.id}/${path}`);
    await assertFailure(answer, "not_found");
  }
  assert.equal((await v1.get(desk, fourth)).state, "pending");
  const declined: Job = await start(desk, { kind: "decline", ids: [fourth, first], reason });
  assert.deepEqual(shortly(await rowsOf(desk, declined)), [
    [fourth, "done", null],
    [first, "left_alone", "already_decided"],
  ]);
  assert.equal((await v1.get(desk, fourth)).reason, reason);
});

onEngines("small: one that changed since it was seen is left alone, and it alone", async (desk) => {
  const [first = "", changed = "", last = ""] = await ask(desk, 3);
  const looked = await seen(desk, first, changed, last);
  await update(desk, changed, smallRequest({ by_user: "dev-1", for_plan: "plan-everything" }));
  await known(desk, changed);
  const done: Job = await start(desk, { kind: "approve", seen: looked });
  const rows = await rowsOf(desk, done);
  assert.deepEqual(shortly(rows), [
    [first, "done", null],
    [changed, "left_alone", "precondition_failed"],
    [last, "done", null],
  ]);
  assert.equal(rows[1]?.error?.detail, "It has changed since it was read. Read it again.");
  assert.equal((await v1.get(desk, changed)).state, "pending");
  assert.equal((await storedCredentials(desk)).length, 2);
  const stale = await start(desk, { kind: "decline", seen: [{ id: changed, revision: "older" }] });
  assert.equal(stale.left_alone, 1);
  const again = await start(desk, { kind: "approve", seen: await seen(desk, changed) });
  assert.equal(again.done, 1);
});

onEngines("small: of two looks at one the right one counts, repeated or not", async (desk) => {
  const [id = ""] = await ask(desk, 1);
  const [now] = await seen(desk, id);
  assert.ok(now);
  const body = { kind: "approve", seen: [{ id, revision: "an older one" }, now, now] };
  const headers = { "idempotency-key": "0123456789abcdef" };
  const ids = new Set<string>();
  for (let turn = 0; turn < 2; turn++) {
    const answer = await desk.send("POST", JOBS, { body, headers });
    const done: Job = await answer.json();
    assert.deepEqual([answer.status, done.done, done.left_alone], [200, 1, 1]);
    ids.add(done.id);
  }
  assert.equal(ids.size, 1);
  assert.equal((await storedCredentials(desk)).length, 1);
});

onEngines("small: of a change and an approval at once, what was seen is issued", async (desk) => {
  for (let round = 0; round < 10; round++) {
    const by_user = `dev-${round}`;
    const id = await create(desk, smallRequest({ by_user }));
    const looked = await seen(desk, id);
    await known(desk, id);
    const change = smallRequest({ by_user, for_plan: "plan-everything" });
    const [approved, changed] = await Promise.all([
      start(desk, { kind: "approve", seen: looked }),
      desk.send("UPDATE", pathOf(id), { body: change }),
    ]);
    await changed.body?.cancel();
    assert.equal(changed.status, approved.done === 1 ? 400 : 200);
    assert.equal((await v1.get(desk, id)).state, approved.done === 1 ? "issued" : "pending");
  }
  for (const { plans } of await storedCredentials(desk)) {
    assert.deepEqual(JSON.parse(plans), ["plan-weather"]);
  }
});

onEngines("small: of many over the same at once each is decided once", async (desk) => {
  const ids = await ask(desk, 12);
  const all = await seen(desk, ...ids);
  const jobs: Job[] = await Promise.all(
    Array.from(
      { length: 6 },
      (_, n) => start(desk, { kind: n % 2 === 0 ? "approve" : "decline", seen: all }),
    ),
  );
  assert.deepEqual(jobs.map(({ state }) => state), Array(6).fill("done"));
  assert.equal(jobs.reduce((sum, { done }) => sum + done, 0), 12);
  assert.equal(jobs.reduce((sum, { failed }) => sum + failed, 0), 0);
  const { issued } = await v1.counts(desk) as { issued: number };
  assert.equal((await storedCredentials(desk)).length, issued);
});

onEngines("small: several of a person beside a large one, and ten at the most", async (desk) => {
  const ids = await ask(desk, 3);
  const large = await start(desk, { kind: "decline", filter: { plan: "none" } });
  const [id = ""] = ids;
  for (let n = 0; n < 10; n++) await startOnly(desk, { kind: "decline", ids: [id] });
  const more = { body: { kind: "decline", ids: [id] } };
  await assertFailure(await desk.send("POST", JOBS, more), "job_under_way");
  const other = await newPerson(desk, ["portal:read", "approve"]);
  assert.equal((await start(desk, { kind: "decline", ids: [id] }, other.credential)).done, 1);
  // More than a hundred are no small job.
  const many = Array.from({ length: 101 }, (_, n) => `none-${n}`);
  const body = { kind: "decline", ids: many };
  await assertFailure(await desk.send("POST", JOBS, { body }), "job_under_way");
  await work(engineOf(desk));
  assert.equal((await read(desk, large.id)).state, "done");
  const { data } = await call(desk, "GET", `${JOBS}?limit=100`);
  assert.deepEqual(data.filter(({ state }: Job) => state !== "done"), []);
  assert.equal(data.reduce((sum: number, one: Job) => sum + one.done, 0), 1);
});

onEngines(
  "small: one whose server is gone is gone on with, and repeated as it is",
  async (desk) => {
    const ids = await ask(desk, 3);
    const all = await seen(desk, ...ids);
    const left = await startOnly(desk, { kind: "approve", seen: all });
    assert.deepEqual([left.state, left.done], ["preparing", 0]);
    assert.deepEqual(await rowsOf(desk, left), []);
    const engine = engineOf(desk);
    await engine.turn();
    assert.deepEqual(shortly(await rowsOf(desk, left)), ids.map((id) => [id, null, null]));
    const [first = ""] = ids;
    await v1.decline(desk, first);
    await work(engine);
    const done = await read(desk, left.id);
    assert.deepEqual(outcomes(done), {
      state: "done",
      total: 3,
      done: 2,
      left_alone: 1,
      failed: 0,
    });
    assert.equal((await oneTimeLinksOf(desk, done)).data.length, 2);
  },
);

onEngines("small: what was seen goes with decisions alone", async (desk) => {
  const one = [{ id: "x", revision: "y" }];
  for (const body of [{ kind: "suspend_keys", reason: "x" }, { kind: "assign", assignee: "me" }]) {
    const answer = await desk.send("POST", JOBS, { body: { ...body, seen: one } });
    assert.match(await answer.text(), /seen: goes with approve, decline, reopen alone/);
  }
  for (const wrong of [[], [{ id: "x" }], ["x"]]) {
    const answer = await desk.send("POST", JOBS, { body: { kind: "decline", seen: wrong } });
    await assertFailure(answer, "invalid_input");
  }
});

onEngines(
  "small: temporary access decides by one, and each deed is counted in it",
  async (desk) => {
    const grace = await insider(desk);
    const [first = "", second = "", third = ""] = await ask(desk, 3);
    const send = (body: object) => bySession(desk, grace.browser, "POST", JOBS, body);
    const body = { kind: "approve", seen: await seen(desk, first, second) };
    await assertFailure(await send(body), "access_denied");
    const { id } = await takeTemporaryAccess(desk, grace, await ruleFor(desk, [grace.id]));
    for (
      const none of [
        { kind: "approve", filter: {} },
        { kind: "decline", ids: Array.from({ length: 101 }, (_, n) => `none-${n}`) },
        { kind: "assign", ids: [first], assignee: "me" },
        { kind: "suspend_keys", ids: ["k"], reason: "x" },
      ]
    ) await assertFailure(await send(none), "access_denied");
    const answer = await send(body);
    const done: Job = await answer.json();
    assert.deepEqual([answer.status, done.state, done.done], [200, "done", 2]);
    const path = `${JOBS}/${done.id}`;
    const rows = await bySession(desk, grace.browser, "GET", `${path}/rows`);
    assert.deepEqual(shortly((await rows.json()).data), [
      [first, "done", null],
      [second, "done", null],
    ]);
    const oneTimeLinks = await bySession(desk, grace.browser, "POST", `${path}/one-time-links`);
    assert.equal((await oneTimeLinks.json()).data.length, 2);
    const approvals = await allItems(desk, "/v1/audit-log?action=key_request.approved");
    assert.deepEqual(approvals.map(({ detail }) => detail.elevation), [id, id]);
    // Behind its end a job that was left does nothing more.
    const { workOn } = JobEngine.prototype;
    JobEngine.prototype.workOn = () => Promise.resolve();
    const left: Job = await (await send({ kind: "decline", ids: [third] })).json()
      .finally(() => JobEngine.prototype.workOn = workOn);
    const ended = await bySession(desk, grace.browser, "DELETE", `/v1/temporary-access/${id}`);
    assert.equal(ended.status, 200, await ended.text());
    await work(engineOf(desk));
    const { state, why } = await read(desk, left.id);
    assert.deepEqual([state, why], ["broken_off", "permission_ended"]);
    assert.equal((await v1.get(desk, third)).state, "pending");
  },
);
