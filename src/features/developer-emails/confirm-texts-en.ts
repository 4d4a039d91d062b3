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
export type ConfirmText = keyof typeof english;
