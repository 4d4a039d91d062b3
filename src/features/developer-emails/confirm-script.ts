/** What that page runs. The token leaves the address bar at once and is sent in bodies alone. */
export const script = `"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("status").textContent = text; };
  const STEPS = ["ask", "finished", "gone", "unread"];
  const show = (id, focused) => {
    for (const one of STEPS) byId(one).hidden = one !== id;
    if (focused) byId(focused).focus();
  };
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);

  const ask = async (path) => {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
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

  const fact = (name, value) => {
    const title = document.createElement("dt");
    title.textContent = name;
    const text = document.createElement("dd");
    text.textContent = value;
    byId("facts").append(title, text);
  };

  const tell = ({ side, organisation, email, changed_at, expires_at }) => {
    const { name, logo, colour, support } = organisation;
    byId("organisation").textContent = name;
    byId("host").textContent = location.host;
    byId("logo").hidden = logo === "";
    if (logo !== "") byId("logo").src = logo;
    if (colour !== "") document.documentElement.style.setProperty("--act", colour);
    byId("facts").replaceChildren();
    fact(side === "new" ? "Address" : "New address", email);
    fact("Given", time(changed_at));
    fact("Until", time(expires_at));
    byId("what").textContent = side === "new"
      ? "Somebody gave this address for an account at " + name + ". Confirm it if that was you."
      : "The address of your account at " + name + " was changed to this one. Confirm it if that was you.";
    byId("support").textContent = support;
    byId("support").href = "mailto:" + support;
    byId("footer").hidden = support === "";
  };

  byId("confirm").addEventListener("click", async () => {
    byId("confirm").disabled = true;
    say("Confirming…");
    try {
      const confirmed = await ask("v1/email-confirmations");
      if (confirmed) {
        byId("next").textContent = confirmed.email_state === "proved"
          ? "The address is confirmed."
          : "Thank you. The address counts once the other side has confirmed it, too.";
        show("finished", "finished-title");
      } else show("gone", "gone-title");
      say("");
    } catch {
      say("That did not work. Try again in a moment.");
      byId("confirm").disabled = false;
    }
  });

  // A link that is pasted into the page that is open already.
  addEventListener("hashchange", () => {
    if (location.hash.length > 1) location.reload();
  });

  const read = async () => {
    say("Reading the link…");
    try {
      const about = token === "" ? undefined : await ask("v1/email-confirmations/preview");
      if (about) tell(about);
      show(about ? "ask" : "gone");
      say("");
    } catch {
      show("unread", "unread-title");
      say("");
    }
  };
  byId("again").addEventListener("click", read);
  read();
})();
`;
