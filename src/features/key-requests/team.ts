/**
 * The team of a request: the people who see it and may decide requests. Its own developer belongs
 * to no team of it: the team's comments are not for them.
 */
import { allows } from "../../contract/permissions.ts";
import type { Connection } from "../../storage/storage.ts";
import { peopleWhoApprove } from "../people/people.store.ts";
import { type PersonRow, toPerson } from "../people/person.ts";
import { isAmong } from "../people/approvers.ts";
import { type Coverage, coverageReader } from "../plans/coverage.ts";
import { askedPolicyIn } from "./asked-policy.ts";
import { findDeveloperOf, isOwn, type OwnedRow } from "./own-request.ts";
import { isWithin } from "./within-scope.ts";

/** People of a team that are named, at the most. */
const MOST_NAMED = 200;

/** The data of a request for messages to its team. */
export interface TeamOf {
  org_id: string;
  id: string;
  head: string;
  policy: string | null;
}

/** A person of a team. */
interface Teammate {
  id: string;
  name: string;
  /** Whether they may decide it as far as its policy goes; of steps, in any of them. */
  may_decide: boolean;
}

type Covered = (stored: string | null) => Promise<Coverage | undefined>;

/** Whether a person is of the team. */
async function isOfTeam(
  person: PersonRow,
  { head }: TeamOf,
  developer: OwnedRow | undefined,
  coverageIn: Covered,
): Promise<boolean> {
  const { state, permissions } = toPerson(person);
  if (state !== "active" || !allows(permissions, "approve")) return false;
  if (developer && isOwn({ ...developer, email: person.email })) return false;
  const coverage = await coverageIn(person.covers);
  return !coverage || isWithin(coverage, { head });
}

/** Whether a request's policy lets a person of its team decide. */
function mayDecide(policy: string | null, person: PersonRow): boolean {
  const asked = askedPolicyIn(policy);
  if (!asked) return true;
  if (asked.not_by_filer && asked.filed_by.includes(person.id)) return false;
  return asked.steps.length === 0 || asked.steps.some((step) => isAmong(step, person));
}

/** Those of these people who are of a request's team, in their order, 200 at the most. */
export async function teamAmong(
  db: Connection,
  of: TeamOf,
  people: readonly PersonRow[],
): Promise<Teammate[]> {
  const { org_id, id, policy } = of;
  const developer = await findDeveloperOf(db, { org_id, id });
  const coverageIn = coverageReader(db, org_id);
  const team: Teammate[] = [];
  for (const person of people) {
    if (team.length === MOST_NAMED) break;
    if (!await isOfTeam(person, of, developer, coverageIn)) continue;
    team.push({ id: person.id, name: person.name, may_decide: mayDecide(policy, person) });
  }
  return team;
}

/** The team of a request, the oldest first, 200 at the most. */
export async function teamOf(db: Connection, of: TeamOf): Promise<Teammate[]> {
  return await teamAmong(db, of, await peopleWhoApprove(db, of.org_id));
}
