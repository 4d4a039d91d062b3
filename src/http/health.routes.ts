import { ok } from "../contract/envelope.ts";
import { healthz, livez, readyz } from "./health.contract.ts";
import { checkReady, describeLastCommit, markOf } from "./readiness.ts";
import { bind } from "./routes.ts";

/** What operators ask without an access token. */
export const healthRoutes = [
  bind(healthz, () => Promise.resolve(ok("alive"))),
  bind(livez, () => Promise.resolve(ok("alive"))),
  bind(readyz, async (ctx, { query }) => {
    await checkReady(ctx, query.for ?? "everything");
    const Store = await markOf(ctx);
    return {
      ...ok("ready"),
      Writing: { last_commit: describeLastCommit(ctx) },
      ...Store === undefined ? {} : { Store },
    };
  }),
];
