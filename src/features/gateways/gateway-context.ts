import type { ServiceContext } from "../../calls/context.ts";

/** What brings gateways to what is wanted needs of the desk. */
export type GatewayContext = Pick<
  ServiceContext,
  "storage" | "clock" | "storeClock" | "sealer" | "settings" | "outbound" | "figures"
>;
