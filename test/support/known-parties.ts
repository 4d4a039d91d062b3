import { findPlanRules, insertPlan } from "../../src/features/plans/plans.store.ts";
import { lockRequest } from "../../src/features/key-requests/key-requests.store.ts";
import { termsOf } from "../../src/features/key-requests/stored-request.ts";
import { lockOwner } from "../../src/features/keys/issue-key.transactions.ts";
import { newId } from "../../src/kernel/ids.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import type { TestDesk } from "./desk.ts";

/**
 * Makes the plans and the developers of these key requests where nobody knows them; the audit log
 * says nothing of it.
 */
export const makeKnown = defineTransaction(
  "test.make-known",
  async (tx, { org_id, requests }: { org_id: string; requests: readonly string[] }) => {
    const actor = { org_id, user_id: "test", token_id: "test", now: Date.parse("2026-01-01") };
    for (const id of requests) {
      const row = await lockRequest(tx, { org_id, id });
      if (!row) continue;
      const { plans, by_user } = termsOf(row);
      for (const plan of plans) {
        if (await findPlanRules(tx, org_id, plan)) continue;
        await insertPlan(tx, {
          org_id,
          id: newId(actor.now),
          given_id: plan,
          name: plan,
          auth_type: "authToken",
          document: "{}",
          date_created: "2026-01-01T00:00:00.000Z",
        });
      }
      await lockOwner(tx, actor, by_user);
    }
  },
);

/**
 * Says that whoever approves these has created what they name: `/v1` issues no key for a plan or to
 * a developer that nobody knows. Gives the ids back.
 */
export async function known<Ids extends readonly string[]>(
  desk: TestDesk,
  ...requests: Ids
): Promise<Ids> {
  await desk.app.ctx.storage.commit(makeKnown, { org_id: desk.org_id, requests });
  return requests;
}
