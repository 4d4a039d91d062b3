import { bind, withNextPage } from "../../http/routes.ts";
import * as contract from "./deliveries.contract.ts";
import * as service from "./deliveries.service.ts";
import { countDeliveries } from "./deliveries.service.ts";
import * as linkContract from "./mailed-links.contract.ts";
import { mailedLinks } from "./mails.service.ts";
import { preview } from "./mails.service.ts";
import * as mailContract from "./mail.contract.ts";
import * as targetContract from "./targets.contract.ts";
import * as targets from "./targets.service.ts";
import { testTarget } from "./test-target.ts";

/** Who is told of changes, and what became of each message. */
export const deliveryRoutes = [
  bind(targetContract.listTargets, async (ctx, call) => {
    const page = await targets.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    targetContract.createTarget,
    (ctx, call) => targets.create(ctx, call.body, call.idempotency),
  ),
  bind(targetContract.getTarget, (ctx, { params }) => targets.get(ctx, params.id)),
  bind(
    targetContract.updateTarget,
    (ctx, { params, body }) => targets.update(ctx, params.id, body),
  ),
  bind(targetContract.deleteTarget, (ctx, { params }) => targets.remove(ctx, params.id)),
  bind(targetContract.pauseTarget, (ctx, { params }) => targets.pause(ctx, params.id, true)),
  bind(targetContract.resumeTarget, (ctx, { params }) => targets.pause(ctx, params.id, false)),
  bind(targetContract.deliverNow, (ctx, { params }) => targets.deliverNow(ctx, params.id)),
  bind(mailContract.previewMail, (ctx, { params, body }) => preview(ctx, params.id, body)),
  bind(linkContract.listMailedLinks, (ctx, { query }) => mailedLinks(ctx, query.ids)),
  bind(targetContract.testTarget, (ctx, { params }) => testTarget(ctx, params.id)),
  bind(
    targetContract.rotateTargetSecret,
    (ctx, call) => targets.rotate(ctx, call.params.id, call.body, call.idempotency),
  ),
  bind(contract.listDeliveries, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.countDeliveries, (ctx) => countDeliveries(ctx)),
  bind(contract.replayDeliveries, (ctx, { body }) => service.replayMany(ctx, body)),
  bind(contract.getDelivery, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.replayDelivery, (ctx, { params }) => service.replay(ctx, params.id)),
];
