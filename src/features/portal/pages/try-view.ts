/** Operations that are tried from an API's page, by the script and with a key for that page. */
import type { z } from "zod";
import type { myApiDocumentation } from "../my/apis.contract.ts";
import type { Basis, PageKey } from "../my/page-key.service.ts";
import { hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";

/** The address at which operations are tried, and the origin of it, or why they can't be. */
type TryTarget =
  | { readonly state: "open"; readonly base_url: string; readonly origin: string }
  | { readonly state: "no_address" | "not_https" };

/** The address at which operations are called: of https alone, but for this machine. */
export function tryTarget(base_url: string): TryTarget {
  if (!URL.canParse(base_url)) return { state: "no_address" };
  const { protocol, hostname, origin } = new URL(base_url);
  const isLocal = hostname === "localhost" || hostname === "127.0.0.1";
  if (protocol !== "https:" && !(protocol === "http:" && isLocal)) return { state: "not_https" };
  return { state: "open", base_url, origin };
}

type Operation = z.output<typeof myApiDocumentation>["operations"][number];
type Parameter = Operation["parameters"][number];

/** Whether operations can be tried, and with what. */
interface Trying {
  readonly target: TryTarget;
  readonly key_header: string;
  /** The key that one is made out of; undefined: the reader has none. */
  readonly basis: Basis | undefined;
  /** The key that was made; undefined: it was not asked for. */
  readonly key?: PageKey;
}

/** Says whether operations can be tried from here, and offers the key for it. */
export function tryCard(
  { t, site, csrf }: Pick<PageCall, "t" | "site" | "csrf">,
  path: string,
  { target, key_header, basis, key }: Trying,
): Html {
  const { organisation: { name: organisation } } = site;
  if (target.state !== "open") {
    return html`<p class="note">${t.say(`try.${target.state}`, { organisation })}</p>`;
  }
  if (!basis) return html`<p class="note">${t.say("try.no_key")}</p>`;
  const plan = basis.plan.name;
  if (basis.state !== "usable") {
    return html`<p class="note">${t.say(`try.${basis.state}`, { plan })} <a
      href="/portal/keys/${basis.key_id}">${t.say("try.show_key")}</a></p>`;
  }
  if (!key) {
    return html`<form class="card row" method="post" action="${path}/try" data-scripted hidden>
${hiddenFields({ csrf })}<p class="grow">${t.say("try.lead", { plan })}</p>
<button>${t.say("try.do")}</button></form>`;
  }
  return html`
    <p class="said good" role="status" data-here="${path}" data-try-key="${key.value}"
      data-base="${target.base_url}" data-header="${key.isPlain
        ? key_header
        : "Authorization"}" data-failed="${t.say(
          "try.failed",
        )}"
      data-outside="${t.say("try.outside")}">${t.say("try.ready", { plan })} ${time(
        t,
        key.expires_at,
      )}</p>
  `;
}

/** The places of parameters that a page can send. */
const PLACES: ReadonlySet<string> = new Set(["path", "query", "header", "body"]);

/** The form of one operation; the script sends it, and writes the answer below. */
export function tryForm(
  t: PageCall["t"],
  { method, path, parameters }: Operation,
  at: number,
): Html {
  return html`
    <form data-try data-method="${method}" data-path="${path}"
      aria-label="${t.say("try")}: ${method} ${path}" hidden>
    <p><strong>${t.say("try")}</strong></p>
    ${parameters.filter((one) => PLACES.has(one.in)).map((one, n) =>
      fieldOf(one, `t-${at}-${n}`)
    )}<p><button>${t.say("try.send")}</button></p>
    <p role="status" class="note"></p><pre tabindex="0" hidden></pre></form>
  `;
}

function fieldOf({ name, in: place, required, type }: Parameter, id: string): Html {
  const must = required && html`
    required
  `;
  const label = html`<label for="${id}">${name} <small>${type}</small></label>`;
  return place === "body"
    ? html`
      ${label}<textarea id="${id}" class="ltr" data-in="body" data-name="${name.includes("/")
        ? name
        : "application/json"}"
        spellcheck="false" ${must}></textarea>
    `
    : html`
      ${label}<input id="${id}" class="ltr" data-in="${place}" data-name="${name}"
        autocomplete="off" ${must}>
    `;
}
