import type { englishOfProviders } from "./texts-en-providers.ts";

/** The texts of sign-ins by a company's provider, in German. */
export const germanOfProviders: Readonly<Record<keyof typeof englishOfProviders, string>> = {
  "signin.nocode": "Codes werden hier nicht versandt. Melden Sie sich anders an.",
  "signin.go": "Weiter",
  "signin.other": "Andere Adresse oder Passwort",
  "provider.with": "Weiter mit {name}",
  "provider.leave": "Weiter zu {name}",
  "provider.on": "Weiter",
  "provider.back": "Sie werden angemeldet",
  "provider.refused": "Niemand wurde angemeldet",
  "provider.refused.text":
    "Diese Anmeldung begann in einem anderen Browser, dauerte länger als 10 Minuten, wurde schon benutzt oder dort beendet. Beginnen Sie sie noch einmal.",
  "provider.nobody": "Dieses Konto gehört hier noch niemandem",
  "provider.nobody.lead":
    "{provider} kennt Sie, aber hier ist niemand mit Ihrem Konto dort verknüpft.",
  "provider.nobody.up":
    "Wir senden sechs Ziffern an Ihre Adresse. Damit sind Sie registriert, und Ihr Konto bei {provider} meldet Sie künftig an.",
  "provider.known": "Schon registriert?",
  "provider.known.text":
    "Melden Sie sich wie bisher an, und verknüpfen Sie Ihr Konto bei {provider} auf der Seite Ihres Kontos.",
  "identities": "Konten, die Sie anmelden",
  "identities.lead": "Wer dort angemeldet ist, kommt hier als Sie herein.",
  "identities.gone": "Eine Anmeldung, die es nicht mehr gibt",
  "identities.since": "Verknüpft",
  "identities.link": "Ein Konto bei {name} verknüpfen",
  "identities.unlink": "Trennen",
  "identities.unlink.of": "Das Konto bei {provider} trennen",
  "account.by.provider": "über die Anmeldung eines Unternehmens",
  "done.linked": "Das Konto ist verknüpft. Es meldet Sie künftig an.",
  "done.unlinked": "Das Konto meldet Sie nicht mehr an.",
  "failed.provider_away":
    "Diese Anmeldung antwortet gerade nicht. Versuchen Sie es noch einmal, oder melden Sie sich anders an.",
  "failed.providers_unavailable":
    "Von dort kann niemand an diese Adresse zurückkommen. Schreiben Sie uns.",
  "failed.identity_taken": "Dieses Konto meldet schon jemanden an.",
  "failed.too_many_identities":
    "Sie haben so viele Konten, wie man haben kann. Trennen Sie zuerst eines.",
  "failed.last_way_in":
    "Sonst würde Sie nichts mehr anmelden. Wählen Sie zuerst ein Passwort, oder lassen Sie Ihre Adresse bestätigen.",
};
