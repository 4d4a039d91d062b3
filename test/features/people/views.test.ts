/** Saved views: whose they are, who may share them, and that a view opens nothing by itself. */
import assert from "node:assert/strict";
import { statement } from "../../../src/storage/statement.ts";
import { change } from "../../../src/storage/statement-functions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { allItems, call, newPerson } from "../../support/people.ts";

const VIEWS = "/v1/views";
const COLUMNS = "/v1/me/columns";
const ends = { name: "Ends soon", query: { state: "active", sort: "ends" } };

const namesOf = async (desk: TestDesk, credential?: string, query = "") =>
  (await call(desk, "GET", VIEWS + query, undefined, credential)).data
    .map(({ name }: { name: string }) => name);

async function denied(response: Response): Promise<void> {
  await response.body?.cancel();
  assert.equal(response.headers.get("x-keydesk-error"), "access_denied");
  assert.equal(response.status, 403);
}

const auditLogOf = async (desk: TestDesk) =>
  (await allItems(desk, "/v1/audit-log?object=view")).map(({ action }) => action).reverse();

const topicsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select("topic").where("org_id", "=", p.org_id)
    .where("topic", "like", "view.%").orderBy("id")
);

const outboxOf = async ({ app, org_id }: TestDesk) =>
  (await app.ctx.storage.reader.rows(topicsSql, { org_id })).map(({ topic }) => topic);

testOnEngines("views: one's own is read as it was saved, and by nobody else", async (desk) => {
  const saved = await call(desk, "POST", VIEWS, { list: "keys", ...ends });
  const { list, name, query, shared, mine, may_change } = saved;
  assert.deepEqual({ name, query }, ends);
  assert.deepEqual([list, shared, mine, may_change], ["keys", false, true, true]);
  assert.deepEqual((await call(desk, "GET", VIEWS)).data, [saved]);
  const response = await desk.send("GET", `${VIEWS}/${saved.id}`);
  assert.equal(response.headers.get("etag"), `"${saved.revision}"`);
  assert.deepEqual(await response.json(), saved);

  const { admin } = await desk.otherOrganisation();
  const grace = await newPerson(desk, ["admin", "portal:read"]);
  for (const credential of [admin, grace.credential]) {
    assert.deepEqual(await namesOf(desk, credential), []);
    for (const [method, body] of [["GET"], ["PUT", { name: "x" }], ["DELETE"]] as const) {
      const refused = await desk.send(method, `${VIEWS}/${saved.id}`, { credential, body });
      await assertFailure(refused, "not_found");
    }
  }
  assert.deepEqual([await auditLogOf(desk), await outboxOf(desk)], [[], []]);
});

testOnEngines(
  "views: administrators share them, everybody who reads the list has them",
  async (desk) => {
    const grace = await newPerson(desk, ["portal:read"]);
    const { credential } = grace;
    const shared = { list: "keys", ...ends, shared: true };
    await denied(await desk.send("POST", VIEWS, { credential, body: shared }));
    const { id } = await call(desk, "POST", VIEWS, shared);
    const seen = await call(desk, "GET", `${VIEWS}/${id}`, undefined, credential);
    assert.deepEqual([seen.mine, seen.may_change, seen.shared], [false, false, true]);
    assert.notEqual(seen.owner_name, "");
    const auditor = await desk.token(["certs:read"]);
    assert.deepEqual(await namesOf(desk, auditor), []);
    await assertFailure(
      await desk.send("GET", `${VIEWS}/${id}`, { credential: auditor }),
      "not_found",
    );
    for (const [method, body] of [["PUT", { name: "x" }], ["DELETE"]] as const) {
      const refused = await desk.send(method, `${VIEWS}/${id}`, { credential, body });
      await denied(refused);
    }
    // Their own may not become shared either.
    const own = await call(desk, "POST", VIEWS, { list: "keys", name: "Mine" }, credential);
    await denied(
      await desk.send("PUT", `${VIEWS}/${own.id}`, { credential, body: { ...ends, shared: true } }),
    );
    assert.deepEqual(await namesOf(desk, credential), ["Ends soon", "Mine"]);
    assert.deepEqual(await namesOf(desk, credential, "?list=developers"), []);

    await call(desk, "PUT", `${VIEWS}/${id}`, { ...ends, name: "Ends", shared: true });
    await call(desk, "PUT", `${VIEWS}/${id}`, { ...ends, shared: false });
    assert.deepEqual(await namesOf(desk, credential), ["Mine"]);
    await call(desk, "PUT", `${VIEWS}/${id}`, { ...ends, shared: true });
    await call(desk, "DELETE", `${VIEWS}/${id}`);
    assert.deepEqual(await namesOf(desk), []);
    const told = ["shared", "updated", "unshared", "shared", "deleted"].map((it) => `view.${it}`);
    assert.deepEqual([await auditLogOf(desk), await outboxOf(desk)], [told, told]);
  },
);

testOnEngines("views: If-Match refuses what has changed since it was read", async (desk) => {
  const { id, revision } = await call(desk, "POST", VIEWS, { list: "keys", ...ends });
  const headers = { "if-match": `"${revision}"` };
  const body = { ...ends, name: "Later" };
  const changed = await desk.send("PUT", `${VIEWS}/${id}`, { headers, body });
  assert.equal(changed.status, 200);
  assert.notEqual((await changed.json()).revision, revision);
  for (const method of ["PUT", "DELETE"]) {
    await assertFailure(
      await desk.send(method, `${VIEWS}/${id}`, { headers, ...method === "PUT" ? { body } : {} }),
      "precondition_failed",
    );
  }
  assert.deepEqual(await namesOf(desk), ["Later"]);
});

