import { bindFor, withNextPage } from "../../../http/routes.ts";
import * as apis from "./apis.contract.ts";
import * as apisService from "./apis.service.ts";
import * as keys from "./keys.contract.ts";
import * as keysService from "./keys.service.ts";
import * as me from "./me.contract.ts";
import * as meService from "./me.service.ts";
import type { MyContext } from "./own.ts";
import * as ownKeys from "./own-keys.service.ts";
import * as requests from "./requests.contract.ts";
import * as requestsService from "./requests.service.ts";

const bind = bindFor<MyContext>();

/** What a developer reads and does for themselves. */
export const myRoutes = [
  bind(me.getMe, (ctx) => meService.get(ctx)),
  bind(apis.listMyApis, async (ctx, call) => {
    const page = await apisService.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(apis.getMyApi, (ctx, { params }) => apisService.get(ctx, params.id)),
  bind(
    apis.getMyApiDocumentation,
    (ctx, { params }) => apisService.documentation(ctx, params.id),
  ),
  bind(requests.listMyRequests, async (ctx, call) => {
    const page = await requestsService.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(requests.getMyRequest, (ctx, { params }) => requestsService.get(ctx, params.id)),
  bind(
    requests.createMyRequest,
    (ctx, { body, idempotency }) => requestsService.create(ctx, body, idempotency),
  ),
  bind(requests.askMyLaterEnd, (ctx, { params, body, idempotency }) => {
    return requestsService.askForLaterEnd(ctx, params.id, body, idempotency);
  }),
  bind(requests.withdrawMyRequest, async (ctx, { params: { id } }) => {
    await requestsService.withdraw(ctx, id);
    return { id };
  }),
  bind(
    requests.acceptMyOffer,
    (ctx, { params, body, idempotency }) =>
      requestsService.accept(ctx, params.id, body.offer_id, idempotency),
  ),
  bind(
    requests.answerMyOffer,
    (ctx, { params, body, idempotency }) =>
      requestsService.answer(ctx, params.id, body, idempotency),
  ),
  bind(
    requests.addWordsToMyRequest,
    (ctx, { params, body }) => requestsService.addWords(ctx, params.id, body.words),
  ),
  bind(requests.remindOfMyRequest, (ctx, { params }) => requestsService.remind(ctx, params.id)),
  bind(keys.listMyKeys, async (ctx, call) => {
    const page = await keysService.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(keys.getMyKey, (ctx, { params }) => keysService.get(ctx, params.id)),
  bind(
    keys.openMyKey,
    (ctx, { params, idempotency }) => ownKeys.open(ctx, params.id, idempotency),
  ),
  bind(keys.rotateMyKey, (ctx, { params, body, idempotency }) => {
    return ownKeys.rotate(ctx, params.id, body.overlap_seconds, idempotency);
  }),
  bind(
    keys.suspendMyKey,
    (ctx, { params, idempotency }) => ownKeys.change(ctx, params.id, "suspend", idempotency),
  ),
  bind(
    keys.resumeMyKey,
    (ctx, { params, idempotency }) => ownKeys.change(ctx, params.id, "resume", idempotency),
  ),
  bind(
    keys.keepMyKey,
    (ctx, { params, idempotency }) => ownKeys.keep(ctx, params.id, idempotency),
  ),
  bind(keys.endMyKey, (ctx, { params }) => ownKeys.change(ctx, params.id, "revoke", null)),
];
