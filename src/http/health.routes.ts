import { ok } from "../contract/envelope.ts";
import { healthz, readyz } from "./health.contract.ts";
import { Failure } from "../kernel/failure.ts";
import { bind } from "./routes.ts";

/** What operators ask without an access token. */
export const healthRoutes = [
  bind(healthz, () => Promise.resolve(ok("alive"))),
  bind(readyz, async (ctx) => {
    await ctx.storage.ping();
    if (ctx.troubles.stops("writes")) throw new Failure("unavailable");
    return ok("ready");
  }),
];
