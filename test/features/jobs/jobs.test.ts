/** Jobs: any number of decisions, each once, by whichever node, and by the right of the moment. */
import assert from "node:assert/strict";
import { JobEngine } from "../../../src/features/jobs/job-engine.ts";
import { jobLease } from "../../../src/features/jobs/jobs.store.ts";
import { nextRows } from "../../../src/features/jobs/job-rows.store.ts";
import { jobsUnderWay } from "../../../src/features/jobs/jobs.store.ts";
import { newId } from "../../../src/kernel/ids.ts";
import { purgeEnded } from "../../../src/operations/retention/retention.transactions.ts";
import { startJob } from "../../../src/features/jobs/jobs.transactions.ts";
import { assertInvalid } from "../../support/answers.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { v1 } from "../../support/v1-requests.ts";
import { allItems, call, newPerson } from "../../support/people.ts";

const JOBS = "/v1/jobs";
const DAY = 24 * 60 * 60 * 1000;
/** What a job is started with that says nothing of it. */
const START = { at_most: 0, key_expires_at: null };

/** What time it is: later each time that somebody asks. */
interface Clock {
  at: number;
  now(): number;
}

/** A moment is behind what was asked before it, so that a job that starts finds all of that. */
function laterEachTime(): Clock {
  const clock: Clock = { at: Date.now(), now: () => ++clock.at };
  return clock;
}

function onEngines(promise: string, test: (desk: TestDesk, clock: Clock) => Promise<void>): void {
  testEachEngine(`jobs: ${promise}`, async (engine) => {
    const clock = laterEachTime();
    await using desk = await openTestDesk(engine, { clock });
    await test(desk, clock);
  });
}

const engineOf = (desk: TestDesk) => new JobEngine(desk.app.ctx);

/** Works until nothing is to be done. */
async function work(engine: JobEngine): Promise<void> {
  for (let turns = 0; (await engine.turn()).worked; turns++) {
    assert.ok(turns < 1000, "it comes to an end");
  }
}

async function ask(desk: TestDesk, count: number, changes = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await create(desk, smallRequest({ by_user: `dev-${n}`, ...changes })));
  }
  return [...await known(desk, ...ids)];
}

const start = (desk: TestDesk, body: object, credential?: string) =>
  call(desk, "POST", JOBS, body, credential);
const read = (desk: TestDesk, id: string) => call(desk, "GET", `${JOBS}/${id}`);

async function file(desk: TestDesk, method: string, path: string): Promise<string[]> {
  const answer = await desk.send(method, path);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
  return text.split("\r\n").slice(0, -1);
}

/** Asserts that a call was refused by this code. */
async function assertFailure(answer: Response, code: string): Promise<void> {
  assert.equal(answer.headers.get("x-keydesk-error"), code, await answer.text());
}

const outcomes = ({ state, total, done, left_alone, failed }: Record<string, unknown>) => ({
  state,
  total,
  done,
  left_alone,
  failed,
});

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

onEngines("a filter and its moment: what is newer or does not match stays", async (desk, clock) => {
  await ask(desk, 45, { for_plan: "plan-a" });
  const [other = ""] = await ask(desk, 1, { for_plan: "plan-b" });
  const path = `${JOBS}/selection?kind=approve&plan=plan-a`;
  const counted = await call(desk, "GET", path);
  assert.deepEqual([counted.total, counted.complete], [45, true]);
  clock.at += 1000;
  const date_created = new Date(clock.at - 500).toISOString();
  const [newer = ""] = await ask(desk, 1, { for_plan: "plan-a", date_created });
  const filter = { plan: "plan-a", asked_before: counted.asked_before };
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
  const request_id = (await allItems(desk, "/v1/activity?action=job.started"))[0].request_id;
  const rows = await allItems(desk, `/v1/activity?request_id=${request_id}`);
  const of = (action: string) => rows.filter((row) => row.action === action).length;
  assert.deepEqual(
    ["job.started", "key_request.approved", "claim.created", "job.ended"].map(of),
    [1, 45, 45, 1],
  );
});

