import type { z } from "zod";
import { publicBrand } from "../../branding/public-brand.ts";
import type { mySecret } from "../my/keys.contract.ts";
import { get } from "../my/keys.service.ts";
import { offerOf } from "../my/offer.ts";
import { type Html, html } from "./html.ts";
import { onItsWay } from "./on-its-way.ts";
import type { Page, PageCall } from "./page.ts";
import { namesOf } from "./plan-words.ts";
import { snippetList, VARIABLE } from "./snippets.ts";

/**
 * A key that is shown this once: the answer to a press, at no address. Until its holder says that
 * they kept it, the script asks before the page is left; then it takes the key out of the page.
 */
export async function newKeyPage(
  { ctx, t }: PageCall,
  { key_id, RawKey, Password, client_id, secret }: z.output<typeof mySecret>,
): Promise<Page> {
  const { plans, on_its_way } = await get(ctx, key_id);
  const brand = await publicBrand(ctx.storage.reader, ctx.principal.org_id);
  const base_url = await addressFor(ctx, plans) || brand.base_url;
  const copy = (id: string) =>
    html`
      <button class="text" type="button" data-copy="${id}" data-done="${t.say(
        "new.copied",
      )}"
        hidden>${t.say("new.copy")}</button>
    `;
  const part = (label: string, id: string, variable: string, text: string): Html =>
    html`
      <dt>${label}</dt>
      <dd><code id="${id}" data-env="${variable}">${text}</code> ${copy(id)}</dd>
    `;
  const isPlain = client_id === undefined && Password === "";
  return {
    title: t.say("new"),
    body: html`
      <div class="card"><h1>${t.say("new")}</h1>
        <p class="quiet">${namesOf(t, plans)}</p>
        <p class="said wait">${t.say("new.once")}</p>
        ${onItsWay(t, { on_its_way })}
        <dl>${client_id !== undefined
          ? html`${part(t.say("new.client"), "client", "CLIENT_ID", client_id)}${
            part(
              t.say("new.secret"),
              "secret",
              "CLIENT_SECRET",
              secret ?? "",
            )
          }`
          : html`${
            part(
              t.say(isPlain ? "new.key" : "new.user"),
              "key",
              isPlain ? VARIABLE : "API_USER",
              RawKey,
            )
          }${!isPlain && part(t.say("new.password"), "password", "API_PASSWORD", Password)}`}</dl>
        ${base_url !== "" && isPlain &&
          html`<h2>${t.say("new.call")}</h2><p class="note">${
            t.say("new.variable", {
              variable: VARIABLE,
            })
          }</p>
        ${snippetList(base_url, brand.key_header, copy)}<p class="note">${
            t.say("new.browser")
          }</p>`}
        <p class="said wait" role="status" data-first-call="/v1/my/keys/${key_id}" data-passed="${t
          .say("new.called")}" data-refused="${t.say("new.refused")}" hidden>${t.say(
            "new.waiting",
          )}</p>
        <form action="/portal/keys/${key_id}" data-guard>
          <label class="check"><input type="checkbox" required> ${t.say("new.kept")}</label>
          <div class="row"><button class="main">${t.say("new.done")}</button>
            <button type="button" data-save-env hidden>${t.say("new.env")}</button>
            <span class="note grow">${t.say("new.guard")}</span></div>
        </form>
      </div>
    `,
  };
}

/** The address of the first API of these plans that has one of its own; else "". */
async function addressFor(ctx: PageCall["ctx"], plans: readonly { id: string }[]): Promise<string> {
  const apis = await offerOf(ctx);
  const wanted = new Set(plans.map(({ id }) => id));
  const own = apis.filter((api) => api.plans.some(({ ids }) => ids.some((id) => wanted.has(id))));
  return own.find(({ base_url }) => base_url !== "")?.base_url ?? "";
}
