/** The texts of a link of another site that signs in, in English. */
export const englishOfEntering = {
  "enter": "Signing you in",
  "enter.lead": "Another site sends you here, signed in as yourself.",
  "enter.do": "Go on",
  "enter.noscript": "This page needs JavaScript to read your link. Sign in instead:",
  "swap": "You are signed in as somebody else",
  "swap.here": "You are signed in here as {name}.",
  "swap.link": "The link that you came by signs in {name}.",
  "swap.do": "Sign in as {name}",
  "swap.stay": "Stay signed in as {name}",
  "swap.note":
    "Signing in ends your present session and removes what you wrote and did not send. If you did not expect this, stay.",
  "enter.gone": "This link opens nothing any more: it works once, for a minute. Sign in instead.",
} as const;
