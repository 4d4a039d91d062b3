import { newestMessages } from "../../changes/outbox.store.ts";
import { fileReports, settleReport } from "../../features/hygiene/leaks/leaks.transactions.ts";
import { createChannel, pauseChannel } from "../../features/notifications/channels.transactions.ts";
import { addAttempt } from "../../features/notifications/deliveries.store.ts";
import { insertDelivery } from "../../features/notifications/fan-out.store.ts";
import { newDelivery } from "../../features/notifications/fan-out.transactions.ts";
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
import { addDeniedCalls } from "../../features/verification/denied-calls/denied-calls.transactions.ts";
import type { SeenGateway } from "../../features/verification/gateways/checking-gateways.store.ts";
import { createCheckingGateway } from "../../features/verification/gateways/checking-gateways.transactions.ts";
import { addUsage } from "../../features/verification/usage/usage.transactions.ts";
import { noteUses } from "../../features/verification/last-uses.transactions.ts";
import { putVisibility } from "../../features/plans/catalogue/api-visibilities.store.ts";
import { visibilityRow } from "../../features/plans/catalogue/api-visibility.ts";
import { addDocument } from "../../features/plans/catalogue/documents.transactions.ts";
import { OFF } from "../../features/portal/access/developer-pages.ts";
import { replaceDeveloperPages } from "../../features/portal/access/developer-pages.transactions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
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
  if (demo.gateway) {
    const actor = operator(demo.org_id, demo.openedAt);
    // Silent for good, which is not reported.
    const gateway = { ...demo.gateway, silent_minutes: 0 };
    await createCheckingGateway.run(tx, { actor, gateway, idempotency: null });
  }
  await addUsage.run(tx, { rows: demo.calls.rows, owners: [], gateways: seenGateways(demo) });
  await noteUses.run(tx, { uses: demo.calls.uses });
  for (const { used, ...period } of demo.calls.quotas) {
    await lockUsed(tx, period);
    await setUsed(tx, { ...period, used });
  }
  await addDeniedCalls.run(tx, { calls: demo.calls.denied });
  await addAround(tx, demo);
});

/** When the gateway called first and last. */
function seenGateways({ org_id, gateway, openedAt, calls }: Demo): SeenGateway[] {
  const last = calls.uses.map(({ last_used_at }) => last_used_at).sort().at(-1);
  if (!gateway || last === undefined) return [];
  const first = toTimestamp(openedAt);
  return [{ org_id, name: gateway.name, first, last, version: "", minutes: [] }];
}

/** The developer portal, a channel and what was found in public. */
async function addAround(tx: Tx, demo: Demo): Promise<void> {
  const { org_id, documents, channel, leaks } = demo;
  if (documents) {
    const actor = operator(org_id, demo.openedAt);
    for (const document of documents) {
      await addDocument.run(tx, { actor, document, idempotency: null });
      const { api_id } = document;
      const seen = visibilityRow({ visibility: "public", invited: [], invited_tags: [] });
      await putVisibility(tx, { org_id, api_id, ...seen });
    }
    await replaceDeveloperPages.run(tx, { actor, pages: { ...OFF, enabled: true } });
  }
  for (const { key_id, url, at } of leaks) {
    const report = { hash: key_id, name_hash: "", secret_hash: "", at: toTimestamp(at), url };
    const from = { reported_by: "", request_id: "", caller_request_id: "", client_address: "" };
    await fileReports.run(tx, { reports: [{ ...report, ...from }] });
    const settling = { tokens: "notify", longestMs: null, passkeyHost: "" } as const;
    const keys = [{ org_id, key_id }];
    await settleReport.run(tx, { ...settling, now: at, hash: key_id, keys, token: null });
  }
  if (channel) await addChannel(tx, demo, channel);
}

/** A paused webhook that got messages of the newest requests; it refused the oldest of these. */
async function addChannel(
  tx: Tx,
  { org_id, openedAt }: Demo,
  { name, url, secret, deliveredMs }: NonNullable<Demo["channel"]>,
): Promise<void> {
  const actor = operator(org_id, openedAt);
  const topic = "key_request.created";
  const { id: target_id } = await createChannel.run(tx, {
    actor,
    channel: { kind: "webhook", name, topics: [topic], config: { url, template: "standard" } },
    secret,
    idempotency: null,
  });
  await pauseChannel.run(tx, { actor, id: target_id });
  const messages = await newestMessages(tx, { org_id, topic }, deliveredMs.length);
  for (const [n, message] of messages.entries()) {
    const at = deliveredMs[n] ?? openedAt;
    const isLast = n === messages.length - 1;
    const from = { ...message, at: toTimestamp(at), position: messages.length - n, recipient: "" };
    const delivery = newDelivery({ org_id, target_id }, from, { blocked: false, now: at });
    const ended = { due_at: null, ended_at: toTimestamp(at), first_try_at: toTimestamp(at) };
    const state = isLast ? "dead" : "delivered";
    const tries = { line: Number(isLast), tries: 1, attempts: 1 };
    await insertDelivery(tx, { ...delivery, ...ended, ...tries, state });
    await addAttempt(tx, {
      org_id,
      delivery_id: delivery.id,
      n: 1,
      at: toTimestamp(at),
      status: isLast ? 410 : 204,
      duration_ms: 80 + 17 * n,
      answer: isLast ? "This hook was removed" : "",
      error: "",
    });
  }
}

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
