import { z } from "zod";
import { claimLink } from "../../contract/claim-link.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text } from "../../contract/values.ts";
import { grantInput } from "../keys/conditions.contract.ts";
import { chosenEnd } from "../keys/credentials.contract.ts";
import { reason, toDeveloper } from "./decision.contract.ts";

const tag = "Key requests (native)";

const failed = z.strictObject({ code: text, detail: text });

/** What became of each of several approvals; never a credential. */
export const approvals = z.strictObject({
  data: z.array(z.strictObject({
    id,
    approved: z.boolean(),
    key_id: nullable(text),
    claim: nullable(claimLink),
    error: nullable(failed),
  })),
}).meta({ id: "Approvals" });

/** What became of each of several declines. */
export const declines = z.strictObject({
  data: z.array(z.strictObject({ id, declined: z.boolean(), error: nullable(failed) })),
}).meta({ id: "Declines" });

const ids = z.array(id).min(1).max(100);
const seenRequests = z.array(z.object({
  id,
  revision: z.string().min(1).max(64)
    .meta({ description: "The `revision` that the request had when it was read." }),
})).min(1).max(100);

/** Approves several, each by itself. */
export const approveKeyRequests = defineEndpoint({
  id: "approveKeyRequests",
  method: "POST",
  path: "/v1/key-requests/approve",
  tag,
  summary:
    "Approve up to 100 key requests as they were seen, each by itself, and receive a claim link for each",
  description:
    "Each is approved in a transaction of its own, so that some may succeed and others fail; the answer has a result for each in the order in which they were sent.",
  permission: ["approve"],
  withinScope: true,
  body: z.object({
    requests: seenRequests,
    reason: reason.optional(),
    message: toDeveloper,
    expires_at: chosenEnd,
    conditions: grantInput.optional(),
  }).meta({ id: "ApproveManyInput" }),
  idempotent: true,
  response: approvals,
  errors: [...bodyErrors],
  example: {
    requests: [{
      id: "65b0c1d2e3f4a5b6c7d8e9f0",
      revision: "9f2c4a6b8d0e1f3a5c7b9d1e2f4a6c8b",
    }],
  },
});

/** Declines several, each by itself. */
export const declineKeyRequests = defineEndpoint({
  id: "declineKeyRequests",
  method: "POST",
  path: "/v1/key-requests/decline",
  tag,
  summary: "Decline up to 100 key requests, each by itself",
  description:
    "Each is declined in a transaction of its own, so that some may succeed and others fail; the answer has a result for each in the order in which they were sent.",
  permission: ["approve"],
  withinScope: true,
  body: z.object({ ids, reason: reason.optional() }).meta({ id: "DeclineManyInput" }),
  idempotent: true,
  response: declines,
  errors: [...bodyErrors],
  example: { ids: ["65b0c1d2e3f4a5b6c7d8e9f0"], reason: "The programme has ended." },
});