testOnEngines(
  "views: names are told apart, and 100 are enough, whoever comes first",
  async (desk) => {
    const save = (more: object) =>
      desk.send("POST", VIEWS, { body: { list: "keys", name: "Ends soon", ...more } });
    const twins = await Promise.all([save({}), save({ name: "ends SOON" })]);
    const taken = twins.find(({ status }) => status !== 200);
    assert.ok(taken);
    await assertFailure(taken, "view_name_taken");
    // Another list, and the shared ones, have names of their own.
    assert.equal((await save({ list: "developers" })).status, 200);
    assert.equal((await save({ shared: true })).status, 200);
    await assertFailure(await save({ shared: true }), "view_name_taken");
    for (let n = 3; n <= 99; n++) await call(desk, "POST", VIEWS, { list: "keys", name: `${n}` });
    const last = await Promise.all(["a", "b", "c"].map((name) => save({ name })));
    assert.deepEqual(last.map(({ status }) => status).sort(), [200, 409, 409]);
    await assertFailure(await save({ name: "more" }), "too_many_views");
    const { data } = await call(desk, "GET", VIEWS);
    assert.equal(data.length, 101);
    // Whoever has 100 may still change them.
    await call(desk, "PUT", `${VIEWS}/${data[0].id}`, { name: "renamed" });
  },
);

testOnEngines("views: whoever leaves takes their own along, shared ones stay", async (desk) => {
  const grace = await newPerson(desk, ["admin", "portal:read"]);
  const { credential } = grace;
  await call(desk, "POST", VIEWS, { list: "keys", name: "Hers" }, credential);
  const { id } = await call(
    desk,
    "POST",
    VIEWS,
    { list: "keys", ...ends, shared: true },
    credential,
  );
  await call(desk, "PUT", COLUMNS, { list: "keys", columns: ["ends"] }, credential);
  // A suspension ends nothing.
  await call(desk, "POST", `/v1/people/${grace.id}/suspend`);
  assert.deepEqual(await namesOf(desk), ["Ends soon"]);
  await call(desk, "POST", `/v1/people/${grace.id}/resume`);
  assert.deepEqual(await namesOf(desk, credential), ["Ends soon", "Hers"]);
  await call(desk, "DELETE", `/v1/people/${grace.id}`);
  const left = await call(desk, "GET", `${VIEWS}/${id}`);
  assert.deepEqual([left.owner, left.owner_name, left.may_change], [grace.id, "Grace", true]);
  // Taken back it would be nobody's.
  const body = { ...ends, shared: false };
  await denied(await desk.send("PUT", `${VIEWS}/${id}`, { body }));
  await call(desk, "DELETE", `${VIEWS}/${id}`);
});

const setColumns = change((db, p: { org_id: string; id: string; columns: string }) =>
  db.updateTable("views").set({ columns: p.columns })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);
const asEarlier = defineTransaction(
  "test.columns-of-a-view",
  async (tx, p: { org_id: string; id: string; columns: string }) => {
    await setColumns(tx, p);
    return null;
  },
);

testOnEngines(
  "views: hold no columns, and what earlier code kept of them is not shown",
  async (desk) => {
    const message = `unknown member "columns"`;
    const body = { list: "keys", ...ends, shared: true };
    await assertFailure(
      await desk.send("POST", VIEWS, { body: { ...body, columns: ["ends"] } }),
      "invalid_input",
      { message, errors: [message] },
    );
    const { id } = await call(desk, "POST", VIEWS, body);
    const of = { org_id: desk.org_id, id, columns: '["ends"]' };
    await desk.app.ctx.storage.commit(asEarlier, of);
    const shown = await call(desk, "GET", `${VIEWS}/${id}`);
    assert.deepEqual([shown.name, "columns" in shown], [ends.name, false]);
    await call(desk, "PUT", `${VIEWS}/${id}`, { ...ends, name: "Ends", shared: true });
    assert.deepEqual(await namesOf(desk), ["Ends"]);
  },
  { extra: [asEarlier] },
);

testOnEngines("columns: are each person's own, until the usual ones come back", async (desk) => {
  const { credential } = await newPerson(desk, ["portal:read"]);
  const chosen = { list: "keys", columns: ["developer", "ends"] };
  assert.deepEqual(await call(desk, "PUT", COLUMNS, chosen), chosen);
  await call(desk, "PUT", COLUMNS, { ...chosen, columns: ["ends"] }, credential);
  assert.deepEqual((await call(desk, "GET", COLUMNS)).data, [chosen]);
  await call(desk, "PUT", COLUMNS, { list: "keys", columns: null });
  assert.deepEqual((await call(desk, "GET", COLUMNS)).data, []);
  assert.deepEqual((await call(desk, "GET", COLUMNS, undefined, credential)).data, [
    { list: "keys", columns: ["ends"] },
  ]);
  const body = { list: "certificates", columns: ["id"] };
  await denied(await desk.send("PUT", COLUMNS, { credential, body }));
  const view = { list: "certificates", name: "x" };
  await denied(await desk.send("POST", VIEWS, { credential, body: view }));
});
