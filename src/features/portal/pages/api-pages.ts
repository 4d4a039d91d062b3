import type { z } from "zod";
import { listMyApisQuery, type myApi } from "../my/apis.contract.ts";
import * as service from "../my/apis.service.ts";
import { apiHead, apiPath } from "./api-head.ts";
import { documentationPage, markdown } from "./documentation-page.ts";
import { hiddenFields } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { Handler, Page, PageCall } from "./page.ts";
import { lifeOf, namesOf, pill, quotaOf, rateOf, usually } from "./plan-words.ts";

type Api = z.output<typeof myApi>;
type Plan = Api["plans"][number];

/** The pages of the offer. */
export const apiPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal": { GET: { for: "developer", run: cataloguePage } },
  "/portal/apis/{id}": { GET: { for: "developer", run: apiPage } },
  "/portal/apis/{id}/documentation": { GET: { for: "developer", run: documentationPage } },
};

async function cataloguePage(call: PageCall): Promise<Page> {
  const { ctx, t, query, counts, site: { organisation } } = call;
  const q = query.get("q")?.trim().slice(0, 100) ?? "";
  const cursor = query.get("cursor");
  const asked = listMyApisQuery.parse({
    limit: "100",
    ...q === "" ? {} : { q },
    ...cursor === null ? {} : { cursor },
  });
  const { data, next_cursor } = await service.list(ctx, asked);
  const first = data.flatMap(({ name, plans }) => plans.map((plan) => ({ ...plan, apis: [name] })))
    .find(({ way }) => way === "at_once");
  const hasNone = counts.keys + counts.denied + counts.requests === 0;
  const isNew = hasNone && q === "" && first !== undefined;
  const more = new URLSearchParams({ ...q === "" ? {} : { q }, cursor: next_cursor ?? "" });
  return {
    title: t.say("apis"),
    body: html`
      <h1>${t.say("apis")}</h1>
      <p class="lead">${t.say("apis.lead", { organisation: organisation.name })}</p>
      ${isNew && firstKey(call, first)}
      <form class="search" role="search" action="/portal">
        <label for="f-q">${t.say("apis.search")}</label>
        <div
          class="row"><input class="grow" id="f-q" name="q" type="search" value="${q}" maxlength="100">
      <button>${t.say("apis.search.do")}</button></div>
      </form>
      ${data.length === 0 &&
        html`<p>${q === "" ? t.say("apis.none") : t.say("apis.none.found", { q })}</p>`}
      ${data.map((api) => apiCard(call, api))}
      ${next_cursor !== null &&
        html`<p><a href="/portal?${more.toString()}">${t.say("apis.more")}</a></p>`}
    `,
  };
}

/** The way to a first key: one press, where the plan asks for nothing. */
function firstKey(call: PageCall, plan: Plan & { apis: string[] }): Html {
  const { id, requested_fields } = plan;
  const { t } = call;
  const words = t.say("first.do");
  const isAsked = requested_fields.some(({ required }) => required);
  return html`<div class="card row"><div class="grow"><h2>${t.say("first")}</h2>
<p class="quiet">${namesOf(t, [plan])}: ${t.say("first.lead")}</p></div>
${
    isAsked ? html`<a class="button main" href="${askPath(id)}">${words}</a>` : html`
      <form method="post"
        action="${askPath(id)}/key">${hiddenFields(call, {
          press: crypto.randomUUID(),
        })}<button class="main">${words}</button></form>
    `
  }</div>`;
}

function apiCard(call: PageCall, api: Api): Html {
  const { t } = call;
  return html`<section class="card"><h2><a href="${apiPath(api.id)}">${api.name}</a></h2>
${api.short_description !== "" && html`<p class="quiet">${api.short_description}</p>`}
${!api.needs_key && html`<p class="note">${t.say("apis.open")}</p>`}
<ul class="list">${
    api.plans.map((plan) =>
      html`
        <li class="row">
          <div class="grow"><strong>${plan.name}</strong><br>
        <span class="note">${t.say(`plan.${plan.way}`)}</span></div>
          <div class="grow">${rateOf(t, plan)}<br><span class="note">${quotaOf(
            t,
            plan,
          )}</span></div>
          <div>${standing(call, plan)}</div>
        </li>
      `
    )
  }</ul></section>`;
}

/** The developer's state of a plan, else the link to request it. */
function standing({ t }: PageCall, { id, name, way, mine }: Plan): Html | false {
  const ask = way !== "without_key" &&
    html`<a class="button" data-ask href="${askPath(id)}" aria-label="${
      t.say("plan.ask.of", { plan: name })
    }">${t.say("plan.ask")}</a>`;
  switch (mine.state) {
    case "has_key":
      return html`<a href="/portal/keys/${mine.key_id ?? ""}" aria-label="${
        t.say("plan.has_key")
      }: ${name}">${pill("good", t.say("plan.has_key"))}</a>`;
    case "waits":
      return html`<a href="/portal/requests">${pill("wait", t.say("plan.waits"))}</a>`;
    case "declined":
      return html`<a href="/portal/requests">${pill("bad", t.say("plan.declined"))}</a> ${ask}`;
    case "none":
      return ask;
  }
}

async function apiPage(call: PageCall): Promise<Page> {
  const { ctx, t, params } = call;
  const api = await service.get(ctx, params.id ?? "");
  return {
    title: api.name,
    body: html`${await apiHead(call, api, "plans")}
${api.version !== "" && html`<p class="note">${t.say("api.version", { version: api.version })}</p>`}
${api.long_description !== "" && await markdown(api.long_description)}
${!api.needs_key && html`<p>${t.say("apis.open")}</p>`}
<h2>${t.say("api.plans")}</h2>
<div class="plans">${
      api.plans.map((plan) =>
        html`<section class="card"><h3>${plan.name}</h3><ul>
<li>${rateOf(t, plan)}</li><li>${quotaOf(t, plan)}</li><li>${lifeOf(t, plan)}</li>
<li>${t.say(`plan.${plan.way}`)}${
          plan.usual_seconds !== null && html`, ${usually(t, plan.usual_seconds)}`
        }</li></ul>${standing(call, plan)}</section>`
      )
    }</div>`,
  };
}

/** The path at which a plan is requested. */
export const askPath = (plan: string) => `/portal/ask/${encodeURIComponent(plan)}`;
