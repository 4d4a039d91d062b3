import { Buffer } from "node:buffer";
import type { Origin } from "../../../calls/origin.ts";
import { ANONYMOUS, callingDeveloper, type Principal } from "../../../calls/principal.ts";
import type { AccessLog } from "../../../http/access-log.ts";
import { securityHeaders, successResponse } from "../../../http/answer.ts";
import { setHeader, wholeResponse } from "../../../../packages/http-listener/written-response.ts";
import type { BodyReader } from "../../../http/body-reader.ts";
import type { Asked } from "../../../http/call.ts";
import { contentTypeOf, parseFormBody } from "../../../http/decode-body.ts";
import { asFailure } from "../../../http/failure-response.ts";
import { placeOfPosted } from "../../../http/posted-answer.ts";
import { type RequestIds, requestIdsOf } from "../../../http/request-id.ts";
import { type Found, pathOf, PathTable } from "../../../http/router.ts";
import { isSecureCall, requireSameOrigin } from "../../../http/session-cookie.ts";
import { Answer } from "../../../kernel/answer.ts";
import { failureCodes } from "../../../kernel/failure-codes.ts";
import { Failure } from "../../../kernel/failure.ts";
import { isId, randomBytes, toHex } from "../../../kernel/ids.ts";
import { LONGEST_QUERY } from "../../../kernel/input-limits.ts";
import type { FindsDevelopers } from "../../people/callers.ts";
import { pagesAt } from "../access/developer-pages.ts";
import { serialize } from "../access/developer-pages.service.ts";
import { findDeveloper } from "../../developers/developer-accounts.store.ts";
import { nameOfDeveloper } from "../../developers/developer-names.ts";
import { emailIn } from "../../developers/developer-text.ts";
import { type OwnCounts, ownCounts } from "../my/own-counts.ts";
import { apiPages } from "./api-pages.ts";
import { keyPages } from "./key-pages.ts";
import { requestPages } from "./request-pages.ts";
import { openText } from "./open-pages.ts";
import { originOf } from "./open-texts.ts";
import { accountPages } from "./account-pages.ts";
import { ownAccountPages } from "./own-account-pages.ts";
import { chosenLanguage, chosenLook } from "./cookies.ts";
import { failurePage, offPage } from "./failure-pages.ts";
import { framed, styleOf } from "./frame.ts";
import {
  type Handler,
  type Onward,
  type Page,
  type PageCall,
  type PageContext,
  placeIn,
  type Site,
} from "./page.ts";
import { providerPages } from "./provider-pages.ts";
import script from "./portal.browser.js?text" with { type: "text" };
import { enterPages, nonceArrival } from "./enter-pages.ts";
import { signInPages } from "./sign-in-pages.ts";
import { type Texts, textsFor } from "./texts.ts";
import { sha256 } from "../../../kernel/sha256.ts";

/** The server's part that the pages need. */
interface PortalServing {
  contextOf(principal: Principal): PageContext;
  originOf(ids: RequestIds, asked: Asked): Origin;
  readonly developers: FindsDevelopers;
  readonly bodies: BodyReader;
  readonly log: AccessLog;
}

/** Everything from this server, nothing inline, no HTML out of texts, forms to itself alone. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** The policy of a page whose script may call one more origin. */
function policyFor(origin: string): string {
  return POLICY.replace("connect-src 'self'", `connect-src 'self' ${origin}`);
}

const HEADERS = {
  ...securityHeaders,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  // Without it a browser that comes by plain http says of no form where it is from.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "vary": "accept-language, cookie",
};

const KEPT = "private, max-age=31536000, immutable";
/** Bytes of a form; the longest has a page of answers. */
const LONGEST_FORM = 16 * 1024;

/** Every page and form, by its path. */
export const PAGES: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  ...signInPages,
  ...enterPages,
  ...accountPages,
  ...ownAccountPages,
  ...providerPages,
  ...apiPages,
  ...requestPages,
  ...keyPages,
};
const table = new PathTable<Handler>();
for (const [path, handlers] of Object.entries(PAGES)) {
  for (const [method, handler] of Object.entries(handlers)) {
    table.add(path, [method], handler);
  }
}

/**
 * Answers whatever is asked for at `/portal` and below it: pages for browsers, which no program
 * calls. Every answer to a person is a page, a failure too.
 */
