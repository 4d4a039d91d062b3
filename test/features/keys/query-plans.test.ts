/** Every statement on credentials finds its rows by an index, and lists come out of it in their order. */
import assert from "node:assert/strict";
import * as life from "../../../src/features/credentials/credential-life.store.ts";
import * as credentials from "../../../src/features/credentials/credentials.store.ts";
import * as lists from "../../../src/features/credentials/key-list.store.ts";
import * as murmur from "../../../src/features/credentials/murmur.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00.000Z";
const row: credentials.CredentialRow = {
  ...{ org_id, key_id: "key", kind: "token", secret_hash: null, state: "active", mask: "" },
  ...{ developer_id: "dev", request_id: "", plans: '["plan"]', attempt_id: "" },
  ...{ issued_at: at, issued_by: "user" },
};
const stored: life.HeldCredential["stored"] = {
  ...{ org_id, key_id: "key", kind: "token", state: "active", developer_id: "dev" },
  ...{ request_id: "", plans: '["plan"]', issued_at: at, expires_at: null, replaced_by: null },
  ...{ algorithm: "sha256", use_before: null, secret_hash: null, quota_from: null, checksum: null },
};
const held: life.HeldCredential = { ...stored, plans: ["plan"], stored };
const states = lists.anyState;

/** The lists, each with the index that it must walk and how far the index finds its place. */
const walks: [walk: lists.ListWalk, index: RegExp][] = [
  [
    { by: "all", states },
    /c USING INDEX credentials_newest \(org_id=\? AND state=\? AND \(issued_at,key_id\)</,
  ],
  [
    { by: "developer", developer_id: "dev", states },
    /c USING INDEX credentials_developer \(org_id=\? AND developer_id=\? AND state=\? AND \(issued_at,key_id\)</,
  ],
  [
    { by: "plan", plan_ids: ["plan", "other"], states },
    /l USING PRIMARY KEY \(org_id=\? AND plan_id=\? AND state=\? AND \(issued_at,key_id\)</,
  ],
  [
    { by: "end", now: at },
    /c USING INDEX credentials_(expiry \(org_id=\? AND expires_at>\? AND \(expires_at,key_id\)<|murmur \(org_id=\? AND \(use_before,key_id\)<)/,
  ],
];

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  insertCredential: (tx) => credentials.insertCredential(tx, row),
  insertAbsentCredential: (tx) => credentials.insertAbsentCredential(tx, row),
  lockActiveCredential: (tx) => credentials.lockActiveCredential(tx, org_id, "key", "dev", at),
  findMask: (tx) => credentials.findMask(tx, org_id, "key"),
  findKeyLife: (tx) => credentials.findKeyLife(tx, org_id, "key"),
  credentialExists: (tx) => credentials.credentialExists(tx, org_id, "key"),
  existingOf: (tx) => credentials.existingOf(tx, org_id, ["key", "other"]),
  setCredentialPlans: (tx) => credentials.setCredentialPlans(tx, org_id, "key", ["plan"]),
  findOwner: (tx) => life.findOwner(tx, org_id, "key"),
  lockCredential: (tx) => life.lockCredential(tx, org_id, "key"),
  findLiveKeysOfRequest: (tx) => life.findLiveKeysOfRequest(tx, org_id, "dev", "request"),
  findKeysOfRequest: (tx) => life.findKeysOfRequest(tx, org_id, "dev", "request"),
  markState: (tx) => life.markState(tx, held, { state: "suspended", at, reason: "" }),
  markReplaced: (tx) => life.markReplaced(tx, held, { by: "other", at, expires_at: at }),
  setQuotaFrom: (tx) => life.setQuotaFrom(tx, held, at),
  setExpiry: (tx) => life.setExpiry(tx, held, null),
  keySources: async (tx) => {
    for (const [walk] of walks) {
      for (const source of lists.keySources(tx, org_id, walk)) {
        await source({ sort: "~", id: "" }, 21);
        await source({ sort: "~", id: "" }, 101);
      }
    }
  },
  findKey: (tx) => lists.findKey(tx, org_id, "key"),
  hasMurmurKeys: (tx) => murmur.hasMurmurKeys(tx, org_id),
  findImportedAs: (tx) => murmur.findImportedAs(tx, org_id, "murmur"),
  rehashCredential: (tx) => murmur.rehashCredential(tx, held, "other"),
};

Deno.test("sqlite: every statement on credentials finds its rows by an index, in their order", async () => {
  assertAllCalled([credentials, life, lists, murmur], calls);
  const plans = await plansOf(each(calls));
  for (const { sql, plan: whole } of plans) {
    // A list that is sent along is walked, which is no table.
    const plan = whole.replace(/SCAN w VIRTUAL TABLE INDEX 1:/, "");
    // The few credentials of one developer are sorted, and nothing else.
    const sorted = sql.includes('"request_id" = ?');
    assert.doesNotMatch(plan, sorted ? /SCAN|AUTOMATIC/ : /SCAN|TEMP B-TREE|AUTOMATIC/, sql);
    if (/^(select|update|delete)/.test(sql)) assert.match(plan, /\(org_id=\?/, `${sql}\n${plan}`);
  }
  const listed = plans.filter(({ sql }) => /limit (21|101)/.test(sql));
  assert.equal(listed.length, 10);
  for (const { sql, plan } of listed) {
    assert.ok(walks.some(([, index]) => index.test(plan)), `${sql}\n${plan}`);
  }
  const found = plans.find(({ sql }) => /limit 1$/.test(sql) && sql.includes("algorithm"));
  assert.match(found?.plan ?? "", /INDEX credentials_murmur/);
});
