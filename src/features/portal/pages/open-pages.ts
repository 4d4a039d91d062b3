/**
 * Pages of public APIs for people and search engines without a session. Nothing of any developer
 * is in them, and no cookie is set.
 */
import { Failure } from "../../../kernel/failure.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { rowsOf } from "../../../storage/touched-rows.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import * as service from "../my/apis.service.ts";
import { type OfferedApi, partsOfOffer, publicOffer } from "../my/offer.ts";
import { apiCard, apiPath, apiView, searchForm } from "./api-view.ts";
import { framed } from "./frame.ts";
import { html } from "./html.ts";
import type { Handler, OpenCall, Page, PageContext, PageFile } from "./page.ts";

/** APIs on one page. */
const ON_PAGE = 100;

/** The catalogue of public APIs; undefined: none is public. */
export async function openCatalogue(call: OpenCall): Promise<Page | undefined> {
  const { ctx, origin, query, t, site: { organisation: { name: organisation } } } = call;
  const apis = await publicOffer(ctx);
  if (apis.length === 0) return undefined;
  const q = searched(query);
  const found = apis.filter((api) => service.matches(api, q === "" ? undefined : q));
  const last = Math.max(1, Math.ceil(found.length / ON_PAGE));
  const n = Math.min(pageIn(query), last);
  const lead = t.say("open.lead", { organisation });
  const at = (page: number) => {
    const asked = new URLSearchParams({
      ...page === 1 ? {} : { page: String(page) },
      ...q === "" ? {} : { q },
    });
    return asked.size === 0 ? "/portal" : `/portal?${asked}`;
  };
  return {
    title: n === 1 ? t.say("apis") : t.say("open.page", { n }),
    // A search is no page of its own for search engines.
    open: { description: lead, ...q === "" ? { canonical: `${origin}${at(n)}` } : {} },
    body: html`
      <h1>${t.say("apis")}</h1>
      <p class="lead">${lead}</p>
      ${searchForm(t, q)}
      ${found.length === 0 && html`<p>${t.say("apis.none.found", { q })}</p>`}
      ${found.slice((n - 1) * ON_PAGE, n * ON_PAGE).map((api) => apiCard(t, api))}
      ${n < last && html`<p><a href="${at(n + 1)}">${t.say("apis.more")}</a></p>`}
    `,
  };
}

/** The page of a public API; undefined: there is none of this id. */
export async function openApi(call: OpenCall): Promise<Page | undefined> {
  const { ctx, origin, params, t, site: { organisation } } = call;
  const api = (await publicOffer(ctx)).find(({ id }) => id === params.id);
  if (!api) return undefined;
  const { base_url, key_header } = await publicBrand(ctx.storage.reader, ctx.principal.org_id);
  const documentation = await service.contentOf(ctx, api.document);
  const viewed = { ...api, base_url: api.base_url || base_url };
  const words = t.say("open.api", { api: api.name, organisation: organisation.name });
  return {
    title: api.name,
    open: {
      description: api.short_description || words,
      canonical: `${origin}${apiPath(api.id)}`,
      // It may have been too busy to read it.
      isFleeting: documentation.kind === "unreadable",
    },
    body: await apiView(call, viewed, { documentation, key_header }),
  };
}

/** The OpenAPI document of a public API; undefined: there is no such API. Throws `not_found`. */
export async function openDocument({ ctx, params }: OpenCall): Promise<PageFile | undefined> {
  const api = (await publicOffer(ctx)).find(({ id }) => id === params.id);
  return api && await fileOf(ctx, api);
}

/** The OpenAPI document of an API. Throws `not_found`, which is not cached. */
export async function fileOf(ctx: PageContext, { document }: OfferedApi): Promise<PageFile> {
  const found = await service.openApiOf(ctx, document);
  if (found === undefined || found === "unreadable") throw new Failure("not_found");
  return found;
}

/** A page or a file in full, with what names its text. */
interface OpenText {
  /** Its media type; "": a page. */
  readonly type: string;
  readonly text: string;
  readonly etag: string;
  /** As the read cache counts it. */
  readonly length: number;
}

const NOTHING: OpenText = { type: "", text: "", etag: "", length: 1 };

/**
 * The text of an open page, cached while nothing has changed that it is made of; undefined: there
 * is no such page. A search is made anew each time.
 */
export async function openText(
  open: NonNullable<Handler["open"]>,
  call: OpenCall,
): Promise<OpenText | undefined> {
  const { ctx: { storage, readCache, principal: { org_id } }, query, path, look, origin } = call;
  const { site, t } = call;
  const make = async () => {
    const answer = answerOf(await open(call), call);
    return { answer, parts: [...partsOfOffer(org_id), ...rowsOf("portal_documents", org_id)] };
  };
  const brand = await publicBrand(storage.reader, org_id);
  const made = [path, pageIn(query), t.language, look, origin, site, brand];
  const found = searched(query) === ""
    ? await readCache.get(
      `${org_id} open page ${sha256(JSON.stringify(made))}`,
      storage.changes,
      make,
    )
    : (await make()).answer;
  return found.text === "" ? undefined : found;
}

function answerOf(made: Page | PageFile | undefined, call: OpenCall): OpenText {
  if (!made) return NOTHING;
  const isFile = "type" in made;
  const text = isFile ? made.text : framed(made, { ...call, csrf: "", counts: NONE });
  return {
    type: isFile ? made.type : "",
    text,
    etag: `W/"${sha256(text).slice(0, 32)}"`,
    length: !isFile && made.open?.isFleeting ? Infinity : text.length,
  };
}

const NONE = { keys: 0, denied: 0, requests: 0 };

const searched = (query: URLSearchParams) => query.get("q")?.trim().slice(0, 100) ?? "";

/** The number of a page in an address; 1 where there is none. */
function pageIn(query: URLSearchParams): number {
  const page = query.get("page") ?? "";
  return /^[1-9]\d{0,2}$/.test(page) ? Number(page) : 1;
}
