/** Every statement on unused keys finds its rows by an index, however many keys there are. */
import assert from "node:assert/strict";
import * as rules from "../../../../src/features/hygiene/unused/rules.store.ts";
import * as schedules from "../../../../src/features/hygiene/unused/schedules.store.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const org_id = "org";
const key = { org_id, key_id: "key" };
const rule = { org_id, plan: "plan", terms: "{}", updated_at: at, place: "", round_at: at };
const row = {
  ...key,
  step: "idle",
  at,
  idle_since: at,
  due_at: at,
  event_id: "",
  sent_at: null,
} as const;

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  rulesOf: (tx) => rules.rulesOf(tx, { org_id }),
  findRule: (tx) => rules.findRule(tx, { org_id, plan: "plan" }),
  putRule: (tx) => rules.putRule(tx, rule),
  setPlace: (tx) => rules.setPlace(tx, rule),
  keysBehind: (tx) =>
    schedules.keysBehind(tx, { org_id, plan_id: "plan", issued_at: at, key_id: "key" }, 500),
  findScheduledKey: (tx) => schedules.findScheduledKey(tx, key),
  dueSchedules: (tx) => schedules.dueSchedules(tx, { org_id, now: at }, 1000),
  isAnyScheduleDue: (tx) => schedules.isAnyScheduleDue(tx, { org_id, now: at }),
  putSchedule: (tx) => schedules.putSchedule(tx, row),
  enterSchedule: (tx) => schedules.enterSchedule(tx, { ...row, seen_at: at }),
  removeSchedule: (tx) => schedules.removeSchedule(tx, key),
  mailsOfWarning: (tx) =>
    schedules.mailsOfWarning(tx, { org_id, event_id: "event", behind: "event~" }, 100),
  putElsewhere: (tx) =>
    schedules.putElsewhere(tx, { ...key, elsewhere: 1, said_by: "user", said_at: at }),
  removeElsewhere: (tx) => schedules.removeElsewhere(tx, key),
};

Deno.test("query plans: no statement on unused keys looks through keys or schedules", async () => {
  assertAllCalled([rules, schedules], calls, ["termsIn", "revisionOfRule", "scheduleIn", "keyIn"]);
  const plans = await plansOf(each(calls));
  for (const { sql, plan } of plans) {
    // The keys that one read took are sorted as they came.
    const own = sql.includes("credential_plans")
      ? plan.replaceAll(/^(SCAN l|USE TEMP B-TREE FOR ORDER BY)$/gm, "")
      : plan;
    assert.doesNotMatch(own, /SCAN (?!CONSTANT)|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
  }
  const walk = plans.find(({ sql }) => sql.includes("credential_plans"));
  assert.match(walk?.plan ?? "", /org_id=\? AND plan_id=\? AND state=\? AND \(issued_at,key_id\)>/);
  const due = plans.filter(({ sql }) => /due_at" <= /.test(sql));
  assert.equal(due.length, 2);
  for (const { plan } of due) assert.match(plan, /key_schedules_due \(org_id=\? AND due_at/);
});
