import type { z } from "zod";
import type { myApi, myApiDocumentation } from "../my/apis.contract.ts";
import { documentationOf, markdown } from "./documentation.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";
import { lifeOf, pill, quotaOf, rateOf, usually } from "./plan-words.ts";
import type { TextKey } from "./texts.ts";

type MyApi = z.output<typeof myApi>;
type MyPlan = MyApi["plans"][number];

/** A plan as pages show it. `mine` and `usual_seconds` are absent for people without a session. */
type PlanOnPage =
  & Omit<MyPlan, "mine" | "usual_seconds" | "requested_fields">
  & Partial<Pick<MyPlan, "mine" | "usual_seconds">>;

/** An API as pages show it. */
interface ApiOnPage extends Omit<MyApi, "plans" | "documentation"> {
  readonly plans: readonly PlanOnPage[];
}

/** The part of a call that a view is made for. */
type Reader = Pick<PageCall, "t" | "site">;

/** The address of an API's page. */
export const apiPath = (id: string) => `/portal/apis/${encodeURIComponent(id)}`;

/** The address of an API's OpenAPI document. */
export const documentPath = (id: string) => `${apiPath(id)}/openapi`;

/** The path at which a plan is requested. */
export const askPath = (plan: string) => `/portal/ask/${encodeURIComponent(plan)}`;

/** The search of the catalogue. */
export function searchForm(t: Reader["t"], q: string): Html {
  return html`
    <form class="search" role="search" action="/portal">
      <label for="f-q">${t.say("apis.search")}</label>
      <div
        class="row"><input class="grow" id="f-q" name="q" type="search" value="${q}" maxlength="100">
    <button>${t.say("apis.search.do")}</button></div>
    </form>
  `;
}

/** An API in the catalogue. */
export function apiCard(t: Reader["t"], api: ApiOnPage): Html {
  return html`<section class="card"><h2><a href="${apiPath(api.id)}">${api.name}</a></h2>
${api.short_description !== "" && html`<p class="quiet">${api.short_description}</p>`}
${!api.needs_key && html`<p class="note">${t.say("apis.open")}</p>`}
<ul class="list">${
    api.plans.map((plan) =>
      html`
        <li class="row">
          <div class="grow"><strong>${plan.name}</strong><br>
        <span class="note">${t.say(`plan.${plan.way}`)}${plan.price_text !== "" && html`
          · ${plan.price_text}
        `}</span></div>
          <div class="grow">${rateOf(t, plan)}<br><span class="note">${quotaOf(
            t,
            plan,
          )}</span></div>
          <div class="standing">${standing(t, plan)}</div>
        </li>
      `
    )
  }</ul></section>`;
}

/** The page of an API: its documentation first, then its plans side by side. */
export async function apiView(
  reader: Reader,
  api: ApiOnPage,
  { documentation, key_header, card, form }: {
    documentation: z.output<typeof myApiDocumentation>;
    key_header: string;
    /** Of operations that can be tried. */
    card?: Html;
    form?: Parameters<typeof documentationOf>[2];
  },
): Promise<Html> {
  const { t } = reader;
  const { short_description, version, long_description, plans } = api;
  return html`
        <p class="note"><a href="/portal">${t.say("apis")}</a></p><h1>${api.name}</h1>
        ${short_description !== "" && html`<p class="lead">${short_description}</p>`}
        ${facts(t, api, key_header)}
        <nav class="tabs" aria-label="${t.say("api.nav")}">
      <ul>${(["documentation", "plans"] as const).map((part) =>
        html`<li><a href="#${part}">${t.say(`api.${part}`)}</a></li>`
      )}</ul>
    </nav>
        <section aria-labelledby="documentation"><h2 id="documentation">${t.say(
          "api.documentation",
        )}</h2>
    ${version !== "" && html`<p class="note">${t.say("api.version", { version })}</p>`}
    ${documentation.kind === "operations" &&
      html`<p class="note"><a href="${documentPath(api.id)}">${t.say("docs.file")}</a></p>`}
    ${long_description !== "" && await markdown(long_description)}
    ${card}${await documentationOf(reader, documentation, form)}</section>
        <section aria-labelledby="plans"><h2 id="plans">${t.say("api.plans")}</h2>
    ${!api.needs_key && html`<p>${t.say("apis.open")}</p>`}
    ${plans.length > 0 && planTable(t, plans)}</section>
  `;
}

