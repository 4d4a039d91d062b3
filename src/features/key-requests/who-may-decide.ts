/**
 * Who may decide a request that waits, as people, policy and scopes are at a moment. It is looked
 * at for lists and mails; a decision looks again, in its transaction.
 */
import type { Connection } from "../../storage/storage.ts";
import type { PersonRow } from "../access/person.ts";
import { type Coverage, coverageReader } from "../plans/coverage.ts";
import { askedPolicyIn, mayGive, standing } from "./asked-policy.ts";
import { waitsAt } from "./offer.ts";
import { isOwn } from "./own-request.ts";
import type { V1Row } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

/** What of a request says who may decide it. */
export type Waiting = Pick<
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

/**
 * Whether somebody in force who holds `approve` may decide a request that waits for people: the
 * step that waits now, where its policy has steps. Nobody may decide their own.
 */
export function mayDecide(
  row: Waiting,
  person: PersonRow,
  coverage: Coverage | undefined,
  now: number,
): boolean {
  if (coverage && !isWithin(coverage, row)) return false;
  const { developer: document, proof_previous: previous } = row;
  if (isOwn({ ...row, email: person.email, document, previous })) return false;
  const asked = askedPolicyIn(row.policy);
  if (asked?.outcome === "steps") return mayGive(standing(asked, now), person);
  return !(asked?.not_by_filer && asked.filed_by.includes(person.id));
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
  const found: PersonRow[] = [];
  for (const person of people) {
    if (found.length === most) break;
    if (mayDecide(row, person, await coverageIn(person.covers), now)) found.push(person);
  }
  return found;
}
