import { linkHtml } from "../keys/claims/link-page.ts";
import { pageLanguage } from "../keys/claims/page-language.ts";
import { linkScript } from "../keys/claims/link-script.ts";

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

/** What the page that confirms an address says. */
export const german: Readonly<Record<ConfirmText, string>> = {
  title: "Eine E-Mail-Adresse bestätigen",
  script: "Diese Seite braucht JavaScript, um Ihre Adresse zu bestätigen.",
  "what.new":
    "Jemand hat diese Adresse für ein Konto bei {name} angegeben. Bestätigen Sie sie, wenn Sie das waren.",
  "what.old":
    "Die Adresse Ihres Kontos bei {name} wurde auf diese geändert. Bestätigen Sie sie, wenn Sie das waren.",
  ask: "Waren Sie es nicht, schließen Sie diese Seite: Wer sie nur liest, bestätigt nichts.",
  confirm: "Bestätigen",
  finished: "Bestätigt",
  "finished.proved": "Die Adresse ist bestätigt.",
  "finished.one": "Vielen Dank. Die Adresse gilt, sobald auch die andere Seite sie bestätigt hat.",
  gone: "Dieser Link bestätigt nichts",
  "gone.note":
    "Er wurde schon benutzt, ist abgelaufen, oder ein Teil fehlt. Bitten Sie den Betreiber des Portals um einen neuen.",
  unread: "Der Link konnte gerade nicht gelesen werden",
  "unread.note": "Nichts wurde verbraucht.",
  again: "Noch einmal versuchen",
  help: "Waren Sie es nicht, oder etwas sieht falsch aus? Schreiben Sie an",
  reading: "Der Link wird gelesen …",
  confirming: "Wird bestätigt …",
  failed: "Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.",
  "fact.new": "Adresse",
  "fact.old": "Neue Adresse",
  "fact.given": "Angegeben",
  "fact.until": "Bis",
};

/** What the page that confirms an address says. `{name}` stands for a value. */
export const english = {
  title: "Confirm an e-mail address",
  script: "This page needs JavaScript to confirm your address.",
  "what.new": "Somebody gave this address for an account at {name}. Confirm it if that was you.",
  "what.old":
    "The address of your account at {name} was changed to this one. Confirm it if that was you.",
  ask: "If it was not you, close this page: nothing is confirmed by reading it.",
  confirm: "Confirm",
  finished: "Confirmed",
  "finished.proved": "The address is confirmed.",
  "finished.one": "Thank you. The address counts once the other side has confirmed it, too.",
  gone: "This link confirms nothing",
  "gone.note":
    "It was used already, has expired, or a part of it is missing. Ask whoever runs the portal for a new one.",
  unread: "The link could not be read now",
  "unread.note": "Nothing was used up.",
  again: "Try again",
  help: "Not you, or it looks wrong? Write to",
  reading: "Reading the link…",
  confirming: "Confirming…",
  failed: "That did not work. Try again in a moment.",
  "fact.new": "Address",
  "fact.old": "New address",
  "fact.given": "Given",
  "fact.until": "Until",
} as const;

/** The same in any language. */
type ConfirmText = keyof typeof english;