onEngines(
  "links are taken once, by whoever started the job, and stand nowhere else",
  async (desk) => {
    await ask(desk, 3);
    const { id } = await start(desk, { kind: "approve", filter: {} });
    await work(engineOf(desk));
    assert.equal((await read(desk, id)).links_wait, true);
    const other = await newPerson(desk, ["portal:read", "approve"]);
    const taking = { credential: other.credential };
    await assertFailure(await desk.send("POST", `${JOBS}/${id}/links`, taking), "access_denied");
    const seen = await call(desk, "GET", `${JOBS}/${id}`, undefined, other.credential);
    assert.deepEqual([seen.mine, seen.links_wait], [false, false]);
    // What was opened meanwhile is of no use to anybody.
    const [head, ...lines] = await file(desk, "POST", `${JOBS}/${id}/links`);
    assert.equal(head, "key_request,developer,email,plan,claim_link,until");
    assert.equal(lines.length, 3);
    const token = /#([\w-]{43}),/.exec(lines[0] ?? "")?.[1] ?? "";
    const { credential } = await v1.open(desk, token);
    assert.ok(credential.RawKey);
    assert.equal((await file(desk, "POST", `${JOBS}/${id}/links`)).length, 1);
    assert.equal((await read(desk, id)).links_wait, false);
    const result = (await file(desk, "GET", `${JOBS}/${id}/result`)).join("\n");
    for (const secret of [token, credential.RawKey]) assert.ok(!result.includes(secret));
    const told = await allItems(desk, "/v1/activity?action=job.links_taken");
    assert.deepEqual(told.map(({ object_id }) => object_id), [id, id]);
  },
);

onEngines(
  "decided, changed or deleted meanwhile is left alone; a failure is its own",
  async (desk) => {
    const ids = await ask(desk, 6);
    const [approved = "", declined = "", changed = "", deleted = ""] = ids;
    const [failing = ""] = await ask(desk, 1, { key: "no-key-of-theirs", by_user: "dev-x" });
    const unknown = await create(desk, smallRequest({ by_user: "dev-of-nobody" }));
    const all = [...ids, failing, unknown, "nobody"];
    const { id } = await start(desk, { kind: "approve", ids: all });
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
  assert.match(last, /broken off,Whoever started the job may not approve any more\./);
});

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
  const claims = await allItems(desk, "/v1/claims");
  assert.equal(new Set(claims.map(({ request_id }) => request_id)).size, 60);
  assert.equal(claims.length, 60);
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
  const selection = { filter: { asked_before: "", q: 5 } } as never;
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

onEngines("keys of its approvals end when it says, or are not issued", async (desk, clock) => {
  const ids = await ask(desk, 3);
  const engine = engineOf(desk);
  const end = new Date(clock.at + DAY).toISOString();
  const { id, key_expires_at } = await start(desk, { kind: "approve", ids, expires_at: end });
  assert.equal(Date.parse(key_expires_at), Date.parse(end));
  await work(engine);
  const { data } = await call(desk, "GET", "/v1/keys");
  const ends = data.map((key: { expires_at: string }) => Date.parse(key.expires_at));
  assert.deepEqual(ends, ids.map(() => Date.parse(end)));
  assert.equal((await read(desk, id)).key_expires_at, key_expires_at);
  const [told] = await allItems(desk, "/v1/activity?action=job.started");
  assert.equal(told.detail.expires_at, key_expires_at);
  // Its day comes before their turn.
  const [late = ""] = await ask(desk, 1, { by_user: "dev-late" });
  const next = { kind: "approve", ids: [late], expires_at: new Date(clock.at + 60_000) };
  const { id: second } = await start(desk, next);
  clock.at += 61_000;
  await work(engine);
  assert.deepEqual(outcomes(await read(desk, second)), {
    state: "done",
    total: 1,
    done: 0,
    left_alone: 0,
    failed: 1,
  });
  assert.equal((await v1.get(desk, late)).state, "pending");
  // Without it the plans say.
  const { id: third } = await start(desk, { kind: "approve", ids: [late] });
  await work(engine);
  assert.equal((await read(desk, third)).key_expires_at, null);
  const { data: all } = await call(desk, "GET", "/v1/keys");
  const endless = all.filter((key: { expires_at: string | null }) => key.expires_at === null);
  assert.deepEqual([all.length, endless.length], [4, 1]);
});