export async function answerPortal(asked: Asked, serving: PortalServing): Promise<Response> {
  const started = performance.now();
  const { request, path } = asked;
  const ids = requestIdsOf(request);
  const origin = serving.originOf(ids, asked);
  const t = textsFor(chosenLanguage(request.headers), request.headers.get("accept-language"));
  const found = table.find(request.method, path);
  const visit: Visit = { asked, serving, ids, t, found, principal: { ...ANONYMOUS, origin } };
  let failure: Failure | undefined;
  let response: Response;
  try {
    response = await answer(visit);
  } catch (error) {
    failure = asFailure(error);
    response = failed(visit, failure);
  }
  const pattern = found?.path ?? "/portal/**";
  const { method } = request;
  serving.log.request(method, pattern, response.status, started, ids, visit.principal, failure);
  return response;
}

/** One request, and what was found out of it so far. */
interface Visit {
  readonly asked: Asked;
  readonly serving: PortalServing;
  readonly ids: RequestIds;
  readonly t: Texts;
  readonly found: Found<Handler> | undefined;
  principal: Principal;
  site?: Site;
}

async function answer(visit: Visit): Promise<Response> {
  const { asked: { request, path, peer }, serving, ids, t, found } = visit;
  const { headers } = request;
  const anonymous = serving.contextOf(visit.principal);
  const { pages } = await pagesAt(anonymous, headers);
  const site = { ...await serialize(anonymous, headers), mail_domains: pages.mail_domains };
  visit.site = site;
  const file = fileAt(path, site);
  if (file && isRead(request.method)) return withBody(visit, file, KEPT);
  if (!found) throw new Failure("not_found");
  if (!found.serving) throw new Failure("method_not_allowed");
  const query = queryOf(request.url);
  const brings = path === "/portal" && query.has("nonce");
  const handler = brings ? nonceArrival : found.serving;
  // As the interface has it: what is no id names nothing.
  if (!Object.values(found.params).every(isId)) throw new Failure("not_found");
  const form = isRead(request.method) ? {} : await formOf(visit);
  const { settings } = anonymous;
  const posted = handler.takesPosted ? placeOfPosted(path, form) : undefined;
  if (posted !== undefined) return onward(visit, { to: posted });
  if (!isRead(request.method)) requireSameOrigin(headers, settings.portalUrl || settings.publicUrl);
  const developer = allowed(handler, request, await developerOf(visit, handler, form.csrf ?? ""));
  if (!developer && handler.for === "developer") {
    const opened = handler.open && isRead(request.method) &&
      await openAnswer(visit, site, { open: handler.open, query });
    if (opened) return opened;
    const wanted = placeIn(isRead(request.method) ? pathOf(request.url) : "/portal");
    return onward(visit, { to: `/portal/sign-in?to=${wanted.replaceAll("%", "%25")}` });
  }
  if (developer) visit.principal = { ...developer, origin: visit.principal.origin };
  const isSeen = developer?.developer?.mayChange === false;
  if (handler.opens && !isSeen && developer?.developer?.opensAll === false) {
    // A form's page is the one above its own address.
    const page = isRead(request.method) ? path : path.slice(0, path.lastIndexOf("/"));
    return onward(visit, { to: `/portal/prove?to=${placeIn(page)}` });
  }
  if (handler.begins && !isSeen && developer?.developer?.isFreshOwn === false) {
    return onward(visit, { to: "/portal/account/again" });
  }
  const ctx = serving.contextOf(visit.principal);
  const token = developer?.session?.csrf_token ?? "";
  const csrf = token === "" ? "" : maskedToken(token);
  const isSecure = isSecureCall(ctx, { headers, peer });
  const { params } = found;
  const counts = developer ? await ownCounts(ctx) : NONE;
  const call: PageCall = {
    ctx,
    site,
    t,
    path,
    params,
    query,
    form,
    headers,
    peer,
    isSecure,
    counts,
    look: chosenLook(headers),
    ...isSeen ? { seenAs: await nameOfSeen(ctx) } : {},
    ...developer && !isSeen ? { drafts: draftsOf(developer) } : {},
    csrf,
  };
  const made = await handler.run(call);
  if ("to" in made) return onward(visit, made);
  if ("type" in made) return withBody(visit, { type: made.type, body: made.text }, "no-cache");
  const text = framed(made, call);
  return await answerPage(visit, made, text, ids);
}

