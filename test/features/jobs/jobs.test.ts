/** Jobs: what they find and decide, each row once, by the right of the moment, and how they end. */
import assert from "node:assert/strict";
import { nextRows } from "../../../src/features/jobs/job-rows.store.ts";
import { purgeEnded } from "../../../src/maintenance/retention/retention.transactions.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { v1 } from "../../support/v1-requests.ts";
import { allItems, call, newPerson } from "../../support/people.ts";
import {
  ask,
  assertFailure,
  DAY,
  engineOf,
  file,
  JOBS,
  onEngines,
  outcomes,
  read,
  start,
  startOnly,
  work,
} from "../../support/jobs.ts";

onEngines("a filter and its moment: what is newer or does not match stays", async (desk, clock) => {
  await ask(desk, 45, { for_plan: "plan-a" });
  const [other = ""] = await ask(desk, 1, { for_plan: "plan-b" });
  const path = `${JOBS}/selection?kind=approve&plan=plan-a`;
  const counted = await call(desk, "GET", path);
  assert.deepEqual([counted.total, counted.complete], [45, true]);
  clock.at += 1000;
  const date_created = new Date(clock.at - 500).toISOString();
  const [newer = ""] = await ask(desk, 1, { for_plan: "plan-a", date_created });
  const filter = { plan: "plan-a", created_before: counted.created_before };
  const { id, state, total } = await start(desk, { kind: "approve", filter, at_most: 45 });
  assert.deepEqual([state, total], ["preparing", null]);
  await work(engineOf(desk));
  const job = await read(desk, id);
  assert.deepEqual(outcomes(job), {
    state: "done",
    total: 45,
    done: 45,
    left_alone: 0,
    failed: 0,
  });
  assert.deepEqual(await v1.counts(desk), { pending: 2, issued: 45, declined: 0, all: 47 });
  for (const one of [other, newer]) assert.equal((await v1.get(desk, one)).state, "pending");
  // As single decisions have them, by the call that started the job, and two of the job.
  const request_id = (await allItems(desk, "/v1/audit-log?action=job.started"))[0].request_id;
  const rows = await allItems(desk, `/v1/audit-log?request_id=${request_id}`);
  const of = (action: string) => rows.filter((row) => row.action === action).length;
  assert.deepEqual(
    ["job.started", "key_request.approved", "one_time_link.created", "job.ended"].map(of),
    [1, 45, 45, 1],
  );
});

onEngines(
  "decided, changed or deleted meanwhile is left alone; a failure is its own",
  async (desk) => {
    const ids = await ask(desk, 6);
    const [approved = "", declined = "", changed = "", deleted = ""] = ids;
    const [failing = ""] = await ask(desk, 1, { key: "no-key-of-theirs", by_user: "dev-x" });
    const unknown = await create(desk, smallRequest({ by_user: "dev-of-nobody" }));
    const all = [...ids, failing, unknown, "nobody"];
    const { id } = await startOnly(desk, { kind: "approve", ids: all });
    const engine = engineOf(desk);
    await engine.turn();
    assert.equal((await read(desk, id)).state, "running");
    await v1.approve(desk, approved);
    await v1.decline(desk, declined);
    await desk.send("PUT", `/api/portal/requests/${changed}`, {
      body: smallRequest({ by_user: "dev-2", for_plan: "plan-dear" }),
    });
    await desk.send("DELETE", `/api/portal/requests/${deleted}`);
    await work(engine);
    assert.deepEqual(outcomes(await read(desk, id)), {
      state: "done",
      total: 9,
      done: 2,
      left_alone: 5,
      failed: 2,
    });
    assert.equal((await v1.get(desk, changed)).state, "pending");
    const lines = await file(desk, "GET", `${JOBS}/${id}/result`);
    const said = new Map(lines.map((line) => [line.split(",")[0], line.split(",")[4]]));
    assert.deepEqual(ids.map((one) => said.get(one)), [
      "left alone",
      "left alone",
      "left alone",
      "left alone",
      "approved",
      "approved",
    ]);
    const others = [failing, unknown, "nobody"].map((one) => said.get(one));
    assert.deepEqual(others, ["failed", "failed", "left alone"]);
    const why = lines.find((line) => line.startsWith(unknown))?.split(",")[5];
    assert.equal(why, "Could not retrieve developer object");
  },
);

onEngines("nothing that matches, or all of it decided, is done at once", async (desk) => {
  const engine = engineOf(desk);
  const empty = await start(desk, { kind: "decline", filter: {} });
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, empty.id)), {
    state: "done",
    total: 0,
    done: 0,
    left_alone: 0,
    failed: 0,
  });
  const ids = await ask(desk, 3);
  await v1.declineMany(desk, ids);
  const { id } = await start(desk, { kind: "decline", ids });
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, id)), {
    state: "done",
    total: 3,
    done: 0,
    left_alone: 3,
    failed: 0,
  });
});

