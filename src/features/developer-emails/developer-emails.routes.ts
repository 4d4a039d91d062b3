import { bind, ifMatchOf } from "../../http/routes.ts";
import { languagePage, writtenPage } from "../keys/claims/written-page.ts";
import { getV1 } from "../developer-accounts/v1.service.ts";
import script from "./confirm.browser.js?text" with { type: "text" };
import link from "../keys/claims/link.browser.js?text" with { type: "text" };
import * as contract from "./developer-emails.contract.ts";
import * as service from "./developer-emails.service.ts";
import { linkHtml } from "../keys/claims/link-page.ts";
import { pageLanguage } from "../keys/claims/page-language.ts";
import german from "./confirm-texts-de.json" with { type: "json" };
import english from "./confirm-texts-en.json" with { type: "json" };

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
  bind(contract.confirmScript, writtenPage(link + script, "text/javascript")),
];

/** A text of the page. `{name}` in it stands for a value. */
type ConfirmText = keyof typeof english;

/**
 * The page of a link that confirms an address, for whoever accepts these languages: asks before it
 * confirms, since scanners of mails follow links.
 */
function confirmHtml(acceptLanguage: string | null): string {
  const language = pageLanguage<ConfirmText>({ en: english, de: german }, acceptLanguage);
  return linkHtml(language, {
    src: "confirm.js",
    main: (say) =>
      `<section id="ask" hidden>
<p id="what"></p>
<p>${say("ask")}</p>
<p><button id="confirm" type="button">${say("confirm")}</button></p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">${say("finished")}</h2>
<p id="next"></p>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">${say("gone")}</h2>
<p>${say("gone.note")}</p>
</section>`,
  });
}
