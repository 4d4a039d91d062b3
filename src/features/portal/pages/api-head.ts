import type { z } from "zod";
import { publicBrand } from "../../branding/public-brand.ts";
import type { myApi } from "../my/apis.contract.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";

/** The address of an API's page. */
export const apiPath = (id: string) => `/portal/apis/${encodeURIComponent(id)}`;

/** The head of both pages of an API: its name, its address, and the link to the other page. */
export async function apiHead(
  { ctx, t }: PageCall,
  api: z.output<typeof myApi>,
  section: "plans" | "documentation",
): Promise<Html> {
  const { key_header } = await publicBrand(ctx.storage.reader, ctx.principal.org_id);
  const path = apiPath(api.id);
  const tab = (name: typeof section, to: string) =>
    html`<li><a href="${to}"${
      name === section && html`
        aria-current="page"
      `
    }>${t.say(`api.${name}`)}</a></li>`;
  return html`
    <p class="note"><a href="/portal">${t.say("apis")}</a></p><h1>${api.name}</h1>
    ${api.short_description !== "" && html`<p class="lead">${api.short_description}</p>`}
    ${api.base_url !== "" && html`
      <dl class="card">
        <dt>${t.say("api.base")}</dt>
        <dd><code id="base">${api
          .base_url}</code> <button class="text" data-copy="base" data-done="${t
          .say("new.copied")}" hidden>${t.say("new.copy")}</button></dd>
        <dt>${t.say("api.header")}</dt>
        <dd><code>${key_header}</code></dd>
      </dl>
    `}
    <nav class="tabs" aria-label="${t.say("api.nav")}">
      <ul>${tab("plans", path)}${tab("documentation", `${path}/documentation`)}</ul>
    </nav>
  `;
}
