import type { OfferText } from "./offer-texts-en.ts";

/** What the page of an offer's link says. */
export const german: Readonly<Record<OfferText, string>> = {
  title: "Ein Angebot zu Ihrer Anfrage",
  script: "Diese Seite braucht JavaScript, um ein Angebot zu beantworten.",
  ask:
    "Bevor Sie annehmen, gibt es keinen Schlüssel. Wer diese Seite nur liest, beantwortet nichts.",
  accept: "Annehmen",
  "turn-down": "Ablehnen",
  own: "Oder mit eigenen Worten antworten",
  answer: "Antwort senden",
  accepted: "Angenommen",
  "accepted.note":
    "Ihr Schlüssel kann geöffnet werden. Der Link zeigt ihn einmal; er kommt auch per E-Mail, wo E-Mails über Genehmigungen verschickt werden.",
  open: "Meinen Schlüssel öffnen",
  finished: "Vielen Dank",
  "finished.note": "Ihre Antwort ist angekommen. Nun entscheiden wieder Menschen über die Anfrage.",
  gone: "Das ist kein Link eines Angebots",
  "gone.note":
    "Ein Teil fehlt, oder die Anfrage gibt es nicht mehr. Öffnen Sie den ganzen Link aus der E-Mail.",
  unread: "Der Link konnte gerade nicht gelesen werden",
  "unread.note": "Nichts wurde beantwortet.",
  again: "Noch einmal versuchen",
  help: "Fragen? Schreiben Sie an",
  reading: "Der Link wird gelesen …",
  sending: "Wird gesendet …",
  failed: "Das hat nicht geklappt. Versuchen Sie es gleich noch einmal.",
  "over.accepted": "Schon angenommen",
  "over.accepted.why":
    "Dieser Link wurde benutzt: Ihr Schlüssel kann geöffnet werden oder wurde schon geöffnet.",
  "over.turned_down": "Schon abgelehnt",
  "over.turned_down.why":
    "Dieser Link wurde benutzt: Nun entscheiden wieder Menschen über die Anfrage.",
  "over.answered": "Schon beantwortet",
  "over.answered.why":
    "Dieser Link wurde benutzt: Nun entscheiden wieder Menschen über die Anfrage.",
  "over.expired": "Die Zeit ist abgelaufen",
  "over.expired.why":
    "Das Angebot kann nicht mehr angenommen werden. Die Anfrage wartet wie zuvor.",
  "over.over": "Dieses Angebot gibt es nicht mehr",
  "over.over.why":
    "Es wurde zurückgezogen oder durch ein anderes ersetzt, oder die Anfrage wurde anders entschieden.",
  "fact.asked": "Sie haben angefragt",
  "fact.offered": "Angeboten",
  "fact.rate": "Rate",
  "fact.quota": "Kontingent",
  "fact.addresses": "Nur von",
  "fact.ends": "Schlüssel endet",
  "fact.review": "Wird geprüft am",
  "fact.message": "Nachricht",
  "fact.until": "Antwort bis",
  calls: "{count} Aufrufe {span}",
  "span.1": "je Sekunde",
  "span.60": "je Minute",
  "span.3600": "je Stunde",
  "span.86400": "je Tag",
  span: "in {time}",
  "span.all": "insgesamt",
};
