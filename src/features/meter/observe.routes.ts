import { bindFor } from "../../http/routes.ts";
import { observeKey, reportOpened } from "./observe.contract.ts";
import * as service from "./observe.service.ts";

const bind = bindFor<service.ObservingContext>();

/** What an old gateway asks while it still decides. */
export const observeRoutes = [
  bind(observeKey, (ctx, call) => service.observe(ctx, call.body, call.deadline, call.headers)),
  bind(reportOpened, (ctx, { body }) => service.opened(ctx, body.receipt)),
];
