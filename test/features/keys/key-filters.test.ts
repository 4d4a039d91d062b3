/** Each filter that the list of keys declares leaves some keys out, in every place that has it. */
import assert from "node:assert/strict";
import { keyFilters } from "../../../src/contract/key-filters.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { openDesk, report, workOff } from "../../support/leaks.ts";
import { call, testClock } from "../../support/people.ts";
import { planWith } from "../../support/verification.ts";

const clock = testClock();
type Name = keyof typeof keyFilters;

/** Two keys that differ in whatever a filter looks at, and a third one that is neither. */
async function threeKeys(desk: TestDesk): Promise<{ id: string; samples: Record<Name, string> }> {
  const issue = async (name: string, plan: string, more = {}) => {
    const { id } = await registered(desk, `dev-${name}`);
    const body = { plans: [plan], name, deliver: "answer", ...more };
    const path = `/v1/developers/${id}/keys`;
    const made = await succeed<{ key_id: string; RawKey: string }>(
      desk,
      "POST",
      path,
      { body },
    );
    return { id: made.key_id, key: made.RawKey };
  };
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const { id, key } = await issue("sought", plan, { environment: "live", tags: ["payments"] });
  await call(desk, "POST", `/v1/keys/${id}/suspend`, { reason: "looked for" });
  await report(desk, [key]);
  await workOff(desk);
  clock.at += 60_000;
  const unused_since = new Date(clock.at).toISOString();
  clock.at += 60_000;
  const other = await planWith(desk, { rate: 100, per: 1 });
  for (const name of ["second", "third"]) {
    await issue(name, other, { environment: "test", tags: ["other"] });
  }
  return {
    id,
    samples: {
      developer: "dev-sought",
      plan,
      state: "suspended",
      environment: "live",
      tag: "payments",
      leaked: "true",
      q: "sought",
      unused_since,
      // Nothing was done by a schedule here.
      schedule: "warned",
    },
  };
}

testOnEngines(
  "key filters: each narrows the list, the export and a job's selection",
  async (desk) => {
    const { id, samples } = await threeKeys(desk);
    assert.equal((await call(desk, "GET", "/v1/keys")).data.length, 3);
    for (const [name, value] of Object.entries(samples)) {
      const query = `${name}=${encodeURIComponent(value)}`;
      const found = name === "schedule" ? [] : [id];
      const { data } = await call(desk, "GET", `/v1/keys?${query}`);
      assert.deepEqual(data.map(({ key_id }: { key_id: string }) => key_id), found, name);
      const file = await desk.send("GET", `/v1/keys/export?${query}`);
      const rows = (await file.text()).trim().split("\r\n").slice(1);
      assert.deepEqual(rows.map((row) => row.split(",")[0]), found, name);
      const job = await call(desk, "GET", `/v1/jobs/selection?kind=tag_keys&${query}`);
      assert.equal(job.total, found.length, name);
    }
  },
  { clock, environment: openDesk },
);
