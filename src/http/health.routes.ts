import { ok } from "../contract/envelope.ts";
import type { Edition } from "../contract/openapi.ts";
import { JsonText } from "../lib/json-text.ts";
import { version } from "../version.ts";
import { healthz, openapi, openapi31, readyz } from "./health.contract.ts";
import { bind } from "./mount.ts";

/** What operators and tools ask without a credential. */
export const healthRoutes = [
  bind(healthz, () => Promise.resolve(ok("alive"))),
  bind(readyz, async (ctx) => {
    await ctx.storage.ping();
    return ok("ready");
  }),
  bind(openapi, () => documentOf("3.2")),
  bind(openapi31, () => documentOf("3.1")),
];

const documents = new Map<Edition, JsonText>();

/** Written when it is first asked for, and its tools are loaded then: probes must not need every contract. */
async function documentOf(edition: Edition): Promise<JsonText> {
  const known = documents.get(edition);
  if (known) return known;
  const { toOpenApi } = await import("../contract/openapi.ts");
  const { endpoints } = await import("../contract/registry.ts");
  const document = new JsonText(JSON.stringify(toOpenApi(endpoints, version, edition)));
  documents.set(edition, document);
  return document;
}
