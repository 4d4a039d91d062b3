import type { englishOfUnused } from "./texts-en-unused.ts";

/** The texts of a warning that nobody uses a key, in German. */
export const germanOfUnused: Readonly<Record<keyof typeof englishOfUnused, string>> = {
  "unused": "Benutzen Sie diesen Schlüssel noch?",
  "unused.since": "Niemand hat ihn benutzt seit",
  "unused.from": "Bleibt es dabei, wird er gesperrt und öffnet nichts mehr. Frühestens:",
  "unused.text":
    "Sagen Sie es, wenn Sie ihn brauchen: Dann beginnt seine Zeit von vorn. Wenn nicht, beenden Sie ihn: Einen unbenutzten Schlüssel vermisst niemand, wenn er gestohlen wird.",
  "unused.do": "Ich benutze ihn noch",
};
