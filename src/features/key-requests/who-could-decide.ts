import type { Connection } from "../../storage/storage.ts";
import { peopleWhoApprove } from "../people/people.store.ts";
import type { PersonRow } from "../people/person.ts";
import { coverageReader } from "../plans/coverage.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";

/** People who may approve requests for a plan: by default, those who have no scope. */
export async function whoCouldDecide(
  db: Connection,
  org_id: string,
  plan: string,
): Promise<PersonRow[]> {
  const people: PersonRow[] = [];
  const coverageIn = coverageReader(db, org_id);
  for (const one of await peopleWhoApprove(db, org_id)) {
    const coverage = plan === DEFAULT_POLICY ? undefined : await coverageIn(one.covers);
    if (one.covers === null || coverage?.holds([plan])) people.push(one);
  }
  return people;
}
