/** Every statement on OAuth tokens is served by an index, however many there are. */
import assert from "node:assert/strict";
import * as store from "../../../src/features/keys/oauth.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

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
  findClients: (tx) => store.findClients(tx, { key_id: "key" }),
  lockClient: (tx) => store.lockClient(tx, { org_id: "org", key_id: "key" }),
  insertToken: (tx) => store.insertToken(tx, token),
  makeRoom: (tx) => store.makeRoom(tx, "org", "key"),
  removeToken: (tx) => store.removeToken(tx, { ...place, hash: "hash" }),
  findToken: (tx) => store.findToken(tx, { org_id: "org", hash: "hash", conditional: "other" }),
};

Deno.test("sqlite: every statement on OAuth tokens finds its rows by an index, in their order", async () => {
  assertAllCalled([store], calls);
  const found = await plansOf(each(calls));
  for (const { sql, plan } of found) {
    const whole = `${sql}\n${plan}`;
    if (sql.startsWith("insert")) continue;
    assert.match(plan, /SEARCH/, whole);
    // Clients of several organisations with one id are a handful at the most.
    const sorted = sql.includes("kind = 'oauth'") ? /SCAN|AUTOMATIC/ : /SCAN|TEMP B-TREE|AUTOMATIC/;
    assert.doesNotMatch(plan, sorted, whole);
  }
  const naming = (word: string) => found.filter(({ sql }) => sql.includes(word));
  assert.match(naming("kind = 'oauth'")[0]?.plan ?? "", /INDEX credentials_oauth/);
  assert.match(naming("offset")[0]?.plan ?? "", /INDEX oauth_tokens_client/);
});
