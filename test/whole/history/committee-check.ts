/**
 * Checks what a committee decided: the audit log of each key request is played through a plain
 * account of what may happen to one, and what stands in the store at the end, what each caller was
 * told and what the audit log says must be the same.
 */
import { statement } from "../../../src/storage/statement.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import type { Decision, Seen, Terms } from "./committee.ts";
import type { Case, Table } from "./committee-table.ts";
import {
  type AuditLogRow,
  type Course,
  courseOf,
  type Granted,
  grantedIn,
} from "./committee-course.ts";

type Nothing = Record<never, never>;

// The messages have the order in which the changes of one object came to be.
const auditLogSql = statement<Nothing>()((db) =>
  db.selectFrom("audit_events as a")
    .leftJoin("outbox_events as o", (join) =>
      join.onRef("o.org_id", "=", "a.org_id").onRef("o.topic", "=", "a.action")
        .onRef("o.object_id", "=", "a.object_id").onRef("o.request_id", "=", "a.request_id")
        .onRef("o.at", "=", "a.at"))
    .select(["a.id", "a.caller_request_id as call", "a.actor", "a.action", "a.object_id", "a.at"])
    .select(["a.detail", "o.position"])
    .where("a.object", "=", "key_request").orderBy("o.position")
);
const requestsSql = statement<Nothing>()((db) =>
  db.selectFrom("key_requests").select(["id", "state", "by_user", "policy", "offer", "granted"])
);
const keysSql = statement<Nothing>()((db) =>
  db.selectFrom("credentials").select(["key_id", "request_id", "conditions", "expires_at", "plans"])
    .where("request_id", "!=", "")
);

/** What callers did, and what was seen at the end. */
export interface Decided {
  decisions: readonly Decision[];
  /** Groups of repeats whose answers were forgotten meanwhile. */
  forgotten: ReadonlySet<string>;
  seen: readonly Seen[];
}

/** Every promise that was broken, in words. */
export async function checkCommittee(
  db: Connection,
  table: Table,
  committee: Decided,
): Promise<string[]> {
  const { decisions, forgotten, seen } = committee;
  const rows = await db.rows(auditLogSql, {});
  const auditLog = rows.map((row): AuditLogRow => ({ ...row, detail: JSON.parse(row.detail) }));
  const problems = rows.filter(({ position }) => position === null)
    .map(({ action, object_id }) => `${object_id}: ${action} left no message`);
  const twice = new Set(rows.map(({ id }) => id));
  if (twice.size !== rows.length) problems.push("a row of the audit log has two messages");
  const requests = new Map((await db.rows(requestsSql, {})).map((row) => [row.id, row]));
  const keys = Map.groupBy(await db.rows(keysSql, {}), ({ request_id }) => request_id);
  const calls = new Map(decisions.map((one) => [one.call, one]));
  for (const [id, own] of Map.groupBy(auditLog, ({ object_id }) => object_id)) {
    const by_user = own.find(({ action }) => action === "key_request.created")?.detail.by_user;
    const of = table.cases.find(({ developer }) => developer === by_user);
    const say = (problem: string) => problems.push(`${id}: ${problem}`);
    if (!of) {
      // Others work on the same store.
      if (by_user === undefined) say("nobody asked for it");
      continue;
    }
    const course = courseOf(of, own, say);
    for (const row of own) checkTerms(of, row, calls.get(row.call), say);
    const row = requests.get(id);
    if ((row?.state ?? "gone") !== course.state) {
      say(`is ${row?.state ?? "gone"}, and its audit log leads to ${course.state}`);
    }
    if (row) checkRow(row, course, say);
    checkKeys(of, keys.get(id) ?? [], course, say);
    for (const one of seen.filter((one) => one.id === id)) {
      if ((one.state ?? "gone") !== course.state) say(`was shown as ${one.state}`);
    }
  }
  for (const id of requests.keys()) {
    if (!auditLog.some(({ object_id }) => object_id === id)) {
      problems.push(`${id}: has no audit log`);
    }
  }
  return [
    ...problems,
    ...checkCalls(decisions, forgotten, auditLog),
    ...checkPeople(decisions, auditLog),
  ];
}

/** What stands with a request is what its audit log leads to. */
function checkRow(
  row: { state: string; policy: string | null; offer: string | null },
  course: Course,
  say: (problem: string) => void,
): void {
  if (row.state !== "pending") return;
  const given: string[] = JSON.parse(row.policy ?? '{"given":[]}').given
    .map(({ by, step }: { by: string; step: number }) => `${step} ${by}`);
  const told = course.given.map(({ by, step }) => `${step} ${by}`);
  if (given.join() !== told.join()) {
    say(`has the steps ${given}, and its audit log tells of ${told}`);
  }
  const offer = row.offer === null ? null : JSON.parse(row.offer);
  if ((offer?.id ?? null) !== (course.offer?.id ?? null)) say(`has another offer than was made`);
  if (offer && (offer.answer === null) !== !course.offer?.isAnswered) say("has another answer");
}

