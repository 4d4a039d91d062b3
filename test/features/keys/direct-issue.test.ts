/** A policy by which nobody decides their own request holds for keys that are issued directly. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call, issue, KEYS, listKeys } from "../../support/keys.ts";
import { finishedJob } from "../../support/jobs.ts";
import { makeKnown } from "../../support/verification.ts";

const POLICY = { outcome: "catalogue", not_by_filer: true };

testOnEngines(
  "direct issue: where somebody else must decide, no key is issued directly, in no way",
  async (desk) => {
    await makeKnown(desk, ["open", "strict"]);
    const { key_id } = await issue(desk, ["open"]);
    const direct = "/v1/developers/dev-ada/keys";
    await call(desk, "POST", direct, { plans: ["strict"] });
    await call(desk, "PUT", "/v1/plans/strict/approval-policy", POLICY);
    const before = (await listKeys(desk)).data.length;
    const ways: [method: string, path: string, body: unknown][] = [
      ["POST", direct, { plans: ["open", "strict"] }],
      ["POST", "/api/portal/developers/dev-ada/keys", { policy_id: "strict" }],
      ["POST", "/api/portal/developers/dev-ada/subscriptions", { policy_id: "strict" }],
      ["POST", "/api/keys", { apply_policies: ["strict"] }],
      ["PUT", `${KEYS}/${key_id}/plans`, { plans: ["open", "strict"] }],
      ["PUT", `/api/portal/developers/dev-ada/keys/${key_id}`, { apply_policies: ["strict"] }],
      ["PUT", `/api/keys/${key_id}`, { apply_policies: ["open", "strict"] }],
    ];
    for (const [method, path, body] of ways) {
      const answer = await desk.send(method, path, { body });
      assert.equal(answer.headers.get("x-keydesk-error"), "filed_by_you", `${method} ${path}`);
      assert.equal(answer.status, 403);
    }
    const job = await finishedJob(desk, {
      kind: "add_key_plans",
      ids: [key_id],
      plans: ["strict"],
    });
    assert.deepEqual([job.done, job.failed], [0, 1]);
    assert.equal((await listKeys(desk)).data.length, before);
    await call(desk, "POST", direct, { plans: ["open"] });
  },
);

testOnEngines(
  "direct issue: the default policy counts, and what a key has already is no issue",
  async (desk) => {
    await makeKnown(desk, ["open", "other"]);
    const { key_id } = await issue(desk, ["open", "other"]);
    await call(desk, "PUT", "/v1/approval-policy", POLICY);
    const answer = await desk.send("POST", "/v1/developers/dev-ada/keys", {
      body: { plans: ["other"] },
    });
    await assertFailure(answer, "filed_by_you", {
      message: "By the policy of the plan other another person must decide: file a key request.",
    });
    const key = await call(desk, "PUT", `${KEYS}/${key_id}/plans`, { plans: ["other"] });
    assert.deepEqual(key.plans, ["other"], "fewer");
    await call(desk, "POST", `${KEYS}/${key_id}/rotate`, { overlap_seconds: 0 });
  },
);
