/** Roles: who gives what to whom by one word, and that a change counts for all who have it. */
import assert from "node:assert/strict";
import { rolePresets } from "../../../../src/contract/roles.ts";
import type { FailureCode } from "../../../../src/kernel/failure-codes.ts";
import { assertFailure } from "../../../support/answers.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { allItems, call, newPerson, testClock } from "../../../support/people.ts";

const ROLES = "/v1/roles";
const firstLine = { name: "First line", permissions: ["portal:read", "revoke"] };

testOnEngines(
  "roles: those that every organisation has can be given, and not changed",
  async (desk) => {
    const { data } = await call(desk, "GET", ROLES);
    assert.deepEqual(
      data.map((one: { id: string; preset: boolean }) => [one.id, one.preset]),
      rolePresets.map(({ id }) => [id, true]),
    );
    for (const { id, permissions } of rolePresets) {
      const person = await call(desk, "POST", "/v1/people", { name: id, role: id });
      assert.deepEqual([person.role, person.permissions], [id, permissions]);
      assert.equal((await call(desk, "GET", `${ROLES}/${id}`)).used_by.people, 1);
      const put = await desk.send("PUT", `${ROLES}/${id}`, { body: firstLine });
      await assertFailure(put, "role_fixed");
      await assertFailure(await desk.send("DELETE", `${ROLES}/${id}`), "role_fixed");
    }
  },
);

testOnEngines(
  "roles: added, read, changed and removed, with the audit log before and after",
  async (desk) => {
    const made = await call(desk, "POST", ROLES, firstLine);
    assert.deepEqual({ ...made, id: "", date_created: "", date_updated: "" }, {
      id: "",
      ...firstLine,
      description: "",
      preset: false,
      used_by: { people: 0, access_tokens: 0, identity_providers: 0 },
      date_created: "",
      date_updated: "",
    });
    const path = `${ROLES}/${made.id}`;
    assert.deepEqual(await call(desk, "GET", path), made);
    const twice = await desk.send("POST", ROLES, { body: { ...firstLine, name: "first LINE" } });
    await assertFailure(twice, "role_name_taken");
    const asPreset = await desk.send("POST", ROLES, { body: { ...firstLine, name: "auditor" } });
    await assertFailure(asPreset, "role_name_taken");
    const etag = (await desk.send("GET", path)).headers.get("etag") ?? "";
    const wider = { name: "Second line", permissions: ["portal:read", "approve"] };
    const changed = await call(desk, "PUT", path, wider);
    assert.deepEqual([changed.name, changed.permissions], [wider.name, wider.permissions]);
    const late = { body: firstLine, headers: { "if-match": etag } };
    await assertFailure(await desk.send("PUT", path, late), "precondition_failed");
    const [told] = await allItems(desk, "/v1/audit-log?action=role.updated");
    assert.deepEqual(told.detail.before, { ...firstLine });
    assert.deepEqual(told.detail.after, { ...wider });
    assert.deepEqual(await call(desk, "DELETE", path), { removed: true });
    await assertFailure(await desk.send("GET", path), "not_found");
    await assertFailure(await desk.send("DELETE", path), "not_found");
  },
);

const clock = testClock();

testOnEngines(
  "roles: a change counts for everybody who has it within a second, their access tokens too",
  async (desk) => {
    const { id } = await call(desk, "POST", ROLES, firstLine);
    const grace = await call(desk, "POST", "/v1/people", { name: "Grace", role: id });
    const issue = async (person: string, more: object) =>
      await call(desk, "POST", `/v1/people/${person}/access-tokens`, {
        name: "laptop",
        deliver: "answer",
        ...more,
      });
    const hers = await issue(grace.id, {});
    const ada = await newPerson(desk, ["portal:write", "approve", "audit"]);
    const narrow = await issue(ada.id, { role: id });
    assert.deepEqual([narrow.role, narrow.scope], [id, firstLine.permissions]);
    const status = async (credential: string, path: string) => {
      const response = await desk.send("GET", path, { credential });
      await response.body?.cancel();
      return response.status;
    };
    for (const one of [hers, narrow]) {
      assert.equal(await status(one.access_token, "/v1/key-requests"), 200);
      assert.equal(await status(one.access_token, "/v1/audit-log"), 403);
    }
    await call(desk, "PUT", `${ROLES}/${id}`, { name: "Readers", permissions: ["audit"] });
    clock.at += 1000;
    for (const one of [hers, narrow]) {
      assert.equal(await status(one.access_token, "/v1/key-requests"), 403);
      assert.equal(await status(one.access_token, "/v1/audit-log"), 200);
    }
    // What a token's role says is within what its person holds.
    await call(desk, "PUT", `${ROLES}/${id}`, { name: "Keepers", permissions: ["certs:write"] });
    clock.at += 1000;
    assert.equal(await status(hers.access_token, "/v1/certificates"), 200);
    assert.equal(await status(narrow.access_token, "/v1/certificates"), 403);
    const { data } = await call(desk, "GET", `/v1/people/${ada.id}/access-tokens`);
    assert.deepEqual(data[0].permissions, []);
    const inUse = await desk.send("DELETE", `${ROLES}/${id}`);
    const errors = ["1 person", "1 access token"];
    await assertFailure(inUse, "role_in_use", {
      message: `This role is in use by ${errors.join(", ")}: give them another one first.`,
      errors,
    });
    await call(desk, "DELETE", `/v1/people/${grace.id}`);
    await call(desk, "DELETE", `/v1/access-tokens/${narrow.id}`);
    await call(desk, "DELETE", `${ROLES}/${id}`);
    assert.equal((await call(desk, "GET", `/v1/people/${grace.id}`)).role, null);
  },
  { clock },
);

