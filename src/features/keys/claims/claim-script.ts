/** What the claim page runs. The token leaves the address bar at once, and is sent in bodies. */
export const script = `"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("status").textContent = text; };
  const STEPS = ["ask", "shown", "finished", "gone", "unread"];
  const show = (id, focused) => {
    for (const one of STEPS) byId(one).hidden = one !== id;
    if (focused) byId(focused).focus();
  };
  let token = location.hash.slice(1);
  let about;
  /** What was shown and not yet said to be kept, by name. */
  let held = [];
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
      hourCycle: "h23", timeZoneName: "short",
    }).format(new Date(text));
  const number = (n) => new Intl.NumberFormat().format(n);
  const UNITS = { 1: "a second", 60: "a minute", 3600: "an hour", 86400: "a day" };
  const span = (seconds) =>
    seconds % 86400 === 0 ? "in " + number(seconds / 86400) + " days" : "in " + number(seconds) + " seconds";
  const limits = ({ rate, per, quota_max, quota_renewal_rate }) => [
    ...rate > 0 && per > 0 ? [number(rate) + " calls " + (UNITS[per] ?? span(per))] : [],
    ...quota_max > 0
      ? [number(quota_max) + " calls " +
        (quota_renewal_rate > 0 ? UNITS[quota_renewal_rate] ?? span(quota_renewal_rate) : "in all")]
      : [],
  ].join(", ") || "No limits";

  const fact = (name, ...lines) => {
    const title = document.createElement("dt");
    title.textContent = name;
    const text = document.createElement("dd");
    for (const line of lines.filter((one) => one !== "")) {
      const row = document.createElement("div");
      row.textContent = line;
      text.append(row);
    }
    if (text.childElementCount > 0) byId("facts").append(title, text);
  };

  const WHAT = { key: "key", oauth_client: "OAuth client", access_token: "access token" };

  /** Whose page it is, and whom to ask. */
  const wear = ({ name, logo, colour, support }) => {
    byId("organisation").textContent = name || "Keydesk";
    byId("letter").textContent = name.slice(0, 1).toUpperCase();
    byId("host").textContent = location.host;
    byId("logo").hidden = logo === "";
    byId("mark").toggleAttribute("hidden", logo !== "");
    if (logo !== "") byId("logo").src = logo;
    if (colour !== "") document.documentElement.style.setProperty("--act", colour);
    byId("help").hidden = support === "";
    byId("support").textContent = support;
    byId("support").href = "mailto:" + support;
    byId("footer").hidden = support === "";
  };

  /** Why a link opens nothing, in words. */
  const FATES = {
    opened: (at) => [
      "This link was used",
      "It was opened" + (at ? " on " + time(at) : "") + ", and opens nothing a second time. If it was not you, tell whoever sent it at once: they can end what it opened and send a new link.",
    ],
    withdrawn: (at) => [
      "This link was withdrawn",
      "Whoever sent it withdrew it" + (at ? " on " + time(at) : "") + "; nobody opened it. Ask them for a new one.",
    ],
    expired: (at) => [
      "This link has ended",
      "It could be opened until " + time(at) + ", and nobody did. Ask whoever sent it for a new one.",
    ],
    stopped: () => [
      "This link opens nothing now",
      "What it hands over was suspended or has ended; nobody opened it. Ask whoever sent it.",
    ],
  };
  const WRONG = [
    "This link is wrong",
    "Keydesk knows no such link. A part of it may be missing: open it again from the message in which it came, or copy it whole.",
  ];

  const gone = async (focused) => {
    const fate = token === "" ? undefined : await ask("v1/claims/fate");
    if (fate) wear(fate.organisation);
    else {
      // Whose it is nobody knows: the desk's own brand, where it has one.
      const answer = await fetch("v1/branding/sign-in", { credentials: "omit" });
      if (answer.ok) wear(await answer.json());
    }
    const [title, why] = FATES[fate?.state]?.(fate.at) ?? WRONG;
    document.title = title;
    byId("gone-title").textContent = title;
    byId("gone-why").textContent = why;
    byId("about").hidden = true;
    show("gone", focused && "gone-title");
  };

  const tell = () => {
    const { kind, organisation, recipient, plans, base_url, created_at, expires_at, ends_at } = about;
    const { name, support, documentation } = organisation;
    const apis = [...new Set(plans.flatMap((plan) => plan.apis))];
    const titles = plans.map((plan) => plan.name || plan.id);
    const whatFor = apis.length === 1 ? apis : titles;
    wear(organisation);
    document.title = "Your " + WHAT[kind] + (whatFor.length === 1 ? " for " + whatFor[0] : "");
    byId("title").textContent = document.title;
    byId("since").textContent = name + " left it here for you on " + time(created_at) + ".";
    byId("since").hidden = false;
    byId("until").textContent = "This link opens it until " + time(expires_at) + ".";
    byId("facts").replaceChildren();
    fact("For", recipient.name, recipient.email);
    fact("Name", about.name);
    fact("Environment", about.environment);
    fact(apis.length === 1 ? "API" : "APIs", ...apis.slice(0, 20), apis.length > 20 ? "and " + number(apis.length - 20) + " more" : "");
    fact(titles.length === 1 ? "Plan" : "Plans", ...titles);
    fact("Limits", ...plans.map((plan) => (plans.length > 1 ? (plan.name || plan.id) + ": " : "") + limits(plan)));
    fact("Ends", ends_at === null ? "Never" : time(ends_at));
    if (kind !== "access_token") fact("Base URL", base_url);
    byId("docs").hidden = documentation === "";
    byId("documentation").href = documentation;
    byId("footer").hidden = support === "" && documentation === "";
  };

  const copy = async (text, value, button) => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
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
    button.setAttribute("aria-label", "Copy: " + name);
    button.addEventListener("click", () => copy(text, value, button));
    line.append(value, button);
    byId("parts").append(title, line);
  };

  /** What is handed over: how it is called here, and as a variable. */
  const partsOf = ({ RawKey, Password, client_id, secret, policy_id, redirect_uri }) => {
    const parts = client_id !== undefined
      ? [
        ["Client id", "CLIENT_ID", client_id], ["Client secret", "CLIENT_SECRET", secret],
        ["Plan", "", policy_id], ["Redirect URI", "", redirect_uri],
      ]
      : about.kind === "access_token"
      ? [["Access token", "KEYDESK_TOKEN", RawKey]]
      : Password
      ? [["User name", "API_USER", RawKey], ["Password", "API_PASSWORD", Password]]
      : [["Key", "API_KEY", RawKey]];
    return parts.filter(([, , text]) => text !== undefined && text !== "");
  };

  /** One word of a shell, whatever it holds. */
  const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";

  /** A call that one can paste: it names variables, never the secret. */
  const curlFor = ({ Password, client_id }) => {
    const desk = new URL(".", location.href).href;
    if (about.kind === "access_token") {
      return "curl " + quoted(desk + "v1/me") + ' \\\\\\n  -H "Authorization: $KEYDESK_TOKEN"';
    }
    if (client_id !== undefined) {
      return "curl " + quoted(desk + "oauth/token") + ' \\\\\\n  -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials';
    }
    if (about.base_url === "") return "";
    return "curl " + quoted(about.base_url) +
      (Password ? ' \\\\\\n  -u "$API_USER:$API_PASSWORD"' : ' \\\\\\n  -H ' + quoted(about.key_header + ": ") + '"$API_KEY"');
  };

  const reveal = ({ credential }) => {
    held = partsOf(credential);
    byId("token-use").hidden = about.kind !== "access_token";
    for (const [name, , text] of held) part(name, text);
    const curl = curlFor(credential);
    if (curl !== "") part("Try it, with the variables of the .env file", curl);
    show("shown", "done");
  };

  byId("open").addEventListener("click", async () => {
    byId("open").disabled = true;
    say("Opening…");
    try {
      const opened = await ask("v1/claims/open");
      if (opened) reveal(opened);
      else await gone(true);
      token = "";
      say("");
    } catch {
      say("That did not work, and nothing was shown. Try again in a moment.");
      byId("open").disabled = false;
    }
  });

  byId("kept").addEventListener("change", ({ currentTarget }) => {
    byId("finish").disabled = !currentTarget.checked;
  });

  byId("finish").addEventListener("click", () => {
    held = [];
    byId("parts").replaceChildren();
    show("finished", "finished-title");
    say("");
  });

  byId("save").addEventListener("click", () => {
    const lines = held.filter(([, variable]) => variable !== "")
      .map(([, variable, text]) => variable + "=" + quoted(text) + "\\n");
    const url = URL.createObjectURL(new Blob(lines, { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = "credential.env";
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    say("Saved as credential.env. Keep that file where nobody else can read it.");
  });

  addEventListener("beforeunload", (event) => {
    if (held.length > 0 && !byId("kept").checked) event.preventDefault();
  });

  // A link that is pasted into the page that is open already.
  addEventListener("hashchange", () => {
    if (location.hash.length > 1) location.reload();
  });

  const read = async () => {
    say("Reading the link…");
    try {
      about = token === "" ? undefined : await ask("v1/claims/preview");
      if (about) {
        tell();
        show("ask");
      } else await gone(false);
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
