/** The texts of a request that waits, and of a key that is on its way, in English. */
export const englishOfWaiting = {
  "request.pending.text": "People at {organisation} decide on it.",
  "request.usual": "Decisions take",
  "request.about": "that would be about",
  "request.ends": "If nobody decides, it ends:",
  "request.expired":
    "Nobody at {organisation} decided in time, so it is declined. You can ask again.",
  "request.withdraw": "Withdraw",
  "request.withdraw.sure": "Withdraw this request: then it is gone, with its answers.",
  "request.withdraw.do": "Yes, withdraw it",
  "request.withdrawn": "The request is withdrawn.",
  "request.undo": "Undo",
  "remind.since": "this one takes longer, since",
  "remind.do": "Remind them",
  "remind.note": "Once a day. Whoever decides is told that you wait.",
  "remind.said": "They were reminded:",
  "failed.offer_waits": "An offer waits for your answer.",
  "failed.not_late":
    "People are reminded of a request that takes longer than usual. This one does not yet.",
  "failed.reminded_already":
    "You reminded them of this request within the last 24 hours. Once a day is possible.",
  "words.add": "Add a word",
  "words.label": "For those who decide",
  "words.note": "It changes nothing of what you asked for.",
  "words.send": "Add it",
  "words.said": "You added:",
  "failed.too_many_words":
    "You have added words to this request as often as one may. Wait for the decision, or withdraw it.",
  "way": "Not there yet",
  "way.none":
    "It works in a moment: {of, plural, one {the gateway does} other {# gateways do}} not know it yet.",
  "way.some": "It works at {there} of {of} gateways; the others follow.",
  "way.soon": "There is nothing to do.",
  "way.late": "It takes longer than usual. Those who run this know of it; there is nothing to do.",
} as const;
