import { linkHtml } from "../keys/claims/link-page.ts";
import { pageLanguage } from "../keys/claims/page-language.ts";
import { german } from "./confirm-texts-de.ts";
import { type ConfirmText, english } from "./confirm-texts-en.ts";

/**
 * The page of a link that confirms an address, for whoever accepts these languages: asks before it
 * confirms, since scanners of mails follow links.
 */
export function confirmHtml(acceptLanguage: string | null): string {
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
