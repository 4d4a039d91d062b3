/** People: who may give what to whom, and that somebody can always administer. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { allItems, call, newPerson, statusOf, testClock } from "../../support/people.ts";

const PEOPLE = "/v1/people";

testOnEngines("people: added, read, replaced and listed newest first", async (desk) => {
  const input = { name: "  Grace Ø ", permissions: ["approve", "portal:read", "approve"] };
  const created = await call(desk, "POST", PEOPLE, input);
  assert.match(created.id, /^[0-9a-f]{24}$/);
  assert.deepEqual({ ...created, id: "", date_created: "" }, {
    ...{ id: "", name: "Grace Ø", permissions: ["portal:read", "approve"] },
    ...{ state: "active", date_created: "", deactivated_at: null },
  });
  assert.deepEqual(await call(desk, "GET", `${PEOPLE}/${created.id}`), created);
  const changed = { name: "Grace Hopper", permissions: [] };
  const updated = await call(desk, "PUT", `${PEOPLE}/${created.id}`, changed);
  assert.deepEqual(updated, { ...created, ...changed });
  const listed = await allItems(desk, `${PEOPLE}?limit=1`);
  assert.deepEqual(listed.map(({ name }) => name), ["Grace Hopper", "administrator"]);
  assert.deepEqual(listed[0], updated);
});

testOnEngines("people: what is no name, no permission or no cursor is refused", async (desk) => {
  const post = (body: unknown) => desk.send("POST", PEOPLE, { body });
  assert.equal((await post({ permissions: [] })).status, 400);
  assert.equal((await post({ name: " ", permissions: [] })).status, 400);
  assert.equal((await post({ name: "a\u0007b", permissions: [] })).status, 400);
  assert.equal((await post({ name: "x".repeat(101), permissions: [] })).status, 400);
  assert.equal((await post({ name: "x", permissions: ["root"] })).status, 400);
  assert.equal((await post({ name: "x" })).status, 400);
  for (const limit of ["0", "101", "x", "-1"]) {
    const response = await desk.send("GET", `${PEOPLE}?limit=${limit}`);
    await assertInvalid(response, "limit: expected a number from 1 to 100");
  }
  const wrong = await desk.send("GET", `${PEOPLE}?cursor=bm9uZQ`);
  await assertInvalid(wrong, "cursor: expected the next_cursor of the same list");
  await assertFailure(await desk.send("GET", `${PEOPLE}/nobody`), "not_found");
});

testOnEngines(
  "people: a list stands still while people are added, and links to its next page",
  async (desk) => {
    for (let n = 0; n < 5; n++) {
      await call(desk, "POST", PEOPLE, {
        name: `p${n}`,
        permissions: [],
      });
    }
    const first = await desk.send("GET", `${PEOPLE}?limit=2`);
    const page = await first.json();
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    await call(desk, "POST", PEOPLE, { name: "late", permissions: [] });
    const second = await call(desk, "GET", link);
    const names = [...page.data, ...second.data].map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["p4", "p3", "p2", "p1"]);
    const last = await desk.send("GET", `${PEOPLE}?limit=100`);
    assert.equal(last.headers.get("link"), null);
  },
);

testOnEngines("people: If-Match lets through only what was read", async (desk) => {
  const { id } = await call(desk, "POST", PEOPLE, { name: "Grace", permissions: [] });
  const path = `${PEOPLE}/${id}`;
  const etag = (await desk.send("GET", path)).headers.get("etag") ?? "";
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  const put = (name: string, tag: string) =>
    desk.send("PUT", path, { body: { name, permissions: [] }, headers: { "if-match": tag } });
  const changed = await put("Ada", `"other", ${etag}`);
  assert.equal(changed.status, 200);
  await assertFailure(await put("Eve", etag), "precondition_failed");
  await assertFailure(await put("Eve", `W/${changed.headers.get("etag")}`), "precondition_failed");
  await assertFailure(
    await desk.send("DELETE", path, { headers: { "if-match": etag } }),
    "precondition_failed",
  );
  assert.equal((await put("Eve", "*")).status, 200);
  assert.equal((await call(desk, "GET", path)).name, "Eve");
});

testOnEngines(
  "people: nobody gives what they don't hold, to others or to themselves",
  async (desk) => {
    const lesser = await newPerson(desk, ["admin", "portal:write"]);
    const as = { credential: lesser.credential };
    const refused = async (response: Response, lacking: string) =>
      await assertFailure(response, "permission_not_held", {
        message: `You can't give what you don't hold: ${lacking}.`,
      });
    const body = { name: "Eve", permissions: ["secrets", "portal:read"] };
    await refused(await desk.send("POST", PEOPLE, { ...as, body }), "secrets");
    const self = { name: "Eve", permissions: ["admin", "portal:write", "operator"] };
    await refused(
      await desk.send("PUT", `${PEOPLE}/${lesser.id}`, { ...as, body: self }),
      "operator",
    );
    // Reading lies within writing, and taking away is not giving.
    const own = { name: "Eve", permissions: ["portal:read"] };
    assert.equal((await desk.send("POST", PEOPLE, { ...as, body: own })).status, 200);
    const rich = await newPerson(desk, ["secrets", "approve"]);
    const less = { name: "Eve", permissions: ["secrets"] };
    assert.equal(
      (await desk.send("PUT", `${PEOPLE}/${rich.id}`, { ...as, body: less })).status,
      200,
    );
    // A credential of somebody who holds more would be a way around.
    const credentials = `${PEOPLE}/${rich.id}/credentials`;
    await refused(await desk.send("POST", credentials, { ...as, body: { name: "x" } }), "secrets");
    const path = `/v1/credentials/${rich.credential_id}/rotate`;
    await refused(
      await desk.send("POST", path, { ...as, body: { overlap_seconds: 0 } }),
      "secrets",
    );
    assert.equal(await statusOf(desk, rich.credential), 200);
  },
);

const clock = testClock();

testOnEngines(
  "people: somebody who is deactivated is refused within a second, for good",
  async (desk) => {
    const person = await newPerson(desk, ["portal:read"]);
    const path = `${PEOPLE}/${person.id}`;
    assert.equal(await statusOf(desk, person.credential), 200);
    const gone = await call(desk, "DELETE", path);
    assert.equal(gone.state, "deactivated");
    clock.at += 1000;
    assert.equal(await statusOf(desk, person.credential), 401);
    assert.deepEqual(await call(desk, "GET", path), gone);
    const body = { name: "Grace", permissions: [] };
    await assertFailure(await desk.send("DELETE", path), "person_deactivated");
    await assertFailure(await desk.send("PUT", path, { body }), "person_deactivated");
    const issue = await desk.send("POST", `${path}/credentials`, { body: { name: "x" } });
    await assertFailure(issue, "person_deactivated");
    const [credential] = await allItems(desk, `${path}/credentials`);
    assert.equal(credential.state, "revoked");
  },
  { clock },
);

testOnEngines(
  "people: fewer permissions reach the access tokens within a second",
  async (desk) => {
    const person = await newPerson(desk, ["portal:read", "certs:read"]);
    await call(desk, "GET", "/api/portal/requests", undefined, person.credential);
    const body = { name: "Grace", permissions: ["certs:read"] };
    await call(desk, "PUT", `${PEOPLE}/${person.id}`, body);
    clock.at += 1000;
    const init = { credential: person.credential };
    assert.equal((await desk.send("GET", "/api/portal/requests", init)).status, 403);
    assert.equal((await desk.send("GET", "/api/certs", init)).status, 200);
  },
  { clock },
);

testOnEngines(
  "people: the operator's access token is changed by the setting alone",
  async (desk) => {
    const me = await call(desk, "GET", "/v1/me");
    // Somebody else could administer, so that is not the reason.
    const other = await newPerson(desk, permissions);
    const as = { credential: other.credential };
    const path = `${PEOPLE}/${me.person.id}`;
    const body = { name: "x", permissions: [] };
    const credential = `/v1/credentials/${me.credential.id}`;
    for (
      const response of [
        await desk.send("DELETE", path, as),
        await desk.send("PUT", path, { ...as, body }),
        await desk.send("DELETE", credential, as),
        await desk.send("POST", `${credential}/rotate`, { ...as, body: { overlap_seconds: 0 } }),
      ]
    ) await assertFailure(response, "operator_credential");
    const renamed = { name: "Root", permissions };
    assert.equal((await desk.send("PUT", path, { ...as, body: renamed })).status, 200);
  },
);

testOnEngines(
  "people: of another organisation nothing is seen, changed or counted",
  async (desk) => {
    const { admin: credential } = await desk.otherOrganisation();
    const mine = await newPerson(desk, ["portal:read"]);
    const as = { credential };
    const body = { name: "Eve", permissions: [] };
    const path = `${PEOPLE}/${mine.id}`;
    const issue = { ...as, body: { name: "x" } };
    for (
      const response of [
        await desk.send("GET", path, as),
        await desk.send("PUT", path, { ...as, body }),
        await desk.send("DELETE", path, as),
        await desk.send("GET", `${path}/credentials`, as),
        await desk.send("POST", `${path}/credentials`, issue),
        await desk.send("DELETE", `/v1/credentials/${mine.credential_id}`, as),
      ]
    ) await assertFailure(response, "not_found");
    assert.deepEqual((await allItems(desk, PEOPLE, credential)).map(({ name }) => name), ["test"]);
    // Our administrators are no help to them: their last one stays.
    const [only] = await allItems(desk, PEOPLE, credential);
    await assertFailure(
      await desk.send("DELETE", `${PEOPLE}/${only.id}`, as),
      "last_administrator",
    );
    assert.equal(await statusOf(desk, mine.credential), 200);
  },
);

testOnEngines("people: an Idempotency-Key adds a person once", async (desk) => {
  const init = {
    body: { name: "Grace", permissions: [] },
    headers: { "idempotency-key": "add-grace-0123456789" },
  };
  const first = await (await desk.send("POST", PEOPLE, init)).json();
  assert.deepEqual(await (await desk.send("POST", PEOPLE, init)).json(), first);
  assert.equal((await allItems(desk, PEOPLE)).length, 2);
  const other = { ...init, body: { name: "Ada", permissions: [] } };
  await assertFailure(await desk.send("POST", PEOPLE, other), "idempotency_key_reused");
});
