import { recordChange } from "../../changes/record-change.ts";
import { operator } from "../../features/people/operator.transactions.ts";
import { allotPositions, dropPrivateKey } from "../../features/certificates/certificates.store.ts";
import { markClosed } from "../../features/keys/one-time-links/one-time-links.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { organisationIds } from "../retention/retention.store.ts";
import {
  replaceSealed,
  type ResealPlace,
  rowsBehind,
  sealedColumn,
  type SealedTable,
} from "./reseal.store.ts";

/** The result of one chunk. */
export interface LostChunk {
  /** The place to go on from; null at the end of the table. */
  next: ResealPlace | null;
  lost: number;
}

/**
 * Gives up, in one chunk of a table of sealed values (kept answers are not among them: they end by
 * themselves in a day), every value that no key at hand opens: it reads empty from then on, a
 * one-time link counts as withdrawn, a certificate as one without a key, so that its key can be
 * uploaded again. Each has an audit row. Safe to repeat and to break off.
 */
export const acceptLoss = defineTransaction(
  "key-loss.accept",
  async (
    tx,
    input: { table: SealedTable; behind: ResealPlace; limit: number; now: number },
  ): Promise<LostChunk> => {
    const { table, behind, limit, now } = input;
    const rows = await rowsBehind(tx, table, behind, limit);
    let lost = 0;
    for (const row of rows) {
      const { org_id, id, sealed } = row;
      const place = { table, org_id, id, column: sealedColumn(table).column };
      if (sealed === null || tx.sealer.canOpen(place, sealed)) continue;
      if (!await forget(tx, table, { org_id, id, sealed }, now)) continue;
      lost++;
      // A key for checkpoints is everybody's.
      const concerned = table === "trail_keys" ? await organisationIds(tx) : [org_id];
      for (const one of concerned) {
        await recordChange(tx, operator(one, now), {
          action: "secret.lost",
          object: objects[table],
          object_id: table === "certificate_files" ? org_id + id : id,
          detail: { key_version: Number(sealed.slice(0, sealed.indexOf("."))) },
        });
      }
    }
    const last = rows.at(-1);
    const next = last && rows.length === limit ? { org_id: last.org_id, id: last.id } : null;
    return { next, lost };
  },
);

/** The object of each in the audit log. */
const objects: Record<SealedTable, string> = {
  certificate_files: "certificate",
  delivery_targets: "target",
  gateways: "gateway",
  mail_servers: "mail_server",
  provider_grants: "session",
  provisioning_new: "credential",
  provisioning_secrets: "credential",
  deleted_developers: "developer",
  developer_codes: "developer_code",
  developer_identities: "developer",
  developers: "developer",
  ended_keys: "credential",
  key_requests: "key_request",
  one_time_secrets: "person",
  passkeys: "passkey",
  identity_providers: "identity_provider",
  elevation_rules: "elevation_rule",
  elevations: "elevation",
  roles: "role",
  person_identities: "person",
  person_invitations: "person",
  claim_links: "claim",
  job_links: "claim",
  claims: "claim",
  email_links: "email_link",
  trail_keys: "trail_key",
};

async function forget(
  tx: Tx,
  table: SealedTable,
  row: { org_id: string; id: string; sealed: string },
  now: number,
): Promise<boolean> {
  const { org_id, id, sealed } = row;
  switch (table) {
    case "claims":
      return await markClosed(tx, { org_id, id }, { state: "withdrawn", at: toTimestamp(now) });
    case "certificate_files":
      await allotPositions(tx, org_id, 0);
      return await dropPrivateKey(tx, { org_id, fingerprint: id }, sealed);
    default:
      return await replaceSealed(tx, table, { org_id, id, before: sealed, after: null });
  }
}