/** How it is called, and the reader's key or the way to one. */
function facts(
  t: Reader["t"],
  { base_url, plans, needs_key }: ApiOnPage,
  key_header: string,
): Html {
  const mine = plans.find((plan) => plan.mine?.state === "has_key") ??
    plans.find((plan) => plan.mine?.state === "waits");
  return html`<dl class="card">
${
    base_url !== "" &&
    html`<dt>${t.say("api.base")}</dt>
<dd><code id="base">${base_url}</code> <button class="text" data-copy="base" data-done="${
      t.say("new.copied")
    }" hidden>${t.say("new.copy")}</button></dd>`
  }
${
    needs_key && html`
      <dt>${t.say("api.header")}</dt>
      <dd><code>${key_header}</code></dd>
      <dt>${t.say("api.key")}</dt>
      <dd>${mine ? standing(t, mine) : html`<a href="#plans">${t.say("api.key.get")}</a>`}</dd>
    `
  }</dl>`;
}

/** The columns of the table of plans, behind their names. */
const COLUMNS = ["rate", "quota", "price", "life", "way"] as const;

/**
 * The plans of an API to be compared. On a phone each is a block, so that its roles are said: a
 * browser takes them from a table that is none by its style.
 */
function planTable(t: Reader["t"], plans: readonly PlanOnPage[]): Html {
  const columns = COLUMNS.filter((one) => one !== "price" || plans.some(hasPrice));
  const cells = (plan: PlanOnPage): Record<typeof COLUMNS[number], Html | string> => ({
    rate: rateOf(t, plan),
    quota: quotaOf(t, plan),
    price: plan.price_text,
    life: lifeOf(t, plan),
    way: html`${t.say(`plan.${plan.way}`)}${
      typeof plan.usual_seconds === "number" && html`, ${usually(t, plan.usual_seconds)}`
    }`,
  });
  const head = (key: TextKey) => html`<th scope="col" role="columnheader">${t.say(key)}</th>`;
  return html`
    <div class="card">
      <table class="compare" role="table" aria-labelledby="plans">
        <thead role="rowgroup">
          <tr role="row">${head("plan.name")}${columns.map((one) =>
            head(`plan.column.${one}`)
          )}${head("plan.state")}</tr>
        </thead>
        <tbody role="rowgroup">${plans.map((plan) => {
          const said = cells(plan);
          return html`
            <tr
              role="row"><th scope="row" role="rowheader">${plan.name}</th>${columns.map((one) =>
                html`<td role="cell" data-of="${t.say(`plan.column.${one}`)}">${said[one]}</td>`
              )}<td role="cell">${standing(t, plan)}</td></tr>
          `;
        })}</tbody>
      </table>
    </div>
  `;
}

const hasPrice = ({ price_text }: PlanOnPage) => price_text !== "";

/** The reader's state of a plan, else the link to request it. */
function standing(t: Reader["t"], { id, name, way, mine }: PlanOnPage): Html | false {
  const words = mine ? ["plan.ask", "plan.ask.of"] as const : ["open.ask", "open.ask.of"] as const;
  const ask = way !== "without_key" &&
    html`
      <a class="button" ${mine
        ? html`
          data-ask
        `
        : html`
          rel="nofollow"
        `} href="${askPath(id)}" aria-label="${t.say(words[1], { plan: name })}">${t.say(
          words[0],
        )}</a>
    `;
  switch (mine?.state) {
    case "has_key":
      return html`<a href="/portal/keys/${mine.key_id ?? ""}" aria-label="${
        t.say("plan.has_key")
      }: ${name}">${pill("good", t.say("plan.has_key"))}</a>`;
    case "waits":
      return html`<a href="/portal/requests">${pill("wait", t.say("plan.waits"))}</a>`;
    case "declined":
      return html`<a href="/portal/requests">${pill("bad", t.say("plan.declined"))}</a> ${ask}`;
    default:
      return ask;
  }
}
