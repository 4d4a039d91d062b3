/** What that page runs. The token leaves the address bar at once and is sent in bodies alone. */
export const script = `"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("status").textContent = text; };
  const STEPS = ["ask", "accepted", "finished", "over", "gone", "unread"];
  const show = (id, focused) => {
    for (const one of STEPS) byId(one).hidden = one !== id;
    if (focused) byId(focused).focus();
  };
  const OVER = {
    accepted: ["Accepted already", "This link was used: your key waits to be opened, or was opened."],
    turned_down: ["Turned down already", "This link was used: the request waits for people again."],
    answered: ["Answered already", "This link was used: the request waits for people again."],
    expired: ["Its time is over", "The offer can't be accepted any more. The request waits as before."],
    over: ["It is no more", "The offer was withdrawn, replaced by another, or the request was decided."],
  };
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);

  const ask = async (path, more) => {
    const answer = await fetch("v1/offers/" + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, ...more }),
      cache: "no-store",
      credentials: "omit",
    });
    if (answer.ok) return await answer.json();
    if (answer.status < 500 && answer.status !== 408 && answer.status !== 429) return undefined;
    throw new Error();
  };

  const time = (text) =>
    new Intl.DateTimeFormat(undefined, {
      day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
      timeZoneName: "short",
    }).format(new Date(text));
  const calls = ({ calls, seconds }) =>
    calls.toLocaleString() + " calls" + (seconds >= 1e10 ? " in all" : " in " + span(seconds));
  const span = (seconds) => {
    const [length, unit] = [[86400, "days"], [3600, "hours"], [60, "minutes"], [1, "seconds"]]
      .find(([one]) => seconds % one === 0 && seconds > one) || [seconds, "second"];
    return (seconds / length).toLocaleString() + " " + unit;
  };
  const named = (plans) => plans.map(({ id, name }) => name || id).join(", ");

  const fact = (name, value) => {
    if (!value) return;
    const title = document.createElement("dt");
    title.textContent = name;
    const text = document.createElement("dd");
    text.textContent = value;
    byId("facts").append(title, text);
  };

  const tell = ({ state, organisation, asked, terms, plans, message, expires_at }) => {
    const { name, logo, colour, support } = organisation;
    byId("organisation").textContent = name;
    byId("host").textContent = location.host;
    byId("logo").hidden = logo === "";
    if (logo !== "") byId("logo").src = logo;
    if (colour !== "") document.documentElement.style.setProperty("--act", colour);
    byId("facts").replaceChildren();
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
    byId("support").textContent = support;
    byId("support").href = "mailto:" + support;
    byId("footer").hidden = support === "";
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
        const answer = await ask(path, body);
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

  // A link that is pasted into the page that is open already.
  addEventListener("hashchange", () => {
    if (location.hash.length > 1) location.reload();
  });

  const read = async () => {
    say("Reading the link…");
    try {
      const about = token === "" ? undefined : await ask("preview");
      if (about) tell(about);
      else show("gone");
    } catch {
      show("unread", "unread-title");
    }
    say("");
  };
  byId("again").addEventListener("click", read);
  read();
})();
`;
