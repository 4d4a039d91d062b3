/** Jobs among nodes: whichever works on them, each row has its turn once. */
import assert from "node:assert/strict";
import { JobEngine } from "../../../src/features/jobs/job-engine.ts";
import { jobLease, jobsUnderWay } from "../../../src/features/jobs/jobs.store.ts";
import { newId } from "../../../src/kernel/ids.ts";
import { startJob } from "../../../src/features/jobs/jobs.transactions.ts";
import { openTestDesk } from "../../support/desk.ts";
import { allItems, newPerson } from "../../support/people.ts";
import {
  ask,
  engineOf,
  file,
  JOBS,
  laterEachTime,
  onEngines,
  outcomes,
  read,
  START,
  start,
  work,
} from "../../support/jobs.ts";

onEngines(
  "a node whose clock is an hour ahead, and that is killed, stops no job of the others",
  async (desk, clock) => {
    const [id = ""] = await ask(desk, 1);
    const { id: first } = await start(desk, { kind: "decline", ids: [id], reason: "no" });
    const { ctx } = desk.app;
    const ahead = { now: () => clock.now() + 60 * 60 * 1000 };
    await work(new JobEngine({ ...ctx, clock: ahead }));
    assert.equal((await read(desk, first)).state, "done");
    const [other = ""] = await ask(desk, 1, { by_user: "another" });
    const { id: second } = await start(desk, { kind: "decline", ids: [other], reason: "no" });
    const here = engineOf(desk);
    assert.equal((await here.turn()).worked, false, "the other one may be alive");
    clock.at += jobLease.lengthMs;
    await work(here);
    assert.equal((await read(desk, second)).state, "done");
    // One that is told to stop leaves its jobs to the others at once.
    const [last = ""] = await ask(desk, 1, { by_user: "a third" });
    const { id: third } = await start(desk, { kind: "decline", ids: [last], reason: "no" });
    await here.giveBack();
    await work(engineOf(desk));
    assert.equal((await read(desk, third)).state, "done");
  },
);

onEngines("two nodes, and one that dies: each row has its turn once", async (desk, clock) => {
  await ask(desk, 60);
  const { id } = await start(desk, { kind: "approve", filter: {} });
  const [first, second] = [engineOf(desk), engineOf(desk)];
  await first.turn();
  await first.turn();
  // While the first has the right, the second does nothing.
  assert.equal((await second.turn()).worked, false);
  clock.at += 10_000;
  // The first comes back although the second goes on.
  await Promise.all([work(second), first.turn(), first.turn()]);
  clock.at += 10_000;
  await work(first);
  assert.deepEqual(outcomes(await read(desk, id)), {
    state: "done",
    total: 60,
    done: 60,
    left_alone: 0,
    failed: 0,
  });
  const oneTimeLinks = await allItems(desk, "/v1/one-time-links");
  assert.equal(new Set(oneTimeLinks.map(({ request_id }) => request_id)).size, 60);
  assert.equal(oneTimeLinks.length, 60);
  assert.equal((await file(desk, "GET", `${JOBS}/${id}/result`)).length, 61);
});

onEngines("however many people have a job under way, each is found", async (desk, clock) => {
  const { storage } = desk.app.ctx;
  const job = { kind: "decline", deliver: "", reason: null, selection: { ids: [] } } as const;
  const people = Array.from({ length: 501 }, (_, i) => `person-${i}`);
  const startOf = (user_id: string) =>
    storage.commit(startJob, {
      actor: { org_id: desk.org_id, user_id, token_id: "", now: clock.now() },
      job: { ...START, ...job, id: newId(clock.now()) },
      idempotency: null,
    });
  // No more at once than there are connections: on a busy machine none comes free in time for
  // hundreds.
  for (let n = 0; n < people.length; n += 16) {
    await Promise.all(people.slice(n, n + 16).map(startOf));
  }
  const found: string[] = [];
  for await (const { person } of jobsUnderWay(storage.reader)) found.push(person);
  assert.deepEqual(found.toSorted(), people.toSorted());
});

onEngines("a job that can't be worked on holds no other up", async (desk, clock) => {
  await ask(desk, 1);
  const { credential } = await newPerson(desk, ["portal:read", "approve"]);
  // As no call can write it.
  const selection = { filter: { created_before: "", q: 5 } } as never;
  const job = { id: "damaged", kind: "decline", deliver: "", reason: null, selection } as const;
  // Of somebody who comes first.
  const actor = { org_id: desk.org_id, user_id: "", token_id: "", now: clock.now() };
  await desk.app.ctx.storage.commit(startJob, {
    actor,
    job: { ...START, ...job },
    idempotency: null,
  });
  const other = await start(desk, { kind: "decline", filter: {} }, credential);
  const errors: unknown[] = [];
  const engine = new JobEngine(desk.app.ctx, (error) => errors.push(error));
  await work(engine);
  assert.ok(errors.length > 0);
  assert.equal((await read(desk, other.id)).done, 1);
});

Deno.test("jobs: rows of a turn share flushes, so that deciding many waits for few", async () => {
  await using desk = await openTestDesk("sqlite", { clock: laterEachTime() });
  await ask(desk, 40);
  await start(desk, { kind: "decline", filter: {}, reason: "not now" });
  const engine = engineOf(desk);
  await engine.turn();
  const before = desk.app.ctx.storage.stats();
  await engine.turn();
  const after = desk.app.ctx.storage.stats();
  assert.equal(after.commits - before.commits, 42, "40 rows, the right, and what they came to");
  // Of twenty that come at once the first is on its way already.
  assert.ok(after.flushes - before.flushes <= 8, `${after.flushes - before.flushes} flushes`);
});
