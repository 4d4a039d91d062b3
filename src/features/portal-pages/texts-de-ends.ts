import type { englishOfEnds } from "./texts-en-ends.ts";

/** The texts of when a key ends, in German. */
export const germanOfEnds: Readonly<Record<keyof typeof englishOfEnds, string>> = {
  "key.ends": "Endet",
  "key.ends.never": "Er endet nicht von selbst",
  "key.ends.soon":
    "Dieser Schlüssel endet in {days, plural, =0 {weniger als einem Tag} one {# Tag} other {# Tagen}}. Wechseln Sie ihn: Der neue gilt sofort, und dieser gilt so lange weiter, wie Sie wählen.",
  "key.ends.soon.fixed":
    "Dieser Schlüssel endet in {days, plural, =0 {weniger als einem Tag} one {# Tag} other {# Tagen}}. Ein Wechsel behält dieses Ende: Beantragen Sie ein späteres.",
  "later": "Späteres Ende beantragen",
  "later.text": "Darüber wird bei {organisation} entschieden. Bis dahin endet dieser Schlüssel am",
  "later.until": "Letzter Tag, an dem der Schlüssel gelten soll (UTC)",
  "later.why": "Warum, für die Entscheidung",
  "later.wrong": "Wählen Sie einen Tag nach dem, an dem der Schlüssel jetzt endet.",
  "later.waits": "Bei {organisation} wird entschieden, ob dieser Schlüssel länger gilt, bis",
  "later.until.asked": "Späteres Ende beantragt:",
  "request.later": "Späteres Ende: {names}",
  "key.rotate.end": "Der neue Schlüssel endet mit diesem:",
  "key.held": "Diesen Schlüssel zum Plan haben Sie schon. Verloren? Wechseln Sie ihn.",
};
