import { bind } from "../../http/routes.ts";
import * as contract from "./sso.contract.ts";
import * as service from "./sso.service.ts";

/** How an identity broker and a portal sign a developer in together. */
export const ssoRoutes = [
  bind(contract.createSsoNonce, async (ctx, { body }) => ({
    Status: "OK" as const,
    Message: "SSO Nonce created." as const,
    Meta: await service.createNonce(ctx, body),
  })),
  bind(contract.redeemSsoNonce, async (ctx, { body }) => ({
    developer_id: await service.redeem(ctx, body.nonce),
  })),
];
