import { linkScript } from "../keys/claims/link-script.ts";

/** What the page of an offer's link runs. */
export const script = linkScript({
  steps: ["ask", "accepted", "finished", "over", "gone", "unread"],
  preview: "v1/offers/preview",
  script: `
  const OVER = {
    accepted: ["Accepted already", "This link was used: your key waits to be opened, or was opened."],
    turned_down: ["Turned down already", "This link was used: the request waits for people again."],
    answered: ["Answered already", "This link was used: the request waits for people again."],
    expired: ["Its time is over", "The offer can't be accepted any more. The request waits as before."],
    over: ["It is no more", "The offer was withdrawn, replaced by another, or the request was decided."],
  };

  const calls = ({ calls, seconds }) =>
    calls.toLocaleString() + " calls" + (seconds >= 1e10 ? " in all" : " in " + span(seconds));
  const span = (seconds) => {
    const [length, unit] = [[86400, "days"], [3600, "hours"], [60, "minutes"], [1, "seconds"]]
      .find(([one]) => seconds % one === 0 && seconds > one) || [seconds, "second"];
    return (seconds / length).toLocaleString() + " " + unit;
  };
  const named = (plans) => plans.map(({ id, name }) => name || id).join(", ");

  const tell = ({ state, asked, terms, plans, message, expires_at }) => {
    fact("You asked for", named(asked));
    fact("Offered", plans && named(plans));
    if (terms) {
      fact("Rate", terms.rate && calls(terms.rate));
      fact("Quota", terms.quota && calls(terms.quota));
      fact("Only from", terms.addresses && terms.addresses.join(", "));
      fact("Key ends", terms.expires_at && time(terms.expires_at));
      fact("Looked at again", terms.review_at && time(terms.review_at));
    }
    fact("Message", message);
    fact("Until", expires_at && time(expires_at));
    if (state === "waiting") return show("ask");
    const [title, why] = OVER[state];
    byId("over-title").textContent = title;
    byId("over-why").textContent = why;
    show("over", "over-title");
  };

  const act = (id, path, more, done) =>
    byId(id).addEventListener("click", async () => {
      const buttons = ["accept", "turn-down", "answer"].map(byId);
      const body = more();
      if (!body) return byId("words").focus();
      for (const one of buttons) one.disabled = true;
      say("Sending…");
      try {
        const answer = await ask("v1/offers/" + path, body);
        say("");
        if (answer) done(answer);
        else await read();
      } catch {
        say("That did not work. Try again in a moment.");
      }
      for (const one of buttons) one.disabled = false;
    });
  const finish = () => show("finished", "finished-title");
  act("accept", "accept", () => ({}), ({ claim }) => {
    byId("key").href = claim.link;
    show("accepted", "accepted-title");
  });
  act("turn-down", "answer", () => ({ turn_down: true }), finish);
  act("answer", "answer", () => {
    const words = byId("words").value.trim();
    return words === "" ? undefined : { turn_down: false, words };
  }, finish);
`,
});
