/** The page of a claim link: asks before it opens anything, so that whoever only looks at it burns nothing. */
export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>Your key or access token</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="claim.css">
<script src="claim.js" defer></script>
</head>
<body>
<main>
<p class="brand"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><rect width="20" height="20" rx="5"/><path d="M6.6 4.8h2.1v4.5l4-4.5h2.6l-4 4.4 4.3 6h-2.6l-3.2-4.6-1.1 1.2v3.4H6.6z"/></svg>Keydesk</p>
<h1 id="title">Your key or access token</h1>
<noscript><p>This page needs JavaScript to open your link.</p></noscript>
<section id="ask" hidden>
<p>Somebody left a key to an API, or an access token of this desk, for you here. You can open it <strong>once</strong>: after that this link is used up.</p>
<p>Have a safe place ready to keep it, such as a password manager.</p>
<p><button id="open" type="button">Show it</button></p>
</section>
<section id="shown" hidden>
<h2 id="done" tabindex="-1">Keep it now</h2>
<p>It is shown this one time. This link no longer opens anything.</p>
<dl id="parts"></dl>
<p id="token-use" hidden>It opens this desk: <a href="console" target="_blank" rel="noopener">sign in to the console</a> with it. A script sends it in the header <code>Authorization</code>.</p>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">This link opens nothing</h2>
<p>It was used already, has expired, or was withdrawn; or a part of it is missing. If it was not you who used it, tell whoever sent it at once. They can end what it opened and send you a new link.</p>
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

  const reveal = ({ credential, access_token }) => {
    const isClient = credential.client_id !== undefined;
    document.title = access_token ? "Your access token" : isClient ? "Your OAuth client" : "Your key";
    byId("title").textContent = document.title;
    byId("token-use").hidden = !access_token;
    if (access_token) LABELS.RawKey = "Access token";
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

/** How the page looks: as the console does, by the system's theme, from 320 pixels on. */
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#14171c, #eceef2);
  --ink-2: light-dark(#4c5563, #b4bac5);
  --ink-3: light-dark(#5f6878, #979eab);
  --paper: light-dark(#fcfcfd, #0d0e12);
  --panel: light-dark(#ffffff, #15171c);
  --line: light-dark(#e6e8ec, #272b33);
  --edge: light-dark(#d3d7de, #3b414c);
  --hover: light-dark(#f5f6f8, #191c22);
  --act: light-dark(#4150d6, #5563ee);
  --link: light-dark(#4150d6, #98a3ff);
  --ring: light-dark(#4150d6, #98a3ff);
  --sans: Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100dvh;
  display: grid;
  place-items: center;
  padding: 24px 16px;
  background: var(--paper);
  color: var(--ink);
  font: 400 15px/1.5 var(--sans);
}
main {
  width: min(520px, 100%);
  padding: clamp(20px, 5vw, 32px);
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 14px;
  box-shadow: 0 12px 32px light-dark(#10182829, #0009);
}
.brand { display: flex; align-items: center; gap: 9px; margin: 0 0 18px; font-weight: 600; font-size: 14.5px; }
.brand rect { fill: var(--act); }
.brand path { fill: #fff; }
h1 { font-size: 20px; line-height: 1.25; letter-spacing: -.015em; margin: 0 0 12px; }
h2 { font-size: 16px; margin: 0 0 6px; }
h2:focus { outline: none; }
p { margin: 0 0 12px; color: var(--ink-2); }
.brand, strong { color: var(--ink); }
button {
  min-height: 44px;
  padding: 8px 18px;
  border: 1px solid transparent;
  border-radius: 8px;
  background: var(--act);
  color: #fff;
  font: inherit;
  font-weight: 500;
  cursor: pointer;
}
button:disabled { opacity: .6; cursor: default; }
button:focus-visible { outline: 2px solid var(--ring); outline-offset: 2px; }
.copy {
  flex: none;
  width: 84px;
  background: var(--panel);
  color: var(--ink);
  border: 0;
  border-left: 1px solid var(--edge);
  border-radius: 0 8px 8px 0;
}
.copy:hover { background: var(--hover); }
dl { margin: 18px 0 0; }
dt { color: var(--ink-3); font-size: 12.5px; font-weight: 500; }
dd {
  display: flex;
  margin: 5px 0 12px;
  background: var(--paper);
  border: 1px solid var(--edge);
  border-radius: 8px;
}
code { font: 13px/19px var(--mono); }
dd code { flex: 1; min-width: 0; align-self: center; padding: 8px 12px; overflow-wrap: anywhere; }
a { color: var(--link); }
#status { min-height: 1.5em; margin: 0; }
`;
