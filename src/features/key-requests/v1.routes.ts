import type { z } from "zod";
import type { Delivery } from "../../contract/claim-link.ts";
import type { AnyCall } from "../../http/call.ts";
import { restartKeyRequestApproval } from "./restart-approval.contract.ts";
import { listApprovalsOfPerson } from "./open-approvals.contract.ts";
import { approvalsNeeding } from "./open-approvals.service.ts";
import { bindFor, ifMatchOf, withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { saidOf } from "../keys/key-labels.ts";
import { create } from "./key-requests.service.ts";
import * as assigned from "./assign.contract.ts";
import * as assigning from "./assign.service.ts";
import * as commented from "./comments.contract.ts";
import * as comments from "./comments.service.ts";
import { countKeyRequests } from "./counts.contract.ts";
import { exportRequests } from "./export.service.ts";
import { listHints } from "./hints.contract.ts";
import { hintsOf } from "./hints.service.ts";
import * as decisions from "./v1-decisions.service.ts";
import { countV1 } from "./v1-counts.service.ts";
import { getV1, listV1 } from "./v1-list.service.ts";
import { reissueKeyEndpoint } from "./reissue.contract.ts";
import * as offers from "./offers.contract.ts";
import { withProvisioned } from "./provisioned-answer.ts";
import * as contract from "./v1.contract.ts";

const bind = bindFor<CatalogueContext>();

const carried = (call: AnyCall) => ({
  ifMatch: ifMatchOf(call),
  idempotency: call.idempotency,
});

/** Key requests under `/v1`; `counts` and `export` come before `/{id}`. */
export const v1KeyRequestRoutes = [
  bind(contract.listNativeKeyRequests, async (ctx, call) => {
    const { text, next_cursor } = await listV1(ctx, call.query);
    return withNextPage(call, text, next_cursor);
  }),
  bind(contract.createNativeKeyRequest, async (ctx, { body, idempotency }) => {
    return await changed(ctx, await create(ctx, askedFor(body), idempotency));
  }),
  bind(countKeyRequests, (ctx) => countV1(ctx)),
  bind(
    contract.exportKeyRequests,
    async (ctx, { query: { bom, ...query } }) => marked(await exportRequests(ctx, query), bom),
  ),
  bind(contract.getNativeKeyRequest, (ctx, { params }) => getV1(ctx, params.id)),
  bind(listHints, (ctx, { params }) => hintsOf(ctx, params.id)),
  bind(contract.approveNativeKeyRequest, async (ctx, call) => {
    const { params, query, body } = call;
    const deliver = deliveryOf(body.deliver, query.deliver);
    const { reason, message, expires_at, conditions } = body;
    const labels = saidOf(body);
    const terms = { deliver, reason, message, expires_at, conditions, labels };
    const of = await decisions.approveOne(ctx, params.id, terms, carried(call));
    return await withProvisioned(ctx, call, of.approval, of.at_gateways);
  }),
  bind(offers.offerForKeyRequest, async (ctx, call) => {
    const { id } = call.params;
    await decisions.offer(ctx, id, call.body, carried(call));
    return await changed(ctx, id);
  }),
  bind(offers.withdrawOffer, async (ctx, call) => {
    const { id } = call.params;
    await decisions.withdrawOffer(ctx, id, carried(call));
    return await changed(ctx, id);
  }),
  bind(assigned.assignKeyRequest, async (ctx, { params: { id }, body }) => {
    await assigning.assign(ctx, id, body);
    return await changed(ctx, id);
  }),
  bind(assigned.listTeam, (ctx, { params }) => assigning.team(ctx, params.id)),
  bind(
    commented.listComments,
    async (ctx, call) => {
      const page = await comments.list(ctx, call.params.id, call.query);
      return withNextPage(call, page, page.next_cursor);
    },
  ),
  bind(
    commented.addComment,
    (ctx, call) => comments.add(ctx, call.params.id, call.body, call.idempotency),
  ),
  bind(
    commented.removeComment,
    (ctx, { params }) => comments.remove(ctx, params.id, params.comment_id),
  ),
  bind(contract.declineKeyRequest, async (ctx, call) => {
    const { id } = call.params;
    await decisions.decline(ctx, id, call.body.reason, carried(call));
    return await changed(ctx, id);
  }),
  bind(contract.reopenKeyRequest, async (ctx, call) => {
    const { id } = call.params;
    await decisions.reopen(ctx, id, carried(call));
    return await changed(ctx, id);
  }),
  bind(restartKeyRequestApproval, async (ctx, call) => {
    const { id } = call.params;
    await decisions.restart(ctx, id, carried(call));
    return await changed(ctx, id);
  }),
  bind(listApprovalsOfPerson, async ({ storage: { reader }, principal, clock }, { params }) => {
    const { org_id } = principal;
    return await approvalsNeeding(reader, { org_id, id: params.id, now: clock.now() });
  }),
  bind(
    reissueKeyEndpoint,
    (ctx, call) =>
      decisions.reissue(ctx, call.params.id, call.query.deliver ?? "answer", call.idempotency),
  ),
  bind(contract.setDeclineReason, async (ctx, call) => {
    const { id } = call.params;
    await decisions.setReason(ctx, id, call.body.reason, carried(call));
    return await changed(ctx, id);
  }),
];

/**
 * A request behind a change that was made. Where it was deleted since there is nothing to show, and
 * `not_found` would say that nothing was done. Throws `deleted_meanwhile`.
 */
async function changed(ctx: CatalogueContext, id: string) {
  try {
    return await getV1(ctx, id);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "not_found")) throw error;
    throw new Failure("deleted_meanwhile");
  }
}

/**
 * What body and query say of it. Throws `invalid_input` where they differ: one of them would show a
 * key by a slip.
 */
function deliveryOf(inBody: Delivery | undefined, inQuery: Delivery | undefined): Delivery {
  if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery) {
    const message = "deliver: expected the same as in the query";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return inBody ?? inQuery ?? "answer";
}

/** As the older interface asks. Throws `invalid_input` where no plan is named. */
function askedFor({ plans, remove_plans, ...others }: z.output<typeof contract.newKeyRequest>) {
  if (!others.for_plan && !plans?.length) {
    const message = "for_plan: required, or plans";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return { ...others, apply_policies: plans, remove_policies: remove_plans };
}
