import type { RequestContext } from "../../calls/context.ts";
import { may } from "../../calls/principal.ts";
import type { Connection } from "../../storage/storage.ts";
import { findPerson } from "../people/people.store.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { type V1Row, walkRequests } from "./v1.store.ts";
import { everyDecider, mayDecide, placesTaken, waitsForPeople } from "./who-may-decide.ts";

/** Tells whether a request is one of those that are looked for. */
type IsMeant = (row: V1Row) => boolean;

/** Whether the caller may decide a request now; undefined: they may decide none. */
export async function isMyTurn(ctx: RequestContext): Promise<IsMeant | undefined> {
  const { storage: { reader }, principal, clock } = ctx;
  const { org_id, user_id } = principal;
  const person = may(principal, "approve")
    ? await findPerson(reader, { org_id, id: user_id })
    : undefined;
  // A caller who is no person counts in no step.
  if (!person) return undefined;
  const coverage = await coverageOfCaller(reader, principal);
  const now = clock.now();
  const away = (await placesTaken(reader, org_id, now))(user_id);
  return (row) => waitsForPeople(row, now) && mayDecide(row, { person, coverage }, away, now);
}

/**
 * Whether a request waits for people, and there is none who may decide it now. `without`: as if
 * this person were gone.
 */
export async function isNobodysTurn(
  db: Connection,
  org_id: string,
  now: number,
  without?: string,
): Promise<IsMeant> {
  const awayFor = await placesTaken(db, org_id, now);
  const people = await everyDecider(db, org_id, without);
  return (row) =>
    waitsForPeople(row, now) &&
    !people.some((one) => {
      const away = awayFor(one.person.id).filter(({ person }) => person.id !== without);
      return mayDecide(row, one, away, now);
    });
}

/** Requests that are looked at for those that no one may decide: the newest, of either kind. */
const LOOKED_AT = 500;

/** Of the newest requests that wait those that no one may decide, likewise. */
export async function requestsWithoutApprover(
  db: Connection,
  org_id: string,
  now: number,
  without?: string,
): Promise<V1Row[]> {
  const isNobodys = await isNobodysTurn(db, org_id, now, without);
  const page = { newestFirst: true, place: { sort: "~", id: "" }, limit: LOOKED_AT };
  const rows = [
    ...await walkRequests(db, org_id, { walk: "unapproved" }, page),
    ...await walkRequests(db, org_id, { walk: "waiting" }, page),
  ];
  return rows.filter(isNobodys);
}
