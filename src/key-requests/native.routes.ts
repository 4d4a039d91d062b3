import { idempotencyOf } from "../http/idempotency.ts";
import { type AnyCall, bind } from "../http/mount.ts";
import { withNextPage } from "../http/next-page.ts";
import { ifMatchOf } from "../http/preconditions.ts";
import * as contract from "./native.contract.ts";
import * as decisions from "./native-decisions.service.ts";
import { countNative, getNative, listNative } from "./native-list.service.ts";

const carried = (call: AnyCall) => ({ ifMatch: ifMatchOf(call), idempotency: idempotencyOf(call) });

/** Key requests under `/v1`; the words `counts`, `approve` and `decline` stand before `/{id}`. */
export const nativeKeyRequestRoutes = [
  bind(contract.listNativeKeyRequests, async (ctx, call) => {
    const { text, next_cursor } = await listNative(ctx, call.query);
    return withNextPage(call, text, next_cursor);
  }),
  bind(contract.countKeyRequests, (ctx) => countNative(ctx)),
  bind(
    contract.approveKeyRequests,
    (ctx, call) => decisions.approveMany(ctx, call.body.ids, idempotencyOf(call)),
  ),
  bind(contract.declineKeyRequests, (ctx, call) => {
    const { ids, reason } = call.body;
    return decisions.declineMany(ctx, ids, reason, idempotencyOf(call));
  }),
  bind(contract.getNativeKeyRequest, (ctx, { params }) => getNative(ctx, params.id)),
  bind(contract.approveNativeKeyRequest, (ctx, call) => {
    const deliver = call.body.deliver ?? call.query.deliver ?? "answer";
    return decisions.approveOne(ctx, call.params.id, deliver, carried(call));
  }),
  bind(contract.declineKeyRequest, async (ctx, call) => {
    const { id } = call.params;
    await decisions.decline(ctx, id, call.body.reason, carried(call));
    return await getNative(ctx, id);
  }),
  bind(contract.reopenKeyRequest, async (ctx, call) => {
    const { id } = call.params;
    await decisions.reopen(ctx, id, carried(call));
    return await getNative(ctx, id);
  }),
  bind(contract.setDeclineReason, async (ctx, call) => {
    const { id } = call.params;
    await decisions.setReason(ctx, id, call.body.reason, carried(call));
    return await getNative(ctx, id);
  }),
];
