/** What events call their things: as it was then, found by a search, gone where it was erased. */
import assert from "node:assert/strict";
import { eraseFromAuditLog } from "../../../src/maintenance/audit-log/erase.transactions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { recordAudit } from "../../../src/changes/audit.ts";
import { add, made } from "../../support/certificates.ts";
import { writeAuditLogRows } from "../../../src/calls/audit-notes.transactions.ts";
import { readModules } from "../../support/modules.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { allItems, call } from "../../support/people.ts";
import { signIn } from "../../support/sign-in.ts";

const AUDIT_LOG = "/v1/audit-log";

const elif = {
  id: "dev-elif",
  email: "Elif@kiosk.example",
  fields: { name: "Elif Yıldız" },
};

async function eventsOf(desk: TestDesk, query: string) {
  return await allItems(desk, `${AUDIT_LOG}?${query}`);
}

async function actionsOf(desk: TestDesk, query: string): Promise<string[]> {
  return (await eventsOf(desk, query)).map(({ action }) => action);
}

/** A plan, and a request of Elif's for it that is approved; gives both ids. */
async function approved(desk: TestDesk) {
  const plan = await call(desk, "POST", "/v1/plans", { name: "Departures, free" });
  const id = await create(
    desk,
    smallRequest({
      by_user: elif.id,
      for_plan: plan.id,
      portal_developer: elif,
    }),
  );
  await approve(desk, id);
  return { id, plan: plan.id as string };
}

testOnEngines("names: an event keeps what its things were called", async (desk) => {
  const { id, plan } = await approved(desk);
  await call(desk, "PUT", `/v1/plans/${plan}`, { name: "Departures, old" });
  const fields = { name: "Elif Demir" };
  const before = await call(desk, "GET", `/v1/developers/${elif.id}`);
  await call(desk, "PUT", `/v1/developers/${elif.id}`, { email: before.email, fields });
  const told = await eventsOf(desk, `object_id=${id}`);
  assert.deepEqual(
    told.map((one) => [one.action, one.developer_name, one.plan_name, one.detail.names]),
    [
      ["key_request.approved", "Elif Yıldız", "Departures, free", undefined],
      ["key_request.created", "Elif Yıldız", "Departures, free", undefined],
    ],
  );
  const [created] = await eventsOf(desk, "action=plan.created");
  assert.equal(created.object_name, "Departures, free");
  const { data: [key] } = await call(desk, "GET", "/v1/keys");
  await call(desk, "POST", `/v1/keys/${key.key_id}/revoke`, { reason: "lost" });
  await call(desk, "DELETE", `/v1/developers/${elif.id}?keys=revoke`);
  const [revoked] = await eventsOf(desk, `object_id=${key.key_id}&action=key.revoked`);
  assert.deepEqual([revoked.object_name, revoked.developer_name], [key.mask, "Elif Demir"]);
  const [gone] = await eventsOf(desk, "action=developer.deleted");
  assert.equal(gone.developer_name, "Elif Demir");
});

testOnEngines("names: a certificate's stays when it is deleted", async (desk) => {
  const id = await add(desk, made({ cn: "kiosk-07.example" }));
  await (await desk.send("DELETE", `/api/certs/${id}`)).body?.cancel();
  const told = await eventsOf(desk, `object_id=${id}`);
  assert.deepEqual(told.map((one) => [one.action, one.object_name]), [
    ["certificate.deleted", "kiosk-07.example"],
    ["certificate.added", "kiosk-07.example"],
  ]);
});

const addOld = defineTransaction(
  "test.add-old",
  async (tx, input: { org_id: string; events: { object: string; object_id: string }[] }) => {
    const actor = { org_id: input.org_id, user_id: "operator", token_id: "", now: Date.now() };
    for (const event of input.events) {
      await recordAudit(tx, actor, { ...event, action: `${event.object}.old` });
    }
  },
);

testOnEngines("names: events that kept none have those of today", async (desk) => {
  const { id, plan } = await approved(desk);
  const certificate = await add(desk, made({ cn: "kiosk-07.example" }));
  const { data: [key] } = await call(desk, "GET", "/v1/keys");
  const { person } = await call(desk, "GET", "/v1/me");
  const events = [
    { object: "key_request", object_id: id },
    { object: "credential", object_id: key.key_id },
    { object: "certificate", object_id: certificate },
    { object: "plan", object_id: plan },
    { object: "developer", object_id: elif.id },
    { object: "person", object_id: person.id },
    { object: "credential", object_id: "gone" },
  ];
  await desk.app.ctx.storage.commit(addOld, { org_id: desk.org_id, events });
  const told = (await eventsOf(desk, "actor=operator")).filter((one) =>
    one.action.endsWith(".old")
  );
  const names = (one: Record<string, string>) => [
    one.object,
    one.object_name,
    one.developer_name,
    one.plan_name,
  ];
  assert.deepEqual(
    told.map(names).sort(),
    [
      ["certificate", "kiosk-07.example", "", ""],
      ["key", "", "", ""],
      ["key", key.mask, "Elif Yıldız", ""],
      ["developer", "", "Elif Yıldız", ""],
      ["key_request", "", "Elif Yıldız", "Departures, free"],
      ["person", "administrator", "", ""],
      ["plan", "Departures, free", "", ""],
    ].sort(),
  );
}, { extra: [addOld] });

