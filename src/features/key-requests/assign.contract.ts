import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { entityTag } from "../../contract/v1.ts";
import { id, text } from "../../contract/values.ts";
import { keyRequestDetail } from "./v1.contract.ts";

const tag = "Key requests (native)";

/** Assigns. */
export const assignKeyRequest = defineEndpoint({
  id: "assignKeyRequest",
  method: "PUT",
  path: "/v1/key-requests/{id}/assignee",
  tag,
  summary: "Assign a key request that waits to somebody who may decide it, or to nobody",
  description:
    "A hint for the team: everybody else who may decide it still may, and `revision` stays what it was. The assignee is mailed, unless they assigned it to themselves.",
  permission: ["approve"],
  withinScope: true,
  body: z.object({
    assignee: id.meta({
      description: "A person by their id, `me`: whoever calls, or `nobody`.",
    }),
    instead_of: id.optional().meta({
      description:
        "Who has it by what you have seen, in the same words. Where somebody else has it: `assigned_meanwhile`. Absent: whoever has it.",
    }),
  }).meta({ id: "AssignInput" }),
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
});

/** Who works on it. */
export const listTeam = defineEndpoint({
  id: "listTeamOfKeyRequest",
  method: "GET",
  path: "/v1/key-requests/{id}/team",
  tag,
  summary: "List who sees a key request and may approve requests, whoever's own it is left out",
  description: "The oldest first, 200 at the most. It can be assigned to those who may decide it.",
  permission: ["approve"],
  withinScope: true,
  response: z.strictObject({
    data: z.array(z.strictObject({
      id: text,
      name: text,
      may_decide: z.boolean().meta({
        description: "Whether its policy lets them decide; of steps, in any of them.",
      }),
    })),
  }).meta({ id: "KeyRequestTeam" }),
  errors: ["not_found"],
});
