/**
 * What may happen to a key request, told once more and apart from the code that is checked: its
 * audit log is played through this account, row by row.
 */
import type { Case } from "./committee-table.ts";

/** What is granted, of all that a committee grants; null: what was asked. */
export interface Granted {
  addresses: string[] | null;
  rate: { calls: number; seconds: number } | null;
  expires_at: string | null;
  plans: string[] | null;
}

/** Where a request stands. */
export interface Course {
  state: "pending" | "issued" | "declined" | "gone";
  given: { by: string; step: number; terms: Granted }[];
  offer: { id: string; expires_at: string; terms: Granted; isAnswered: boolean } | null;
  /** From when on the days are counted after which it ends by itself. */
  begun: string;
  /** Whether people were reminded of that since. */
  isReminded: boolean;
  /** What its key was granted; absent: there is none. */
  issued?: Granted;
}

/** One row of the audit log, in the order of the changes of its object. */
export interface AuditLogRow {
  call: string;
  actor: string;
  action: string;
  object_id: string;
  at: string;
  // deno-lint-ignore no-explicit-any -- as each action has it
  detail: any;
}

type Say = (problem: string) => void;

/** Plays an audit log; `say` hears of what may not be. */
export function courseOf(of: Case, auditLog: readonly AuditLogRow[], say: Say): Course {
  const course: Course = {
    state: "pending",
    given: [],
    offer: null,
    begun: "",
    isReminded: false,
  };
  const filed = new Set<string>();
  for (const [n, row] of auditLog.entries()) {
    const what = row.action.replace("key_request.", "");
    const complain: Say = (problem) => say(`${what} at ${row.at}: ${problem}`);
    if ((n === 0) !== (what === "created")) complain("is not what comes first");
    play(what, {
      of,
      row,
      course,
      filed,
      next: auditLog[n + 1],
      before: auditLog[n - 1],
      say: complain,
    });
  }
  return course;
}

interface Played {
  of: Case;
  row: AuditLogRow;
  course: Course;
  filed: Set<string>;
  before: AuditLogRow | undefined;
  next: AuditLogRow | undefined;
  say: Say;
}

function play(what: string, played: Played): void {
  const { of, row, course, filed, say } = played;
  const begin = () => Object.assign(course, { given: [], begun: row.at, isReminded: false });
  const anew = () => Object.assign(begin(), { offer: null });
  switch (what) {
    case "created":
      filed.add(row.actor);
      course.begun = row.at;
      return;
    case "expires_soon":
      requireState(course, "pending", say);
      requireSoon(played);
      course.isReminded = true;
      return;
    case "updated":
      if (course.state === "issued") return;
      requireState(course, "pending", say);
      filed.add(row.actor);
      anew();
      return;
    case "step_approved":
      step(played);
      return;
    case "offered":
      offered(played);
      return;
    case "approved":
      approved(played);
      return;
    case "offer_withdrawn":
      requireOffer(played);
      anew();
      return;
    case "offer_answered":
      requireOffer(played);
      begin();
      if (course.offer) course.offer.isAnswered = true;
      return;
    case "declined":
      requireState(course, "pending", say);
      requireOthers(of, row, filed, say);
      if (row.actor === "expiry") requireOver(played);
      course.state = "declined";
      course.offer = null;
      return;
    case "reopened":
      requireState(course, "declined", say);
      requireOthers(of, row, filed, say);
      course.state = "pending";
      anew();
      return;
    case "deleted":
      course.state = "gone";
      return;
    default:
      say("nobody knows what that is");
  }
}

function step({ of, row, course, filed, next, say }: Played): void {
  requireState(course, "pending", say);
  requireOthers(of, row, filed, say);
  if (waits(course, row)) say("an offer waits");
  const isOver = missing(of, course).length === 0 ||
    course.given.some(({ terms }) => terms.expires_at !== null && terms.expires_at <= row.at);
  if (isOver) course.given = [];
  const present = missing(of, course)[0]?.step ?? -1;
  const { name, people } = of.steps[present] ?? {};
  if (row.detail.step !== name) say(`is of ${row.detail.step}, and ${name} waits`);
  if (people && !people.includes(row.actor)) say(`${row.actor} does not count in ${name}`);
  if (course.given.some(({ by }) => by === row.actor)) say(`${row.actor} counts twice`);
  course.given.push({ by: row.actor, step: present, terms: grantedIn({ ...row.detail }) });
  const words = missing(of, course).map((one) => `${one.n} of “${one.name}”`).join(", then ");
  if (row.detail.missing !== words) say(`says that ${row.detail.missing} is missing, not ${words}`);
  // With the last of them comes what they come to.
  const ends = next?.call === row.call && /approved$|offered$/.test(next.action);
  if ((words === "") !== ends) {
    say("is the last one and led to nothing, or led to something before");
  }
}

