import type { englishOfWaiting } from "./texts-en-waiting.ts";

/** The texts of a request that waits, and of a key that is on its way, in German. */
export const germanOfWaiting: Readonly<Record<keyof typeof englishOfWaiting, string>> = {
  "request.pending.text": "Menschen bei {organisation} entscheiden darüber.",
  "request.usual": "Entscheidungen dauern",
  "request.about": "das wäre etwa",
  "request.ends": "Entscheidet niemand, endet er:",
  "request.expired":
    "Niemand bei {organisation} hat rechtzeitig entschieden; damit ist er abgelehnt. Sie können ihn noch einmal stellen.",
  "request.withdraw": "Zurückziehen",
  "request.withdraw.sure": "Diesen Antrag zurückziehen: Er ist dann weg, mit seinen Antworten.",
  "request.withdraw.do": "Ja, zurückziehen",
  "request.withdrawn": "Der Antrag ist zurückgezogen.",
  "request.undo": "Rückgängig machen",
  "remind.since": "diese dauert länger, seit",
  "remind.do": "Erinnern",
  "remind.note": "Einmal am Tag. Wer entscheidet, erfährt, dass Sie warten.",
  "remind.said": "Erinnert wurde:",
  "failed.offer_waits": "Ein Angebot wartet auf Ihre Antwort.",
  "failed.not_late":
    "Erinnert wird an Anträge, die länger dauern als üblich. Bei diesem ist es noch nicht so weit.",
  "failed.reminded_already":
    "An diesen Antrag haben Sie in den letzten 24 Stunden erinnert. Einmal am Tag geht es.",
  "words.add": "Etwas hinzufügen",
  "words.label": "Für die, die entscheiden",
  "words.note": "An dem, was Sie beantragt haben, ändert es nichts.",
  "words.send": "Hinzufügen",
  "words.said": "Sie haben hinzugefügt:",
  "failed.too_many_words":
    "Zu diesem Antrag haben Sie so oft etwas hinzugefügt, wie man darf. Warten Sie auf die Entscheidung, oder ziehen Sie ihn zurück.",
  "way": "Noch nicht da",
  "way.none":
    "Er öffnet gleich: {of, plural, one {Das Gateway kennt} other {# Gateways kennen}} ihn noch nicht.",
  "way.some": "Er öffnet an {there} von {of} Gateways; die übrigen folgen.",
  "way.soon": "Sie müssen nichts tun.",
  "way.late": "Es dauert länger als sonst. Die Betreiber wissen davon; Sie müssen nichts tun.",
};
