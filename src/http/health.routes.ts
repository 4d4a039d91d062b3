import { ok } from "../contract/envelope.ts";
import { Answer } from "../kernel/answer.ts";
import { version } from "../kernel/version.ts";
import { healthz, hello, readyz } from "./health.contract.ts";
import { bind } from "./routes.ts";

/** What operators ask without a credential. */
export const healthRoutes = [
  bind(healthz, () => Promise.resolve(ok("alive"))),
  bind(readyz, async (ctx) => {
    await ctx.storage.ping();
    return ok("ready");
  }),
  bind(hello, async (ctx) => {
    const isReady = await ctx.storage.ping().then(() => true, () => false);
    const [major = ""] = version.split(".");
    const told = { version: major, description: "Keydesk" } as const;
    return isReady
      ? new Answer({ status: "pass" as const, ...told })
      : new Answer({ status: "fail" as const, ...told }, { "retry-after": "1" }, 503);
  }),
];
