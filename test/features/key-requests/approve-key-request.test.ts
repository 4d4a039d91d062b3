/** PUT /api/portal/requests/approve/{id}: specification 4.7 and 2.9. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  createAndRead,
  listIds,
  pathOf,
  read,
  smallRequest,
  update,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { auditRows, storedCredentials } from "../../support/stored.ts";

testOnEngines("approve: answers with the credential, and the request is approved", async (desk) => {
  const id = await create(desk, smallRequest());
  assert.deepEqual(await listIds(desk, "?approved=true"), []);
  const { RawKey } = await approve(desk, id);
  assert.ok(RawKey);
  assert.equal((await read(desk, id)).approved, true);
  assert.deepEqual(await listIds(desk, "?approved=true"), [id]);
  assert.deepEqual(await listIds(desk, "?p=1&approved=true"), [id]);
  assert.deepEqual(await listIds(desk, "?approved=false"), []);
});

testOnEngines("approve: the body may be anything or nothing", async (desk) => {
  const bodies = [null, "", "{", "not json", "[1,2", { id: "other", approved: false }, "\u0000"];
  for (const body of [...bodies, new Uint8Array([0xff, 0xfe])]) {
    assert.ok((await approve(desk, await create(desk, smallRequest()), { body })).RawKey);
  }
});

testOnEngines("approve: the second approval is refused and mints nothing", async (desk) => {
  const id = await create(desk, smallRequest());
  await approve(desk, id);
  const before = await read(desk, id);
  await assertFailure(await desk.send("PUT", approvalOf(id)), "already_processed");
  assert.deepEqual(await read(desk, id), before);
  assert.equal((await storedCredentials(desk)).length, 1);
  const actions = (await auditRows(desk)).map((event) => event.action).sort();
  assert.deepEqual(actions, ["key_request.approved", "key_request.created"]);
});

testOnEngines("approve: of many at once exactly one gets the credential", async (desk) => {
  const id = await create(desk, smallRequest());
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => desk.send("PUT", approvalOf(id))),
  );
  const won = answers.filter((answer) => answer.status === 200);
  assert.equal(won.length, 1);
  for (const answer of answers) {
    if (answer.status !== 200) await assertFailure(answer, "already_processed");
  }
  const { RawKey } = await won[0]?.json();
  const stored = await storedCredentials(desk);
  assert.deepEqual(stored.map((credential) => credential.key_id), [sha256(RawKey)]);
});

testOnEngines(
  "approve: a request created as approved can still be approved, once",
  async (desk) => {
    const id = await create(desk, smallRequest({ approved: true }));
    assert.ok((await approve(desk, id)).RawKey);
    await assertFailure(await desk.send("PUT", approvalOf(id)), "already_processed");
    assert.deepEqual(await listIds(desk, "?p=1&approved=true"), [id]);
  },
);

testOnEngines(
  "approve: 412 where If-Match names another request than the one that stands there",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const seen = async () => {
      const response = await desk.send("GET", pathOf(id));
      await response.body?.cancel();
      return response.headers.get("etag") ?? "";
    };
    const approveSeen = (tag: string, credential = desk.admin) =>
      desk.send("PUT", approvalOf(id), { headers: { "if-match": tag }, credential });
    const old = await seen();
    assert.match(old, /^"[0-9a-f]{32}"$/);
    // `/v1` calls it the same, so either read will do.
    const v1 = await desk.send("GET", `/v1/key-requests/${id}`);
    await v1.body?.cancel();
    assert.equal(v1.headers.get("etag"), old);
    await update(desk, id, smallRequest({ for_plan: "plan-everything" }));
    const fresh = await seen();
    for (const tag of [old, `W/${fresh}`, "nonsense"]) {
      await assertFailure(await approveSeen(tag), "precondition_failed");
    }
    // Who may not approve learns nothing of the state.
    const writer = await desk.token(["portal:write"]);
    assert.equal((await approveSeen(fresh, writer)).status, 403);
    assert.deepEqual(await storedCredentials(desk), []);
    assert.equal((await approveSeen(`"other", ${fresh}`)).status, 200);
    // That it was decided says more than that it changed by that.
    await assertFailure(await approveSeen(fresh), "already_processed");
    assert.equal((await storedCredentials(desk)).length, 1);
  },
);

testOnEngines("approve: the permission approve alone is enough", async (desk) => {
  const id = await create(desk, smallRequest());
  const credential = await desk.token(["approve"]);
  assert.ok((await approve(desk, id, { credential })).RawKey);
});

testOnEngines(
  "approve: a plan that became keyless is refused, and the request stays pending",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await liveRecordsOf(desk).plan("plan-weather", "keyless");
    await assertFailure(await desk.send("PUT", approvalOf(id)), "keyless_plan");
    assert.equal((await read(desk, id)).approved, false);
    assert.deepEqual(await storedCredentials(desk), []);
  },
  { extra: liveRecords },
);

testOnEngines(
  "approve: plans that came to differ in auth type are refused",
  async (desk) => {
    const id = await create(desk, smallRequest({ apply_policies: ["plan-weather", "plan-maps"] }));
    await liveRecordsOf(desk).plan("plan-maps", "basic");
    await assertFailure(await desk.send("PUT", approvalOf(id)), "mixed_auth_types");
    assert.equal((await read(desk, id)).approved, false);
  },
  { extra: liveRecords },
);

testOnEngines(
  "approve: the developer's maps gain the key beside what stood there",
  async (desk) => {
    const sent = {
      id: "dev-ada",
      email: "ada@example.org",
      keys: { old: ["x"] },
      subscriptions: { x: "old" },
    };
    const first = await createAndRead(desk, smallRequest({ portal_developer: sent }));
    const { RawKey: one } = await approve(desk, first.id);
    const second = await create(
      desk,
      smallRequest({ for_plan: "a", apply_policies: ["b", "c", "b"] }),
    );
    const { RawKey: two } = await approve(desk, second);
    const { keys, subscriptions, email, oauth_clients } =
      (await read(desk, second)).portal_developer;
    assert.equal(email, "ada@example.org");
    assert.deepEqual(keys, {
      old: ["x"],
      [sha256(one)]: ["plan-weather"],
      [sha256(two)]: ["a", "b", "c"],
    });
    assert.deepEqual(subscriptions, {
      x: "old",
      "plan-weather": sha256(one),
      a: sha256(two),
      b: sha256(two),
      c: sha256(two),
    });
    assert.deepEqual(oauth_clients, undefined);
  },
);

testOnEngines("approve: a bare by_user becomes a developer with an empty e-mail", async (desk) => {
  const ids = [
    await create(desk, { by_user: "dev-x", for_plan: "p" }),
    await create(desk, { by_user: "dev-y", for_plan: "p" }),
  ];
  for (const id of ids) await approve(desk, id);
  const { portal_developer } = await read(desk, ids[1] ?? "");
  assert.deepEqual([portal_developer.id, portal_developer.email], ["dev-y", ""]);
  assert.equal(portal_developer.org_id, desk.org_id);
});
