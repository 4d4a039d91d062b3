import { ok } from "../contract/envelope.ts";
import { toOpenApi } from "../contract/openapi.ts";
import { endpoints } from "../contract/registry.ts";
import { JsonText } from "../lib/json-text.ts";
import { version } from "../version.ts";
import { healthz, openapi, readyz } from "./health.contract.ts";
import { bind } from "./mount.ts";

/** What operators and tools ask without a credential. */
export const healthRoutes = [
  bind(healthz, () => Promise.resolve(ok("alive"))),
  bind(readyz, async (ctx) => {
    await ctx.storage.ping();
    return ok("ready");
  }),
  bind(openapi, () => Promise.resolve(openApiText())),
];

let text: JsonText | undefined;

function openApiText(): JsonText {
  return text ??= new JsonText(JSON.stringify(toOpenApi(endpoints, version)));
}
