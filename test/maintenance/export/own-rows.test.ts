/**
 * An import of an export of Keydesk: rows that nobody wrote, desks that are not empty, other
 * organisations.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { findingsAfter } from "../../../src/maintenance/import/imports.store.ts";
import { temporaryFolder } from "../../support/command.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/keys.ts";
import { digestOf, exported, freshPair, imported } from "../../support/moving-out.ts";

async function found(desk: TestDesk): Promise<string[]> {
  const start = { kind: "", id: "", code: "" };
  const rows = await findingsAfter(desk.app.ctx.storage.reader, desk.org_id, start, 100);
  return rows.map(({ kind, code, detail }) => `${kind} ${code} ${detail}`.trim());
}

testOnEngines(
  "own rows: what no release wrote is refused by name, and the rest comes",
  async (desk) => {
    await using folder = await temporaryFolder();
    const write = (name: string, ...documents: unknown[]) =>
      Deno.writeTextFile(
        join(folder.path, name),
        documents.map((one) => `${JSON.stringify(one)}\n`).join(""),
      );
    const { org_id } = desk;
    const oid = (n: number) => `5f00aa${String(n).padStart(18, "0")}`;
    const plan = (n: number, more: object) => ({
      _id: { $oid: oid(n) },
      org_id,
      name: `Plan ${n}`,
      keydesk: { plans: [{ id: oid(n), given_id: `plan-${n}`, name: `Plan ${n}`, ...more }] },
    });
    const whole = {
      auth_type: "authToken",
      document: "{}",
      date_created: "2026-01-01T00:00:00.000Z",
    };
    await write(
      "tyk_policies.json",
      plan(1, whole),
      plan(2, { ...whole, document: 7 }),
      plan(4, { ...whole, document: "no JSON" }),
      plan(3, { ...whole, unknown: "x" }),
    );
    const claim = { id: "c", access_token_id: "of somebody" };
    await write(
      "keydesk.jsonl",
      { org_id, keydesk: { claims: [claim] } },
      { org_id, keydesk: { access_tokens: [{ id: "t", hash: "h" }] } },
      { org_id: "f".repeat(24), keydesk: { usage_erasures: [{ key_id: "k" }] } },
      { org_id, keydesk: { usage_erasures: [{ key_id: "k" }, { key_id: "l" }] } },
    );
    const { summaries } = await imported(desk, folder.path);
    const by = Object.fromEntries(
      summaries.map(({ kind, added, others }) => [kind, [added, others]]),
    );
    assert.deepEqual(by, { plan: [2, 0], rest: [1, 1] });
    assert.deepEqual((await found(desk)).map((one) => one.replace(/ (is|of) .*$/, "")), [
      "plan invalid plans.document:",
      "plan invalid plans.document:",
      "rest invalid claims.hash:",
    ]);
    const { tables } = await digestOf(desk);
    const erasures = tables.find(({ table }) => table === "usage_erasures");
    assert.equal(erasures?.rows, 2);
  },
);

testOnEngines("own rows: a desk that is in use keeps what it has", async (desk) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "out");
  await call(desk, "POST", "/v1/plans", { id: "one", name: "One" });
  await call(desk, "POST", "/v1/developers", { email: "ada@example.org" });
  const { encryption, identities } = await freshPair();
  await exported(desk, path, { encryption });
  const environment = { KEYDESK_ORG_ID: desk.org_id };
  await using target = await openTestDesk(desk.engine, { environment });
  await call(target, "POST", "/v1/plans", { id: "two", name: "One" });
  await call(target, "POST", "/v1/developers", { email: "Ada@example.org" });
  await imported(target, path, { identities });
  assert.deepEqual(await found(target), ["developer exists_here", "plan plan_name_taken"]);
  const { data } = await call<{ data: { name: string }[] }>(target, "GET", "/v1/plans");
  assert.equal(data.length, 2);
  assert.equal(new Set(data.map(({ name }) => name)).size, 2);
  // A later export of the same desk replaces nothing.
  await call(desk, "PUT", "/api/portal/policies/one", { name: "Another name" });
  const later = join(folder.path, "later");
  await exported(desk, later, { encryption });
  await imported(target, later, { identities });
  assert.deepEqual(await found(target), ["developer exists_here", "plan own_again"]);
  // Nothing of it is another organisation's.
  await using foreign = await openTestDesk(desk.engine);
  const { summaries } = await imported(foreign, path, { identities });
  assert.equal(summaries.reduce((sum, { added }) => sum + added, 0), 0);
});
