import type { Connection } from "../../storage/storage.ts";
import { Failure } from "../../kernel/failure.ts";
import { type LeftOpen, openedSince } from "../people/left-open.ts";
import { findPerson } from "../people/people.store.ts";
import { policiesOf, termsIn } from "./policies.store.ts";
import { whatLacks } from "./policy.ts";
import { whoCouldDecide } from "./who-could-decide.ts";
import { findPlanRules } from "../plans/plans.store.ts";
import { requestsWithoutApprover } from "./whose-turn.service.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";

/** The requests that only this person could approve. Throws `not_found`. */
export async function approvalsNeeding(
  db: Connection,
  { org_id, id, now }: { org_id: string; id: string; now: number },
): Promise<LeftOpen> {
  if (!await findPerson(db, { org_id, id })) throw new Failure("not_found");
  const before = await openApprovals(db, { org_id, now });
  return openedSince(before, await openApprovals(db, { org_id, now, without: id }));
}

/** Approvals of an organisation that no one can give; `without`: as if this person were gone. */
export async function openApprovals(
  db: Connection,
  { org_id, now, without }: { org_id: string; now: number; without?: string | undefined },
): Promise<LeftOpen> {
  const plans: LeftOpen["plans"] = [];
  for (const row of await policiesOf(db, { org_id })) {
    const { steps } = termsIn(row);
    const people = await whoCouldDecide(db, org_id, row.plan);
    const lacks = whatLacks(steps, people.filter(({ id }) => id !== without));
    if (lacks.length === 0) continue;
    const isDefault = row.plan === DEFAULT_POLICY;
    const name = isDefault ? "" : (await findPlanRules(db, org_id, row.plan))?.name ?? row.plan;
    plans.push({ plan: isDefault ? null : row.plan, name, lacks });
  }
  const requests = await requestsWithoutApprover(db, org_id, now, without);
  return { plans, key_requests: requests.map(({ id }) => id) };
}
