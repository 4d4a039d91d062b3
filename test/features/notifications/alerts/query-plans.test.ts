/**
 * Every statement on alerts finds its rows by an index, however many certificates and keys there
 * are.
 */
import assert from "node:assert/strict";
import * as alerts from "../../../../src/features/notifications/alerts/alerts.store.ts";
import * as mutes from "../../../../src/changes/alert-mutes.store.ts";
import * as care from "../../../../src/features/certificates/certificate-care.store.ts";
import * as renewals from "../../../../src/features/certificates/certificate-renewals.store.ts";
import * as reviews from "../../../../src/features/keys/key-reviews.store.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const org_id = "org";
const of = { org_id, object: "certificate", object_id: "o" } as const;
const pair = { org_id, fingerprint: "f", renewal: "r" };
const range = { from: { ends_at: at, tie: "1" }, to: at, now: at };

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  nextOrganisation: async (tx) => {
    await alerts.alertLease.take(tx, "h", 0, 1000);
    await alerts.nextOrganisation(tx, { behind: "" });
  },
  rulesOf: (tx) => alerts.rulesOf(tx, org_id),
  setRules: (tx) => alerts.setRules(tx, org_id, { days: [1], at_end: true }),
  progressOf: (tx) => alerts.progressOf(tx, org_id),
  reviewPlace: (tx) => alerts.reviewPlace(tx, org_id),
  dueReviews: (tx) => reviews.dueReviews(tx, { org_id, review_at: at, key_id: "k", now: at }),
  setProgress: (tx) => alerts.setProgress(tx, { org_id, object: "key", days: 1, ...range.from }),
  dropProgress: (tx) => alerts.dropProgress(tx, { org_id, days: 1 }),
  endingBehind: async (tx) => {
    await alerts.endingBehind(tx, "certificate", org_id, range);
    await alerts.endingBehind(tx, "key", org_id, range);
  },
  countKeysEnding: (tx) => alerts.countKeysEnding(tx, { org_id, to: at }),
  noteAlert: (tx) =>
    alerts.noteAlert(tx, {
      ...of,
      days: 1,
      ends_at: at,
      at,
      outcome: "told",
      reason: "",
      event_id: "e",
      expires_at: at,
    }),
  findAlert: (tx) => alerts.findAlert(tx, of),
  putMute: (tx) =>
    mutes.putMute(tx, { ...of, reason: "r", muted_by: "u", muted_at: at, expires_at: at }),
  removeMute: (tx) => alerts.removeMute(tx, { ...of, now: at }),
  findMute: (tx) => mutes.findMute(tx, { ...of, now: at }),
  findEndOfKey: (tx) => alerts.findEndOfKey(tx, { org_id, key_id: "k" }),
  nameOfPerson: (tx) => alerts.nameOfPerson(tx, org_id, "u"),
  renewalsOf: (tx) => renewals.renewalsOf(tx, { org_id, now: "" }, ["a", "b", "c"]),
  noteNames: (tx) =>
    renewals.noteNames(tx, org_id, {
      head: '{"id":"i","dns_names":["a","b"],"has_private":',
      tail: ',"is_ca":false,"issuer_cn":"","subject_cn":"","not_after":"2026","not_before":"2025"',
      details: ',"subject":{"Names":[]},"ip_addresses":[],"uris":[],"email_addresses":[]',
      renewal_names: "n",
    }),
  renewedOf: async (tx) =>
    void await renewals.renewedOf(tx, { org_id, fingerprint: "f", names: "n", not_after: at }),
  // A part of other statements.
  renewedBySql: async () => void await renewals.renewedBySql({ org_id, now: at }),
  findSaid: (tx) => renewals.findSaid(tx, pair),
  putSaid: (tx) => renewals.putSaid(tx, { ...pair, renews: 1, said_by: "u", said_at: at }),
  dropSaid: (tx) => renewals.dropSaid(tx, pair),
  dropOtherSaid: (tx) => renewals.dropOtherSaid(tx, pair),
  dropSaidOf: (tx) => renewals.dropSaidOf(tx, pair),
  findWithFile: (tx) => renewals.findWithFile(tx, pair),
  setCare: (tx) => care.setCare(tx, { org_id, fingerprint: "f" }, { owner: "", tags: [] }),
  hasUnnamed: (tx) => care.hasUnnamed(tx),
  nameSome: (tx) => care.nameSome(tx),
};

Deno.test("query plans: no statement on alerts looks through certificates or keys", async () => {
  assertAllCalled([alerts, mutes, care, renewals, reviews], calls);
  const plans = await plansOf(each(calls));
  for (const { sql, plan } of plans) {
    // What each kind found, up to a hundred, is sorted together.
    const own = plan.replaceAll(
      /^SCAN (c|k\d|\(subquery.*|\d+)$|^USE TEMP B-TREE FOR ORDER BY$/gm,
      "",
    );
    const looked = /union all/i.test(sql) ? own : plan;
    // What is found by some names is sorted; in the order of an index all of it would be read.
    const mayNot = /from wider_names/.test(sql)
      ? /SCAN (?!.*USING)/
      : /SCAN (?!.*USING)|TEMP B-TREE/;
    assert.doesNotMatch(looked, mayNot, `${sql}\n${plan}`);
  }
  const one = (part: RegExp) =>
    plans.filter(({ sql }) => part.test(sql)).map(({ plan }) => plan).join("\n");
  const ends = one(/union all/);
  assert.equal(
    ends.match(/certificates_not_after \(org_id=\? AND kind=\? AND .*not_after/g)?.length,
    4,
    ends,
  );
  assert.match(ends, /certificates_renewal \(org_id=\? AND renewal_names=\? AND not_after>\?/);
  assert.match(
    one(/from credentials as c/),
    /credentials_expiry \(org_id=\? AND .*expires_at/,
  );
  assert.match(one(/count\(\*\)/), /credentials_expiry \(org_id=\?/);
});