onEngines("an end that is over, or of what issues no key, is refused", async (desk, clock) => {
  const post = (body: object) => desk.send("POST", JOBS, { body });
  const past = new Date(clock.at - 1000).toISOString();
  const future = new Date(clock.at + DAY).toISOString();
  const approve = { kind: "approve", ids: ["x"] };
  await assertInvalid(
    await post({ ...approve, expires_at: past }),
    "expires_at: expected a time to come",
  );
  assert.equal((await post({ ...approve, expires_at: "tomorrow" })).status, 400);
  for (const kind of ["decline", "reopen"]) {
    await assertInvalid(
      await post({ kind, ids: ["x"], expires_at: future }),
      "expires_at: only what is approved has a key that ends",
    );
  }
  assert.deepEqual((await call(desk, "GET", JOBS)).data, []);
});

onEngines("by mail: no link waits for a file; without a target the job ends", async (desk) => {
  await ask(desk, 50);
  const { id: target } = await call(desk, "POST", "/v1/targets", { kind: "mail", name: "Mail" });
  assert.equal((await call(desk, "GET", `${JOBS}/selection?kind=approve`)).mails_links, true);
  const { id } = await start(desk, { kind: "approve", filter: {}, deliver: "mail" });
  const engine = engineOf(desk);
  await engine.turn();
  await engine.turn();
  const { done, links_wait } = await read(desk, id);
  assert.deepEqual([done > 0 && done < 50, links_wait], [true, false]);
  assert.equal((await file(desk, "POST", `${JOBS}/${id}/links`)).length, 1);
  assert.equal((await desk.send("DELETE", `/v1/targets/${target}`)).status, 200);
  await work(engine);
  const job = await read(desk, id);
  assert.deepEqual([job.state, job.why, job.done], ["broken_off", "links_not_mailed", done]);
});

onEngines(
  "a developer whose address changed is left alone, and their link goes where it was made for",
  async (desk) => {
    const before = { portal_developer: { id: "dev-0", email: "elif@example.org" } };
    const change = (id: string, email: string) =>
      call(desk, "PUT", `/v1/developers/${id}`, { email, fields: {} });
    // Between the selection and its turn.
    const [request = ""] = await ask(desk, 1, before);
    const first = await start(desk, { kind: "approve", ids: [request], deliver: "links" });
    const engine = engineOf(desk);
    await engine.turn();
    await change("dev-0", "thief@example.net");
    await work(engine);
    // It may have had its turn before that.
    const { done, left_alone } = await read(desk, first.id);
    assert.equal(done + left_alone, 1);
    // Behind the moment that somebody looked at.
    const { asked_before } = await call(desk, "GET", `${JOBS}/selection?kind=approve`);
    const other = await create(
      desk,
      smallRequest({
        by_user: "dev-9",
        portal_developer: { id: "dev-9", email: "grace@example.org" },
        date_created: "2026-01-01T00:00:00Z",
      }),
    );
    await change("dev-9", "thief-9@example.net");
    const looked = await start(desk, {
      kind: "approve",
      filter: { asked_before, developer: "dev-9" },
    });
    await work(engine);
    assert.deepEqual((await read(desk, looked.id)).left_alone, 1);
    assert.equal((await v1.get(desk, other)).state, "pending");
    // By mail nothing goes where nobody confirmed.
    await call(desk, "POST", "/v1/targets", { kind: "mail", name: "Mail" });
    const mailed = await start(desk, { kind: "approve", ids: [other], deliver: "mail" });
    await work(engine);
    assert.equal((await read(desk, mailed.id)).failed, 1);
    assert.ok(
      (await file(desk, "GET", `${JOBS}/${mailed.id}/result`)).some((line) =>
        line.includes("confirmed")
      ),
    );
    // What was handed over before the change stays for whom it was.
    const [last = ""] = await ask(desk, 1, {
      by_user: "dev-7",
      portal_developer: { id: "dev-7", email: "ada@example.org" },
    });
    const linked = await start(desk, { kind: "approve", ids: [last], deliver: "links" });
    await work(engine);
    await change("dev-7", "thief-7@example.net");
    const [, link = ""] = await file(desk, "POST", `${JOBS}/${linked.id}/links`);
    assert.ok(link.includes("ada@example.org") && !link.includes("thief"), link);
  },
);

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