/** One key where it is issued, with what was granted and nothing more; else none. */
function checkKeys(
  of: Case,
  keys: readonly { conditions: string | null; expires_at: string | null; plans: string }[],
  course: Course,
  say: (problem: string) => void,
): void {
  // What was issued and then deleted has its key still.
  const expected = course.issued === undefined ? 0 : 1;
  if (keys.length !== expected) say(`has ${keys.length} keys instead of ${expected}`);
  const { issued } = course;
  for (const key of keys) {
    if (issued === undefined) continue;
    const conditions = JSON.parse(key.conditions ?? "{}");
    const has = {
      addresses: conditions.addresses ?? null,
      rate: conditions.rate ?? null,
      expires_at: key.expires_at,
      plans: JSON.parse(key.plans),
    };
    const granted = { ...issued, plans: issued.plans ?? [of.plan] };
    if (textOf(has) !== textOf(granted)) say(`key of ${textOf(has)} for ${textOf(granted)}`);
  }
}

/** What a row says was granted or offered is what its caller sent, or the least of all. */
function checkTerms(
  of: Case,
  { action, detail }: AuditLogRow,
  call: Decision | undefined,
  say: (problem: string) => void,
): void {
  const own = action === "key_request.step_approved" ||
    (of.steps.length === 0 && ["key_request.approved", "key_request.offered"].includes(action));
  if (!own || !call || call.kind === "accept") return;
  const told = grantedIn(detail);
  const sent = grantedBy(call.terms);
  if (textOf(told) !== textOf(sent)) say(`${action} of ${textOf(told)}, asked was ${textOf(sent)}`);
}

function grantedBy({ addresses, rate, expires_at, plans }: Terms): Granted {
  return {
    addresses: addresses ?? null,
    rate: rate ?? null,
    expires_at: expires_at ?? null,
    plans: plans ?? null,
  };
}

const textOf = ({ addresses, rate, expires_at, plans }: Granted) =>
  JSON.stringify({ addresses, rate: rate && [rate.calls, rate.seconds], expires_at, plans });

/** Which rows a call that was done has left; each once. */
const ROWS: Partial<Record<Decision["kind"], readonly string[][]>> = {
  create: [["created"]],
  edit: [["updated"]],
  approve: [["approved"], ["step_approved"], ["approved", "step_approved"], [
    "offered",
    "step_approved",
  ]],
  offer: [["offered"], ["step_approved"], ["offered", "step_approved"]],
  withdraw: [["offer_withdrawn"]],
  accept: [["approved"]],
  answer: [["offer_answered"]],
  decline: [["declined"]],
  reopen: [["reopened"]],
  delete: [["deleted"]],
};

/**
 * Each call that was acknowledged left its rows once, with all that repeats it; one that was
 * refused left none; of any other nobody knows.
 */
function checkCalls(
  decisions: readonly Decision[],
  forgotten: ReadonlySet<string>,
  auditLog: readonly AuditLogRow[],
): string[] {
  const left = Map.groupBy(auditLog, ({ call }) => call);
  const problems = auditLog.filter(({ call, actor }) =>
    call !== "" && !decisions.some((one) => one.call === call) && actor !== ""
  ).map(({ object_id, action }) => `${object_id}: nobody called for its ${action}`);
  for (const [once, calls] of Map.groupBy(decisions, (one) => one.once)) {
    const [first] = calls;
    if (!first || forgotten.has(once)) continue;
    const rows = calls.flatMap(({ call }) => left.get(call) ?? []);
    const known = ROWS[first.kind];
    if (!known) continue;
    const names = rows.map(({ action }) => action.replace("key_request.", "")).sort().join();
    const isWhole = known.some((one) => one.join() === names);
    const outcomes = new Set(calls.map(({ outcome }) => outcome));
    const say = (what: string) => problems.push(`${first.id}: ${first.kind} ${what}: “${names}”`);
    if (outcomes.has("ok") && !isWhole) say("was acknowledged, and its audit log is");
    if (names !== "" && !isWhole) say("left");
    if (names !== "" && !outcomes.has("ok") && !outcomes.has("unknown")) {
      say(`was refused by ${calls.map((one) => one.told).join()}, and left`);
    }
    const wrong = rows.find(({ actor }) => first.by !== "" && actor !== first.by);
    if (wrong) say(`is told of as ${wrong.actor}'s`);
    const told = calls.filter(({ outcome }) => outcome === "ok").map((one) => one.told);
    if (new Set(told).size > 1) say("was answered otherwise when it was repeated");
  }
  return problems;
}

/** Nobody gives a step who is suspended: from the answer on, until somebody wants them back. */
function checkPeople(decisions: readonly Decision[], auditLog: readonly AuditLogRow[]): string[] {
  const given = new Set(
    auditLog.filter(({ action }) => action === "key_request.step_approved")
      .map(({ call }) => call),
  );
  const away = decisions.filter(({ kind, outcome }) => kind === "suspend" && outcome === "ok");
  return decisions.filter(({ call }) => given.has(call)).filter((step) =>
    away.some((one) =>
      one.id === step.by && one.end < step.begin &&
      !decisions.some(({ kind, id, end, begin }) =>
        kind === "resume" && id === step.by && begin < step.end && end > one.begin
      )
    )
  ).map(({ id, by }) => `${id}: a step by ${by}, who was suspended`);
}
