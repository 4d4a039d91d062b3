/**
 * What the audit log says of a change of plans, catalogue, configuration and rules of approval:
 * before and after.
 */
import assert from "node:assert/strict";
import { USE_CASE } from "../../../src/features/plans/catalogue/questions.ts";
import { addPlan, CATALOGUE, CONFIGURATION, POLICIES } from "../../support/companions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";

const detailsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("detail").where("org_id", "=", p.org_id)
);

/** What the newest event of this action noted. */
async function noted(desk: TestDesk, action: string): Promise<Record<string, unknown>> {
  const { data } = await call(desk, "GET", `/v1/audit-log?action=${action}`);
  return data[0]?.detail;
}

testOnEngines("audit log: a plan's change says what it was, by either interface", async (desk) => {
  await addPlan(desk, { id: "free", name: "Free", rate: 10, per: 60, access_rights: { a: {} } });
  const { after } = await noted(desk, "plan.created") as { after: Record<string, unknown> };
  assert.deepEqual([after.name, after.rate, after.access_rights], ["Free", 10, { a: {} }]);
  await call(desk, "PUT", `${POLICIES}/free`, { rate: 20, access_rights: { a: {}, b: {} } });
  assert.deepEqual(await noted(desk, "plan.updated"), {
    before: { rate: 10 },
    after: { rate: 20, access_rights: { b: {} } },
  });
  await call(desk, "POST", "/v1/plans/free/deactivate");
  const exported = await (await desk.send("GET", "/v1/audit-log/export?object=plan")).text();
  const lines = exported.trim().split("\n").map((line) => JSON.parse(line).detail);
  assert.ok(lines.some((one) => one.before.active === true && one.after.active === false));
  await call(desk, "DELETE", "/v1/plans/free");
  const gone = await noted(desk, "plan.deleted") as { before: Record<string, unknown> };
  assert.deepEqual([gone.before.name, gone.before.rate], ["Free", 20]);
});

testOnEngines("audit log: catalogue and configuration say what they were", async (desk) => {
  const entry = (policy_id: string, name: string) => ({ api_id: "weather", policy_id, name });
  await call(desk, "POST", CATALOGUE, { apis: [entry("free", "Free"), entry("paid", "Paid")] });
  const first = await noted(desk, "catalogue.updated") as {
    after: { apis: Record<string, Record<string, Record<string, unknown>>> };
  };
  assert.equal(first.after.apis["weather free"]?.config?.require_key_approval, true);
  // One more in front: the others stand where they stood, by their names.
  const apis = [entry("new", "New"), entry("free", "Free"), entry("paid", "Paid, dearer")];
  await call(desk, "PUT", CATALOGUE, { apis, email: "a@example.org" });
  const { before, after } = await noted(desk, "catalogue.updated") as Record<
    "before" | "after",
    { apis: Record<string, unknown>; email: string }
  >;
  assert.deepEqual(before, { email: "", apis: { "weather paid": { name: "Paid" } } });
  assert.deepEqual(Object.keys(after.apis), ["weather paid", "weather new"]);
  assert.deepEqual(after.apis["weather paid"], { name: "Paid, dearer" });
  // Of two entries for one plan the first decides: a swap is a change.
  const twice = [entry("free", "First"), entry("free", "Second")];
  await call(desk, "PUT", CATALOGUE, { apis: twice });
  await call(desk, "PUT", CATALOGUE, { apis: twice.reverse() });
  assert.deepEqual(await noted(desk, "catalogue.updated"), {
    before: { apis: { "weather free": { name: "First" }, "weather free #2": { name: "Second" } } },
    after: { apis: { "weather free": { name: "Second" }, "weather free #2": { name: "First" } } },
  });

  await call(desk, "POST", CONFIGURATION, { require_key_approval: true });
  await call(desk, "PUT", CONFIGURATION, { require_key_approval: false, redirect_to: "/x" });
  assert.deepEqual(await noted(desk, "configuration.updated"), {
    before: { require_key_approval: true, redirect_to: "" },
    after: { require_key_approval: false, redirect_to: "/x" },
  });
});

testOnEngines(
  "audit log: of members that are the client's own the names alone are told",
  async (desk) => {
    const own = {
      smtp: { pass: "CLEAR" },
      pwd: "CLEAR",
      "X-Api-Key": "CLEAR",
      jwt: "CLEAR",
      headers: [{ name: "password", value: "CLEAR" }],
      hook: "https://u:CLEAR@h/",
      note: "CLEAR",
      "ada@example.org": "CLEAR",
    };
    const url = { redirect_to: "https://u:CLEAR@h/" };
    const mail_options = { mail_from_name: "Desk", smtp_host: "CLEAR" };
    await call(desk, "POST", CONFIGURATION, { ...own, ...url, mail_options });
    await call(desk, "PUT", CONFIGURATION, { ...own, pwd: "CLEAR too", email: "x" });
    const config = { ...own, require_key_approval: false };
    const apis = [{ api_id: "weather", policy_id: "free", ...own, fields: own, config }];
    await call(desk, "POST", CATALOGUE, { apis });
    await addPlan(desk, { id: "free", name: "Free", ...own });
    const { before, after } = await noted(desk, "configuration.updated") as {
      before: Record<string, unknown>;
      after: Record<string, unknown>;
    };
    assert.deepEqual([before.pwd, after.pwd, after.email], ["(changed)", "(changed)", "x"]);
    assert.equal(before.redirect_to, "https://(hidden)@h/");
    assert.deepEqual(before.mail_options, { mail_from_name: "Desk", smtp_host: "(changed)" });
    const plan = await noted(desk, "plan.created") as { after: typeof own };
    assert.equal(plan.after.note, "(changed)");
    const activity = await (await desk.send("GET", "/v1/audit-log/export")).text();
    assert.doesNotMatch(activity, /CLEAR/);
    const rows = await desk.app.ctx.storage.reader.rows(detailsSql, { org_id: desk.org_id });
    assert.doesNotMatch(JSON.stringify(rows), /ada@/);
  },
);

testOnEngines("audit log: how a plan's requests are decided, before and after", async (desk) => {
  await addPlan(desk, { id: "free", name: "Free" });
  await call(desk, "POST", CATALOGUE, { apis: [{ api_id: "weather", policy_id: "free" }] });
  const key_request_fields = [{ name: "use", required: true }];
  await call(desk, "PUT", "/v1/plans/free/approval", { approval: "automatic", key_request_fields });
  assert.deepEqual(await noted(desk, "plan.approval_changed"), {
    require_key_approval: false,
    before: { require_key_approval: true, key_request_fields: [USE_CASE] },
    after: { require_key_approval: false, key_request_fields },
  });
});

testOnEngines(
  "audit log: of changes at once each begins where the one before ended",
  async (desk) => {
    const emails = Array.from({ length: 6 }, (_, i) => `${i}@example.org`);
    for (const path of [CATALOGUE, CONFIGURATION]) {
      await Promise.all(emails.map((email) => call(desk, "PUT", path, { email })));
    }
    for (const action of ["catalogue.updated", "configuration.updated"]) {
      const { data } = await call(desk, "GET", `/v1/audit-log?action=${action}`);
      const seen = data.map(({ detail }: { detail: Record<string, { email?: string }> }) =>
        [detail.before?.email ?? "", detail.after?.email ?? ""] as const
      );
      const chain = new Map<string, string>(seen);
      assert.equal(chain.size, emails.length, JSON.stringify(seen));
      let place = "";
      for (const _ of emails) place = chain.get(place) ?? "broken";
      assert.ok(emails.includes(place), JSON.stringify(seen));
    }
  },
);
