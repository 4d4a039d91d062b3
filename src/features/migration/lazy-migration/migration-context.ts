import type { ServiceContext } from "../../../calls/context.ts";
import type { teachersOf } from "./lazy-migration.store.ts";

/** The server's part that lazy migration needs. */
export type LearningContext = Pick<
  ServiceContext,
  "storage" | "clock" | "sealer" | "settings" | "outbound"
>;

/** A gateway that teaches, and how it is called. */
export type Teacher = Awaited<ReturnType<typeof teachersOf>>[number];
