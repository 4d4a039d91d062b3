import { Answer } from "../kernel/answer.ts";
import { version } from "../kernel/version.ts";
import { hello } from "./hello.contract.ts";
import { checkReady } from "./readiness.ts";
import { bind } from "./routes.ts";

/** The same as /readyz in the original's words; apart, since those two load no schemas. */
export const helloRoutes = [
  bind(hello, async (ctx) => {
    const isReady = await checkReady(ctx, "everything").then(() => true, () => false);
    const [major = ""] = version.split(".");
    const told = { version: major, description: "Keydesk" } as const;
    return isReady
      ? new Answer({ status: "pass" as const, ...told })
      : new Answer({ status: "fail" as const, ...told }, {}, 503);
  }),
];
