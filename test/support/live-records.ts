import { checksumAfter } from "../../src/changes/checked-rows.ts";
import {
  catalogueConfig,
  catalogueEntry,
} from "../../src/features/plans/catalogue/catalogue.contract.ts";
import {
  putCatalogue,
  putConfiguration,
} from "../../src/features/plans/catalogue/catalogue.store.ts";
import { lockKey } from "../../src/features/keys/key-life.store.ts";
import { insertKey } from "../../src/features/keys/keys.store.ts";
import { developer } from "../../src/features/developers/developers.contract.ts";
import { insertDeveloper } from "../../src/features/developers/developers.store.ts";
import { listOf } from "../../src/features/key-requests/key-request.ts";
import { insertPlan } from "../../src/features/plans/plans.store.ts";
import { newId } from "../../src/kernel/ids.ts";
import { countRow } from "../../src/storage/list-counts.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import type { TestDesk } from "./desk.ts";

const DATE = "2026-01-01T00:00:00.000Z";

const addPlan = defineTransaction(
  "test.add-plan",
  async (tx, input: { org_id: string; id: string; auth_type: string }) => {
    const { org_id, id, auth_type } = input;
    const ids = { id: newId(Date.parse(DATE)), given_id: id };
    await insertPlan(tx, {
      org_id,
      ...ids,
      auth_type,
      name: id,
      document: "{}",
      date_created: DATE,
    });
  },
);

const setCatalogue = defineTransaction(
  "test.set-catalogue",
  async (tx, input: { org_id: string; entries: Record<string, unknown>[] }) => {
    const entries = input.entries.map((sent) => {
      const entry = catalogueEntry.input.parse(sent);
      const { api_id, policy_id } = entry;
      return { api_id, policy_id, document: JSON.stringify(entry) };
    });
    await putCatalogue(tx, { org_id: input.org_id, id: "catalogue", email: "", entries });
  },
);

const setConfiguration = defineTransaction(
  "test.set-configuration",
  async (tx, input: { org_id: string; configuration: Record<string, unknown> }) => {
    const document = JSON.stringify(catalogueConfig.input.parse(input.configuration));
    await putConfiguration(tx, { org_id: input.org_id, id: "configuration", document });
  },
);

const addDeveloper = defineTransaction(
  "test.add-developer",
  async (tx, input: { org_id: string; sent: Record<string, unknown> }) => {
    const full = developer.input.parse({ ...input.sent, org_id: input.org_id });
    if (!await insertDeveloper(tx, input.org_id, full)) throw new Error("developer exists");
  },
);

const requestSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("key_requests").select(["state", "approved", "instant"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

const declineSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.updateTable("key_requests").set({ state: "declined" })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

const declineRequest = defineTransaction(
  "test.decline-request",
  async (tx, input: { org_id: string; id: string }) => {
    const row = await tx.row(requestSql, input);
    if (!row) throw new Error("no such request");
    const { org_id } = input;
    const { approved, instant } = row;
    countRow(tx, { org_id, instant, list: listOf(row.state, approved) }, -1);
    await tx.change(declineSql, input);
    countRow(tx, { org_id, instant, list: listOf("declined", approved) }, 1);
  },
);

const revokeSql = statement<{ org_id: string; key_id: string; checksum: string | null }>()((
  db,
  p,
) =>
  db.updateTable("credentials").set({ state: "revoked", checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

const revokeKey = defineTransaction(
  "test.revoke-key",
  async (tx, input: { org_id: string; key_id: string }) => {
    const before = await lockKey(tx, input.org_id, input.key_id);
    if (!before) throw new Error("no such key");
    const after = { state: "revoked" } as const;
    const checksum = checksumAfter(tx.sealer, "credentials", before.stored, after);
    if (await tx.change(revokeSql, { ...input, checksum }) !== 1) throw new Error("no such key");
  },
);

const importKey = defineTransaction(
  "test.import-key",
  async (tx, input: { org_id: string; key_id: string; developer_id: string; plans: string[] }) => {
    await insertKey(tx, {
      ...input,
      plans: JSON.stringify(input.plans),
      kind: "token",
      secret_hash: null,
      state: "active",
      request_id: "",
      mask: "",
      attempt_id: input.key_id,
      issued_at: DATE,
      issued_by: "import",
    });
  },
);

/** The transactions behind the functions below; a desk that uses them is opened with these. */
export const liveRecords = [
  addPlan,
  setCatalogue,
  setConfiguration,
  addDeveloper,
  declineRequest,
  revokeKey,
  importKey,
];

/** Changes a desk's records that have no endpoint of their own yet, through the stores. */
export function liveRecordsOf(desk: TestDesk, org_id = desk.org_id) {
  const { storage } = desk.app.ctx;
  return {
    /** Adds a plan with this auth type. */
    plan: (id: string, auth_type = "authToken") =>
      storage.commit(addPlan, { org_id, id, auth_type }),
    /** Replaces the organisation's catalogue. */
    catalogue: (...entries: Record<string, unknown>[]) =>
      storage.commit(setCatalogue, { org_id, entries }),
    /** Replaces the organisation's portal configuration. */
    configuration: (configuration: Record<string, unknown>) =>
      storage.commit(setConfiguration, { org_id, configuration }),
    /** Registers a developer. */
    developer: (sent: Record<string, unknown>) => storage.commit(addDeveloper, { org_id, sent }),
    /** Declines a key request, as `/v1` will. */
    decline: (id: string) => storage.commit(declineRequest, { org_id, id }),
    /** Adds a key that was issued elsewhere, by its id. */
    importKey: (key_id: string, developer_id: string, ...plans: string[]) =>
      storage.commit(importKey, { org_id, key_id, developer_id, plans }),
    /** Revokes a key. */
    revoke: (key_id: string) => storage.commit(revokeKey, { org_id, key_id }),
  };
}
