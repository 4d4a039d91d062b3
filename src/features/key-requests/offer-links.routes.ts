import { bind } from "../../http/routes.ts";
import { languagePage, writtenPage } from "../keys/claims/written-page.ts";
import * as contract from "./offer-links.contract.ts";
import * as service from "./offer-links.service.ts";
import { offerHtml } from "./offer-page.ts";
import script from "./offer.browser.js?text" with { type: "text" };
import link from "../keys/claims/link.browser.js?text" with { type: "text" };

/** Offers by the links of their mails, and the page of these. */
export const offerLinkRoutes = [
  bind(
    contract.previewOffer,
    (ctx, call) => service.preview(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(
    contract.acceptOfferByLink,
    (ctx, call) =>
      service.accept(ctx, call.body.token, ctx.clientAddresses.of(call), call.idempotency),
  ),
  bind(
    contract.answerOfferByLink,
    (ctx, call) => service.answer(ctx, call.body, ctx.clientAddresses.of(call), call.idempotency),
  ),
  bind(contract.offerPage, languagePage(offerHtml)),
  bind(contract.offerScript, writtenPage(link + script, "text/javascript")),
];
