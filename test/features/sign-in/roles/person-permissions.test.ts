/** What a person can do, and why: in sentences, and what doctor says of two duties in one hand. */
import assert from "node:assert/strict";
import { dutyWarnings } from "../../../../src/cli/doctor-store.ts";
import { withinScope } from "../../../../src/contract/permission-meanings.ts";
import { permissions } from "../../../../src/contract/permissions.ts";
import { endpoints } from "../../../../src/reference/registry.ts";
import { assertFailure } from "../../../support/answers.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { call, newPerson } from "../../../support/people.ts";

const told = (one: { sentence: string; open: boolean }) =>
  `${one.open ? "" : "closed: "}${one.sentence}`;

testOnEngines(
  "permissions of a person: told with their reasons, and what is in the way",
  async (desk) => {
    const role = await call(desk, "POST", "/v1/roles", {
      name: "First line",
      permissions: ["approve", "audit"],
    });
    const scope = { plans: ["gold"], apis: ["payments"], tags: ["a", "b"] };
    const { id } = await call(desk, "POST", "/v1/people", { name: "Pia", role: role.id, scope });
    const path = `/v1/people/${id}/permissions`;
    const answer = await call(desk, "GET", path);
    assert.deepEqual(answer.can.map(told), [
      "May approve requests; issue, change, revoke and import keys: the role First line gives approve.",
      "May end keys and nothing else; approve includes it: the permission approve includes it.",
      "closed: May read the audit log: the role First line gives audit.",
    ]);
    assert.deepEqual([answer.role, answer.scope], [role.id, scope]);
    assert.deepEqual(answer.limits, [
      "Sees the plans gold; plans that open nothing but the APIs payments; plans with one of the tags a, b, and what is of these alone: key requests, keys, what developers have of them, and their use.",
      "Decides those key requests and changes those keys. A key of another plan besides is not seen.",
      "All else is closed by this scope, but their own account.",
    ]);
    const ada = await newPerson(desk, ["certs:write"]);
    const hers = await call(desk, "GET", `/v1/people/${ada.id}/permissions`);
    assert.deepEqual(hers.can.map(told), [
      "May read certificates, never their private keys: the permission certs:write includes it.",
      "May add and delete certificates, and read: the permission certs:write was given by itself.",
    ]);
    assert.deepEqual(hers.limits, []);
    await call(desk, "POST", `/v1/people/${ada.id}/suspend`);
    const suspended = await call(desk, "GET", `/v1/people/${ada.id}/permissions`);
    assert.match(suspended.limits[0], /^Suspended since /);
    assert.ok(suspended.can.every((one: { open: boolean }) => !one.open));
    const other = await desk.otherOrganisation();
    await assertFailure(await desk.send("GET", path, { credential: other.admin }), "not_found");
  },
);

Deno.test("permissions within a scope: those that are told are those that open something", () => {
  const named = endpoints.flatMap(({ permission, withinScope }) =>
    // What everybody opens is their own.
    withinScope && typeof permission !== "string" && permission.length < permissions.length
      // Whoever holds these sees more in the same place, and within a scope nothing.
      ? permission.filter((one) => !/^(admin|certs)/.test(one))
      : []
  );
  assert.deepEqual([...new Set([...named, "portal:write"])].sort(), [...withinScope].sort());
});

testOnEngines(
  "doctor: who both files and decides is told, as soon as two can decide",
  async (desk) => {
    const { reader } = desk.app.ctx.storage;
    assert.deepEqual(await dutyWarnings(reader), []);
    const { id } = await call(desk, "POST", "/v1/people", { name: "Pia", role: "approver" });
    const [sentence = "", ...others] = await dutyWarnings(reader);
    assert.deepEqual(others, []);
    assert.match(
      sentence,
      /^People who may both file key requests and decide them in the organisation .* \(1\): "administrator" /,
    );
    assert.ok(!sentence.includes(id));
  },
);
