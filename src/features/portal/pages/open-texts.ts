/**
 * Texts that search engines and programs look for at an organisation's host: robots.txt (RFC 9309),
 * llms.txt, and its API catalog (RFC 9727). They tell of public APIs alone.
 */
import type { Peer, ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import type { Origin } from "../../../calls/origin.ts";
import { ANONYMOUS, type Principal } from "../../../calls/principal.ts";
import type { AccessLog } from "../../../http/access-log.ts";
import { securityHeaders, successResponse } from "../../../http/answer.ts";
import type { Asked } from "../../../http/call.ts";
import { type RequestIds, requestIdsOf } from "../../../http/request-id.ts";
import { isSecureCall } from "../../../http/session-cookie.ts";
import { Answer } from "../../../kernel/answer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { rowsOf } from "../../../storage/touched-rows.ts";
import { plainText } from "../../../kernel/plain-text.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { pagesUrl } from "../../people/pages-url.ts";
import { pagesAt } from "../access/developer-pages.ts";
import { openApiOf } from "../my/apis.service.ts";
import { type OfferedApi, partsOfOffer, publicOffer } from "../my/offer.ts";
import { apiPath, documentPath } from "./api-view.ts";
import type { PageContext } from "./page.ts";

/** The server's part that the texts need. */
interface TextServing {
  contextOf(principal: Principal): PageContext;
  originOf(ids: RequestIds, asked: Asked): Origin;
  readonly log: AccessLog;
}

/** The public APIs of a host, and the addresses of their pages. */
interface Public {
  readonly ctx: PageContext;
  readonly name: string;
  readonly origin: string;
  readonly apis: readonly OfferedApi[];
}

/**
 * Answers a text of the host's organisation; undefined: nothing of it is public, or it has no
 * pages.
 */
export async function answerOpenText(
  asked: Asked,
  serving: TextServing,
): Promise<Response | undefined> {
  const { request, path, peer } = asked;
  const started = performance.now();
  const ids = requestIdsOf(request);
  const principal = { ...ANONYMOUS, origin: serving.originOf(ids, asked) };
  const open = await publicAt(serving, principal, { headers: request.headers, peer });
  const text = open && await textAt(path, open);
  if (!text) return undefined;
  const headers = { ...securityHeaders, "cache-control": "public, max-age=300", ...text.headers };
  const response = await successResponse(new Answer(text.body, headers), ids.id, request, true);
  serving.log.request(request.method, path, response.status, started, ids, principal);
  return response;
}

/** The prefix of the addresses of an organisation's pages: as it is set, else as it was called. */
export async function originOf(
  ctx: PageContext,
  call: { headers: ReceivedHeaders; peer: Peer | undefined },
): Promise<string> {
  const set = await pagesUrl(ctx.storage.reader, ctx.principal.org_id, ctx.settings);
  const scheme = isSecureCall(ctx, call) ? "https" : "http";
  return set ?? `${scheme}://${call.headers.get("host")?.trim().toLowerCase() ?? ""}`;
}

async function publicAt(
  serving: TextServing,
  principal: Principal,
  call: { headers: ReceivedHeaders; peer: Peer | undefined },
): Promise<Public | undefined> {
  try {
    const { org_id } = await pagesAt(serving.contextOf(principal), call.headers);
    const ctx = serving.contextOf({ ...principal, org_id });
    const apis = await publicOffer(ctx);
    if (apis.length === 0) return undefined;
    const { name, base_url } = await publicBrand(ctx.storage.reader, org_id);
    const called = apis.map((api) => ({ ...api, base_url: api.base_url || base_url }));
    return { ctx, name, origin: await originOf(ctx, call), apis: called };
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return undefined;
    throw error;
  }
}

const TEXT = { "content-type": "text/plain; charset=utf-8" };

async function textAt(path: string, open: Public) {
  switch (path) {
    case "/robots.txt":
      return { body: robots(open), headers: TEXT };
    case "/llms.txt":
      return { body: llms(open), headers: { ...TEXT, "content-type": MARKDOWN } };
    case CATALOG:
      return {
        body: await catalog(open),
        headers: {
          "content-type": LINKSET,
          "link": `<${open.origin}${CATALOG}>; rel="api-catalog"`,
        },
      };
    default:
      return undefined;
  }
}

const MARKDOWN = "text/markdown; charset=utf-8";
const CATALOG = "/.well-known/api-catalog";
/** RFC 9727, 4.2. */
const LINKSET = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`;

/** Allows each public page by its whole path, and the files that pages are drawn with. */
function robots({ apis }: Public): string {
  const pages = ["/portal", ...apis.flatMap(({ id }) => [apiPath(id), documentPath(id)])]
    .map((path) => path.replaceAll("*", "%2A"));
  return [
    "User-agent: *",
    ...pages.map((path) => `Allow: ${path}$`),
    "Allow: /portal?page=",
    ...["/portal/portal.css", "/portal/portal.js", "/portal/logo", "/llms.txt", CATALOG]
      .map((path) => `Allow: ${path}`),
    "Disallow: /",
    "",
  ].join("\n");
}

/** https://llmstxt.org */
function llms({ name, origin, apis }: Public): string {
  return [
    `# ${inMarkdown(name || "APIs")}`,
    "",
    "> Public APIs. Each page has the documentation and the plans of an API. Keys are requested there, after signing in.",
    "",
    "## APIs",
    "",
    ...apis.map(({ id, name, short_description: words }) => {
      const link = `- [${inMarkdown(name)}](${origin}${apiPath(id)})`;
      return words === "" ? link : `${link}: ${inMarkdown(words)}`;
    }),
    "",
  ].join("\n");
}

