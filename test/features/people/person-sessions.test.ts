/** Administrators see where a person is signed in, and end that for good. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call, newPerson } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";

const PEOPLE = "/v1/people";

testOnEngines("person's sessions: an administrator lists and ends them for good", async (desk) => {
  const { id, credential } = await newPerson(desk, ["portal:read"]);
  const eve = await newPerson(desk, ["portal:read"]);
  const sessions = `${PEOPLE}/${id}/sessions`;
  const first = await signIn(desk, { credential });
  const second = await signIn(desk, { credential });
  const { data } = await call(desk, "GET", sessions);
  assert.equal(data.length, 2);
  assert.ok(!("current" in data[0]));
  const portal = await desk.token(["admin:read", "approve"]);
  const { admin } = await desk.otherOrganisation();
  for (
    const [method, path] of [
      ["GET", sessions],
      ["DELETE", sessions],
      ["DELETE", `${sessions}/${data[0].id}`],
    ] as const
  ) {
    assert.equal((await desk.send(method, path, { credential: portal })).status, 403);
    await assertFailure(await desk.send(method, path, { credential: admin }), "not_found");
  }
  // Of somebody else it is none.
  await assertFailure(
    await desk.send("DELETE", `${PEOPLE}/${eve.id}/sessions/${data[0].id}`),
    "not_found",
  );
  const statusBy = async (browser: typeof first) =>
    (await bySession(desk, browser, "GET", "/v1/me")).status;
  assert.deepEqual(await call(desk, "DELETE", `${sessions}/${data[0].id}`), { ended: 1 });
  assert.deepEqual([await statusBy(first), await statusBy(second)].toSorted(), [200, 401]);
  assert.deepEqual(await call(desk, "DELETE", sessions), { ended: 1 });
  assert.deepEqual([await statusBy(first), await statusBy(second)], [401, 401]);
  assert.deepEqual(await call(desk, "GET", sessions), { data: [] });
  // The access token is another thing.
  assert.equal((await desk.send("GET", "/v1/me", { credential })).status, 200);
});

testOnEngines("person's sessions: nobody ends those of who holds more", async (desk) => {
  const { person } = await call(desk, "GET", "/v1/me");
  const path = `${PEOPLE}/${person.id}/sessions`;
  const answer = await desk.send("DELETE", path, { credential: await desk.token(["admin"]) });
  assert.equal(answer.headers.get("x-keydesk-error"), "person_holds_more");
  await answer.body?.cancel();
});

testOnEngines("person's sessions: what suspending ended no resuming revives", async (desk) => {
  const { id, credential } = await newPerson(desk, permissions);
  const session = await signIn(desk, { credential });
  await call(desk, "POST", `${PEOPLE}/${id}/suspend`);
  await call(desk, "POST", `${PEOPLE}/${id}/resume`);
  assert.equal((await bySession(desk, session, "GET", "/v1/me")).status, 401);
  assert.equal((await desk.send("GET", "/v1/me", { credential })).status, 200);
});
