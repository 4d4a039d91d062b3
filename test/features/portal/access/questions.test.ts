/** What developers are asked for is changed, and whatever a portal stored beside it stays. */
import assert from "node:assert/strict";
import { USE_CASE } from "../../../../src/features/plans/catalogue/questions.ts";
import { succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { denied, invalid, testRefusals, unauthenticated } from "../../../support/refusals.ts";

const PATH = "/v1/developer-pages/fields";
const CONFIGURATION = "/api/portal/configuration";

testOnEngines(
  "questions: they are replaced, and the configuration keeps all else",
  async (desk) => {
    const before = {
      signup_fields: ["company", { Name: "vat", Required: true, hint: "EU alone" }],
      key_request_fields: [{ name: "use_case", required: false, rows: 5 }, 7],
      require_key_approval: false,
      own: { of: "the portal" },
    };
    await succeed(desk, "PUT", CONFIGURATION, { body: before });
    const body = {
      sign_up_fields: [{ name: "vat", required: false }, { name: "company", required: false }],
      key_request_fields: [{ name: " use_case ", required: true }, {
        name: "team",
        required: true,
      }],
    };
    const asked = await succeed<Record<string, unknown>>(desk, "PUT", PATH, { body });
    assert.deepEqual(asked, await succeed(desk, "GET", PATH));
    const after = await succeed<Record<string, unknown>>(desk, "GET", CONFIGURATION);
    assert.deepEqual(after.signup_fields, [
      { Name: "vat", Required: false, hint: "EU alone" },
      "company",
    ]);
    assert.deepEqual(after.key_request_fields, [
      { name: "use_case", required: true, rows: 5 },
      { name: "team", required: true },
    ]);
    assert.deepEqual([after.require_key_approval, after.own], [false, before.own]);
    const { data: [event] } = await succeed<{ data: { action: string }[] }>(
      desk,
      "GET",
      "/v1/audit-log?object=configuration",
    );
    assert.equal(event?.action, "configuration.updated");
    const other = await desk.otherOrganisation();
    const theirs = await succeed(desk, "GET", PATH, { credential: other.admin });
    assert.deepEqual(theirs, { sign_up_fields: [], key_request_fields: [USE_CASE] });
  },
);

testOnEngines("questions: the first ones approve nothing by themselves", async (desk) => {
  const body = { key_request_fields: [{ name: "use_case", required: true }] };
  await succeed(desk, "PUT", PATH, { body });
  const made = await succeed<{ require_key_approval: boolean }>(desk, "GET", CONFIGURATION);
  assert.equal(made.require_key_approval, true);
});

testRefusals("questions", (desk) => {
  const body = { sign_up_fields: [] };
  const twice = [{ name: "a", required: true }, { name: "a", required: false }];
  return Promise.resolve({
    rows: [
      unauthenticated("GET", PATH),
      unauthenticated("PUT", PATH, body),
      denied(["GET", PATH], "portal:write", "plans"),
      denied(["PUT", PATH, body], "portal:write", "plans"),
      invalid(
        "a name twice",
        ["PUT", PATH, { sign_up_fields: twice }],
        "sign_up_fields: expected each name once",
      ),
      invalid(
        "no name",
        ["PUT", PATH, { key_request_fields: [{ name: " ", required: true }] }],
        "key_request_fields[0].name: must not be empty",
      ),
    ],
    unchanged: () => succeed(desk, "GET", CONFIGURATION),
  });
});
