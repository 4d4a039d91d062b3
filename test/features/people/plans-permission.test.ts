/**
 * Filing is not deciding: what a portal's access token can't loosen, and what the permissions plans
 * and audit own.
 */
import assert from "node:assert/strict";
import { endpoints } from "../../../src/reference/registry.ts";
import { addPlan, CATALOGUE, CONFIGURATION, POLICIES, post } from "../../support/companions.ts";
import { testOnEngines } from "../../support/desk.ts";
import { approvalOf, create, smallRequest } from "../../support/key-requests.ts";
import { call } from "../../support/people.ts";
import { storedCredentials } from "../../support/stored.ts";

const AUTOMATIC = { override: true, require_key_approval: false };
const OFFER = { apis: [{ api_id: "weather", policy_id: "plan-weather", config: AUTOMATIC }] };

Deno.test("plans: whatever changes a plan, the catalogue or the configuration asks for it, and nothing else", () => {
  const changing = endpoints.filter(({ method, path }) =>
    method !== "GET" &&
    /^\/(api\/portal|v1)\/(plans|policies|catalogue|apis|configuration|documentation)(\/|$)/.test(
      path,
    )
  );
  assert.equal(changing.length, 23);
  for (const { id, permission } of changing) assert.deepEqual(permission, ["plans"], id);
  const others = endpoints.filter((one) => !changing.includes(one))
    .filter(({ permission }) => typeof permission !== "string" && permission.includes("plans"));
  assert.deepEqual(others.map(({ id }) => id), [
    // Who approves where a plan says nothing.
    "putDefaultApprovalPolicy",
    // Before it is saved.
    "checkApprovalPolicy",
    // It stands for changing plans, though it changes none.
    "deleteCertificateDependencies",
    // Each list asks for its own permission.
    "listViews",
    "createView",
    "getView",
    "updateView",
    "deleteView",
    "listColumns",
    "putColumns",
    // Break-glass: a rule says who, whatever they hold.
    "getOwnTemporaryAccess",
    "challengeForTemporaryAccess",
    "startTemporaryAccess",
    "confirmTemporaryAccess",
    "endTemporaryAccess",
    // Each change of a file takes the permission of its operation.
    "applyConfig",
    // Own accounts at identity providers.
    "listIdentities",
    "beginIdentity",
    "createIdentity",
    "deleteIdentity",
    // Who calls and how to leave, everybody may ask.
    "getSession",
    "signOut",
    "listSessions",
    "endSession",
    "endSessions",
    "getCaller",
    "listPasskeys",
    "beginPasskey",
    "createPasskey",
    "renamePasskey",
    "deletePasskey",
    "getOneTimeCodes",
    "beginOneTimeCodes",
    "createOneTimeCodes",
    "renewRecoveryCodes",
    "deleteOneTimeCodes",
  ]);
});

testOnEngines(
  "portal:write: it can't make approval automatic, by either interface, and then approve",
  async (desk) => {
    await addPlan(desk, { id: "plan-weather", name: "Weather" });
    await post(desk, CATALOGUE, { apis: [{ api_id: "weather", policy_id: "plan-weather" }] });
    const credential = await desk.token(["portal:write"]);
    const id = await create(desk, smallRequest({ catalogue_entry: OFFER.apis[0] }), { credential });
    const tries: [method: string, path: string, body: unknown][] = [
      ["PUT", CONFIGURATION, { require_key_approval: false }],
      ["POST", CONFIGURATION, { require_key_approval: false }],
      ["PUT", CATALOGUE, OFFER],
      ["POST", CATALOGUE, OFFER],
      ["PUT", "/v1/plans/plan-weather/approval", { approval: "automatic" }],
      ["PUT", "/v1/plans/plan-weather", { rate: 0 }],
      ["PUT", `${POLICIES}/plan-weather`, { access_rights: {} }],
      ["POST", POLICIES, { name: "Everything" }],
      ["POST", "/v1/plans", { name: "Everything" }],
      ["POST", "/v1/plans/plan-weather/activate", undefined],
      ["DELETE", `${POLICIES}/plan-weather`, undefined],
      ["DELETE", "/v1/plans/plan-weather", undefined],
    ];
    for (const [method, path, body] of tries) {
      const refused = await desk.send(method, path, { body, credential });
      assert.equal(refused.status, 403, `${method} ${path}`);
      await refused.body?.cancel();
    }
    assert.equal((await desk.send("PUT", approvalOf(id), { credential })).status, 403);
    assert.deepEqual(await storedCredentials(desk), []);
    // What an administrator made automatic stays so.
    await call(desk, "PUT", "/v1/plans/plan-weather/approval", { approval: "automatic" });
    assert.equal((await desk.send("PUT", approvalOf(id), { credential })).status, 200);
  },
);

testOnEngines("plans: it is enough to change them, and opens nothing else", async (desk) => {
  const credential = await desk.token(["plans"]);
  const { id } = await call(desk, "POST", "/v1/plans", { name: "Weather" }, credential);
  await call(desk, "PUT", `/v1/plans/${id}`, { rate: 1, per: 1 }, credential);
  await call(desk, "PUT", CONFIGURATION, { require_key_approval: true }, credential);
  await call(desk, "PUT", CATALOGUE, OFFER, credential);
  const others: [method: string, path: string][] = [
    ["GET", "/v1/plans"],
    ["POST", "/api/portal/requests"],
    ["GET", "/v1/audit-log"],
    ["GET", "/v1/people"],
  ];
  for (const [method, path] of others) {
    const refused = await desk.send(method, path, { credential });
    assert.equal(refused.status, 403, path);
    await refused.body?.cancel();
  }
});

testOnEngines(
  "audit: it reads the audit log and its export; admin alone does not",
  async (desk) => {
    const [audit, admin] = [await desk.token(["audit"]), await desk.token(["admin"])];
    for (const path of ["/v1/audit-log", "/v1/audit-log/export"]) {
      const read = await desk.send("GET", path, { credential: audit });
      assert.equal(read.status, 200);
      await read.body?.cancel();
      const refused = await desk.send("GET", path, { credential: admin });
      assert.equal(refused.status, 403);
      await refused.body?.cancel();
    }
    assert.equal((await desk.send("GET", "/v1/people", { credential: audit })).status, 403);
  },
);
