import { bind, ifMatchOf } from "../../http/routes.ts";
import { languagePage, writtenPage } from "../keys/claims/written-page.ts";
import { getV1 } from "../developer-accounts/v1.service.ts";
import { confirmHtml } from "./confirm-page.ts";
import { script } from "./confirm-page.ts";
import * as contract from "./developer-emails.contract.ts";
import * as service from "./developer-emails.service.ts";

/** Confirmations of developers' addresses, and the page that their links lead to. */
export const developerEmailRoutes = [
  bind(contract.confirmDeveloperEmail, async (ctx, call) => {
    const { params: { id }, body, idempotency } = call;
    await service.confirmAsPerson(ctx, id, body, { ifMatch: ifMatchOf(call), idempotency });
    return await getV1(ctx, id);
  }),
  bind(
    contract.previewEmailConfirmation,
    (ctx, call) => service.preview(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(
    contract.confirmEmail,
    (ctx, call) => service.confirm(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(contract.confirmPage, languagePage(confirmHtml)),
  bind(contract.confirmScript, writtenPage(script, "text/javascript")),
];
