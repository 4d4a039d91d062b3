import type { z } from "zod";
import { publicBrand } from "../branding/public-brand.ts";
import type { mySecret } from "../my/keys.contract.ts";
import { type Html, html } from "./html.ts";
import type { Page, PageCall } from "./page.ts";

/** A key that is shown this once: the answer to a press, at no address. */
export async function newKeyPage(
  { ctx, t }: PageCall,
  { key_id, RawKey, Password, client_id, secret }: z.output<typeof mySecret>,
): Promise<Page> {
  const { base_url, key_header } = await publicBrand(ctx.storage.reader, ctx.principal.org_id);
  const part = (label: string, id: string, text: string): Html =>
    html`
      <dt>${label}</dt>
      <dd><code id="${id}">${text}</code> <button class="text" type="button" data-copy="${id}" data-done="${t
        .say("new.copied")}" hidden>${t.say("new.copy")}</button></dd>
    `;
  return {
    title: t.say("new"),
    body: html`<div class="card"><h1>${t.say("new")}</h1>
<p class="said wait">${t.say("new.once")}</p>
<dl>${
      client_id !== undefined
        ? html`${part(t.say("new.client"), "client", client_id)}${
          part(t.say("new.secret"), "secret", secret ?? "")
        }`
        : html`${part(t.say(Password === "" ? "new.key" : "new.user"), "key", RawKey)}${
          Password !== "" && part(t.say("new.password"), "password", Password)
        }`
    }</dl>
${
      base_url !== "" && client_id === undefined && Password === "" &&
      html`<h2>${t.say("new.call")}</h2>
<pre tabindex="0"><code>curl -H "${key_header}: $API_KEY" ${base_url}</code></pre>`
    }
<p><a class="button main" href="/portal/keys/${key_id}">${t.say("new.done")}</a></p></div>`,
  };
}
