import type { z } from "zod";
import { listMyApisQuery, type myApi } from "../my/apis.contract.ts";
import * as service from "../my/apis.service.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { offerOf } from "../my/offer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { basisOf, keyForPage } from "../my/page-key.service.ts";
import { apiCard, apiPath, apiView, askPath, searchForm } from "./api-view.ts";
import { tryCard, tryForm, tryTarget } from "./try-view.ts";
import { fileOf, openApi, openCatalogue, openDocument } from "./open-pages.ts";
import { hiddenFields } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { Handler, Page, PageCall, PageFile } from "./page.ts";
import { namesOf } from "./plan-words.ts";

type Api = z.output<typeof myApi>;
type Plan = Api["plans"][number];

/** The pages of the offer. */
export const apiPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal": { GET: { for: "developer", run: cataloguePage, open: openCatalogue } },
  "/portal/apis/{id}": { GET: { for: "developer", run: (call) => apiPage(call), open: openApi } },
  "/portal/apis/{id}/openapi": {
    GET: { for: "developer", run: documentFile, open: openDocument },
  },
  "/portal/apis/{id}/try": {
    POST: { for: "developer", opens: true, run: (call) => apiPage(call, true) },
  },
};

/** The OpenAPI document of an API. Throws `not_found`. */
async function documentFile({ ctx, params: { id } }: PageCall): Promise<PageFile> {
  const api = (await offerOf(ctx)).find((one) => one.id === id);
  if (!api) throw new Failure("not_found");
  return await fileOf(ctx, api);
}

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
      ${searchForm(t, q)}
      ${data.length === 0 &&
        html`<p>${q === "" ? t.say("apis.none") : t.say("apis.none.found", { q })}</p>`}
      ${data.map((api) => apiCard(t, api))}
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

async function apiPage(call: PageCall, makesKey = false): Promise<Page> {
  const { ctx, t, params } = call;
  const api = await service.get(ctx, params.id ?? "");
  const documentation = await service.documentation(ctx, api.id);
  const { key_header } = await publicBrand(ctx.storage.reader, ctx.principal.org_id);
  const target = tryTarget(api.base_url);
  if (documentation.kind !== "operations" || !api.needs_key) {
    return { title: api.name, body: await apiView(call, api, { documentation, key_header }) };
  }
  const basis = await basisOf(ctx, api);
  const key = makesKey && target.state === "open" ? await keyForPage(ctx, api) : undefined;
  const card = tryCard(call, apiPath(api.id), { target, key_header, basis, ...key ? { key } : {} });
  const form = key && ((one: Parameters<typeof tryForm>[1], at: number) => tryForm(t, one, at));
  return {
    title: api.name,
    body: await apiView(call, api, { documentation, key_header, card, ...form ? { form } : {} }),
    ...key && target.state === "open" ? { calls: target.origin } : {},
  };
}
