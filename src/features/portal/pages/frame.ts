import { accentOf } from "../../../contract/accent.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { type Html, html, trusted } from "./html.ts";
import type { Page, PageCall } from "./page.ts";
import script from "./portal.browser.js?text" with { type: "text" };
import { style } from "./portal-style.ts";
import { LANGUAGES, type TextKey, type Texts } from "./texts.ts";

const version = (text: string) => sha256(text).slice(0, 12);
/** A text of its own: a bundler writes templates that hold the end of a script otherwise. */
const SCRIPT = trusted(
  `<script src="/portal/portal.js?v=${version(script)}" defer>${"</"}script>`,
);

/** The additional content of a page's frame. */
type Framed = Pick<
  PageCall,
  "site" | "t" | "path" | "csrf" | "counts" | "look" | "seenAs" | "drafts"
>;

/** The style sheet with the organisation's colour. */
export function styleOf(colour: string): string {
  if (colour === "") return style;
  const { light, dark, darkLink } = accentOf(colour);
  const link = `light-dark(${light},${darkLink})`;
  return `${style}:root{--accent:light-dark(${light},${dark});--link:${link};--ring:${link}}\n`;
}

/** The whole document of a page. */
export function framed(page: Page, call: Framed): string {
  const { site: { organisation }, t, csrf, look, drafts = "" } = call;
  const name = organisation.name || t.say("site");
  const title = t.say("title", { page: page.title, site: name });
  return html`
    <!doctype html>
    <html lang="${t.language}" dir="${t.direction}" data-drafts="${drafts}" data-theme="${look
      .theme}"
      ${!look.shortcuts &&
        html`
          data-no-shortcuts
        `}>
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        ${page.open?.canonical
          ? html`
            <meta name="description" content="${page.open.description}">
            <link rel="canonical" href="${page.open.canonical}">
          `
          : html`
            <meta name="robots" content="noindex">
          `}
        <title>${title}</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/portal/portal.css?v=${version(styleOf(organisation.colour))}">
        ${SCRIPT}
      </head>
      <body>
        <a class="skip unseen" href="#main">${t.say("skip")}</a>
        <header>
          <div class="wide">
    <a class="brand" href="/portal">${logoOf(call)}<span>${name}<small>${t.say(
      "site",
    )}</small></span></a>
    ${csrf !== "" ? topBar(call) : page.open && signInLink(call)}
          </div>
        </header>
        ${seenBar(call)}
        <p class="said wait wide" role="status" data-offline hidden>${t.say("offline")} <time
            data-now></time></p>
        <main id="main" class="${page.narrow ? "narrow" : "wide"}">
    ${call.seenAs === undefined ? page.body : html`<fieldset disabled>${page.body}</fieldset>`}
        </main>
        <footer>
          <div class="wide">
    <p>${organisation.support !== "" &&
      html`${
        t.say("help")
      } <a href="mailto:${organisation.support}">${organisation.support}</a>`}</p>
    ${languageForm(call)}
          </div>
        </footer>
      </body>
    </html>
  `.text;
}

function signInLink({ t, path }: Framed): Html {
  return html`
    <nav class="me" aria-label="${t.say("nav.account")}">
      <ul>
        <li><a href="/portal/sign-in?to=${encodeURIComponent(path)}">${t.say("signin")}</a></li>
      </ul>
    </nav>
  `;
}

/** Says that a person only sees this, and lets them leave; no form below it can be sent. */
function seenBar({ t, seenAs, csrf }: Framed): Html | false {
  return seenAs !== undefined && html`
    <section class="seen" aria-labelledby="seen">
      <form class="wide row" method="post" action="/portal/sign-out">${hiddenFields({ csrf })}
        <p class="grow" role="note" id="seen">${t.say("seen", { name: seenAs })}</p>
        <button>${t.say("seen.leave")}</button>
      </form>
    </section>
  `;
}

function logoOf({ site: { organisation: { logo, name } } }: Framed): Html {
  if (logo !== "") return html`<img src="/portal/logo?v=${version(logo)}" alt="">`;
  const letter = [...name][0]?.toUpperCase() ?? "K";
  return html`
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" />
      <text x="10" y="14.4">${letter}</text>
    </svg>
  `;
}

