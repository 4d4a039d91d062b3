/** The texts of when a key ends, in English. */
export const englishOfEnds = {
  "key.ends": "Ends",
  "key.ends.never": "It does not end by itself",
  "key.ends.soon":
    "This key ends in {days, plural, =0 {less than a day} one {# day} other {# days}}. Rotate it: the new one works at once, and this one goes on for as long as you choose.",
  "key.ends.soon.fixed":
    "This key ends in {days, plural, =0 {less than a day} one {# day} other {# days}}. A rotation keeps that end: ask for a later one.",
  "later": "Ask for a later end",
  "later.text": "People at {organisation} decide on it. Until they do, this key ends on",
  "later.until": "Last day that the key is to work (UTC)",
  "later.why": "Why, for those who decide",
  "later.wrong": "Choose a day after the one on which the key ends now.",
  "later.waits": "People at {organisation} decide whether this key lives until",
  "later.until.asked": "Asked for a later end:",
  "request.later": "Later end: {names}",
  "key.rotate.end": "The new key ends when this one does:",
  "key.held": "You have this key to the plan already. Lost it? Rotate it.",
} as const;
