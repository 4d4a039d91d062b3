import type { ServiceContext } from "../../../calls/context.ts";
import type { sourcesOf } from "./lazy-migration.store.ts";

/** The server's part that lazy migration needs. */
export type MigrationContext = Pick<
  ServiceContext,
  "storage" | "clock" | "sealer" | "settings" | "outbound"
>;

/** A gateway that teaches, and how it is called. */
export type SourceGateway = Awaited<ReturnType<typeof sourcesOf>>[number];
