import { permissions } from "../../src/contract/permissions.ts";
import { locationOf, type ServerCall } from "../../src/open-server.ts";
import type { KeyForm } from "../../packages/x509/post-quantum.ts";
import { newPair } from "../../src/maintenance/archive/age.ts";
import { openExportFiles } from "../../src/maintenance/import/export-files.ts";
import type { Finding } from "../../src/maintenance/import/findings.ts";
import { type KindSummary, runMoving } from "../../src/maintenance/import/import.service.ts";
import type { OrganisationDigest } from "../../src/maintenance/export/digest-organisation.ts";
import type { Encryption } from "../../src/maintenance/export/export-folder.ts";
import {
  exportOrganisation,
  type ExportReport,
  organisationDigest,
} from "../../src/maintenance/export/export.service.ts";
import type { StoreSession } from "../../src/storage/engines/store-session.ts";
import { openSession } from "../../src/storage/open-session.ts";
import type { TestDesk } from "./desk.ts";

/** Runs `work` with a connection of its own to a desk's store. */
async function inSession<T>(
  desk: TestDesk,
  work: (session: StoreSession) => Promise<T>,
): Promise<T> {
  const session = await openSession(locationOf(desk.config));
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** The digest of a desk. */
export async function digestOf(desk: TestDesk, org_id = desk.org_id): Promise<OrganisationDigest> {
  return await inSession(
    desk,
    (session) => organisationDigest(desk.app.ctx, session, org_id, () => {}),
  );
}

/**
 * Exports a desk; with secrets where an encryption is named. `onDocument` may throw or change the
 * desk.
 */
export async function exported(
  desk: TestDesk,
  path: string | undefined,
  { encryption, keyForm, org_id = desk.org_id, onDocument = () => {} }: {
    encryption?: Encryption;
    keyForm?: KeyForm;
    org_id?: string;
    onDocument?: (n: number) => void;
  } = {},
): Promise<ExportReport> {
  const options = { org_id, path, withSecrets: encryption !== undefined, encryption, keyForm };
  const listener = { written: onDocument, isOver: false };
  return await inSession(
    desk,
    (session) => exportOrganisation(desk.app.ctx, session, options, listener),
  );
}

/** A fresh pair of age, as an export and an import take it. */
export async function freshPair(): Promise<
  { encryption: Encryption; identities: readonly string[] }
> {
  const { identity, recipient } = await newPair();
  return { encryption: { recipients: [recipient] }, identities: [identity] };
}

/** Imports a folder, and gives what was found. */
export async function imported(
  desk: TestDesk,
  path: string,
  by: { identities?: readonly string[]; passphrase?: string } = {},
): Promise<{ summaries: KindSummary[]; found: Finding[] }> {
  const { org_id } = desk;
  const principal = { org_id, user_id: "operator", token_id: "", permissions };
  const ctx: ServerCall = { ...desk.app.ctx, principal };
  const found: Finding[] = [];
  const listener = { read: () => {}, found: (one: Finding) => void found.push(one), isOver: false };
  const source = await openExportFiles(path, by);
  const options = { theirs: false, murmurUntil: null, passphrase: by.passphrase };
  return { summaries: await runMoving(ctx, source, options, listener), found };
}
