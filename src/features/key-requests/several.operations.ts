import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import { claimLink } from "../../contract/claim-link.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { grantInput } from "../keys/conditions.contract.ts";
import { chosenEnd } from "../keys/credentials.contract.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { reason, toDeveloper } from "./decision.contract.ts";
import { stepsMissing } from "./steps.transactions.ts";
import { type ApprovalTerms, approveOne, decline } from "./v1-decisions.service.ts";

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
export const approveKeyRequests = operation({
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
  serve(ctx: CatalogueContext, call) {
    const { requests, ...terms } = call.body;
    return approveMany(ctx, requests, terms, call.idempotency);
  },
});

/** Declines several, each by itself. */
export const declineKeyRequests = operation({
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
  serve(ctx: CatalogueContext, call) {
    const { ids, reason } = call.body;
    return declineMany(ctx, ids, reason, call.idempotency);
  },
});

/** A request as somebody has seen it. */
interface SeenRequest {
  id: string;
  revision: string;
}

/**
 * Approves several, each in a transaction of its own and only as it was seen; what is handed over
 * are claim links alone.
 */
async function approveMany(
  ctx: RequestContext,
  requests: readonly SeenRequest[],
  terms: Pick<ApprovalTerms, "reason" | "message" | "expires_at" | "conditions">,
  idempotency: Idempotency,
): Promise<z.output<typeof approvals>> {
  const data = await eachOf<SeenRequest, Outcome<typeof approvals>>(
    new Map(requests.map((one) => [`${one.id}\n${one.revision}`, one])).values(),
    async ({ id, revision }) => {
      // Of the same request seen twice, one must not get the other's answer.
      const part = partOf(idempotency, `${id}\n${revision}`);
      const call = { ifMatch: [revision], idempotency: part };
      const handed = { ...terms, deliver: "claim" } as const;
      const { approval } = await approveOne(ctx, id, handed, call);
      const { key_id, claim, missing } = approval;
      if (missing !== undefined) throw stepsMissing({ missing });
      return { id, approved: true, key_id, claim, error: null };
    },
    ({ id }, error) => ({ id, approved: false, key_id: null, claim: null, error }),
  );
  return { data };
}

/** Declines several, each in a transaction of its own. */
async function declineMany(
  ctx: RequestContext,
  ids: readonly string[],
  reason: string | undefined,
  idempotency: Idempotency,
): Promise<z.output<typeof declines>> {
  const data = await eachOf<string, Outcome<typeof declines>>(new Set(ids), async (id) => {
    await decline(ctx, id, reason, { ifMatch: null, idempotency: partOf(idempotency, id) });
    return { id, declined: true, error: null };
  }, (id, error) => ({ id, declined: false, error }));
  return { data };
}

/** The part of a bulk call's idempotency that one of its requests has: each is its own call. */
function partOf(idempotency: Idempotency, part: string): Idempotency {
  return idempotency && { ...idempotency, key: `${idempotency.key}\n${part}` };
}

/** What became of one request. */
type Outcome<Many extends typeof approvals | typeof declines> = z.output<Many>["data"][number];

/** Does the work for each, all at the same time; a failure is that one's alone. */
async function eachOf<One, R>(
  all: Iterable<One>,
  work: (one: One) => Promise<R>,
  failed: (one: One, error: { code: string; detail: string }) => R,
): Promise<R[]> {
  return await Promise.all(
    Array.from(all, async (one) => {
      try {
        return await work(one);
      } catch (error) {
        // What nobody foresaw is the whole call's failure, which the log then tells of.
        if (!(error instanceof Failure)) throw error;
        return failed(one, {
          code: error.code,
          detail: error.code === "precondition_failed"
            ? "This request has changed since it was read. Read it again."
            : error.message,
        });
      }
    }),
  );
}
