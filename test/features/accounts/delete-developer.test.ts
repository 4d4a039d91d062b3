/** Deleting a developer: what goes along, what stays, and what becomes of their keys. */
import assert from "node:assert/strict";
import { invalidationsAfter } from "../../../src/changes/invalidations.store.ts";
import { statement } from "../../../src/storage/statement.ts";
import { assertAnswer, assertFailure } from "../../support/answers.ts";
import { DEVELOPERS, pathTo, readDeveloper, register } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  list,
  listIds,
  pathOf,
  read,
  smallRequest,
} from "../../support/key-requests.ts";
import { readLedger } from "../../support/ledger.ts";
import { auditRows, storedCredentials } from "../../support/stored.ts";

const eventsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["action", "object_id", "detail"])
    .where("org_id", "=", p.org_id).orderBy("id")
);
const reasonsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("credentials").select(["key_id", "state", "state_reason", "state_changed_at"])
    .where("org_id", "=", p.org_id).orderBy("key_id")
);

async function remove(desk: TestDesk, id: string, query = ""): Promise<void> {
  const response = await desk.send("DELETE", `${pathTo(DEVELOPERS, id)}${query}`);
  await assertAnswer(response, { Status: "OK", Message: "Data deleted", Meta: null });
}

/** Ada with an issued and two undecided requests, Bob with one of each. */
async function twoDevelopers(desk: TestDesk) {
  const ada = await register(desk);
  const bob = await register(desk, { email: "bob@example.org" });
  const ids: Record<string, string[]> = { [ada]: [], [bob]: [] };
  for (const by_user of [ada, bob]) {
    for (const for_plan of ["plan-1", "plan-2"]) {
      ids[by_user]?.push(await create(desk, smallRequest({ by_user, for_plan })));
    }
    await approve(desk, ids[by_user]?.[0] ?? "");
  }
  ids[ada]?.push(await create(desk, smallRequest({ by_user: ada, approved: true })));
  return { ada, bob, adas: ids[ada] ?? [], bobs: ids[bob] ?? [] };
}

testOnEngines("delete: undecided requests go along, issued ones stay readable", async (desk) => {
  const { ada, bob, adas, bobs } = await twoDevelopers(desk);
  await remove(desk, ada);
  await assertFailure(await desk.send("GET", pathTo(DEVELOPERS, ada)), "not_found");
  assert.deepEqual((await listIds(desk)).sort(), [adas[0], ...bobs].sort());
  assert.deepEqual((await listIds(desk, "?p=1")).sort(), [adas[0], ...bobs].sort());
  assert.equal((await list(desk, "?p=1&approved=true")).Data.length, 2);
  const issued = await read(desk, adas[0] ?? "");
  assert.deepEqual([issued.by_user, issued.approved, issued.portal_developer.id], [ada, true, ada]);
  assert.equal(issued.portal_developer.email, "");
  for (const id of adas.slice(1)) {
    await assertFailure(await desk.send("GET", pathOf(id)), "not_found");
  }
  assert.equal((await readDeveloper(desk, bob)).email, "bob@example.org");
  const deleted = (await auditRows(desk)).filter((row) => row.action === "key_request.deleted");
  assert.deepEqual(deleted.map((row) => row.object_id).sort(), adas.slice(1).sort());
});