/** A page that needs no session; undefined: there is none for everyone. */
async function openAnswer(
  { asked: { request, path, peer }, serving, ids, t, found, principal }: Visit,
  site: Site,
  { open, query }: { open: NonNullable<Handler["open"]>; query: URLSearchParams },
): Promise<Response | undefined> {
  const { headers } = request;
  const { org_id } = await pagesAt(serving.contextOf(principal), headers);
  const ctx = serving.contextOf({ ...principal, org_id });
  const origin = await originOf(ctx, { headers, peer });
  const { params = {} } = found ?? {};
  const look = chosenLook(headers);
  const made = await openText(open, { ctx, site, t, path, params, query, look, origin });
  if (!made) return undefined;
  const own = {
    ...HEADERS,
    "cache-control": "no-cache",
    ...made.type === "" ? { "content-language": t.language } : { "content-type": made.type },
  };
  const isKnown = headers.get("if-none-match")?.split(",").some((tag) => tag.trim() === made.etag);
  const response = isKnown
    ? new Response(null, { status: 304, headers: { ...own, "x-request-id": ids.id } })
    : await successResponse(new Answer(made.text, own), ids.id, request, true);
  // Not before: an answer with a tag is not compressed.
  setHeader(response, "etag", made.etag);
  return response;
}

/**
 * The caller, if they may make the call: a person who views the pages as a developer may only
 * leave, and choices that need no developer are their own. Throws `access_denied`.
 */
function allowed(
  { knowsDeveloper, proves, leaves }: Handler,
  { method }: { method: string },
  developer: Principal | undefined,
): Principal | undefined {
  if (isRead(method) || developer?.developer?.mayChange !== false || leaves) return developer;
  if (knowsDeveloper || proves) return undefined;
  throw new Failure("access_denied");
}

/** The name of the developer above pages that a person of the organisation views. */
async function nameOfSeen({ storage: { reader }, principal }: PageContext): Promise<string> {
  const { id } = callingDeveloper(principal);
  const found = await findDeveloper(reader, { org_id: principal.org_id, id });
  return found ? nameOfDeveloper(found.document).trim() || emailIn(found.document) || id : id;
}

const NONE: OwnCounts = { keys: 0, denied: 0, requests: 0 };

const isRead = (method: string) => method === "GET" || method === "HEAD";

/** Characters of one value in an address; the longest is a list's `cursor`. */
const LONGEST_VALUE = 2048;
/** The longest answer of an identity provider. */
const LONGEST_ANSWER = 8192;

/** Throws `invalid_input` for a value that no page takes. */
function queryOf(url: string): URLSearchParams {
  const text = url.split("?", 2)[1] ?? "";
  const query = new URLSearchParams(text.length <= LONGEST_QUERY ? text : "");
  const longest = url.includes("/portal/from/") ? LONGEST_ANSWER : LONGEST_VALUE;
  if (!isPlain(query.values(), longest)) throw new Failure("invalid_input");
  return query;
}

/** Whether none of these texts is too long, or holds a NUL, which not every engine takes. */
function isPlain(texts: Iterable<string>, longest: number): boolean {
  return [...texts].every((text) => text.length <= longest && !text.includes("\0"));
}

