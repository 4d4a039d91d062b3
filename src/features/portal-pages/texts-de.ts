import type { Catalogue } from "./texts-en.ts";

/** The texts of the developer's pages in German. */
export const german: Catalogue = {
  "site": "Entwickler",
  "skip": "Zum Inhalt",
  "title": "{page} – {site}",
  "nav": "Seiten",
  "nav.account": "Konto",
  "language": "Sprache",
  "language.set": "Diese Sprache verwenden",
  "help": "Stimmt etwas nicht? Schreiben Sie an",

  "signin": "Anmelden",
  "signin.lead":
    "Um die APIs von {organisation} zu sehen, Schlüssel zu beantragen und zu verwalten.",
  "signin.email": "E-Mail",
  "signin.code": "Code zusenden",
  "signin.code.note": "Sechs Ziffern per E-Mail. Ein Passwort ist nicht nötig.",
  "signin.password": "Passwort",
  "signin.password.title": "Mit Passwort anmelden",
  "signin.password.do": "Anmelden",
  "signin.nothing":
    "Zurzeit kann sich hier niemand anmelden: Codes werden nicht versandt, und Passwörter sind abgeschaltet.",
  "signin.up": "Neu hier?",
  "signin.up.do": "Registrieren",
  "signin.wrong":
    "Adresse und Passwort gehören nicht zusammen. Prüfen Sie beides, oder melden Sie sich mit einem Code an.",

  "code": "Ihr Code",
  "code.sent": "Wenn diese Adresse sich anmelden darf, sind sechs Ziffern unterwegs an",
  "code.label": "Sechs Ziffern",
  "code.do": "Anmelden",
  "code.note":
    "Er gilt einmal, 10 Minuten lang, nur in diesem Browser. Mit Skript werden Sie nach der sechsten Ziffer angemeldet.",
  "code.again": "Andere Adresse oder neuer Code",
  "code.spam": "Nach einer Minute keine E-Mail? Sehen Sie im Spam-Ordner nach.",
  "code.wrong":
    "Diese Ziffern öffnen nichts: Prüfen Sie sie. Nach fünf falschen oder nach 10 Minuten brauchen Sie einen neuen Code.",
  "code.none": "In diesem Browser gibt es keinen Code einzugeben. Fordern Sie einen an.",

  "signup": "Registrieren",
  "signup.lead": "Wir senden sechs Ziffern an Ihre Adresse; mit ihnen sind Sie drin.",
  "signup.do": "Code zusenden",
  "signup.rule.invitation": "Zum Registrieren brauchen Sie eine Einladung von {organisation}.",
  "signup.rule.domains":
    "Registrieren können Sie sich mit einer Adresse dieser Domains oder mit einer Einladung: {domains}.",
  "signup.in": "Schon registriert?",
  "signup.long":
    "Diese Antworten sind zusammen zu lang. Kürzen Sie sie; mehr können Sie später sagen.",

  "prove": "Noch ein Schritt",
  "prove.lead":
    "Eine andere Seite hat Sie angemeldet. Um einen Schlüssel auszugeben, zu wechseln oder zu beenden, brauchen Sie einen Code, der Ihnen zugesandt wird.",
  "prove.do": "Code zusenden",
  "prove.enter": "Bestätigen",

  "enter": "Sie werden angemeldet",
  "enter.lead": "Eine andere Seite schickt Sie hierher, angemeldet als Sie selbst.",
  "enter.do": "Weiter",
  "enter.noscript":
    "Diese Seite braucht JavaScript, um Ihren Link zu lesen. Melden Sie sich stattdessen an:",
  "enter.gone":
    "Dieser Link öffnet nichts mehr: Er gilt einmal, eine Minute lang. Melden Sie sich stattdessen an.",

  "account": "Konto",
  "account.you": "Sie",
  "account.name": "Name",
  "account.email": "E-Mail",
  "account.none": "nicht angegeben",
  "account.sessions": "Wo Sie angemeldet sind",
  "account.browser": "Unbekannter Browser",
  "account.current": "Dieser Browser",
  "account.used": "Zuletzt benutzt",
  "account.begun": "Angemeldet",
  "account.by.code": "mit Code",
  "account.by.password": "mit Passwort",
  "account.by.link": "durch eine andere Seite",
  "account.by.nonce": "durch eine andere Seite",
  "account.end": "Beenden",
  "account.end.of": "Die Sitzung von {browser} beenden",
  "account.end.all": "Überall abmelden",
  "account.out": "Abmelden",

  "field.required": "nötig",

  "gone": "Hier ist nichts",
  "gone.text": "Diese Adresse führt nirgendwohin, oder was dort war, gehört Ihnen nicht.",
  "gone.home": "Zur ersten Seite",
  "off": "Hier gibt es keine Seiten für Entwickler",
  "off.text": "Sie sind abgeschaltet oder unter einer anderen Adresse.",
  "failed": "Das ging nicht",
  "failed.csrf":
    "Dieses Formular kam nicht von diesen Seiten, oder es war zu lange offen. Öffnen Sie die Seite neu und senden Sie es von dort; geändert wurde nichts.",
  "failed.wait":
    "Von hier kamen zu viele Versuche. Warten Sie {seconds, plural, one {# Sekunde} other {# Sekunden}} und versuchen Sie es noch einmal.",
  "failed.unavailable":
    "Der Dienst erreicht seinen Speicher zurzeit nicht. Ihre Schlüssel gelten wie bisher. Versuchen Sie es gleich noch einmal.",
  "failed.input": "So kann das nicht angenommen werden: {why}.",
  "failed.other": "Der Dienst hat das abgelehnt: {why}",
};
