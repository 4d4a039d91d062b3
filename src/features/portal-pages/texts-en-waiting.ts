/** The texts of a request that waits, in English. */
export const englishOfWaiting = {
  "request.pending.text": "People at {organisation} decide on it.",
  "request.usual": "Decisions take",
  "request.about": "that would be about",
  "request.longer": "this one takes longer",
  "request.withdraw": "Withdraw",
  "request.withdraw.sure": "Withdraw this request: then it is gone, with its answers.",
  "request.withdraw.do": "Yes, withdraw it",
  "request.withdrawn": "The request is withdrawn.",
  "request.undo": "Undo",
  "words.add": "Add a word",
  "words.label": "For those who decide",
  "words.note": "It changes nothing of what you asked for.",
  "words.send": "Add it",
  "words.said": "You added:",
  "failed.too_many_words":
    "You have added words to this request as often as one may. Wait for the decision, or withdraw it.",
} as const;
