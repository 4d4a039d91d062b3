import type { z } from "zod";
import type { ServiceContext } from "../context.ts";
import type { serverInfo } from "./server-info.contract.ts";
import { schemaVersion } from "./server-info.store.ts";

/** What runs here: no path, address or secret among it, because every organisation's administrators may ask. */
export async function describe(
  { storage: { reader }, settings }: ServiceContext,
  version: string,
): Promise<z.output<typeof serverInfo>> {
  return {
    version,
    engine: reader.dialect,
    schema_version: await schemaVersion(reader),
    uptime_seconds: Math.floor(performance.now() / 1000),
    settings: {
      page_size: settings.pageSize,
      references: settings.references,
      mask_secrets: settings.maskSecrets,
      certs_filter: settings.filterAlways ? "always" : "detailed",
    },
  };
}
