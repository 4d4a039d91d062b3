import type { ServiceContext } from "../../calls/context.ts";
import { writeAuditLogRows } from "../../calls/audit-notes.transactions.ts";
import { demandsChecksums } from "../../changes/checksum-demand.store.ts";
import { operator } from "../../features/people/operator.transactions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { version } from "../../kernel/version.ts";
import type { StoreSession } from "../../storage/engines/store-session.ts";
import type { KeyForm } from "../../../packages/x509/post-quantum.ts";
import { organisationDocuments } from "./organisation-documents.ts";
import { digestOrganisation, type OrganisationDigest } from "./digest-organisation.ts";
import { type Encryption, ExportFolder } from "./export-folder.ts";
import type { TargetHash } from "./names-there.ts";
import { Losses, type ReportedLoss } from "./missing.ts";
import type { OpenOrganisation } from "./open-rows.ts";

/** How an organisation is exported. */
interface ExportOptions {
  org_id: string;
  /**
   * The folder that is made; undefined: nothing is written, and what would be missing is printed.
   */
  path: string | undefined;
  /** False: without secrets, their hashes and what Keydesk alone knows. True: must be encrypted. */
  withSecrets: boolean;
  /** How the gateway hashes keys that it goes to; undefined: no one said. */
  targetHash?: TargetHash | undefined;
  /** The form that private keys of ML-DSA and ML-KEM get; undefined: as they are held. */
  keyForm?: KeyForm | undefined;
  encryption: Encryption;
}

/** The description of an export. */
export interface ExportReport {
  organisation: string;
  made_at: string;
  release: string;
  with_secrets: boolean;
  documents: number;
  /** The parts missing in it, and those that the original can't take. */
  missing: ReportedLoss[];
  unknown_to_the_original: ReportedLoss[];
}

/** The listener to the progress. */
interface ExportListener {
  written(documents: number): void;
  /** True: to be given up now. */
  readonly isOver: boolean;
}

/** Thrown where an export was interrupted; nothing of it is left. */
export class ExportInterrupted extends Error {}

/**
 * Writes an organisation as it is at one moment into a new folder, which gets its name once it is
 * whole. The audit log records it before anything is written. `session`: of its own, for as long as
 * this runs. Throws AlreadyExists if the folder exists, OrganisationUnreadable, ExportInterrupted.
 */
export async function exportOrganisation(
  ctx: ServiceContext,
  session: StoreSession,
  options: ExportOptions,
  listener: ExportListener,
): Promise<ExportReport> {
  const { org_id, path, withSecrets, encryption, targetHash, keyForm } = options;
  const now = ctx.clock.now();
  const folder = path === undefined ? undefined : await ExportFolder.begin(path, encryption);
  try {
    const detail = { with_secrets: withSecrets, encrypted: encryption !== undefined };
    const event = { action: "desk.exported", object: "export", object_id: "desk", detail };
    const rows = [{ actor: operator(org_id, now), event }];
    if (folder) await ctx.storage.commit(writeAuditLogRows, { rows });
    return await inSnapshot(session, async () => {
      const losses = new Losses();
      const organisation = await openOrganisation(ctx, session, org_id);
      let documents = 0;
      const by = { organisation, now, withSecrets, targetHash, keyForm, losses };
      for await (const one of organisationDocuments(by)) {
        await folder?.write(one.file, one.document);
        listener.written(++documents);
        if (listener.isOver) throw new ExportInterrupted();
      }
      const report: ExportReport = {
        organisation: org_id,
        made_at: toTimestamp(now),
        release: version,
        with_secrets: withSecrets,
        documents,
        missing: losses.of("secret"),
        unknown_to_the_original: losses.of("original"),
      };
      await folder?.end({ ...report });
      return report;
    });
  } catch (error) {
    await folder?.giveUp().catch(() => {});
    throw error;
  }
}

/** The digest of an organisation as it is at one moment. Throws OrganisationUnreadable. */
export async function organisationDigest(
  ctx: ServiceContext,
  session: StoreSession,
  org_id: string,
  onRows: (n: number) => void,
): Promise<OrganisationDigest> {
  return await inSnapshot(
    session,
    async () => await digestOrganisation(await openOrganisation(ctx, session, org_id), onRows),
  );
}

async function openOrganisation(
  { sealer }: ServiceContext,
  db: StoreSession,
  org_id: string,
): Promise<OpenOrganisation> {
  return { db, sealer, org_id, demandsChecksums: await demandsChecksums(db, sealer) };
}

/** Runs `work` while the session shows the store as it is at the first read. Nothing is written. */
async function inSnapshot<T>(session: StoreSession, work: () => Promise<T>): Promise<T> {
  await session.exec(
    session.dialect === "postgres" ? "begin isolation level repeatable read read only" : "begin",
  );
  try {
    return await work();
  } finally {
    await session.exec("rollback");
  }
}
