import { bind, withNextPage } from "../../../http/routes.ts";
import { claimHtml } from "./claim-page.ts";
import script from "./claim.browser.js?text" with { type: "text" };
import { style } from "./claim-style.ts";
import { claimLanguage } from "./claim-texts.ts";
import * as contract from "./claims.contract.ts";
import * as service from "./claims.service.ts";
import { languagePage, writtenPage } from "./written-page.ts";

/** Claims, and the page that their links lead to. */
export const claimRoutes = [
  bind(
    contract.openClaim,
    (ctx, call) => service.open(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(
    contract.previewClaim,
    (ctx, call) => service.preview(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(
    contract.readClaimFate,
    (ctx, call) => service.fate(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(contract.listClaims, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.withdrawClaim,
    (ctx, call) => service.withdraw(ctx, call.params.id, call.idempotency),
  ),
  bind(contract.claimPage, languagePage((accepted) => claimHtml(claimLanguage(accepted)))),
  bind(contract.claimScript, writtenPage(script, "text/javascript")),
  bind(contract.claimStyle, writtenPage(style, "text/css")),
];
