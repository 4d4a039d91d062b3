/** Every statement on OAuth tokens is served by an index, however many there are. */
import assert from "node:assert/strict";
import * as store from "../../src/oauth/oauth.store.ts";
import type { SqlValue, Statement } from "../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../src/storage/storage.ts";
import { testStore } from "../support/stores.ts";

const place = { org_id: "org", key_id: "key" };
const token = {
  ...place,
  hash: "hash",
  client_id: "client",
  issued_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-01T01:00:00.000Z",
};

/** A call of every function that the store exports; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  findClients: (tx) => store.findClients(tx, "key"),
  lockClient: (tx) => store.lockClient(tx, "org", "key"),
  insertToken: (tx) => store.insertToken(tx, token),
  makeRoom: (tx) => store.makeRoom(tx, "org", "key"),
  removeToken: (tx) => store.removeToken(tx, { ...place, hash: "hash" }),
  findToken: (tx) => store.findToken(tx, "org", "hash"),
};

const plans = defineTransaction("test.oauth-plans", async (tx, _: null) => {
  const found: { sql: string; plan: string }[] = [];
  const explain = async <P extends object>(statement: Statement<P, unknown>, params: P) => {
    const { sql, values } = statement.compile("sqlite");
    const bound: SqlValue[] = values(params);
    const steps = await tx.rows<Record<never, never>, { detail: string }>(
      { compile: () => ({ sql: `explain query plan ${sql}`, values: () => bound }) },
      {},
    );
    found.push({ sql, plan: steps.map((step) => step.detail).join("\n") });
  };
  const recorder: Tx = {
    dialect: tx.dialect,
    sealer: tx.sealer,
    counts: tx.counts,
    rows: async (s, p) => (await explain(s, p), await tx.rows(s, p)),
    row: async (s, p) => (await explain(s, p), await tx.row(s, p)),
    change: async (s, p) => (await explain(s, p), await tx.change(s, p)),
    send: async (s, p) => (await explain(s, p), await tx.send(s, p)),
  };
  for (const call of Object.values(calls)) await call(recorder);
  return found;
});

Deno.test("sqlite: every statement on OAuth tokens finds its rows by an index, in their order", async () => {
  const functions = Object.entries(store).filter(([, value]) => typeof value === "function");
  assert.deepEqual(functions.map(([name]) => name).sort(), Object.keys(calls).sort());
  await using desk = await testStore("sqlite", [plans]);
  const found = await (await desk.open()).commit(plans, null);
  assert.ok(found.length >= functions.length);
  for (const { sql, plan } of found) {
    const whole = `${sql}\n${plan}`;
    if (sql.startsWith("insert")) continue;
    assert.match(plan, /SEARCH/, whole);
    // Clients of several organisations with one id are a handful at the most.
    const sorted = sql.includes("kind = 'oauth'") ? /SCAN|AUTOMATIC/ : /SCAN|TEMP B-TREE|AUTOMATIC/;
    assert.doesNotMatch(plan, sorted, whole);
  }
  const plansOf = (word: string) => found.filter(({ sql }) => sql.includes(word));
  assert.match(plansOf("kind = 'oauth'")[0]?.plan ?? "", /INDEX credentials_oauth/);
  assert.match(plansOf("offset")[0]?.plan ?? "", /INDEX oauth_tokens_client/);
});
