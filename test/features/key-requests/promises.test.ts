/** A decision is promised within so many hours: warned of before, told of once it is late. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../src/features/alerts/alert-engine.ts";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { movableClock } from "../../support/keys.ts";
import { addMailTarget, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { allItems, newPerson } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";
import { planWith } from "../../support/verification.ts";

type Shown = { id: string; decide_by: string | null; late: boolean };

const START = Date.parse("2026-03-01T00:00:00Z");
const clock = movableClock("2026-03-01T00:00:00Z");
const HOUR_MS = 3_600_000;

/** A plan of which a decision is promised within so many hours; null: nothing is. */
async function promising(desk: TestDesk, hours: number | null) {
  clock.at = START;
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const body = { outcome: "one", ...hours === null ? {} : { decide_within_hours: hours } };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
  return plan;
}

async function ask(desk: TestDesk, plan: string): Promise<string> {
  const { id: by_user } = await registered(desk, `dev-${crypto.randomUUID()}`);
  const body = { by_user, for_plan: plan };
  return (await succeed<Shown>(desk, "POST", "/v1/key-requests", { body })).id;
}

const path = (id: string) => `/v1/key-requests/${id}`;
const shown = (desk: TestDesk, id: string) => succeed<Shown>(desk, "GET", path(id));
const at = (hours: number) => new Date(START + hours * HOUR_MS).toISOString();

async function listed(desk: TestDesk, query: string): Promise<string[]> {
  return (await allItems(desk, `/v1/key-requests?${query}&limit=2`)).map(({ id }) => id);
}

/** What was told of promises, the oldest first. */
async function told(desk: TestDesk): Promise<[string, string][]> {
  const events = await allItems(desk, "/v1/activity?kind=changes");
  return events.reverse().filter(({ action }) => action.startsWith("key_request.late"))
    .map(({ action, object_id }) => [action, object_id]);
}

testOnEngines(
  "promises: warned of once, told once that it is late, whoever looks",
  async (desk) => {
    const id = await ask(desk, await promising(desk, 8));
    const engines = [new AlertEngine(desk.app.ctx), new AlertEngine(desk.app.ctx)];
    const look = async () => {
      for (const engine of [...engines, ...engines]) await engine.turn();
    };
    assert.equal((await shown(desk, id)).decide_by, at(8));
    clock.at = START + 6 * HOUR_MS - 1;
    await look();
    assert.deepEqual(await told(desk), []);
    clock.at += 1;
    await look();
    assert.deepEqual(await told(desk), [["key_request.late_soon", id]]);
    assert.equal((await shown(desk, id)).late, false);
    clock.at = START + 8 * HOUR_MS;
    await look();
    await look();
    assert.deepEqual(await told(desk), [["key_request.late_soon", id], ["key_request.late", id]]);
    assert.equal((await shown(desk, id)).late, true);
    assert.deepEqual(await listed(desk, "late=true"), [id]);
    await succeed(desk, "POST", `${path(id)}/decline`, { body: {} });
    const decided = await shown(desk, id);
    assert.deepEqual([decided.late, decided.decide_by], [false, at(8)]);
    assert.deepEqual(await listed(desk, "late=true"), []);
  },
  { clock },
);

testOnEngines("promises: where a clock jumped nobody is warned of what is late", async (desk) => {
  const plan = await promising(desk, 8);
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push(await ask(desk, plan));
  clock.at = START + 400 * HOUR_MS;
  await new AlertEngine(desk.app.ctx).turn();
  const all = await told(desk);
  assert.deepEqual(all.map(([, id]) => id).sort(), ids.sort());
  assert.ok(all.every(([action]) => action === "key_request.late"));
  // Back again: nothing is told twice.
  clock.at = START + 7 * HOUR_MS;
  await new AlertEngine(desk.app.ctx).turn();
  assert.equal((await told(desk)).length, 60);
}, { clock });

testOnEngines(
  "promises: nothing of what was decided, or of which nothing is promised",
  async (desk) => {
    const decided = await ask(desk, await promising(desk, 8));
    const free = await ask(desk, await promising(desk, null));
    await succeed(desk, "POST", `${path(decided)}/decline`, { body: {} });
    assert.equal((await shown(desk, free)).decide_by, null);
    clock.at = START + 100 * HOUR_MS;
    await new AlertEngine(desk.app.ctx).turn();
    assert.deepEqual(await told(desk), []);
    await succeed(desk, "POST", `${path(decided)}/reopen`);
    assert.equal((await shown(desk, decided)).decide_by, at(108), "the hours begin anew");
    clock.at = START + 106 * HOUR_MS;
    await new AlertEngine(desk.app.ctx).turn();
    assert.deepEqual(await told(desk), [["key_request.late_soon", decided]]);
  },
  { clock },
);

