"use strict";
/**
 * The script of a mailed link's page, which shows its purpose and asks before it does anything,
 * with the texts of the page. The token leaves the address bar at once and is sent in bodies alone.
 * `steps`: the ids of the page's parts, which are shown one at a time, `gone` and `unread` among
 * them; `preview`: the path of the link's preview.
 */
// deno-lint-ignore no-unused-vars -- the page's own script stands behind it
function link({ steps, preview }) {
  let tell;
  const byId = (id) => document.getElementById(id);
  const say = (text) => {
    byId("status").textContent = text;
  };
  const TEXTS = JSON.parse(byId("texts").textContent);
  const language = document.documentElement.dir === "rtl" ? "en" : document.documentElement.lang;
  const words = (key, values = {}) =>
    TEXTS[key].replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const show = (id, focused) => {
    for (const one of steps) byId(one).hidden = one !== id;
    if (focused) byId(focused).focus();
  };
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);

  /** Of this page: what it sends once more is answered as it was before. */
  const press = [...crypto.getRandomValues(new Uint8Array(16))].join("-");

  const ask = async (path, more) => {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": press + path },
      body: JSON.stringify({ token, ...more }),
      cache: "no-store",
      credentials: "omit",
    });
    if (answer.ok) return await answer.json();
    if (answer.status < 500 && answer.status !== 408 && answer.status !== 429) return undefined;
    throw new Error();
  };

  const time = (text) =>
    new Intl.DateTimeFormat(language, {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    }).format(new Date(text));

  const fact = (name, value) => {
    if (!value) return;
    const title = document.createElement("dt");
    title.textContent = name;
    const text = document.createElement("dd");
    text.textContent = value;
    byId("facts").append(title, text);
  };

  /** Shows the organisation's branding and support contact. */
  const wear = ({ name, logo, colour, support }) => {
    byId("organisation").textContent = name;
    byId("host").textContent = location.host;
    byId("logo").hidden = logo === "";
    if (logo !== "") byId("logo").src = logo;
    if (colour !== "") document.documentElement.style.setProperty("--act", colour);
    byId("support").textContent = support;
    byId("support").href = "mailto:" + support;
    byId("footer").hidden = support === "";
  };
  // A link that is pasted into the page that is open already.
  addEventListener("hashchange", () => {
    if (location.hash.length > 1) location.reload();
  });

  const read = async () => {
    say(words("reading"));
    try {
      const about = token === "" ? undefined : await ask(preview);
      if (about) {
        wear(about.organisation);
        byId("facts").replaceChildren();
        tell(about);
      } else show("gone");
    } catch {
      show("unread", "unread-title");
    }
    say("");
  };
  byId("again").addEventListener("click", read);

  /** `tell`: shows what the link is of. */
  const begin = (shown) => {
    tell = shown;
    read();
  };
  return { TEXTS, ask, begin, byId, fact, language, read, say, show, time, words };
}
