/**
 * The script of a one-time link's page, with the texts of the page. The token leaves the address
 * bar at once, and is sent in bodies.
 */
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => {
    byId("status").textContent = text;
  };
  const TEXTS = JSON.parse(byId("texts").textContent);
  const language = document.documentElement.dir === "rtl" ? "en" : document.documentElement.lang;
  const words = (key, values = {}) =>
    TEXTS[key].replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const STEPS = ["ask", "shown", "finished", "gone", "unread"];
  const show = (id, focused) => {
    for (const one of STEPS) byId(one).hidden = one !== id;
    if (focused) byId(focused).focus();
  };
  let token = location.hash.slice(1);
  let about;
  /** The secrets that were shown and not yet confirmed as saved, by name. */
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
    new Intl.DateTimeFormat(language, {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    }).format(new Date(text));
  const number = (n) => new Intl.NumberFormat(language).format(n);
  const long = (unit, n) =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(n);
  const span = (seconds) =>
    TEXTS["span." + seconds] ??
      words("span", {
        time: seconds % 86400 === 0 ? long("day", seconds / 86400) : long("second", seconds),
      });
  const calls = (n, within) => words("calls", { count: number(n), span: within });
  const limits = ({ rate, per, quota_max, quota_renewal_rate }) =>
    [
      ...rate > 0 && per > 0 ? [calls(rate, span(per))] : [],
      ...quota_max > 0
        ? [calls(quota_max, quota_renewal_rate > 0 ? span(quota_renewal_rate) : words("span.all"))]
        : [],
    ].join(", ") || words("unlimited");

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

  /** Shows the organisation's branding and support contact. */
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
  const fateOf = ({ state, at }) => {
    const title = TEXTS["fate." + state];
    const why = "fate." + state + ".why";
    if (title === undefined) return [words("fate.wrong"), words("fate.wrong.why")];
    return [title, at ? words(why, { time: time(at) }) : TEXTS[why + ".untimed"] ?? words(why)];
  };

  const gone = async (focused) => {
    const fate = token === "" ? undefined : await ask("v1/one-time-links/fate");
    if (fate) wear(fate.organisation);
    else {
      // The organisation is unknown: the server's own branding, if it has one.
      const answer = await fetch("v1/branding/sign-in", { credentials: "omit" });
      if (answer.ok) wear(await answer.json());
    }
    const [title, why] = fateOf(fate ?? {});
    document.title = title;
    byId("gone-title").textContent = title;
    byId("gone-why").textContent = why;
    byId("about").hidden = true;
    show("gone", focused && "gone-title");
  };

  const tell = () => {
    const {
      kind,
      organisation,
      recipient,
      plans,
      base_url,
      created_at,
      expires_at,
      key_expires_at,
    } = about;
    const { name, support, documentation } = organisation;
    const apis = [...new Set(plans.flatMap((plan) => plan.apis))];
    const titles = plans.map((plan) => plan.name || plan.id);
    const whatFor = apis.length === 1 ? apis : titles;
    wear(organisation);
    document.title = whatFor.length === 1
      ? words("title." + kind + ".for", { name: whatFor[0] })
      : words("title." + kind);
    byId("title").textContent = document.title;
    byId("since").textContent = words("since", { name, time: time(created_at) });
    byId("since").hidden = false;
    byId("until").textContent = words("until", { time: time(expires_at) });
    byId("facts").replaceChildren();
    fact(words("fact.for"), recipient.name, recipient.email);
    fact(words("fact.name"), about.name);
    fact(words("fact.environment"), about.environment);
    fact(
      words(apis.length === 1 ? "fact.api" : "fact.apis"),
      ...apis.slice(0, 20),
      apis.length > 20 ? words("more", { count: number(apis.length - 20) }) : "",
    );
    fact(words(titles.length === 1 ? "fact.plan" : "fact.plans"), ...titles);
    fact(
      words("fact.limits"),
      ...plans.map((plan) =>
        (plans.length > 1 ? (plan.name || plan.id) + ": " : "") + limits(plan)
      ),
    );
    fact(words("fact.ends"), key_expires_at === null ? words("never") : time(key_expires_at));
    if (kind !== "access_token") fact(words("fact.base"), base_url);
    byId("docs").hidden = documentation === "";
    byId("documentation").href = documentation;
    byId("footer").hidden = support === "" && documentation === "";
  };

  const copy = async (text, value, button) => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = words("copied");
      say(words("copied.said"));
    } catch {
      getSelection().selectAllChildren(value);
      say(words("selected"));
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
    button.textContent = words("copy");
    button.setAttribute("aria-label", words("copy.of", { name }));
    button.addEventListener("click", () => copy(text, value, button));
    line.append(value, button);
    byId("parts").append(title, line);
  };

  /** The secrets with their labels and variable names. */
  const partsOf = ({ RawKey, Password, client_id, secret, redirect_uri }) => {
    const parts = client_id !== undefined
      ? [
        [words("part.client_id"), "CLIENT_ID", client_id],
        [words("part.client_secret"), "CLIENT_SECRET", secret],
        [words("part.redirect"), "", redirect_uri],
      ]
      : about.kind === "access_token"
      ? [[words("part.token"), "KEYDESK_TOKEN", RawKey]]
      : Password
      ? [[words("part.user"), "API_USER", RawKey], [
        words("part.password"),
        "API_PASSWORD",
        Password,
      ]]
      : [[words("part.key"), "API_KEY", RawKey]];
    return parts.filter(([, , text]) => text !== undefined && text !== "");
  };

  /** One word of a shell, whatever it holds. */
  const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

  /** A call that one can paste: it names variables, never the secret. */
  const curlFor = ({ Password, client_id }) => {
    const desk = new URL(".", location.href).href;
    if (about.kind === "access_token") {
      return "curl " + quoted(desk + "v1/me") + ' \\\n  -H "Authorization: $KEYDESK_TOKEN"';
    }
    if (client_id !== undefined) {
      return "curl " + quoted(desk + "oauth/token") +
        ' \\\n  -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials';
    }
    if (about.base_url === "") return "";
    return "curl " + quoted(about.base_url) +
      (Password
        ? ' \\\n  -u "$API_USER:$API_PASSWORD"'
        : " \\\n  -H " + quoted(about.key_header + ": ") + '"$API_KEY"');
  };

  const reveal = ({ key }) => {
    held = partsOf(key);
    byId("token-use").hidden = about.kind !== "access_token";
    for (const [name, , text] of held) part(name, text);
    const curl = curlFor(key);
    if (curl !== "") part(words("part.try"), curl);
    show("shown", "done");
  };

  byId("open").addEventListener("click", async () => {
    byId("open").disabled = true;
    say(words("opening"));
    try {
      const opened = await ask("v1/one-time-links/open");
      if (opened) reveal(opened);
      else await gone(true);
      token = "";
      say("");
    } catch {
      say(words("failed"));
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
      .map(([, variable, text]) => variable + "=" + quoted(text) + "\n");
    const url = URL.createObjectURL(new Blob(lines, { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = "credential.env";
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    say(words("saved"));
  });

  addEventListener("beforeunload", (event) => {
    if (held.length > 0 && !byId("kept").checked) event.preventDefault();
  });

  // A link that is pasted into the page that is open already.
  addEventListener("hashchange", () => {
    if (location.hash.length > 1) location.reload();
  });

  const read = async () => {
    say(words("reading"));
    try {
      about = token === "" ? undefined : await ask("v1/one-time-links/preview");
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
