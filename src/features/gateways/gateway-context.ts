import type { ServiceContext } from "../../calls/context.ts";

/** The server's part that syncing gateways needs. */
export type GatewayContext = Pick<
  ServiceContext,
  "storage" | "clock" | "storeClock" | "sealer" | "settings" | "outbound" | "metrics"
>;