testOnEngines(
  "delete: their keys are revoked, nobody else's, and verification hears of it",
  async (desk) => {
    const { ada, bob } = await twoDevelopers(desk);
    await remove(desk, ada);
    const { reader } = desk.app.ctx.storage;
    const rows = await storedCredentials(desk);
    const of = (id: string) => rows.filter((row) => row.developer_id === id);
    assert.deepEqual(of(ada).map((row) => row.state), ["revoked"]);
    assert.deepEqual(of(bob).map((row) => row.state), ["active"]);
    const key = of(ada)[0]?.key_id;
    const listed = await (await desk.send("GET", "/v1/keys?state=revoked")).json();
    assert.deepEqual(listed.data.map(({ key_id }: { key_id: string }) => key_id), [key]);
    const [plan] = listed.data[0].plans;
    const ofPlan = await (await desk.send("GET", `/v1/keys?plan=${plan}&state=revoked`)).json();
    assert.deepEqual(ofPlan.data, listed.data);
    const row = (await reader.rows(reasonsSql, { org_id: desk.org_id }))
      .find(({ key_id }) => key_id === key);
    assert.equal(row?.state_reason, "developer deleted");
    assert.match(row?.state_changed_at ?? "", /Z$/);
    const told = await invalidationsAfter(reader, 0);
    assert.deepEqual(told.map(({ kind, object_id }) => [kind, object_id]), [["key", key]]);
    const events = await reader.rows(eventsSql, { org_id: desk.org_id });
    assert.ok(
      events.some(({ action, object_id }) => action === "credential.revoked" && object_id === key),
    );
    const last = events.find(({ action }) => action === "developer.deleted");
    const { deletion, undo_until, ...detail } = JSON.parse(last?.detail ?? "");
    assert.deepEqual(detail, { keys: "revoke", revoked: 1, requests: 2 });
    assert.ok(deletion && undo_until);
  },
);

testOnEngines("delete: keys=keep lets them live on, still theirs", async (desk) => {
  const { ada } = await twoDevelopers(desk);
  await remove(desk, ada, "?keys=keep");
  const kept = (await storedCredentials(desk)).filter((row) => row.developer_id === ada);
  assert.deepEqual(kept.map((row) => row.state), ["active"]);
  assert.deepEqual(await invalidationsAfter(desk.app.ctx.storage.reader, 0), []);
});

testOnEngines("delete: a second time is 404, and e-mail and id are free again", async (desk) => {
  const id = await register(desk, { id: "dev-1" });
  await remove(desk, id);
  await assertFailure(
    await desk.send("DELETE", pathTo(DEVELOPERS, id)),
    "not_found_for_deletion",
  );
  assert.equal(await register(desk, { id: "dev-1" }), "dev-1");
});

testOnEngines(
  "delete: against approvals, no key is left alive and every book agrees",
  async (desk) => {
    for (let round = 0; round < 5; round++) {
      const id = await register(desk, { id: `dev-${round}`, email: `${round}@example.org` });
      const requests = [];
      for (let n = 0; n < 4; n++) {
        requests.push(await create(desk, smallRequest({ by_user: id, for_plan: `plan-${n}` })));
      }
      const [removed, ...approvals] = await Promise.all([
        desk.send("DELETE", pathTo(DEVELOPERS, id)),
        ...requests.map((request) => desk.send("PUT", approvalOf(request))),
      ]);
      assert.equal(removed?.status, 200);
      const issued = approvals.filter((answer) => answer.status === 200).length;
      const keys = (await storedCredentials(desk)).filter((row) => row.developer_id === id);
      assert.equal(keys.length, issued);
      for (const answer of approvals) assert.ok([200, 404].includes(answer.status));
      assert.ok(keys.every((row) => row.state === "revoked"), JSON.stringify(keys));
      assert.equal((await desk.send("GET", pathTo(DEVELOPERS, id))).status, 404);
      const left = (await list(desk)).Data.filter((request) => request.by_user === id);
      assert.equal(left.length, issued);
    }
  },
);

testOnEngines("delete: the counters of every list stay right", async (desk) => {
  const { ada, bob } = await twoDevelopers(desk);
  await remove(desk, bob);
  await remove(desk, ada, "?keys=keep");
  const wrong = await readLedger(desk.app.ctx.storage.reader).catch((error) => error.message);
  // The ledger also wants a developer for each key, which is what was deleted here; counters come
  // after it.
  assert.match(String(wrong), /keys of developers that are not there/);
  const all = await list(desk, "?p=1");
  assert.deepEqual([all.Data.length, all.Pages], [2, 1]);
  const developers = await (await desk.send("GET", `${DEVELOPERS}?p=1`)).json();
  assert.deepEqual(developers, { Data: [], Pages: 0 });
});
