/** Any two declarations: each can be applied, and is then what the organisation says of itself. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { effort } from "../../support/effort.ts";
import { operatorOf } from "../../support/config.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import { declarations, PEOPLE, REFERENCES } from "./generated.ts";

/** Pairs of declarations, for each of which three organisations are made. */
const ROUNDS = 30 * effort;

async function organisation(desk: TestDesk) {
  const { org_id, admin } = await desk.otherOrganisation();
  for (const name of PEOPLE) {
    await call(desk, "POST", "/v1/people", { name, role: "approver" }, admin);
  }
  return operatorOf(desk, org_id);
}

testOnEngines(
  "what is applied is what there is, and what is read is what can be applied",
  async (desk) => {
    const body = { references: REFERENCES, source: "all.yaml", prune: true };
    const states = fc.tuple(declarations, declarations);
    const property = fc.asyncProperty(states, async (both) => {
      const client = await organisation(desk);
      for (const config of both) {
        const diff = await client.diffConfig({ body: { ...body, config } });
        await client.applyConfig({ body: { ...body, config, expect: diff.digest } });
        assert.deepEqual((await client.diffConfig({ body: { ...body, config } })).changes, []);
        const exported = await client.getConfig();
        const ofItself = await client.diffConfig({ body: { ...body, config: exported } });
        assert.deepEqual(ofItself.changes, []);
      }
      const copy = await organisation(desk);
      const exported = await client.getConfig();
      // Secrets are in no export.
      const config = { ...exported, gateways: withSecrets(exported.gateways) };
      await copy.applyConfig({ body: { ...body, config } });
      assert.deepEqual(await copy.getConfig(), exported);
    });
    await fc.assert(property, { numRuns: ROUNDS, endOnFailure: true });
  },
);

function withSecrets(gateways: unknown) {
  if (!Array.isArray(gateways)) return undefined;
  return gateways.map((one) =>
    one.connection === "synced" ? { ...one, secret: "${env:ONE}" } : one
  );
}
