/** Plans are looked up by their ids whatever number of them is named. */
import assert from "node:assert/strict";
import { planIdsOf } from "../../../src/features/plans/plan-ids.store.ts";
import { policiesFor } from "../../../src/features/key-requests/asked-policy.store.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";

testOnEngines("plan ids: each of one, of some and of very many is found", async (desk) => {
  const { app: { ctx: { storage: { reader } } }, org_id } = desk;
  const named: string[] = [];
  for (let n = 0; n < 30; n++) {
    const id = `plan-${n}`;
    await call(desk, "POST", "/api/portal/policies", { id, name: id });
    await call(desk, "PUT", `/v1/plans/${id}/approval-policy`, { outcome: "steps", steps });
    named.push(id);
  }
  for (const n of [0, 1, 2, 4, 5, 25, 26, 30]) {
    const some = named.slice(30 - n);
    const found = await planIdsOf(reader, org_id, [...some, "unknown"]);
    assert.deepEqual([...found.values()].map(({ id }) => id).sort(), some.toSorted());
    const policies = await policiesFor(reader, org_id, some);
    assert.deepEqual(policies.map((policy) => policy?.outcome), some.map(() => "steps"));
  }
});

const steps = [{ name: "Data", need: 1 }];