function approved({ of, row, course, filed, before, say }: Played): void {
  requireState(course, "pending", say);
  const granted = grantedIn(row.detail);
  const { offer } = course;
  if (row.detail.offer_id !== undefined) {
    if (offer?.id !== row.detail.offer_id) say("accepts another offer");
    else if (!waits(course, row)) say("accepts an offer that does not wait");
    else if (!offer || !same(granted, offer.terms)) say("grants something else than was offered");
    if (of.steps.length > 0 && missing(of, course).length > 0) say("steps are missing");
  } else {
    if (waits(course, row)) say("an offer waits");
    requireOthers(of, row, filed, say);
    if (of.steps.length > 0) {
      if (missing(of, course).length > 0) say("steps are missing");
      if (before?.call !== row.call || !before.action.endsWith("step_approved")) {
        say("no last step");
      }
      if (!same(granted, total(of, course))) say("grants something else than the least of all");
    }
    if (granted.rate !== null || granted.plans !== null) say("grants what must be offered");
  }
  course.state = "issued";
  course.issued = granted;
  course.offer = null;
}

function offered({ of, row, course, filed, before, say }: Played): void {
  requireState(course, "pending", say);
  requireOthers(of, row, filed, say);
  const { offer_id: id, expires_at, terms } = row.detail;
  const offer = { id, expires_at, terms: grantedIn({ terms }), isAnswered: false };
  if (of.steps.length > 0) {
    if (missing(of, course).length > 0) say("steps are missing");
    if (before?.call !== row.call) say("no last step");
    if (!same(offer.terms, total(of, course))) say("offers something else than the least of all");
  }
  if (offer.terms.rate === null && offer.terms.plans === null) say("offers nothing less");
  course.offer = offer;
}

/** Nobody decides their own request, nor, where the policy says so, one that they filed. */
function requireOthers(
  of: Case,
  { actor }: AuditLogRow,
  filed: ReadonlySet<string>,
  say: Say,
): void {
  if (of.own === actor) say(`${actor} decides their own request`);
  if (of.not_by_filer && filed.has(actor)) say(`${actor} decides what they filed`);
}

/** A part of the days that its policy gives is over, and no offer waits. */
function requireSoon({ of, row, course, say }: Played): void {
  if (waits(course, row)) say("an offer waits");
  const { expires_after_days: all, remind_before_days: before } = of;
  const days = daysSince(course.begun, row);
  if (all === null || before === null || days < all - before) {
    say(`it ends soon after ${days} days`);
  }
}

const daysSince = (begun: string, { at }: AuditLogRow) =>
  (Date.parse(at) - Date.parse(begun)) / 86_400_000;

/**
 * Nobody decided it in the days that its policy gives, of which people were reminded where it says
 * so, and no offer waits.
 */
function requireOver({ of, row, course, say }: Played): void {
  if (waits(course, row)) say("an offer waits");
  if (of.remind_before_days !== null && !course.isReminded) say("nobody was reminded");
  const days = daysSince(course.begun, row);
  if (of.expires_after_days === null || days < of.expires_after_days) {
    say(`it ends by itself after ${days} days`);
  }
}

function requireState(course: Course, state: Course["state"], say: Say): void {
  if (course.state !== state) say(`it was ${course.state}`);
}

function requireOffer({ row, course, say }: Played): void {
  requireState(course, "pending", say);
  if (!waits(course, row)) say("no offer waits");
  else if (course.offer?.id !== row.detail.offer_id) say("is of another offer");
}

const waits = ({ offer }: Course, { at }: AuditLogRow) =>
  offer !== null && !offer.isAnswered && offer.expires_at > at;

/** The steps that are not done, with how many people each still needs. */
function missing({ steps }: Case, { given }: Course) {
  return steps.map(({ name, need }, step) => ({
    name,
    step,
    n: need - new Set(given.filter((one) => one.step === step).map(({ by }) => by)).size,
  })).filter(({ n }) => n > 0);
}

const total = (of: Case, { given }: Course) =>
  given.map(({ terms }) => terms).reduce((a, b) => leastOf(a, b, [of.plan]));

/** The least of two, each of whose networks lie in one another and whose limits have one period. */
export function leastOf(a: Granted, b: Granted, asked: string[]): Granted {
  const [first, second] = [a.plans ?? asked, b.plans ?? asked];
  return {
    addresses: lower(a.addresses, b.addresses, ([one = ""]) => -Number(one.split("/")[1])),
    rate: lower(a.rate, b.rate, ({ calls }) => calls),
    expires_at: lower(a.expires_at, b.expires_at, (text) => Date.parse(text)),
    plans: a.plans === null && b.plans === null
      ? null
      : first.filter((plan) => second.includes(plan)),
  };
}

function lower<T>(a: T | null, b: T | null, size: (one: T) => number): T | null {
  if (a === null || b === null) return a ?? b;
  return size(a) <= size(b) ? a : b;
}

const same = (a: Granted, b: Granted) =>
  JSON.stringify([a.addresses, a.rate?.calls, a.expires_at, a.plans]) ===
    JSON.stringify([b.addresses, b.rate?.calls, b.expires_at, b.plans]);

/** What a row of the audit log grants. */
export function grantedIn(
  // deno-lint-ignore no-explicit-any -- as each action has it
  { granted, terms, expires_at, offer_id }: any,
): Granted {
  const told = granted ?? terms ?? {};
  return {
    addresses: told.addresses ?? null,
    rate: told.rate ?? null,
    // An offer's own end is not its key's.
    expires_at: told.expires_at ?? (terms || offer_id ? null : expires_at) ?? null,
    plans: told.plans ?? null,
  };
}
