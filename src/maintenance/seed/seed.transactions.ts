import { operator } from "../../features/people/operator.transactions.ts";
import {
  findConfiguration,
  listEntries,
  putCatalogue,
  putConfiguration,
} from "../../features/plans/catalogue/catalogue.store.ts";
import { changeCare } from "../../features/certificates/certificate-care.transactions.ts";
import { countKinds } from "../../features/certificates/certificate-counts.store.ts";
import { addCertificates } from "../../features/certificates/certificates.transactions.ts";
import { insertDeveloper } from "../../features/developers/developers.store.ts";
import { approveTransaction } from "../../features/key-requests/approve.transactions.ts";
import { declineRequest } from "../../features/key-requests/decisions.transactions.ts";
import { listViews } from "../../features/key-requests/key-requests.store.ts";
import { createTransaction } from "../../features/key-requests/key-requests.transactions.ts";
import { issueKey } from "../../features/keys/mint-key.transactions.ts";
import { firstPlans, insertPlan } from "../../features/plans/plans.store.ts";
import { lockUsed, setUsed } from "../../features/verification/quotas.store.ts";
import { addUsage } from "../../features/verification/usage/usage.transactions.ts";
import { noteUses } from "../../features/verification/last-uses.transactions.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import type { Demo } from "./demo.ts";

/**
 * Fills an organisation with the demo, whole or not at all. Certificates, keys and requests are
 * made by the very transactions that serve the interface. Throws `invalid_input` where the
 * organisation has anything already.
 */
export const seedTransaction = defineTransaction("seed", async (tx, demo: Demo) => {
  await refuseUnlessEmpty(tx, demo.org_id);
  for (const plan of demo.plans) await insertPlan(tx, plan);
  await putConfiguration(tx, demo.configuration);
  await putCatalogue(tx, demo.catalogue);
  for (const developer of demo.developers) {
    mustBeNew(await insertDeveloper(tx, demo.org_id, developer), `developer ${developer.email}`);
  }
  for (const certificate of demo.certificates) await addOne(tx, demo.org_id, certificate);
  for (const key of demo.keys) await issueOne(tx, demo.org_id, key);
  // In the order in which they were sent: a request that still waits would answer for an older,
  // equal one.
  const bySending = demo.requests.toSorted((a, b) => a.sentAt - b.sentAt);
  for (const request of bySending) await addRequest(tx, demo.org_id, request);
  await addUsage.run(tx, { rows: demo.calls.rows, owners: [] });
  await noteUses.run(tx, { uses: demo.calls.uses });
  for (const { used, ...period } of demo.calls.quotas) {
    await lockUsed(tx, period);
    await setUsed(tx, { ...period, used });
  }
});

async function addOne(
  tx: Tx,
  org_id: string,
  certificate: Demo["certificates"][number],
): Promise<void> {
  const { entry, addedAt, owner, tags } = certificate;
  const actor = operator(org_id, addedAt);
  const [added] = await addCertificates.run(tx, { actor, entries: [entry] });
  mustBeNew(added === "added", "this certificate");
  if (owner === "" && tags.length === 0) return;
  await changeCare.run(tx, { actor, fingerprint: entry.fingerprint, owner, tags });
}

async function issueOne(tx: Tx, org_id: string, key: Demo["keys"][number]): Promise<void> {
  const { developer_id, plan_id, attempt, labels, expires_at, issuedAt } = key;
  await issueKey.run(tx, {
    actor: operator(org_id, issuedAt),
    attempt,
    developer_id,
    plans: [plan_id],
    references: "strict",
    labels,
    expires_at,
    oneTimeLink: null,
    idempotency: null,
  });
}

async function addRequest(
  tx: Tx,
  org_id: string,
  request: Demo["requests"][number],
): Promise<void> {
  const { draft, sentAt, decidedAt } = request;
  const { id } = draft.columns;
  const sender = operator(org_id, sentAt);
  const decider = operator(org_id, decidedAt);
  switch (request.state) {
    case "pending":
      await createTransaction.run(tx, { actor: sender, references: "strict", draft });
      return;
    case "issued":
      await createTransaction.run(tx, { actor: sender, references: "strict", draft });
      await approveTransaction.run(tx, {
        actor: decider,
        id,
        attempt: request.attempt,
        by: { kind: "approver" },
        ifMatch: null,
        reason: null,
        idempotency: null,
      });
      return;
    case "declined":
      await createTransaction.run(tx, { actor: sender, references: "strict", draft });
      await declineRequest.run(tx, {
        actor: decider,
        id,
        ifMatch: null,
        reason: request.reason,
        idempotency: null,
      });
  }
}

async function refuseUnlessEmpty(tx: Tx, org_id: string): Promise<void> {
  const requests = await listViews.all.count(tx, org_id) +
    await listViews.declined.count(tx, org_id);
  const found = requests > 0
    ? `${requests} key request${requests === 1 ? "" : "s"}`
    : (await firstPlans(tx, org_id, 1)).rows.length > 0
    ? "plans"
    : (await listEntries(tx, { org_id })).length > 0
    ? "a catalogue"
    : await findConfiguration(tx, { org_id }) !== undefined
    ? "a portal configuration"
    : await countKinds(tx, org_id, [0, 1, 2, 3]) > 0
    ? "certificates"
    : undefined;
  mustBeNew(found === undefined, found ?? "");
}

function mustBeNew(isNew: boolean, what: string): void {
  if (isNew) return;
  throw new Failure("invalid_input", {
    message: `The organisation has ${what} already. The demo goes into an empty one only; ` +
      "use another KEYDESK_DATA_DIR or database.",
  });
}
