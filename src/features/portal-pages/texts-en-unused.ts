/** The texts of a warning that nobody uses a key, in English. */
export const englishOfUnused = {
  "unused": "Do you still use this key?",
  "unused.since": "Nobody has used it since",
  "unused.from": "If nobody does, it is suspended and opens nothing. Not before:",
  "unused.text":
    "Say so if you need it: then its time begins anew. If not, end it: nobody misses an unused key that is stolen.",
  "unused.do": "I still use it",
} as const;
