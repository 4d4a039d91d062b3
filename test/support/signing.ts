/** Approvals that were to be signed by a passkey, as stores of earlier releases say. */
import { saveSignInRules } from "../../src/features/people/sign-in-rules.store.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import type { TestDesk } from "./desk.ts";

/** Says so as an earlier release did; 0: it never did. Goes into `extra` of the desk. */
export const demandSignatures = defineTransaction(
  "test.demand-signatures",
  (tx, { org_id, signatures = 1 }: { org_id: string; signatures?: number }) =>
    saveSignInRules(tx, { org_id, tokens: 1, signatures, second_factor: 0 }),
);

/** The same of a test's desk. */
export async function closeApprovals(desk: TestDesk): Promise<void> {
  await desk.app.ctx.storage.commit(demandSignatures, { org_id: desk.org_id });
}

/** Sets it anew, as an administrator does. */
export async function openApprovals(desk: TestDesk): Promise<void> {
  const body = { tokens: true, domains: [], signed_approvals: false };
  const response = await desk.send("PUT", "/v1/sign-in-rules", { body });
  if (response.status !== 200) throw new Error(await response.text());
  await response.body?.cancel();
}
