/** A store whose audit log is in the log, for tests of the command line. */
import { join } from "node:path";
import { recordChange } from "../../src/changes/record-change.ts";
import { verifierText } from "../../packages/audit-log/checkpoint.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { appendAll } from "../../src/maintenance/audit-log/appender.ts";
import { newAuditLogKey, type SealedKey } from "../../src/maintenance/audit-log/signing-key.ts";
import { insertKey } from "../../src/maintenance/audit-log/logs.store.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { openTestDesk } from "./desk.ts";

export const DAY = 24 * 60 * 60 * 1000;

/** Changes of people at these times. */
export const recordAt = defineTransaction(
  "test.record-at",
  async (tx, input: { org_id: string; times: number[] }) => {
    for (const [i, now] of input.times.entries()) {
      const caller_request_id = i % 2 === 0 ? "" : `own-${i}`;
      const ids = { session: "", request_id: `call-${i}`, caller_request_id };
      const call = { ...ids, client_address: "192.0.2.7" };
      const actor = { org_id: input.org_id, user_id: "user", token_id: "", now, call };
      const change = { action: "person.updated", object_id: `p${i}`, detail: { i } };
      await recordChange(tx, actor, { ...change, personal: { "/name": `Jane ${i}` } });
    }
  },
);

const useKey = defineTransaction(
  "test.use-key",
  (tx, key: SealedKey) =>
    insertKey(tx, { ...key, org_id: "", made_at: "2026-01-01T00:00:00.000Z" }),
);

/** The base64 of a key's line. */
export const textOf = (public_key: string) =>
  verifierText({ name: "x", public_key }).split("+").slice(2).join("+");

/** A store with rows of 40 days ago and of now in the log; gives its settings and organisation. */
export async function filledStore(folder: string): Promise<{
  settings: Record<string, string>;
  org_id: string;
}> {
  const settings = {
    KEYDESK_DATA_DIR: join(folder, "data"),
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  };
  await using desk = await openTestDesk("sqlite", {
    environment: settings,
    extra: [recordAt, useKey],
  });
  const { org_id } = desk;
  const { storage, sealer } = desk.app.ctx;
  // A key whose text holds a plus, as one of two has.
  let newKey = newAuditLogKey(sealer);
  while (!textOf(newKey.public_key).includes("+")) newKey = newAuditLogKey(sealer);
  await storage.commit(useKey, newKey);
  const old = Array.from({ length: 300 }, () => Date.now() - 40 * DAY);
  await storage.commit(recordAt, { org_id, times: old });
  await storage.commit(recordAt, { org_id, times: [Date.now(), Date.now()] });
  await appendAll(desk.app.ctx);
  return { settings, org_id };
}
