import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import type { assignKeyRequest, listTeam } from "./assign.contract.ts";
import { assignRequest } from "./assign.transactions.ts";
import { personOf } from "./assigned.ts";
import { teamOf } from "./team.ts";
import { findV1 } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

type Sent = z.output<typeof assignKeyRequest.body & z.ZodType>;

/** Assigns a request. Throws what the endpoint lists. */
export async function assign(
  { storage, principal, clock }: RequestContext,
  id: string,
  { assignee, instead_of }: Sent,
): Promise<void> {
  const actor = actorOf(principal, clock.now());
  await storage.commit(assignRequest, {
    actor,
    id,
    assignee: personOf(principal, assignee),
    insteadOf: instead_of === undefined ? undefined : personOf(principal, instead_of),
  });
}

/** Who sees a request and may approve. Throws `not_found`. */
export async function team(
  { storage: { reader }, principal }: RequestContext,
  id: string,
): Promise<z.output<typeof listTeam.response>> {
  const { org_id } = principal;
  const row = await findV1(reader, { org_id, id });
  const coverage = await coverageOfCaller(reader, principal);
  if (!row || (coverage && !isWithin(coverage, row))) throw new Failure("not_found");
  return { data: await teamOf(reader, { org_id, id, head: row.head, policy: row.policy }) };
}
