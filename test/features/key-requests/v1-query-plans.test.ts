import assert from "node:assert/strict";
import * as comments from "../../../src/features/key-requests/comments.store.ts";
import * as oneTimeLinks from "../../../src/features/keys/one-time-links/one-time-links.store.ts";
import * as expiry from "../../../src/features/key-requests/expiry.store.ts";
import * as search from "../../../src/features/key-requests/search.store.ts";
import * as v1 from "../../../src/features/key-requests/v1.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf, plansOfReads } from "../../support/query-plans.ts";
import { testStore } from "../../support/stores.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00.000Z";
const instant = "2026-01-01T00:00:00.000000000Z";
const place = { sort: instant, id: "id" };
const ofRequest = { org_id, request_id: "id" };
const POLICY = JSON.stringify({
  outcome: "one",
  steps: [],
  given: [],
  filed_by: [],
  expires_after_days: 3,
});
const decided = { org_id, id: "id", approved: 0, instant };

/**
 * The walks of the lists, each with the index that it must walk and how far the index finds its
 * place.
 */
const walks: [walk: Parameters<typeof v1.walkRequests>[2], index: RegExp][] = [
  [{ walk: "open" }, /key_requests_newest \(org_id=\? AND \(instant,id\)/],
  [{ walk: "unapproved" }, /key_requests_approved \(org_id=\? AND approved=\? AND \(instant,id\)/],
  [{ walk: "waiting" }, /key_requests_waiting \(org_id=\? AND \(instant,id\)/],
  [{ walk: "issued" }, /key_requests_issued \(org_id=\? AND \(instant,id\)/],
  [{ walk: "declined" }, /key_requests_declined \(org_id=\? AND \(instant,id\)/],
  [
    { walk: "plan", named: "plan", state: "issued" },
    /key_requests_plan \(org_id=\? AND for_plan=\? AND state=\? AND \(instant,id\)/,
  ],
  [
    { walk: "developer", named: "dev" },
    /key_requests_developer \(org_id=\? AND by_user=\? AND \(instant,id\)/,
  ],
  [
    { walk: "assignee", named: "person" },
    /key_requests_assigned \(org_id=\? AND assignee=\? AND \(instant,id\)/,
  ],
];

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  walkRequests: async (tx) => {
    for (const [walk] of walks) {
      for (const newestFirst of [true, false]) {
        await v1.walkRequests(tx, org_id, walk, { newestFirst, place, limit: 21 });
      }
    }
  },
  findV1: (tx) => v1.findV1(tx, { org_id, id: "id" }),
  findV1Of: (tx) => v1.findV1Of(tx, org_id, ["id"]),
  findBriefs: (tx) => v1.findBriefs(tx, { org_id, by_user: "dev" }),
  findHeads: (tx) => v1.findHeads(tx, { org_id, by_user: "dev", ...place }),
  lockForDecision: (tx) => v1.lockForDecision(tx, { org_id, id: "id" }),
  markDeclined: (tx) =>
    v1.markDeclined(tx, decided, { at, by: "user", reason: null, decided_on: "{}" }),
  markReopened: (tx) => v1.markReopened(tx, decided),
  setOffer: (tx) => v1.setOffer(tx, { org_id, id: "id", offer: null }),
  setAddedWords: (tx) => v1.setAddedWords(tx, { org_id, id: "id", added_words: "[]" }),
  setReminded: (tx) => v1.setReminded(tx, { org_id, id: "id", at }),
  insertComment: (tx) =>
    comments.insertComment(tx, {
      ...ofRequest,
      id: "comment",
      author: "user",
      at,
      words: "words",
      mentions: "[]",
      removed_at: null,
      removed_by: null,
    }),
  countComments: (tx) => comments.countComments(tx, ofRequest),
  findComment: (tx) => comments.findComment(tx, { ...ofRequest, id: "comment" }),
  commentsAfter: (tx) => comments.commentsAfter(tx, { ...ofRequest, behind: "" }, 21),
  emptyComment: (tx) =>
    comments.emptyComment(tx, {
      ...ofRequest,
      id: "comment",
      removed_at: at,
      removed_by: "user",
    }),
  forgetComments: (tx) => comments.forgetComments(tx, ofRequest),
  setReason: (tx) => v1.setReason(tx, { org_id, id: "id", reason: "reason" }),
  isAnyDue: (tx) => expiry.isAnyDue(tx, { org_id, now: at }),
  lockDue: (tx) => expiry.lockDue(tx, { org_id, now: at }),
  setEnds: (tx) => expiry.setEnds(tx, { org_id, id: "id", expires_at: at, due_at: at }),
  beginAnew: (tx) => expiry.beginAnew(tx, { org_id, id: "id", policy: POLICY, now: 0 }),
  noteForSearch: (tx) => search.noteForSearch(tx, org_id, "id"),
  hasChangesOf: (tx) => search.hasChangesOf(tx, { org_id }),
  lockChanges: (tx) => search.lockChanges(tx, { from: "" }),
  removeChange: (tx) => search.removeChange(tx, { org_id, mark: "mark" }),
  findSearched: (tx) => search.findSearched(tx, { org_id, id: "id" }),
  findPosition: (tx) => search.findPosition(tx, { org_id, id: "id" }),
  indexRequest: (tx) =>
    search.indexRequest(tx, { org_id, id: "id", position: 1, instant, text: "text" }),
  addSearchText: (tx) => search.addSearchText(tx, { org_id, position: 2, text: "text" }),
  unindexRequest: (tx) => search.unindexRequest(tx, { org_id, id: "id" }, 1),
  findMatches: async (tx) => {
    for (const newestFirst of [true, false]) {
      for (const texts of [["text"], ["text", "plan", "64b0", "a"], Array(60).fill("text")]) {
        await search.findMatches(tx, org_id, texts, { newestFirst, position: 1, limit: 21 });
      }
    }
  },
  insertOneTimeLink: (tx) =>
    oneTimeLinks.insertOneTimeLink(tx, {
      org_id,
      id: "id",
      hash: "hash",
      secret: "sealed",
      key_id: "key",
      request_id: "id",
      created_by: "user",
      created_at: at,
      expires_at: at,
    }),
  lockByHash: (tx) => oneTimeLinks.lockByHash(tx, { hash: "hash" }),
  markClosed: (tx) => oneTimeLinks.markClosed(tx, { org_id, id: "id" }, { state: "opened", at }),
  openOneTimeLinksOf: (tx) => oneTimeLinks.openOneTimeLinksOf(tx, org_id, "dev", at),
  forgetOneTimeLinkEmails: (tx) =>
    oneTimeLinks.forgetOneTimeLinkEmails(tx, { org_id, developer_id: "dev" }),
  findOneTimeLink: (tx) => oneTimeLinks.findOneTimeLink(tx, { org_id, id: "id" }),
  oneTimeLinksOfAfter: async (tx) => {
    for (const  of of["key_id", "request_id"] as const) {
      await oneTimeLinks.oneTimeLinksOfAfter(tx, { org_id, of, named: "one" }, place, 20);
    }
  },
  findByHash: (tx) => oneTimeLinks.findByHash(tx, { hash: "hash" }),
  oneTimeLinksAfter: (tx) => oneTimeLinks.oneTimeLinksAfter(tx, { org_id, ...place }, 101),
};

Deno.test("sqlite: every statement of the list under `/v1`s finds its rows by an index, in their order", async () => {
  // `hasChanges` asks whether a table is empty; `selectV1` is the beginning of others.
  const stores = [v1, comments, search, oneTimeLinks, expiry];
  assertAllCalled(stores, calls, [
    "hasChanges",
    "selectV1",
  ]);
  for (const { sql, steps: all } of await plansOf(each(calls))) {
    const steps = all.filter((step) =>
      // The index of trigrams is walked in its order, the rows that it found as they come.
      !/^SCAN (k|\(subquery-\d+\)|key_request_search VIRTUAL TABLE INDEX)/.test(step)
    );
    assert.doesNotMatch(steps.join("\n"), /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${steps}`);
  }
});

Deno.test("sqlite: each v1 list walks the index of its own filter", async () => {
  await using stored = await testStore("sqlite");
  const { reader } = await stored.open();
  for (const [walk, index] of walks) {
    for (const newestFirst of [true, false]) {
      const own = await plansOfReads(
        reader,
        (db) => v1.walkRequests(db, org_id, walk, { newestFirst, place, limit: 21 }),
      );
      for (const { sql, steps: [first = ""] } of own) {
        assert.match(first, index, `${sql}\n${first}`);
      }
    }
  }
});