/** A text of one line that is no markup. */
function inMarkdown(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").replaceAll(/[\\[\]<>`*_]/g, "\\$&").trim();
}

/** The text of the catalog, cached while nothing has changed that it is made of. */
async function catalog(open: Public): Promise<string> {
  const { ctx, origin, apis } = open;
  const { storage, readCache, principal: { org_id } } = ctx;
  const make = async () => {
    const types: (string | undefined)[] = [];
    let isFleeting = false;
    for (const { document } of apis) {
      const found = await openApiOf(ctx, document);
      isFleeting ||= found === "unreadable";
      types.push(typeof found === "object" ? found.type : undefined);
    }
    const text = JSON.stringify(linkset(open, types));
    const answer = { text, length: isFleeting ? Infinity : text.length };
    return { answer, parts: [...partsOfOffer(org_id), ...rowsOf("portal_documents", org_id)] };
  };
  const bases = sha256(JSON.stringify([origin, apis.map(({ base_url }) => base_url)]));
  const kept = await readCache.get(`${org_id} catalog ${bases}`, storage.changes, make);
  return kept.text;
}

/**
 * The catalog as a linkset (RFC 9264): the catalog's items, and for each API the page about it and
 * its OpenAPI document (RFC 8631). The anchor of an API is the address at which it is called, where
 * no other API has it. `types`: the media type of each API's document; undefined: it has none.
 */
function linkset({ origin, apis }: Public, types: readonly (string | undefined)[]) {
  const pages = apis.map(({ id }) => `${origin}${apiPath(id)}`);
  const called = Map.groupBy(apis, ({ base_url }) => base_url);
  const anchors = apis.map(({ base_url }, at) =>
    base_url !== "" && called.get(base_url)?.length === 1 ? base_url : pages[at] ?? ""
  );
  return {
    linkset: [
      {
        anchor: `${origin}${CATALOG}`,
        item: apis.map(({ name }, at) => ({ href: anchors[at], title: name })),
      },
      ...apis.map(({ id, name }, at) => ({
        "anchor": anchors[at],
        ...types[at] === undefined ? {} : {
          "service-desc": [{ href: `${origin}${documentPath(id)}`, type: types[at], title: name }],
        },
        "service-doc": [{ href: pages[at], type: "text/html", title: name }],
      })),
    ],
  };
}
