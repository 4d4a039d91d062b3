/**
 * Every statement on keys finds its rows by an index, and lists come out of it in their
 * order.
 */
import assert from "node:assert/strict";
import * as chosen from "../../../src/features/keys/chosen-keys.store.ts";
import * as life from "../../../src/features/keys/key-life.store.ts";
import * as credentials from "../../../src/features/keys/keys.store.ts";
import * as labels from "../../../src/features/keys/key-labels.store.ts";
import * as lists from "../../../src/features/keys/key-list.store.ts";
import * as search from "../../../src/features/keys/key-search.store.ts";
import * as murmur from "../../../src/features/keys/murmur.store.ts";
import * as accesses from "../../../src/features/keys/plan-accesses.store.ts";
import * as timed from "../../../src/features/keys/timed-suspensions.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00.000Z";
const row: credentials.NewKeyRow = {
  org_id,
  key_id: "key",
  kind: "token",
  secret_hash: null,
  state: "active",
  mask: "",
  developer_id: "dev",
  request_id: "",
  plans: '["plan"]',
  attempt_id: "",
  issued_at: at,
  issued_by: "user",
};
const stored: life.LockedKeyRow["stored"] = {
  state_reason: null,
  org_id,
  key_id: "key",
  kind: "token",
  state: "active",
  developer_id: "dev",
  mask: "",
  request_id: "",
  plans: '["plan"]',
  issued_at: at,
  expires_at: null,
  replaced_by: null,
  algorithm: "sha256",
  use_before: null,
  secret_hash: null,
  quota_from: null,
  checksum: null,
  name: "Some name",
  environment: "test",
  note: null,
  tags: '["tag"]',
  wrapped_by: null,
  conditions: null,
  end_chosen_at: null,
  quota_key: null,
};
/** Places behind the first, and behind a developer's first key. */
const place = { sort: "word", id: "active\n2026\nkey\ndev" };
const page = { place, limit: 50 };
const held: life.LockedKeyRow = { ...stored, plans: ["plan"], stored };
const states = lists.anyState;
const accessed = { org_id, developer_id: "dev", plan_id: "plan" };

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
    { by: "schedule", steps: ["warned"] },
    /l USING INDEX key_schedules_step \(org_id=\? AND step=\? AND \(at,key_id\)</,
  ],
  [
    { by: "label", kind: "tag", label: "payments" },
    /l USING PRIMARY KEY \(org_id=\? AND kind=\? AND label=\? AND \(issued_at,key_id\)</,
  ],
  [
    { by: "end", now: at },
    /c USING INDEX credentials_(expiry \(org_id=\? AND expires_at>\? AND \(expires_at,key_id\)<|murmur \(org_id=\? AND \(use_before,key_id\)<)/,
  ],
];

/** How each way of the search finds its place. */
const searchIndexes = [
  /credentials USING (COVERING )?INDEX .* \(org_id=\? AND key_id>\? AND key_id<\?\)/,
  /INDEX credentials_mask \(org_id=\? AND \(mask,key_id\)>\(\?,\?\) AND mask<\?\)/,
  /INDEX credentials_mask_end \(<expr>=\? AND org_id=\? AND key_id>\?\)/,
  /credential_words USING PRIMARY KEY \(org_id=\? AND \(word,key_id\)>\(\?,\?\) AND word<\?\)/,
  /w USING PRIMARY KEY \(org_id=\? AND \(word,id\)>\(\?,\?\) AND word<\?\)/,
  /INDEX credentials_developer \(org_id=\? AND developer_id=\? AND \(state,issued_at,key_id\)>/,
  /INDEX credentials_imported \(org_id=\? AND imported_as>\? AND imported_as<\?\)/,
];

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  insertKey: (tx) => credentials.insertKey(tx, row),
  insertAbsentKey: (tx) => credentials.insertAbsentKey(tx, row),
  lockActiveKey: (tx) => credentials.lockActiveKey(tx, org_id, "key", "dev", at),
  findMask: (tx) => credentials.findMask(tx, { org_id, key_id: "key" }),
  findKeyLife: (tx) => credentials.findKeyLife(tx, { org_id, key_id: "key" }),
  keyExists: (tx) => credentials.keyExists(tx, { org_id, key_id: "key" }),
  existingOf: (tx) => credentials.existingOf(tx, org_id, ["key", "other"]),
  setPlansOfKey: (tx) => credentials.setPlansOfKey(tx, org_id, "key", ["plan"]),
  findOwner: (tx) => life.findOwner(tx, { org_id, key_id: "key" }),
  lockKey: (tx) => life.lockKey(tx, org_id, "key"),
  findLiveKeysOfRequest: (tx) =>
    life.findLiveKeysOfRequest(tx, { org_id, developer_id: "dev", request_id: "request" }),
  findKeysOfRequest: (tx) =>
    life.findKeysOfRequest(tx, { org_id, developer_id: "dev", request_id: "request" }),
  markState: (tx) => life.markState(tx, held, { state: "suspended", at, reason: "" }),
  markReplaced: (tx) => life.markReplaced(tx, held, { by: "other", at, expires_at: at }),
  keysOfQuota: (tx) => life.keysOfQuota(tx, { org_id, developer_id: "dev", quota_key: "key" }),
  findAccess: (tx) => accesses.findAccess(tx, accessed),
  putAccess: (tx) => accesses.putAccess(tx, { ...accessed, granted_at: at, ends_at: null }),
  newestKeysOf: (tx) => accesses.newestKeysOf(tx, { org_id, developer_id: "dev" }),
  setQuotaFrom: (tx) => life.setQuotaFrom(tx, held, at),
  setExpiry: (tx) => life.setExpiry(tx, held, { expires_at: null, at }),
  setConditions: (tx) => life.setConditions(tx, held, "{}"),
  keySources: async (tx) => {
    for (const [walk] of walks) {
      for (const source of lists.keySources(tx, org_id, walk)) {
        await source({ sort: "~", id: "" }, 21);
        await source({ sort: "~", id: "" }, 101);
      }
    }
  },
  listLabels: (tx) => labels.listLabels(tx, stored, stored),
  unlistLabels: (tx) => labels.unlistLabels(tx, stored, stored),
  setLabels: (tx) => labels.setLabels(tx, stored, stored),
  labelsInUse: (tx) => labels.labelsInUse(tx, { org_id, kind: "tag" }),
  findByIds: async (tx) => {
    await search.findByIds(tx, org_id, "ab", { ...page, place: { sort: "", id: "" } });
    await search.findByIds(tx, org_id, "ab", page);
  },
  findByFormerIds: async (tx) => {
    await search.findByFormerIds(tx, org_id, "ab", { ...page, place: { sort: "", id: "" } });
    await search.findByFormerIds(tx, org_id, "ab", page);
  },
  wrappingsIn: (tx) => chosen.wrappingsIn(tx, org_id),
  chosenIdsOf: (tx) => chosen.chosenIdsOf(tx, org_id, "text", ["sha256", "none"]),
  anyChosenIdsOf: (tx) => chosen.anyChosenIdsOf(tx, org_id, "text"),
  markedOf: (tx) => chosen.markedOf(tx, org_id, ["key"]),
  unmarkedOf: (tx) => chosen.unmarkedOf(tx, org_id, ["key"], "none"),
  markWrapped: (tx) => chosen.markWrapped(tx, { org_id, key_id: "key", by: "none" }),
  unmarkWrapped: (tx) => chosen.unmarkWrapped(tx, { org_id, key_id: "key" }),
  findByMasks: (tx) => search.findByMasks(tx, org_id, "ab", page),
  findByMaskEnds: (tx) => search.findByMaskEnds(tx, org_id, "abcd", page),
  findByWords: (tx) => search.findByWords(tx, org_id, "ab", page),
  findByDevelopers: (tx) => search.findByDevelopers(tx, org_id, "ab", page),
  wordsOfDevelopers: (tx) => search.wordsOfDevelopers(tx, org_id, ["dev", "other"]),
  findKeys: (tx) => lists.findKeys(tx, org_id, ["key", "other", "third"]),
  findKey: (tx) => lists.findKey(tx, { org_id, key_id: "key" }),
  hasMurmurKeys: (tx) => murmur.hasMurmurKeys(tx, { org_id }),
  findImportedAs: (tx) => murmur.findImportedAs(tx, { org_id, imported_as: "murmur" }),
  findLastUse: (tx) => credentials.findLastUse(tx, { org_id, key_id: "key" }),
  findStateChange: (tx) => life.findStateChange(tx, { org_id, key_id: "key" }),
  putTimedSuspension: (tx) =>
    timed.putTimedSuspension(tx, { org_id, key_id: "key", suspended_at: "s", resume_at: "r" }),
  findTimedSuspension: (tx) => timed.findTimedSuspension(tx, { org_id, key_id: "key" }),
  removeTimedSuspension: (tx) => timed.removeTimedSuspension(tx, { org_id, key_id: "key" }),
  overSuspensions: (tx) => timed.overSuspensions(tx, { org_id, now: "n" }),
  endlessSuspensions: (tx) => timed.endlessSuspensions(tx, { org_id, latest: "n" }),
  grantedInSteps: (tx) => life.grantedInSteps(tx, org_id, "request"),
  rehashKey: (tx) => murmur.rehashKey(tx, held, { key_id: "other", weak: null }),
};

Deno.test("sqlite: every statement on credentials finds its rows by an index, in their order", async () => {
  const stores = [accesses, chosen, credentials, labels, life, lists, murmur, search, timed];
  assertAllCalled(stores, calls, [
    "selectView",
  ]);
  const plans = await plansOf(each(calls));
  for (const { sql, plan: whole } of plans) {
    // A list that is sent along, or made of one label after another or of one row, is walked, which
    // is no table.
    const plan = whole.replaceAll(/SCAN (w VIRTUAL TABLE INDEX 1:|l$|one$|CONSTANT ROW)/gm, "");
    // The few keys of one developer are sorted, and nothing else.
    const sorted = sql.includes('"request_id" = ?') || sql.includes('"quota_key" = ?');
    assert.doesNotMatch(plan, sorted ? /SCAN|AUTOMATIC/ : /SCAN|TEMP B-TREE|AUTOMATIC/, sql);
    if (/^(select|update|delete)/.test(sql)) {
      assert.match(plan, /\((<expr>=\? AND )?org_id=\?/, `${sql}\n${plan}`);
    }
  }
  const listed = plans.filter(({ sql }) => /limit (21|101)/.test(sql));
  assert.equal(listed.length, 14);
  for (const { sql, plan } of listed) {
    assert.ok(walks.some(([, index]) => index.test(plan)), `${sql}\n${plan}`);
  }
  const searched = plans.filter(({ sql }) => /limit 50$/.test(sql)).map(({ plan }) => plan);
  for (const index of searchIndexes) {
    assert.ok(searched.some((plan) => index.test(plan)), `${index}\n${searched.join("\n\n")}`);
  }
  // The first page of ids, and of former ids, begins at what is searched for, the others behind a
  // key.
  assert.equal(searched.length, searchIndexes.length + 2);
  const found = plans.find(({ sql }) => /limit 1$/.test(sql) && sql.includes("algorithm"));
  assert.match(found?.plan ?? "", /INDEX credentials_murmur/);
});
