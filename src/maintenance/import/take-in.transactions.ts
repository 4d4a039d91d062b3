import { type Actor, recordAudit } from "../../changes/audit.ts";
import { addCertificates } from "../../features/certificates/certificates.transactions.ts";
import {
  insertRequest,
  lockRequest,
  replaceRequest,
} from "../../features/key-requests/key-requests.store.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { decide, type Decision } from "./decide.ts";
import { SetDigest } from "./digests.ts";
import type { Difference, Finding } from "./findings.ts";
import { hereOf, lockHere } from "./here.store.ts";
import {
  addFinding,
  clearFindings,
  forgetFindings,
  importedOf,
  type KindRun,
  noteImported,
  putRun,
} from "./imports.store.ts";
import type { CertificateItem, Item, RequestItem } from "./items.ts";
import type { Kind } from "./source.ts";
import { NO_ENDS } from "../../features/key-requests/expiry.ts";
import { takeDeveloper } from "./take-developer.transactions.ts";
import { takeKey } from "./take-key.transactions.ts";
import { takeArchiveRows } from "./take-archive-rows.transactions.ts";
import { takePlan, takePortal } from "./take-portal.transactions.ts";

/** The values of a request from another system. */
const NOT_ASKED = { asked_end: null, policy: null, ...NO_ENDS };

/** Some objects of one kind, with what was found while they were read. */
interface Batch {
  actor: Actor;
  kind: Kind;
  items: Item[];
  findings: Finding[];
  /** True: what was changed here gives way. */
  theirs: boolean;
  /** Names the run in the audit log. */
  run: string;
}

/** How many objects were added, replaced or left as they are here. */
interface BatchResult {
  added: number;
  replaced: number;
  kept: number;
}

/**
 * Takes over objects of one kind, whole or not at all: rows, their further members, what differs,
 * and one row of the audit log, whose digest names every object. No one is notified of them.
 */
export const takeIn = defineTransaction(
  "moving-in.take-in",
  async (tx, batch: Batch): Promise<BatchResult> => {
    const { actor, kind, theirs, findings } = batch;
    const { org_id } = actor;
    const items = lastOfEach(batch.items);
    const ids = items.map(({ id }) => id);
    await lockHere(tx, org_id, kind, ids);
    const known = await importedOf(tx, org_id, kind, ids);
    const before = await hereOf(tx, tx.sealer, org_id, kind, ids);
    const reported: Finding[] = [...findings];
    const taken: { item: Item; decision: Decision }[] = [];
    const result = { added: 0, replaced: 0, kept: 0 };
    for (const item of items) {
      const decision = decide(item, known.get(item.id), before.get(item.id), theirs);
      if (typeof decision !== "string") {
        result.kept++;
        reported.push({ kind, id: item.id, ...decision });
      } else if (decision !== "same") taken.push({ item, decision });
    }
    const refused = new Set<string>();
    for (const { item, decision } of taken) {
      const report = (finding: Finding) => reported.push(finding);
      if (await take(tx, batch, item, decision === "replace", report)) {
        result[decision === "replace" ? "replaced" : "added"]++;
      } else refused.add(item.id);
    }
    const arrived = taken.map(({ item }) => item).filter(({ id }) => !refused.has(id));
    const digest = new SetDigest();
    if (arrived.length > 0) {
      const after = await hereOf(tx, tx.sealer, org_id, kind, arrived.map(({ id }) => id));
      for (const { id, there } of arrived) {
        await noteImported(tx, org_id, kind, { id, there, here: after.get(id) ?? "" });
        digest.add(id, there);
      }
    }
    await clearFindings(tx, org_id, kind, [...new Set([...ids, ...reported.map(({ id }) => id)])]);
    for (const finding of reported) await addFinding(tx, org_id, finding);
    if (arrived.length > 0) {
      const { added, replaced } = result;
      await recordAudit(tx, actor, {
        action: "import.batch",
        object: "import",
        object_id: batch.run,
        detail: { kind, added, replaced, sha256: digest.sha256 },
      });
    }
    return result;
  },
);

/** Says how far a kind came. */
export const noteRun = defineTransaction(
  "moving-in.note-run",
  async (tx, { org_id, run }: { org_id: string; run: KindRun }) => {
    await putRun(tx, { org_id, ...run });
  },
);

/** Forgets differences of some codes, of all objects of a kind. */
export const forgetFound = defineTransaction(
  "moving-in.forget-found",
  async (
    tx,
    { org_id, kind, codes }: { org_id: string; kind: Kind; codes: readonly Difference[] },
  ) => {
    for (const code of codes) await forgetFindings(tx, { org_id, kind, code });
  },
);

/** Of several objects of one id in a batch the last counts, as it would over two batches. */
function lastOfEach(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** Adds or replaces an object. False if it can't be taken, which is reported. */
async function take(
  tx: Tx,
  { actor, theirs }: Batch,
  item: Item,
  replaces: boolean,
  report: (finding: Finding) => void,
): Promise<boolean> {
  const { org_id } = actor;
  switch (item.kind) {
    case "plan":
      return await takePlan(tx, actor, item, replaces, report);
    case "configuration":
    case "catalogue":
    case "documentation":
      return await takePortal(tx, org_id, item, replaces);
    case "certificate":
      return await takeCertificate(tx, actor, item);
    case "developer":
      return await takeDeveloper(tx, actor, item, replaces, report);
    case "client":
    case "key":
      return await takeKey(tx, actor, item, { replaces, theirs }, report);
    case "request":
      return await takeRequest(tx, org_id, item, replaces);
    case "own":
      return await takeArchiveRows(tx, actor, item, replaces, report);
  }
}

/** Adds a certificate, or its private key to one that has none. */
async function takeCertificate(
  tx: Tx,
  actor: Actor,
  { entry }: CertificateItem,
): Promise<boolean> {
  await addCertificates.run(tx, { actor, entries: [entry], isLogged: false });
  return true;
}

/**
 * Adds or replaces a key request. A request that was decided there is issued here, so no approval
 * can ever mint a key of it; and what is issued here stays so.
 */
async function takeRequest(
  tx: Tx,
  org_id: string,
  item: RequestItem,
  replaces: boolean,
): Promise<boolean> {
  const { columns, id, decided } = item;
  const place = { table: "key_requests", org_id, id, column: "secrets" };
  const secrets = item.secrets && tx.sealer.seal(place, JSON.stringify(item.secrets));
  if (!replaces) {
    const state = decided ? "issued" : "pending";
    const approved = decided ? 1 : 0;
    await insertRequest(tx, { ...columns, state, approved, secrets, ...NOT_ASKED });
    return true;
  }
  const before = await lockRequest(tx, { org_id, id });
  if (!before) throw new Failure("unavailable");
  const state = decided ? "issued" : before.state;
  const approved = state === "issued" ? 1 : 0;
  await replaceRequest(tx, { ...columns, state, approved, secrets, ...NOT_ASKED }, before);
  return true;
}
