import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { entityTag } from "../../contract/v1.ts";
import { id, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { assignRequest } from "./assign.transactions.ts";
import { personOf } from "./assigned.ts";
import { teamOf } from "./team.ts";
import { changedV1 } from "./v1-list.service.ts";
import { keyRequestDetail } from "./v1.contract.ts";
import { findV1 } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

const tag = "Key requests";

const assignInput = z.object({
  assignee: id.meta({
    description: "A person by their id, `me`: the caller, or `nobody`.",
  }),
  instead_of: id.optional().meta({
    description:
      "The assignee that you have seen, in the same words. If another person is assigned: `assigned_meanwhile`. Absent: any assignee.",
  }),
}).meta({ id: "AssignInput" });

/** Assigns. */
export const assignKeyRequest = operation({
  id: "assignKeyRequest",
  method: "PUT",
  path: "/v1/key-requests/{id}/assignee",
  tag,
  summary: "Assign a waiting key request to a person who may decide it, or unassign it",
  description:
    "A hint for the team: all others who may decide it still may, and `revision` stays. The assignee is mailed, unless they assigned it to themselves.",
  permission: ["approve"],
  withinScope: true,
  body: assignInput,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [
    ...bodyErrors,
    "not_found",
    "deleted_meanwhile",
    "own_request",
    "already_decided",
    "assignee_may_not_decide",
    "assigned_meanwhile",
  ],
  example: { assignee: "me", instead_of: "nobody" },
  async serve(ctx: CatalogueContext, { params: { id }, body }) {
    await assign(ctx, id, body);
    return await changedV1(ctx, id);
  },
});

const keyRequestTeam = z.strictObject({
  data: z.array(z.strictObject({
    id: text,
    name: text,
    may_decide: z.boolean().meta({
      description: "Whether its policy lets them decide; of steps, in any of them.",
    }),
  })),
}).meta({ id: "KeyRequestTeam" });

/** Lists the people who may work on it. */
export const listTeam = operation({
  id: "listTeamOfKeyRequest",
  method: "GET",
  path: "/v1/key-requests/{id}/team",
  tag,
  summary: "List people who see a key request and may approve requests, also its own requester",
  description: "The oldest first, 200 at the most. It can be assigned to those who may decide it.",
  permission: ["approve"],
  withinScope: true,
  response: keyRequestTeam,
  errors: ["not_found"],
  async serve({ storage: { reader }, principal }: CatalogueContext, { params: { id } }) {
    const { org_id } = principal;
    const row = await findV1(reader, { org_id, id });
    const coverage = await coverageOfCaller(reader, principal);
    if (!row || (coverage && !isWithin(coverage, row))) throw new Failure("not_found");
    return { data: await teamOf(reader, { org_id, id, head: row.head, policy: row.policy }) };
  },
});

type Sent = z.output<typeof assignInput>;

/** Assigns a request. Throws what the endpoint lists. */
async function assign(
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
