/** The script of the page that confirms an address, on top of that of all such pages. */
const { ask, begin, byId, fact, say, show, time, words } = link({
  steps: ["ask", "finished", "gone", "unread"],
  preview: "v1/email-confirmations/preview",
});

const tell = ({ side, organisation, email, changed_at, expires_at }) => {
  fact(words("fact." + side), email);
  fact(words("fact.given"), time(changed_at));
  fact(words("fact.until"), time(expires_at));
  byId("what").textContent = words("what." + side, { name: organisation.name });
  show("ask");
};

byId("confirm").addEventListener("click", async () => {
  byId("confirm").disabled = true;
  say(words("confirming"));
  try {
    const confirmed = await ask("v1/email-confirmations");
    if (confirmed) {
      byId("next").textContent = words(
        confirmed.email_state === "proved" ? "finished.proved" : "finished.one",
      );
      show("finished", "finished-title");
    } else show("gone", "gone-title");
    say("");
  } catch {
    say(words("failed"));
    byId("confirm").disabled = false;
  }
});

begin(tell);
