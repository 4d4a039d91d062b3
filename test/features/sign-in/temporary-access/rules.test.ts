/** Rules of temporary access: who may make which. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { testOnEngines } from "../../../support/desk.ts";
import {
  heldBy,
  insider,
  ruleFor,
  takeTemporaryAccess,
} from "../../../support/temporary-access.ts";
import { call, newPerson } from "../../../support/people.ts";

const OWN = ["portal:read"];

testOnEngines(
  "temporary access rule: nobody gives what they don't hold, and a role widens none",
  async (desk) => {
    const grace = await insider(desk);
    const lesser = await newPerson(desk, ["admin", "portal:read"]);
    const body = { name: "X", people: [grace.id], role: "approver", minutes: 5, proof: "passkey" };
    const byLesser = { body, credential: lesser.credential };
    const refused = await desk.send("POST", "/v1/temporary-access-rules", byLesser);
    assert.equal((await refused.json()).code, "permission_not_held");
    const wrong = { ...body, proof: "second_person", seconds: [grace.id] };
    const alone = await desk.send("POST", "/v1/temporary-access-rules", { body: wrong });
    assert.equal((await alone.json()).code, "invalid_input");
    // It never gives what changes who may do what.
    const strong = await call(desk, "POST", "/v1/temporary-access-rules", {
      ...body,
      role: "administrator",
    });
    for (const one of ["admin", "operator", "metrics", "act:developer", "verify"]) {
      assert.ok(!strong.permissions.includes(one), one);
    }
    assert.ok(strong.permissions.includes("admin:read"));
    const weaken = await desk.send("PUT", `/v1/temporary-access-rules/${strong.id}`, byLesser);
    assert.equal((await weaken.json()).code, "person_holds_more");

    const made = await call(desk, "POST", "/v1/roles", {
      name: "On call",
      permissions: ["portal:read", "revoke"],
    });
    const rule = await ruleFor(desk, [grace.id], { role: made.id });
    const taken = await desk.send("DELETE", `/v1/roles/${made.id}`);
    assert.match((await taken.json()).detail, /1 temporary access rule/);
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    const change = async (permissions: string[]) =>
      await call(desk, "PUT", `/v1/roles/${made.id}`, { name: "On call", permissions });
    await change(["portal:read", "revoke", "secrets", "audit"]);
    assert.deepEqual(await heldBy(desk, grace.browser), ["portal:read", "revoke"]);
    await change(["portal:read", "audit"]);
    assert.deepEqual(await heldBy(desk, grace.browser), OWN);
    const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
    assert.deepEqual([over.id, over.state, over.end_reason], [id, "ended", "role"]);
  },
);

testOnEngines(
  "temporary access rules: of several with one name at once one is there",
  async (desk) => {
    const grace = await insider(desk);
    const body = (name: string) => ({
      body: { name, people: [grace.id], role: "approver", minutes: 5, proof: "passkey" },
    });
    const add = (name: string) => desk.send("POST", "/v1/temporary-access-rules", body(name));
    const answers = await Promise.all(Array.from({ length: 8 }, () => add("On call")));
    const codes = await Promise.all(answers.map(async (one) => (await one.json()).code));
    assert.deepEqual(
      [answers.filter(({ status }) => status === 200).length, new Set(codes.filter(Boolean))],
      [1, new Set(["temporary_access_rule_name_taken"])],
    );
    await assertFailure(await add("ON CALL"), "temporary_access_rule_name_taken");
    const other = await ruleFor(desk, [grace.id]);
    const renamed = await desk.send("PUT", `/v1/temporary-access-rules/${other}`, body("On call"));
    await assertFailure(renamed, "temporary_access_rule_name_taken");
    // Its own name stays its own, and another organisation's names are its own.
    const kept = await desk.send("PUT", `/v1/temporary-access-rules/${other}`, body("Incidents"));
    assert.equal(kept.status, 200, await kept.text());
  },
);
