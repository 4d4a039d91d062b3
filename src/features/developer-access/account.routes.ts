import { bindFor } from "../../http/routes.ts";
import { Answer } from "../../kernel/answer.ts";
import type { AccountContext } from "../developer-accounts/developer-accounts.service.ts";
import * as contract from "./account.contract.ts";
import * as service from "./account.service.ts";

const bind = bindFor<AccountContext>();

/** What developers keep of themselves. */
export const developerOwnAccountRoutes = [
  bind(contract.getMyProfile, (ctx) => service.get(ctx)),
  bind(contract.putMyProfile, (ctx, { body }) => service.setFields(ctx, body.fields)),
  bind(contract.getMyMails, (ctx) => service.getMails(ctx)),
  bind(contract.putMyMails, (ctx, { body }) => service.setMails(ctx, body)),
  bind(contract.putMyPassword, async (ctx, { body }) => ({
    ended: await service.setPassword(ctx, body.password),
  })),
  bind(
    contract.askForEmailCode,
    async (ctx, { body }) => new Answer(await service.askEmailCode(ctx, body.email), {}, 202),
  ),
  bind(contract.putMyEmail, (ctx, { body }) => service.setEmail(ctx, body)),
];
