import type { englishOfEntering } from "./texts-en-enter.ts";

/** The texts of a link of another site that signs in, in German. */
export const germanOfEntering: Readonly<Record<keyof typeof englishOfEntering, string>> = {
  "enter": "Sie werden angemeldet",
  "enter.lead": "Eine andere Seite schickt Sie hierher, angemeldet als Sie selbst.",
  "enter.do": "Weiter",
  "enter.noscript":
    "Diese Seite braucht JavaScript, um Ihren Link zu lesen. Melden Sie sich stattdessen an:",
  "swap": "Sie sind als jemand anderes angemeldet",
  "swap.here": "Sie sind hier als {name} angemeldet.",
  "swap.link": "Der Link, über den Sie kamen, meldet {name} an.",
  "swap.do": "Als {name} anmelden",
  "swap.stay": "Als {name} angemeldet bleiben",
  "swap.note":
    "Das Anmelden beendet Ihre jetzige Sitzung und entfernt, was Sie geschrieben und nicht gesendet haben. Haben Sie das nicht erwartet, bleiben Sie.",
  "enter.gone":
    "Dieser Link öffnet nichts mehr: Er gilt einmal, eine Minute lang. Melden Sie sich stattdessen an.",
};
