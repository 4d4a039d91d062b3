import { linkHtml } from "../keys/claims/link-page.ts";
import { pageLanguage } from "../keys/claims/page-language.ts";
import { linkScript } from "../keys/claims/link-script.ts";
import german from "./confirm-texts-de.json" with { type: "json" };
import english from "./confirm-texts-en.json" with { type: "json" };

/** A text of the page. `{name}` in it stands for a value. */
type ConfirmText = keyof typeof english;

/** What the page that confirms an address runs. */
export const script = linkScript({
  steps: ["ask", "finished", "gone", "unread"],
  preview: "v1/email-confirmations/preview",
  script: `
  const tell = ({ side, organisation, email, changed_at, expires_at }) => {
    fact(words("fact." + side), email);
    fact(words("fact.given"), time(changed_at));
    fact(words("fact.until"), time(expires_at));
    byId("what").textContent = words("what." + side, { name: organisation.name });
    show("ask");
  };

  byId("confirm").addEventListener("click", async () => {
    byId("confirm").disabled = true;
    say(words("confirming"));
    try {
      const confirmed = await ask("v1/email-confirmations");
      if (confirmed) {
        byId("next").textContent = words(
          confirmed.email_state === "proved" ? "finished.proved" : "finished.one",
        );
        show("finished", "finished-title");
      } else show("gone", "gone-title");
      say("");
    } catch {
      say(words("failed"));
      byId("confirm").disabled = false;
    }
  });
`,
});

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
