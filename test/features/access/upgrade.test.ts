/** What the schema's step does for a store that has people already. */
import assert from "node:assert/strict";
import { insertToken } from "../../../src/features/access/access-tokens.store.ts";
import { findPerson, insertUser } from "../../../src/features/access/people.store.ts";
import { peopleSchema } from "../../../src/storage/migrations/0010-people.ts";
import { builders } from "../../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../../src/storage/storage.ts";
import { tampered, testOnEngines } from "../../support/desk.ts";

const at = "2026-01-01T00:00:00.000Z";

const addHolder = async (tx: Tx, org_id: string, id: string, name: string) => {
  await insertUser(tx, { org_id, id, name, permissions: "portal:read admin", date_created: at });
  const token = { org_id, id, user_id: id, name, hash: id, date_created: at, expires_at: null };
  await insertToken(tx, token);
};

/** People as an older release left them, and the one statement of the step that changes rows. */
const upgrade = defineTransaction("test.upgrade-people", async (tx, input: { org_id: string }) => {
  await addHolder(tx, input.org_id, "first", "administrator");
  await addHolder(tx, input.org_id, "later", "ci");
  const statements = peopleSchema(builders[tx.dialect], tx.dialect)
    .map((one) => one.compile().sql).filter((sql) => sql.startsWith("update "));
  assert.equal(statements.length, 1);
  for (const sql of statements) {
    await tx.change({ compile: () => ({ sql, values: () => [] }) }, {});
  }
});

testOnEngines(
  "upgrade: whom the first start made gets the new permission, nobody else",
  async (desk) => {
    const { org_id, app: { ctx: { storage } } } = desk;
    tampered.add(desk.app);
    await storage.commit(upgrade, { org_id });
    const held = async (id: string) =>
      (await findPerson(storage.reader, { org_id, id }))?.permissions;
    assert.equal(await held("first"), "portal:read admin operator");
    assert.equal(await held("later"), "portal:read admin");
  },
  { extra: [upgrade] },
);
