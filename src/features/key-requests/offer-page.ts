import { linkHtml } from "../keys/one-time-links/link-page.ts";
import { pageLanguage } from "../keys/one-time-links/page-language.ts";
import german from "./offer-texts-de.json" with { type: "json" };
import english from "./offer-texts-en.json" with { type: "json" };

/** A text of the page. `{name}` in it represents a value. */
type OfferText = keyof typeof english;

/**
 * The page of a link that answers an offer, for anyone who accepts these languages: asks before it
 * answers, since scanners of mails follow links.
 */
export function offerHtml(acceptLanguage: string | null): string {
  const language = pageLanguage<OfferText>({ en: english, de: german }, acceptLanguage);
  return linkHtml(language, {
    src: "offer.js",
    main: (say) =>
      `<section id="ask" hidden>
<p>${say("ask")}</p>
<p class="buttons"><button id="accept" type="button">${
        say("accept")
      }</button> <button id="turn-down" class="plain" type="button">${say("turn-down")}</button></p>
<p><label for="words">${say("own")}</label></p>
<p><textarea id="words" rows="3" maxlength="2000"></textarea></p>
<p><button id="answer" class="plain" type="button">${say("answer")}</button></p>
</section>
<section id="accepted" hidden>
<h2 id="accepted-title" tabindex="-1">${say("accepted")}</h2>
<p>${say("accepted.note")}</p>
<p><a id="key" rel="noopener">${say("open")}</a></p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">${say("finished")}</h2>
<p>${say("finished.note")}</p>
</section>
<section id="over" hidden>
<h2 id="over-title" tabindex="-1"></h2>
<p id="over-why"></p>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">${say("gone")}</h2>
<p>${say("gone.note")}</p>
</section>`,
  });
}