testOnEngines("promises: while an offer waits nobody is late", async (desk) => {
  const id = await ask(desk, await promising(desk, 8));
  await succeed(desk, "POST", `${path(id)}/offer`, {
    body: { conditions: { rate: { calls: 1, seconds: 60 } } },
  });
  clock.at = START + 9 * HOUR_MS;
  await new AlertEngine(desk.app.ctx).turn();
  assert.equal((await shown(desk, id)).late, false);
  assert.deepEqual(await told(desk), []);
  await succeed(desk, "DELETE", `${path(id)}/offer`);
  assert.equal((await shown(desk, id)).decide_by, at(17));
}, { clock });

testOnEngines(
  "promises: the shortest of several plans counts, kept as it was asked",
  async (desk) => {
    const [long, short] = [await promising(desk, 48), await promising(desk, 4)];
    const { id: by_user } = await registered(desk, "dev-both");
    const body = { by_user, for_plan: long, plans: [long, short] };
    const { id } = await succeed<Shown>(desk, "POST", "/v1/key-requests", { body });
    await succeed(desk, "PUT", `/v1/plans/${short}/approval-policy`, { body: { outcome: "one" } });
    assert.equal((await shown(desk, id)).decide_by, at(4));
    for (const hours of [0, 8761, 1.5]) {
      const response = await desk.send("PUT", `/v1/plans/${long}/approval-policy`, {
        body: { outcome: "one", decide_within_hours: hours },
      });
      assert.equal(response.headers.get("x-keydesk-error"), "invalid_input");
      await response.body?.cancel();
    }
  },
  { clock },
);

testOnEngines(
  "promises: lists go by them, and what is promised nothing comes behind",
  async (desk) => {
    const [long, short] = [await promising(desk, 48), await promising(desk, 4)];
    const free = await promising(desk, null);
    const [a, b, c] = [await ask(desk, free), await ask(desk, long), await ask(desk, short)];
    clock.at += 1000;
    const [d, e] = [await ask(desk, short), await ask(desk, free)];
    assert.deepEqual(await listed(desk, "sort=decide_by"), [c, d, b, a, e]);
    assert.deepEqual(await listed(desk, `sort=decide_by&plan=${free}`), [a, e]);
    clock.at = START + 4 * HOUR_MS;
    assert.deepEqual(await listed(desk, "late=true"), [c]);
    const message = "sort: decide_by and late go with the state pending, or none";
    await assertFailure(
      await desk.send("GET", "/v1/key-requests?late=true&state=issued"),
      "invalid_input",
      { message, errors: [message] },
    );
  },
  { clock },
);

testOnEngines("promises: mine is what is assigned to me, or waits for me", async (desk) => {
  const plan = await promising(desk, 8);
  const short = await promising(desk, 2);
  const ann = await newPerson(desk, ["portal:read", "approve"], { name: "Ann" });
  const bob = await newPerson(desk, ["portal:read", "approve"], { name: "Bob" });
  const steps = [
    { name: "First", need: 1, people: [ann.id] },
    { name: "Second", need: 1, people: [bob.id] },
  ];
  const body = { outcome: "steps", steps, decide_within_hours: 4 };
  await succeed(desk, "PUT", `/v1/plans/${short}/approval-policy`, { body });
  const [open, inSteps] = [await ask(desk, plan), await ask(desk, short)];
  const mine = async ({ credential }: { credential: string }, query = "") =>
    (await allItems(desk, `/v1/key-requests?mine=true${query}`, credential)).map(({ id }) => id);
  assert.deepEqual(await mine(ann), [inSteps, open], "by what is promised");
  assert.deepEqual(await mine(ann, "&sort=oldest"), [open, inSteps].sort());
  assert.deepEqual(await mine(bob), [open]);
  await succeed(desk, "PUT", `${path(inSteps)}/assignee`, { body: { assignee: bob.id } });
  assert.deepEqual(await mine(bob), [inSteps, open]);
  const message = "mine: goes with state pending, and without waits_for";
  await assertFailure(
    await desk.send("GET", "/v1/key-requests?mine=true&state=issued"),
    "invalid_input",
    { message, errors: [message] },
  );
}, { clock });

