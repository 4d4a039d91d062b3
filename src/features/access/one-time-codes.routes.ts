import { bind } from "../../http/routes.ts";
import * as contract from "./one-time-codes.contract.ts";
import * as service from "./one-time-codes.service.ts";

/** One's own one-time codes. */
export const oneTimeCodeRoutes = [
  bind(contract.getOneTimeCodes, (ctx) => service.get(ctx)),
  bind(contract.beginOneTimeCodes, (ctx) => service.begin(ctx)),
  bind(contract.createOneTimeCodes, (ctx, { body }) => service.setUp(ctx, body)),
  bind(contract.renewRecoveryCodes, (ctx) => service.renewRecovery(ctx)),
  bind(contract.deleteOneTimeCodes, async (ctx) => {
    await service.remove(ctx);
    return { removed: true as const };
  }),
];
