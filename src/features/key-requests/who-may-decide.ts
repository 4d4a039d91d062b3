/**
 * The people who may decide a waiting request, by people, policy and scopes at a moment. It is for
 * lists and mails; a decision checks again, in its transaction.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import type { Connection } from "../../storage/storage.ts";
import { peopleWhoApprove } from "../people/people.store.ts";
import type { PersonRow } from "../people/person.ts";
import { type Coverage, coverageReader } from "../plans/coverage.ts";
import { isApprover } from "../people/approvers.ts";
import { everyoneAway } from "./delegations.store.ts";
import { whatLacks } from "./policy.ts";
import {
  askedPolicyIn,
  hasGiven,
  isKeptOut,
  mayGive,
  missingOf,
  standing,
} from "./asked-policy.ts";
import { waitsAt } from "./offer.ts";
import { isOwn } from "./own-request.ts";
import type { V1Row } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

/** The columns of a request that determine who may decide it. */
type Waiting = Pick<
  V1Row,
  | "state"
  | "head"
  | "policy"
  | "offer"
  | "developer"
  | "proof_state"
  | "proof_address"
  | "proof_previous"
>;

/** Whether a request waits for people now: not while an offer waits for its developer. */
export function waitsForPeople({ state, offer }: Waiting, now: number): boolean {
  return state === "pending" && !waitsAt(offer, now);
}

/** A person, with what they see and decide; undefined: everything. */
interface Decider {
  person: PersonRow;
  coverage: Coverage | undefined;
}

/**
 * Whether a person in force who holds `approve` may decide a request that waits for people: the
 * step that waits now, where its policy has steps, also as that of a person in whose place they
 * decide. No one may decide their own.
 */
export function mayDecide(
  row: Waiting,
  { person, coverage }: Decider,
  away: readonly Decider[],
  now: number,
): boolean {
  if (!maySee(row, { person, coverage })) return false;
  const kept = askedPolicyIn(row.policy);
  if (kept?.outcome !== "steps") return !kept || !isKeptOut(kept, person.id);
  const asked = standing(kept, now);
  if (mayGive(asked, person)) return true;
  return isApprover(person) && !hasGiven(asked, person.id) && !isKeptOut(asked, person.id) &&
    away.some((one) => maySee(row, one) && mayGive(asked, one.person));
}

/**
 * The missing approvals of a waiting request under this policy that no person is left to give, in
 * words. Empty: it can be decided.
 */
export function lackOf(
  row: Waiting,
  policy: string | null,
  people: readonly Decider[],
  now: number,
): string[] {
  const kept = askedPolicyIn(policy);
  const able = people.filter((one) => maySee(row, one) && !(kept && isKeptOut(kept, one.person.id)))
    .map(({ person }) => person);
  if (kept?.outcome !== "steps") {
    const needsNoApprover = kept?.outcome === "at_once";
    return able.length === 0 && !needsNoApprover ? ["no approver sees it"] : [];
  }
  const asked = standing(kept, now);
  const missing = missingOf(asked);
  const open = asked.steps.flatMap((step, i) => {
    const need = missing[i] ?? 0;
    return need > 0 ? [{ ...step, need }] : [];
  });
  return whatLacks(open, able.filter(({ id }) => !hasGiven(asked, id)));
}

/** Within their scope, and not their own. */
function maySee(row: Waiting, { person, coverage }: Decider): boolean {
  if (coverage && !isWithin(coverage, row)) return false;
  const { developer: document, proof_previous: previous } = row;
  return !isOwn({ ...row, email: person.email, document, previous });
}

/** Tells who is away in whose place each of these people decides. */
export async function placesTaken(
  db: Connection,
  org_id: string,
  now: number,
): Promise<(delegate_id: string) => readonly Decider[]> {
  const coverageIn = coverageReader(db, org_id);
  const places = new Map<string, Decider[]>();
  for (
    const { delegate_id, ...person } of await everyoneAway(db, { org_id, now: toTimestamp(now) })
  ) {
    const known = places.get(delegate_id) ?? [];
    known.push({ person, coverage: await coverageIn(person.covers) });
    places.set(delegate_id, known);
  }
  return (delegate_id) => places.get(delegate_id) ?? [];
}

/** All who may approve, each with their scope; without this person. */
export async function everyDecider(
  db: Connection,
  org_id: string,
  without?: string,
): Promise<Decider[]> {
  const coverageIn = coverageReader(db, org_id);
  const people: Decider[] = [];
  for (const person of await peopleWhoApprove(db, org_id)) {
    if (person.id === without) continue;
    people.push({ person, coverage: await coverageIn(person.covers) });
  }
  return people;
}

/** Those of these people, all in force and with `approve`, who may decide it, up to `most`. */
export async function whoMayDecide(
  db: Connection,
  org_id: string,
  row: Waiting,
  { people, now, most = Infinity }: { people: readonly PersonRow[]; now: number; most?: number },
): Promise<PersonRow[]> {
  if (!waitsForPeople(row, now)) return [];
  const coverageIn = coverageReader(db, org_id);
  const awayFor = await placesTaken(db, org_id, now);
  const found: PersonRow[] = [];
  for (const person of people) {
    if (found.length === most) break;
    const one = { person, coverage: await coverageIn(person.covers) };
    if (mayDecide(row, one, awayFor(person.id), now)) found.push(person);
  }
  return found;
}