testOnEngines(
  "roles: nobody gives by a role what they don't hold, nor changes who holds more",
  async (desk) => {
    const lesser = await newPerson(desk, ["admin", "portal:write"]);
    const as = (body: unknown) => ({ credential: lesser.credential, body });
    const refused = async (response: Response) =>
      await refusedWith(response, "permission_not_held");
    await refused(await desk.send("POST", ROLES, as({ name: "x", permissions: ["approve"] })));
    await refused(await desk.send("POST", "/v1/people", as({ name: "x", role: "approver" })));
    const invited = { name: "x", role: "approver", email: "x@example.org" };
    await refused(await desk.send("POST", "/v1/people/invitations", as(invited)));
    const mine = await call(
      desk,
      "POST",
      ROLES,
      { name: "Mine", permissions: ["portal:read"] },
      lesser.credential,
    );
    await call(desk, "PUT", `/v1/people/${lesser.id}`, { name: "Lesser", role: mine.id });
    await call(desk, "PUT", `/v1/people/${lesser.id}`, {
      name: "Lesser",
      permissions: ["admin", "portal:write"],
    });
    const path = `${ROLES}/${mine.id}`;
    await refused(await desk.send("PUT", path, as({ name: "Mine", permissions: ["approve"] })));
    const strong = await call(desk, "POST", ROLES, {
      name: "Strong",
      permissions: ["approve", "audit"],
    });
    const weaker = as({ name: "Strong", permissions: ["audit"] });
    await refusedWith(await desk.send("PUT", `${ROLES}/${strong.id}`, weaker), "person_holds_more");
    // Its name is nobody's permission.
    await call(
      desk,
      "PUT",
      `${ROLES}/${strong.id}`,
      { name: "Stronger", permissions: ["approve", "audit"] },
      lesser.credential,
    );
  },
);

testOnEngines(
  "roles: the last administrator stays one, whatever becomes of their role",
  async (desk) => {
    const { id } = await call(desk, "POST", ROLES, {
      name: "Boss",
      permissions: ["admin", "audit"],
    });
    const boss = await call(desk, "POST", "/v1/people", { name: "Boss", role: id });
    const path = `/v1/people/${boss.id}/access-tokens`;
    const { access_token: credential } = await call(desk, "POST", path, {
      name: "laptop",
      deliver: "answer",
    });
    const { data } = await call(desk, "GET", "/v1/people");
    const first = data.find((one: { name: string }) => one.name === "administrator");
    await call(desk, "PUT", `/v1/people/${first.id}`, {
      name: "administrator",
      permissions: ["audit"],
    });
    const body = { name: "Boss", permissions: ["audit"] };
    const put = await desk.send("PUT", `${ROLES}/${id}`, { body, credential });
    await assertFailure(put, "last_administrator");
    assert.deepEqual(
      (await call(desk, "GET", `/v1/people/${boss.id}`, undefined, credential)).permissions,
      [
        "audit",
        "admin",
      ],
    );
  },
);

testOnEngines(
  "roles: another organisation's is none, and what is sent says one thing",
  async (desk) => {
    const { id } = await call(desk, "POST", ROLES, firstLine);
    const other = await desk.otherOrganisation();
    const as = { credential: other.admin };
    await assertFailure(await desk.send("GET", `${ROLES}/${id}`, as), "not_found");
    await assertFailure(await desk.send("DELETE", `${ROLES}/${id}`, as), "not_found");
    const body = { name: "x", role: id };
    await assertFailure(await desk.send("POST", "/v1/people", { ...as, body }), "unknown_role");
    for (
      const body of [
        { name: "x" },
        { name: "x", permissions: ["audit"], role: "auditor" },
        { name: "x", role: "" },
        { name: "x", role: "auditor", scope: {} },
        { name: "x", role: "auditor", scope: { plans: [1] } },
      ]
    ) await refusedWith(await desk.send("POST", "/v1/people", { body }), "invalid_input");
    const both = { name: "x", scope: ["audit"], role: "auditor" };
    const { id: person } = await call(desk, "POST", "/v1/people", { name: "x", role: "auditor" });
    const issue = await desk.send("POST", `/v1/people/${person}/access-tokens`, { body: both });
    await refusedWith(issue, "invalid_input");
  },
);

testOnEngines(
  "roles: who is given other permissions one by one has no role any more",
  async (desk) => {
    const { id } = await call(desk, "POST", ROLES, firstLine);
    const person = await call(desk, "POST", "/v1/people", { name: "Grace", role: id });
    const path = `/v1/people/${person.id}`;
    const plain = await call(desk, "PUT", path, { name: "Grace", permissions: ["portal:read"] });
    assert.equal(plain.role, null);
    await call(desk, "PUT", `${ROLES}/${id}`, { name: "Other", permissions: ["approve"] });
    assert.deepEqual((await call(desk, "GET", path)).permissions, ["portal:read"]);
    // What is not said of the scope stays.
    const scope = { plans: ["plan-weather"], apis: [], tags: [] };
    await call(desk, "PUT", path, { name: "Grace", role: id, scope });
    const kept = await call(desk, "PUT", path, { name: "Grace", role: id });
    assert.deepEqual([kept.role, kept.scope], [id, scope]);
    assert.equal(
      (await call(desk, "PUT", path, { name: "Grace", role: id, scope: "everything" })).scope,
      null,
    );
  },
);

/** That a call was refused with this code, whatever it says besides. */
async function refusedWith(response: Response, code: FailureCode): Promise<void> {
  await response.body?.cancel();
  assert.equal(response.headers.get("x-keydesk-error"), code);
}