onEngines("one job of a person is under way; more than expected decides nothing", async (desk) => {
  await ask(desk, 2);
  const { id } = await start(desk, { kind: "decline", filter: {}, at_most: 1 });
  const again = await desk.send("POST", JOBS, { body: { kind: "decline", filter: {} } });
  await assertFailure(again, "job_under_way");
  const other = await newPerson(desk, ["portal:read", "approve"]);
  const theirs = await start(desk, { kind: "decline", ids: ["nobody"] }, other.credential);
  await work(engineOf(desk));
  const job = await read(desk, id);
  assert.deepEqual([job.state, job.why, job.total, job.done], ["broken_off", "too_many", 2, 0]);
  const place = { org_id: desk.org_id, job_id: id };
  assert.deepEqual(await nextRows(desk.app.ctx.storage.reader, place, 0, 10), []);
  assert.equal((await read(desk, theirs.id)).state, "done");
  assert.equal((await v1.counts(desk) as { pending: number }).pending, 2);
  await start(desk, { kind: "decline", filter: {} });
});

onEngines("stop: what is decided stays, the rest is left, and the file says so", async (desk) => {
  await ask(desk, 50);
  const { id } = await start(desk, { kind: "decline", filter: {}, reason: "Over" });
  const engine = engineOf(desk);
  await engine.turn();
  await engine.turn();
  const { done } = await read(desk, id);
  assert.ok(done > 0 && done < 50, String(done));
  assert.equal((await call(desk, "POST", `${JOBS}/${id}/stop`)).state, "stopping");
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, id)), {
    state: "stopped",
    total: 50,
    done,
    left_alone: 0,
    failed: 0,
  });
  await assertFailure(await desk.send("POST", `${JOBS}/${id}/stop`), "job_over");
  const last = (await file(desk, "GET", `${JOBS}/${id}/result`)).at(-1) ?? "";
  assert.match(last, /stopped,\d+ of 50 were left as they are\./);
  // And back again, as a second job.
  const reopening = await start(desk, { kind: "reopen", of_job: id });
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, reopening.id)), {
    state: "done",
    total: done,
    done,
    left_alone: 0,
    failed: 0,
  });
  assert.equal((await v1.counts(desk) as { pending: number }).pending, 50);
});

onEngines("whose right ends, their job ends, and says so", async (desk) => {
  await ask(desk, 50);
  const { id: person, credential } = await newPerson(desk, ["portal:read", "approve"]);
  const { id } = await start(desk, { kind: "decline", filter: {} }, credential);
  const engine = engineOf(desk);
  await engine.turn();
  await engine.turn();
  const { done } = await read(desk, id);
  const etag = (await desk.send("GET", `/v1/people/${person}`)).headers.get("etag") ?? "";
  const put = {
    body: { name: "Grace", permissions: ["portal:read"] },
    headers: { "if-match": etag },
  };
  assert.equal((await desk.send("PUT", `/v1/people/${person}`, put)).status, 200);
  await work(engine);
  const job = await read(desk, id);
  assert.deepEqual([job.state, job.why, job.done], ["broken_off", "permission_ended", done]);
  const last = (await file(desk, "GET", `${JOBS}/${id}/result`)).at(-1) ?? "";
  assert.match(
    last,
    /broken off,"The person who started the job may not do so any more, or has another scope\./,
  );
});

onEngines("what is another organisation's is absent", async (desk) => {
  const [theirs = ""] = await ask(desk, 1);
  const { id } = await start(desk, { kind: "decline", filter: {}, reason: "=1+1" });
  const { admin: credential } = await desk.otherOrganisation();
  assert.deepEqual((await call(desk, "GET", JOBS, undefined, credential)).data, []);
  const own = await start(desk, { kind: "decline", ids: [theirs] }, credential);
  const engine = engineOf(desk);
  await call(desk, "POST", `${JOBS}/${id}/stop`);
  await work(engine);
  const job = await call(desk, "GET", `${JOBS}/${own.id}`, undefined, credential);
  assert.deepEqual(outcomes(job), {
    state: "done",
    total: 1,
    done: 0,
    left_alone: 1,
    failed: 0,
  });
  assert.equal((await v1.get(desk, theirs)).state, "pending");
});

onEngines("a job, its rows and links go 30 days behind its end", async (desk, clock) => {
  await ask(desk, 3);
  const { id } = await start(desk, { kind: "approve", filter: {} });
  await work(engineOf(desk));
  const purge = async (now: number) => {
    const gone: number[] = [];
    for (const table of ["job_links", "job_rows", "jobs"] as const) {
      gone.push(await desk.app.ctx.storage.commit(purgeEnded, { table, now }));
    }
    return gone;
  };
  assert.deepEqual(await purge(clock.at + 29 * DAY), [3, 0, 0]);
  await read(desk, id);
  // A job does not go before its rows.
  const jobs = { table: "jobs", now: clock.at + 31 * DAY } as const;
  assert.equal(await desk.app.ctx.storage.commit(purgeEnded, jobs), 0);
  assert.deepEqual(await purge(clock.at + 31 * DAY), [0, 3, 1]);
  await assertFailure(await desk.send("GET", `${JOBS}/${id}`), "not_found");
});
