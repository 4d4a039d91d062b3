import type { ConfirmText } from "./confirm-texts-en.ts";

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