testOnEngines("promises: the assignee is mailed, else who may decide", async (desk) => {
  await using smtp = await mailServer();
  const plan = await promising(desk, 8);
  const tomas = await addPerson(desk, "tomas@example.org");
  await addPerson(desk, "ann@example.org");
  const [mine] = [await ask(desk, plan)];
  await succeed(desk, "PUT", `${path(mine)}/assignee`, { body: { assignee: tomas } });
  await addMailTarget(desk, { digest_minutes: 0 });
  const engine = mailEngine(desk, smtp, { now: () => clock.at });
  clock.at = START + 6 * HOUR_MS;
  await new AlertEngine(desk.app.ctx).turn();
  await deliver(engine);
  assert.deepEqual(smtp.taken.map(({ to }) => to), [["tomas@example.org"]]);
  assert.match(smtp.taken[0]?.parsed.subject ?? "", /’s request for .* is soon late$/);
  await succeed(desk, "PUT", `${path(mine)}/assignee`, { body: { assignee: "nobody" } });
  clock.at = START + 8 * HOUR_MS;
  await new AlertEngine(desk.app.ctx).turn();
  await deliver(engine);
  const last = smtp.taken.slice(1);
  assert.deepEqual(last.flatMap(({ to }) => to).sort(), ["ann@example.org", "tomas@example.org"]);
  assert.match(last[0]?.parsed.subject ?? "", / is late$/);
}, { clock });

testOnEngines(
  "promises: how long people took, and how much of what was promised was kept",
  async (desk) => {
    const plan = await promising(desk, 8);
    const pace = async () => {
      const { since: _, ...told } = await succeed<Record<string, unknown>>(
        desk,
        "GET",
        "/v1/insight/decisions",
      );
      return told;
    };
    const none = {
      approved: 0,
      declined: 0,
      more: false,
      median_seconds: null,
      approved_share: null,
      promised: 0,
      in_time: 0,
    };
    const asked = (week: number, before: number) => ({ asked: { week, before } });
    assert.deepEqual(await pace(), { ...none, before: none, ...asked(0, 0) });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await ask(desk, plan));
    const unpromised = await ask(desk, await promising(desk, null));
    for (const [n, id] of ids.entries()) {
      clock.at = START + (n + 5) * HOUR_MS;
      await succeed(desk, "POST", `${path(id)}/${n === 4 ? "decline" : "approve"}`, { body: {} });
    }
    await succeed(desk, "POST", `${path(unpromised)}/approve`, { body: {} });
    const found = {
      approved: 5,
      declined: 1,
      more: false,
      median_seconds: 7.5 * 3600,
      approved_share: 5 / 6,
      promised: 5,
      in_time: 4,
    };
    assert.deepEqual(await pace(), { ...found, before: none, ...asked(6, 0) });
    clock.at = START + 7 * 24 * HOUR_MS + HOUR_MS;
    assert.deepEqual(await pace(), { ...found, before: none, ...asked(0, 6) });
    clock.at = START + 31 * 24 * HOUR_MS;
    assert.deepEqual(await pace(), { ...none, before: found, ...asked(0, 0) });
    clock.at = START + 61 * 24 * HOUR_MS;
    assert.deepEqual(await pace(), { ...none, before: none, ...asked(0, 0) });
    const reader = await desk.token(["certs:read"]);
    const refused = await desk.send("GET", "/v1/insight/decisions", { credential: reader });
    assert.equal(refused.status, 403);
  },
  { clock },
);

testOnEngines(
  "promises: where the assignee can't decide, others who may are mailed",
  async (desk) => {
    await using smtp = await mailServer();
    const plan = await promising(desk, 8);
    const tomas = await addPerson(desk, "tomas@example.org");
    const ann = await addPerson(desk, "ann@example.org");
    const id = await ask(desk, plan);
    await succeed(desk, "PUT", `${path(id)}/assignee`, { body: { assignee: tomas } });
    await succeed(desk, "POST", `/v1/people/${tomas}/suspend`, { body: {} });
    await addMailTarget(desk, { digest_minutes: 0 });
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    clock.at = START + 6 * HOUR_MS;
    await new AlertEngine(desk.app.ctx).turn();
    await deliver(engine);
    assert.deepEqual(smtp.taken.map(({ to }) => to), [["ann@example.org"]]);
    await succeed(desk, "POST", `/v1/people/${tomas}/resume`, { body: {} });
    await succeed(desk, "POST", `/v1/people/${ann}/suspend`, { body: {} });
    clock.at = START + 8 * HOUR_MS;
    await new AlertEngine(desk.app.ctx).turn();
    await deliver(engine);
    assert.deepEqual(smtp.taken.slice(1).map(({ to }) => to), [["tomas@example.org"]]);
  },
  { clock },
);
