/**
 * A message says by which call and by whom its change was made, as the line of the audit log does.
 */
import assert from "node:assert/strict";
import { JobEngine } from "../../../src/features/jobs/job-engine.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approvalOf, create, smallRequest } from "../../support/key-requests.ts";
import { tokenOf, v1 } from "../../support/v1-requests.ts";
import { allItems, call, newPerson } from "../../support/people.ts";
import { addTarget, deliver, engineOf, type Received, receiver } from "../../support/receiver.ts";

const forgetSql = statement<{ org_id: string }>()((db, p) =>
  db.updateTable("outbox_events").set({ actor: "", request_id: "" }).where("org_id", "=", p.org_id)
);

/** Leaves messages as a server of an earlier release wrote them. */
const forget = defineTransaction(
  "test.forget-actors",
  async (tx, org_id: string) => await tx.change(forgetSql, { org_id }),
);

const dropSql = statement<{ org_id: string }>()((db, p) =>
  db.deleteFrom("outbox_events").where("org_id", "=", p.org_id)
);

/** Takes away what retention would. */
const drop = defineTransaction(
  "test.drop-messages",
  async (tx, org_id: string) => await tx.change(dropSql, { org_id }),
);

/** Of a message and of an event what must be the same. */
const ofMessage = ({ json: { type, data } }: Received) => ({
  action: type,
  object_id: data.id,
  request_id: data.request_id ?? "",
  caller_request_id: data.caller_request_id ?? "",
  actor: data.actor.id,
  actor_type: data.actor.type,
  actor_name: data.actor.name,
});
type Said = ReturnType<typeof ofMessage>;

async function events(desk: TestDesk, query: string): Promise<Said[]> {
  const found: Said[] = await allItems(desk, `/v1/audit-log?${query}`);
  return found.map(({ action, object_id, request_id, caller_request_id, ...event }) => ({
    action,
    object_id,
    request_id,
    caller_request_id,
    actor: event.actor,
    actor_type: event.actor_type,
    actor_name: event.actor_name,
  }));
}

testOnEngines(
  "webhooks: a message names call and person as the audit log does, of a repeated call the first",
  async (desk) => {
    await using portal = receiver();
    await addTarget(desk, portal, { topics: ["key_request.*", "one_time_link.opened"] });
    const { id: person, credential } = await newPerson(desk, ["approve"], { name: "Grace" });
    const id = await create(desk, smallRequest());
    for (const x of ["first", "second"]) {
      const headers = { "x-request-id": x, "idempotency-key": "once-and-not-again" };
      const answer = await desk.send("PUT", approvalOf(id), { credential, headers });
      assert.equal(answer.status, 200, await answer.text());
    }
    const other = await create(desk, smallRequest({ by_user: "dev-bob" }));
    const { claim } = await v1.approve(desk, other, "?deliver=claim");
    await v1.open(desk, tokenOf(claim));
    await deliver(engineOf(desk));
    const told = portal.taken.map(ofMessage);
    const auditLog = [
      ...await events(desk, "object=key_request"),
      ...await events(desk, "object=one_time_link"),
    ]
      .filter(({ action }) => action !== "one_time_link.created");
    assert.deepEqual(byAction(told), byAction(auditLog));
    const [approved] = told.filter(({ action, object_id }) =>
      action === "key_request.approved" && object_id === id
    );
    assert.match(approved?.request_id ?? "", /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      [approved?.caller_request_id, approved?.actor_type, approved?.actor, approved?.actor_name],
      ["first", "person", person, "Grace"],
    );
    const opened = told.find(({ action }) => action === "one_time_link.opened");
    assert.deepEqual([opened?.actor_type, opened?.actor], ["link", "claim-link"]);
    assert.match(opened?.request_id ?? "", /^[0-9a-f-]{36}$/);
  },
);

testOnEngines(
  "webhooks: what a job decides names whoever started it, and the call that did",
  async (desk) => {
    await using portal = receiver();
    await addTarget(desk, portal, { topics: ["key_request.declined"] });
    const { id: person, credential } = await newPerson(desk, ["approve", "portal:read"]);
    for (const by_user of ["dev-a", "dev-b"]) await create(desk, smallRequest({ by_user }));
    const body = { kind: "decline", reason: "Not now.", filter: {} };
    await call(desk, "POST", "/v1/jobs", body, credential);
    const jobs = new JobEngine(desk.app.ctx);
    while ((await jobs.turn()).worked);
    await deliver(engineOf(desk));
    const [started] = await events(desk, "action=job.started");
    const told = portal.taken.map(ofMessage);
    assert.deepEqual(
      told.map(({ actor, request_id }) => [actor, request_id]),
      [[person, started?.request_id], [person, started?.request_id]],
    );
  },
);

testOnEngines(
  "webhooks: what Keydesk does by itself names the system and no call",
  async (desk) => {
    await using gone = receiver();
    await using portal = receiver();
    gone.answer = () => 410;
    await addTarget(desk, portal, { topics: ["channel.paused"] });
    const { id } = await addTarget(desk, gone, { topics: ["plan.*"] });
    await call(desk, "POST", "/v1/plans", { name: "Weather", rate: 5, per: 1 });
    const engine = engineOf(desk);
    await deliver(engine);
    await deliver(engine);
    const [paused] = portal.taken;
    assert.deepEqual(
      [paused?.json.data.id, paused?.json.data.request_id, paused?.json.data.actor],
      [id, null, { type: "system", id: "deliveries", name: "deliveries" }],
    );
    assert.deepEqual(portal.taken.map(ofMessage), await events(desk, "action=channel.paused"));
  },
);

testOnEngines(
  "webhooks: a message sent again has the person's name of now, and keeps nothing of its own",
  async (desk) => {
    await using portal = receiver();
    await using channel = receiver();
    await addTarget(desk, portal, { topics: ["key_request.created"] });
    const { id, credential } = await newPerson(desk, ["portal:write"], { name: "Grace Hopper" });
    await addTarget(desk, channel, { topics: ["key_request.created"], template: "slack" });
    await create(desk, smallRequest(), { credential });
    const engine = engineOf(desk);
    await deliver(engine);
    const [first] = portal.taken;
    assert.equal(first?.json.data.actor.name, "Grace Hopper");
    assert.match(channel.taken[0]?.json.text, /By Grace Hopper\.$/);
    const again = async () => {
      await call(desk, "POST", `/v1/deliveries/${first?.id}/replay`);
      await deliver(engine);
      const sent = portal.taken.at(-1);
      assert.equal(sent?.id, first?.id);
      return [sent?.json.data.actor, sent?.json.data.request_id];
    };
    const person = await call(desk, "GET", `/v1/people/${id}`);
    await call(desk, "PUT", `/v1/people/${id}`, {
      name: "G.",
      permissions: person.permissions,
    });
    const { request_id } = first?.json.data ?? {};
    assert.deepEqual(await again(), [{ type: "person", id, name: "G." }, request_id]);
    // As one of an earlier release, and as one that retention took away.
    await desk.app.ctx.storage.commit(forget, desk.org_id);
    assert.deepEqual(await again(), [null, null]);
    await desk.app.ctx.storage.commit(drop, desk.org_id);
    assert.deepEqual(await again(), [null, null]);
  },
  { extra: [forget, drop] },
);

function byAction(said: Said[]): Said[] {
  const key = ({ action, object_id }: Said) => `${action} ${object_id}`;
  return said.toSorted((a, b) => key(a) < key(b) ? -1 : 1);
}
