/** The page of a claim link: asks before it opens anything, so that whoever only looks at it burns nothing. */
export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>Your API credential</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="claim.css">
<script src="claim.js" defer></script>
</head>
<body>
<main>
<h1>Your API credential</h1>
<noscript><p>This page needs JavaScript to open your link.</p></noscript>
<section id="ask" hidden>
<p>Somebody approved your request and left a credential for you here. You can open it <strong>once</strong>: after that this link is used up.</p>
<p>Have a safe place ready to keep it, such as a password manager.</p>
<p><button id="open" type="button">Show my credential</button></p>
</section>
<section id="shown" hidden>
<h2 id="done" tabindex="-1">Keep it now</h2>
<p>It is shown this one time. This link no longer opens anything.</p>
<dl id="parts"></dl>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">This link opens nothing</h2>
<p>It was used already, has expired, or was withdrawn; or a part of it is missing. If it was not you who used it, tell whoever sent it at once. They can end the credential and send you a new link.</p>
</section>
<p id="status" role="status"></p>
</main>
</body>
</html>
`;

/** What the page runs. The token leaves the address bar at once and is sent by the button alone. */
export const script = `"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("status").textContent = text; };
  const show = (id) => {
    for (const one of ["ask", "shown", "gone"]) byId(one).hidden = one !== id;
  };
  let token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);

  const LABELS = {
    RawKey: "Key", Password: "Password", client_id: "Client id", secret: "Client secret",
    policy_id: "Plan", redirect_uri: "Redirect URI",
  };

  const labelOf = (name, credential) =>
    name === "RawKey" && credential.Password ? "User name" : LABELS[name] ?? name;

  const copy = async (text, value) => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      getSelection().selectAllChildren(value);
      say("Selected. Copy it with your keyboard.");
    }
  };

  const part = (name, text) => {
    const title = document.createElement("dt");
    title.textContent = name;
    const line = document.createElement("dd");
    const value = document.createElement("code");
    value.textContent = text;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + name);
    button.addEventListener("click", () => copy(text, value));
    line.append(value, button);
    return [title, line];
  };

  const reveal = ({ credential }) => {
    const isClient = credential.client_id !== undefined;
    for (const [name, text] of Object.entries(credential)) {
      // A client's id and secret have names of their own.
      if (text === "" || (isClient && (name === "RawKey" || name === "Password"))) continue;
      byId("parts").append(...part(labelOf(name, credential), text));
    }
    show("shown");
    byId("done").focus();
  };

  const gone = () => {
    show("gone");
    byId("gone-title").focus();
  };

  byId("open").addEventListener("click", async () => {
    byId("open").disabled = true;
    say("Opening…");
    try {
      const answer = await fetch("v1/claims/open", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
        cache: "no-store",
        credentials: "omit",
      });
      if (answer.ok) {
        token = "";
        reveal(await answer.json());
      } else if (answer.status < 500 && answer.status !== 408 && answer.status !== 429) {
        gone();
      } else {
        throw new Error();
      }
      say("");
    } catch {
      say("That did not work. Nothing was shown; please try again in a moment.");
      byId("open").disabled = false;
    }
  });

  // A link that is pasted into the page that is open already.
  addEventListener("hashchange", () => {
    if (location.hash.length > 1) location.reload();
  });

  show(token === "" ? "gone" : "ask");
})();
`;

/** How the page looks: by the system's theme, from 320 pixels on. */
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e8eaed);
  --soft: light-dark(#57606a, #a5adb8);
  --paper: light-dark(#ffffff, #14171b);
  --panel: light-dark(#f4f6f8, #1f242a);
  --line: light-dark(#d0d7de, #3a424c);
  --act: light-dark(#0b5cad, #7ab8ff);
  --on-act: light-dark(#ffffff, #0b1420);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif;
}
main { max-width: 38rem; margin: 0 auto; padding: clamp(1.25rem, 6vw, 4rem) 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 0 0 .5rem; }
h2:focus { outline: none; }
button {
  min-height: 44px;
  padding: .5rem 1.1rem;
  border: 1px solid transparent;
  border-radius: 8px;
  background: var(--act);
  color: var(--on-act);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:disabled { opacity: .6; cursor: default; }
button:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
.copy { background: transparent; color: var(--act); border-color: var(--line); flex: none; }
dl { margin: 1.25rem 0 0; }
dt { color: var(--soft); font-size: .9rem; }
dd {
  display: flex;
  gap: .75rem;
  align-items: center;
  justify-content: space-between;
  flex-wrap: wrap;
  margin: .25rem 0 1rem;
  padding: .6rem .75rem;
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 8px;
}
code { overflow-wrap: anywhere; min-width: 0; flex: 1 1 12rem; font: .95rem/1.4 ui-monospace, monospace; }
#status { min-height: 1.55em; color: var(--soft); }
`;