testOnEngines(
  "names: a search finds people, things, ids and addresses, in any case",
  async (desk) => {
    const { id, plan } = await approved(desk);
    await add(desk, made({ cn: "kiosk-07.example" }));
    const from = "192.0.2.17";
    const wrong = await desk.send("GET", "/v1/me", { credential: "wrong", from });
    await wrong.body?.cancel();
    await desk.app.ctx.notes.flush();
    const request = ["key_request.approved", "key.issued", "key_request.created"];
    assert.deepEqual(await actionsOf(desk, "q=elif"), request);
    assert.deepEqual(await actionsOf(desk, `q=${encodeURIComponent("Yıldız")}`), request);
    assert.deepEqual(await actionsOf(desk, "q=ELIF@kiosk"), request);
    assert.deepEqual(await actionsOf(desk, `q=${id}`), request);
    assert.deepEqual(await actionsOf(desk, "q=KIOSK-07"), ["certificate.added"]);
    assert.deepEqual(await actionsOf(desk, "q=192.0.2"), ["sign_in.refused"]);
    assert.deepEqual(await actionsOf(desk, "q=departures,"), [...request, "plan.created"]);
    assert.ok((await actionsOf(desk, `q=${plan}`)).includes("plan.created"));
    assert.ok((await actionsOf(desk, "q=Administ")).includes("certificate.added"));
    // Names of members are nothing that was said.
    assert.deepEqual(await actionsOf(desk, "q=developer"), []);
    assert.deepEqual(await actionsOf(desk, "q=%25"), []);
    const exported = await desk.send("GET", `${AUDIT_LOG}/export?q=kiosk-07`);
    assert.equal(JSON.parse(await exported.text()).object_name, "kiosk-07.example");
  },
);

testOnEngines("names: sign-ins and changes can be looked at alone", async (desk) => {
  await approved(desk);
  await signIn(desk, { credential: desk.admin });
  const wrong = await desk.send("GET", "/v1/me", { credential: "wrong" });
  await wrong.body?.cancel();
  await desk.app.ctx.notes.flush();
  const signIns = await actionsOf(desk, "kind=sign_ins");
  assert.deepEqual(signIns.sort(), ["session.created", "sign_in.refused"]);
  const changes = await actionsOf(desk, "kind=changes");
  assert.ok(changes.includes("key_request.approved"));
  assert.ok(!changes.some((action) => signIns.includes(action)));
});

testOnEngines(
  "names: changes hold nothing that was only read, whatever it is called",
  async (desk) => {
    const { ctx } = desk.app;
    await approved(desk);
    const lists = ["/v1/key-requests", "/v1/keys", "/v1/developers", "/v1/certificates", AUDIT_LOG];
    for (const path of lists) {
      const answer = await desk.send("GET", `${path}/export`);
      assert.equal(answer.status, 200, path);
      await answer.body?.cancel();
    }
    const actor = { org_id: desk.org_id, user_id: "u", token_id: "", now: Date.now() };
    // What leaves by the command line, with a job, and by whatever comes to be.
    for (const object_id of ["desk", "outbox", "job_result", "moon"]) {
      const event = { action: `${object_id}.exported`, object: "export", object_id };
      await ctx.storage.commit(writeAuditLogRows, { rows: [{ actor, event }] });
    }
    const exports = (await actionsOf(desk, "object=export")).sort();
    assert.deepEqual(exports, [
      "archive.exported",
      "audit_log.exported",
      "certificates.exported",
      "developers.exported",
      "job_result.exported",
      "key_requests.exported",
      "keys.exported",
      "moon.exported",
      "outbox.exported",
    ]);
    const changes = await actionsOf(desk, "kind=changes");
    assert.ok(changes.includes("key_request.approved"));
    assert.deepEqual(
      changes.filter((action) => /\.(exported|read|streamed|refused)$/.test(action)),
      [],
    );
  },
);

Deno.test("names: what the source writes of reads counts as no change", () => {
  // Exports are told of one thing, which the filter knows: an action of that name stands beside no
  // other.
  const wrong = readModules().filter(({ text }) =>
    /exported["`]/.test(text) && /action: /.test(text)
  )
    .filter(({ text }) => !/\.exported["`], object: "export"/.test(text)).map(({ path }) => path)
    .filter((path) => !path.startsWith("client/"));
  assert.deepEqual(wrong, []);
});

testOnEngines(
  "names: those of a person who was erased from the audit log do not come back",
  async (desk) => {
    const { id } = await approved(desk);
    const [event] = await eventsOf(desk, "action=key_request.approved");
    const names = ["/names/developer", "/names/email"];
    const erased = await desk.app.ctx.storage.commit(eraseFromAuditLog, {
      org_id: desk.org_id,
      rows: [{ id: event.id, names }],
      by: "operator",
      now: Date.now(),
    });
    assert.deepEqual(erased, { rows: 1, values: 2 });
    const [left] = await eventsOf(desk, `object_id=${id}&action=key_request.approved`);
    assert.deepEqual([left.developer_name, left.plan_name], ["", "Departures, free"]);
  },
);