/** The places, each with what represents it in the bar of a phone. */
const PLACES = [
  { path: "/portal", text: "apis", icon: "m10 2 8 4-8 4-8-4zM2 10l8 4 8-4M2 14l8 4 8-4" },
  { path: "/portal/keys", text: "keys", icon: "M9.5 12.5a4 4 0 1 1-3-3L15 2h3v3l-2 1v2h-2z" },
  { path: "/portal/requests", text: "requests", icon: "M2 11 5 3h10l3 8v6H2zM2 11h5l1 3h4l1-3h5" },
] as const;

function topBar({ t, path, counts }: Framed): Html {
  const link = (to: string, text: TextKey, more: Html | false = false, icon = "") =>
    html`<li><a href="${to}"${
      isWithin(path, to) && html`
        aria-current="page"
      `
    }>${
      icon !== "" && html`
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="${icon}" />
        </svg>
      `
    }${t.say(text)}${more}</a></li>`;
  const count = (text: "keys" | "requests") =>
    counts[text] > 0 &&
    html`
      <span
        class="count${text === "requests" && " act"}"><span aria-hidden="true">${t.number(
          counts[text],
        )}</span><span class="unseen">${t.say(`count.${text}`, { n: counts[text] })}</span></span>
    `;
  return html`
    <nav class="main" aria-label="${t.say("nav")}">
      <ul>${PLACES.map(({ path: to, text, icon }) =>
        link(to, text, text !== "apis" && count(text), icon)
      )}</ul>
    </nav>
    <nav class="me" aria-label="${t.say("nav.account")}">
      <ul>${link("/portal/account", "nav.account")}</ul>
    </nav>
  `;
}

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== "/portal" && path.startsWith(`${to}/`));
}

function languageForm({ t, path, csrf }: Framed): Html {
  return html`<form method="post" action="/portal/language">
${hiddenFields({ csrf }, { to: path })}
<label for="language">${t.say("language")}</label>
<select id="language" name="language">${
    Object.entries(LANGUAGES).map(([tag, own]) =>
      html`
        <option value="${tag}" lang="${tag}" ${tag === t.language && html`
          selected
        `}>${own}</option>
      `
    )
  }</select>
<button class="text">${t.say("language.set")}</button>
</form>`;
}

/** The hidden fields of a form: the session's token, and what else it carries. */
export function hiddenFields(
  { csrf }: Pick<PageCall, "csrf">,
  carried: Readonly<Record<string, string>> = {},
): Html {
  return html`${
    Object.entries({ ...csrf === "" ? {} : { csrf }, ...carried }).map(([name, value]) =>
      html`<input type="hidden" name="${name}" value="${value}">`
    )
  }`;
}

/** A field with its label; `said` is what it held. */
export function field(
  {
    name,
    id = name,
    label,
    type = "text",
    value = "",
    required = false,
    auto = "",
    note = "",
    most = 1000,
  }: {
    name: string;
    id?: string;
    label: string;
    type?: string;
    value?: string;
    required?: boolean;
    auto?: string;
    note?: string;
    /** Characters. */
    most?: number;
  },
): Html {
  return html`
    <label for="f-${id}">${label}</label>
    <input id="f-${id}" name="${name}" type="${type}" value="${value}"
      ${required && html`
        required
      `}${auto !== "" && html`
        autocomplete="${auto}"
      `}${note !== "" && html`
        aria-describedby="f-${id}-note"
      `} maxlength="${most}">${note !== "" && html`<p class="note" id="f-${id}-note">${note}</p>`}
  `;
}

/** The error above a form. */
export function complaint(text: string): Html {
  return html`<p class="said bad" role="alert">${text}</p>`;
}

/** An instant, which the script tells in the reader's zone. */
export function time(t: Texts, timestamp: string): Html {
  return html`<time datetime="${timestamp}">${t.time(timestamp)}</time>`;
}

/** The day of a time. */
export function day(t: Texts, timestamp: string): Html {
  return html`<time datetime="${timestamp}" data-day="">${t.day(timestamp)}</time>`;
}