/** The developer of the session, if there is one; their form must carry the session's token. */
async function developerOf(
  { asked, serving: { developers } }: Visit,
  handler: Handler,
  csrf: string,
): Promise<Principal | undefined> {
  const { request: { method, url, headers } } = asked;
  const isOpenForm = !isRead(method) && handler.for === "everybody";
  // A form that is open to everybody, such as the sign-in's, belongs to no session.
  if (isOpenForm && !handler.knowsDeveloper && !handler.proves) return undefined;
  const own = new Headers();
  // Nothing but the cookie: a developer's token opens no page.
  for (const name of COUNTED) {
    const value = headers.get(name);
    if (value !== null) own.set(name, value);
  }
  own.set("x-csrf-token", unmaskedToken(csrf));
  try {
    return await developers.find({
      ...asked,
      request: { ...asked.request, method: handler.proves ? "GET" : method, url, headers: own },
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "not_authorised") return undefined;
    // Its page is older than the sign-in: it is the browser's own, and no one's session.
    if (isOpenForm && error.code === "csrf_refused") return undefined;
    throw error;
  }
}

/** Headers that say whose session it is and where it comes from. */
const COUNTED = [
  "cookie",
  "host",
  "origin",
  "sec-fetch-site",
  "x-forwarded-for",
  "x-forwarded-proto",
  "forwarded",
];

async function formOf({ asked: { request }, serving }: Visit): Promise<Record<string, string>> {
  const bytes = await serving.bodies.read(request, LONGEST_FORM);
  const form = parseFormBody(bytes, contentTypeOf(request.headers));
  if (!isPlain(Object.values(form), LONGEST_FORM)) throw new Failure("invalid_input");
  return form;
}

function fileAt(
  path: string,
  { organisation }: Site,
): { type: string; body: string | Uint8Array } | undefined {
  switch (path) {
    case "/portal/portal.css":
      return { type: "text/css; charset=utf-8", body: styleOf(organisation.colour) };
    case "/portal/portal.js":
      return { type: "text/javascript; charset=utf-8", body: script };
    case "/portal/logo": {
      const [, type, data] = /^data:(image\/[a-z]+);base64,(.+)$/.exec(organisation.logo) ?? [];
      return type && data ? { type, body: new Uint8Array(Buffer.from(data, "base64")) } : undefined;
    }
  }
}

function withBody(
  { ids, asked: { request } }: Visit,
  file: { type: string; body: string | Uint8Array },
  kept: string,
) {
  const headers = { ...HEADERS, "content-type": file.type, "cache-control": kept };
  return successResponse(new Answer(file.body, headers), ids.id, request, true);
}

/** Compressed piece by piece: the pages of one person are no text to be kept for others. */
function answerPage({ asked: { request }, t }: Visit, page: Page, text: string, ids: RequestIds) {
  const headers = {
    ...HEADERS,
    ...page.calls === undefined ? {} : { "content-security-policy": policyFor(page.calls) },
    "content-language": t.language,
    ...cookieHeader(page.cookies),
    ...page.onTo === undefined ? {} : { refresh: `0; url=${page.onTo}` },
  };
  const status = page.status ?? 200;
  if (status === 200 && request.method === "GET") {
    const pieces = (async function* () {
      yield text;
    })();
    return successResponse(new Answer(pieces, headers), ids.id, request, true);
  }
  return whole(text, status, { ...headers, "x-request-id": ids.id }, page.cookies);
}

const CLEARED = { "clear-site-data": `"cache", "storage"` };

function onward({ ids }: Visit, { to, cookies = [], forget }: Onward): Response {
  const { "content-type": _, ...headers } = HEADERS;
  const clear: Record<string, string> = forget ? CLEARED : {};
  const own = new Headers({ ...headers, ...clear, location: to, "x-request-id": ids.id });
  for (const one of cookies) own.append("set-cookie", one);
  return new Response(null, { status: 303, headers: own });
}

/** The failure as a page in the reader's language. */
function failed(
  { site, t, ids, found, asked: { path, request } }: Visit,
  failure: Failure,
): Response {
  const isOff = site === undefined && failure.code === "not_found";
  const page = isOff ? offPage(t) : failurePage(t, failure, path);
  const known = site ?? NO_SITE;
  const wait = failure.retryAfterSeconds;
  return whole(
    framed(page, {
      site: known,
      t,
      path,
      counts: NONE,
      look: chosenLook(request.headers),
      csrf: "",
    }),
    failureCodes[failure.code].status,
    {
      ...HEADERS,
      "x-request-id": ids.id,
      "x-keydesk-error": failure.code,
      ...wait === undefined ? {} : { "retry-after": String(wait) },
      ...failure.code === "method_not_allowed" ? { allow: found?.allow ?? "GET" } : {},
    },
  );
}

const NO_SITE: Site = {
  organisation: { name: "", logo: "", colour: "", support: "" },
  sign_in: { code: false, password: false },
  sign_up: "closed",
  mail_domains: [],
};

function cookieHeader(cookies: readonly string[] = []): Record<string, string> {
  return cookies[0] === undefined ? {} : { "set-cookie": cookies[0] };
}

function whole(
  text: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  cookies: readonly string[] = [],
): Response {
  const own = new Headers(headers);
  own.set("content-length", String(Buffer.byteLength(text)));
  for (const one of cookies.slice(1)) own.append("set-cookie", one);
  return wholeResponse(text, { status, headers: own });
}

/**
 * A session's token as a form carries it: another text each time, so that the length of a
 * compressed page tells nothing of it (BREACH).
 */
export function maskedToken(token: string): string {
  const bytes = Buffer.from(token);
  const pad = randomBytes(bytes.length);
  return toHex(pad) + toHex(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)));
}

/** The token within; what is none gives something that is no token. */
export function unmaskedToken(masked: string): string {
  if (!/^([0-9a-f]{4}){1,256}$/.test(masked)) return "";
  const bytes = Buffer.from(masked, "hex");
  const half = bytes.length / 2;
  const token = bytes.subarray(half).map((byte, at) => byte ^ (bytes[at] ?? 0));
  const text = Buffer.from(token).toString("latin1");
  return /^[\x20-\x7e]*$/.test(text) ? text : "";
}

/** By what a browser tells one developer's drafts from another's; it says nothing of either. */
function draftsOf({ org_id, developer }: Principal): string {
  return sha256(`drafts\0${org_id}\0${developer?.id ?? ""}`).slice(0, 16);
}
