import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { cursorCover } from "../../../calls/cursor-cover.ts";
import {
  actingCall,
  actorOf,
  idempotentCall,
  may,
  type Principal,
} from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import type { Permission } from "../../../contract/permissions.ts";
import { definePublicPage } from "../../../contract/public-page.ts";
import { nextPageLink, nullable, pageQuery } from "../../../contract/v1.ts";
import { id, text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { type Source, source, walk } from "../../../kernel/walk.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { seenAmong } from "../within-scope.service.ts";
import { oneTimeLinkHtml } from "./one-time-link-page.ts";
import { previewOf } from "./one-time-link-preview.ts";
import { style } from "./one-time-link-style.ts";
import { oneTimeLinkLanguage } from "./one-time-link-texts.ts";
import script from "./one-time-link.browser.js?text" with { type: "text" };
import { handsOverAccess, oneTimeLinkHash } from "./one-time-link.ts";
import { oneTimeLinkPreview } from "./one-time-links.contract.ts";
import {
  findByHash,
  findOneTimeLink,
  type OneTimeLinkRow,
  oneTimeLinksAfter,
  oneTimeLinksOfAfter,
} from "./one-time-links.store.ts";
import {
  openOneTimeLink as openOneTimeLinkChange,
  withdrawOneTimeLink as withdrawOneTimeLinkChange,
} from "./one-time-links.transactions.ts";
import { languagePage, writtenPage } from "./written-page.ts";

const states = ["open", "opened", "expired", "withdrawn"] as const;

/** A one-time link as it is shown: neither link nor secret. */
export const oneTimeLink = z.strictObject({
  id,
  state: z.enum(states),
  key_request_id: text.meta({ description: "Of the key that it hands over; else empty." }),
  request_id: text.meta({
    description:
      "The older name of `key_request_id`, for this release alone. It is no id of a call, which `request_id` is elsewhere.",
    deprecated: true,
  }),
  key_id: text,
  access_token_id: text.meta({
    description: "The kind of secret that it hands over, if it is not a key; else empty.",
  }),
  created_by: text,
  created_at: timestamp,
  expires_at: timestamp,
  closed_at: nullable(timestamp),
}).meta({ id: "OneTimeLink" });

/** A page of one-time links. `next_cursor` null: there are no more. */
export const oneTimeLinkList = z.strictObject({
  data: z.array(oneTimeLink),
  next_cursor: nullable(text),
})
  .meta({ id: "OneTimeLinkList" });

/** A secret as a one-time link hands it over, this once. */
export const openedOneTimeLink = z.strictObject({
  key: z.strictObject({
    RawKey: text,
    Password: text,
    client_id: text.optional(),
    secret: text.optional(),
    policy_id: text.optional(),
    redirect_uri: text.optional(),
  }),
  key_id: text,
  plans: z.array(text),
  access_token: z.strictObject({ id: text, name: text, expires_at: nullable(timestamp) }).optional()
    .meta({ description: "Present if an access token is handed over: it is in `key.RawKey`." }),
}).meta({ id: "OpenedOneTimeLink" });

/** The two names of a key request must agree. */
function isOneKeyRequest(
  { key_request_id, request_id }: {
    key_request_id?: string | undefined;
    request_id?: string | undefined;
  },
): boolean {
  return key_request_id === undefined || request_id === undefined || key_request_id === request_id;
}

const tag = "One-time links";

/** The token of the reference's example. */
export const exampleToken = "0".repeat(43);

const listOneTimeLinksQuery = z.object({
  ...pageQuery,
  state: z.enum(states, { error: `expected ${states.join(" or ")}` }).optional()
    .meta({ description: "Only one-time links in this state." }),
  key_id: id.optional().meta({ description: "Only one-time links of this key." }),
  key_request_id: id.optional().meta({ description: "Only one-time links of this key request." }),
  request_id: id.optional().meta({
    description: "The older name of `key_request_id`, for this release alone.",
    deprecated: true,
  }),
}).refine(isOneKeyRequest, {
  error: "expected the same as key_request_id",
  path: ["request_id"],
});

/** Lists one-time links with their creators. */
export const listOneTimeLinks = operation({
  id: "listOneTimeLinks",
  method: "GET",
  path: "/v1/one-time-links",
  tag,
  summary:
    "List one-time links, newest first; a page may hold fewer than `limit` and still have a next",
  description:
    "A one-time link hands a key or an access token over once. Neither the link's token nor the secret is ever shown here. One-time links of access tokens are shown to `admin` alone, those of keys to `portal:read` alone.",
  permission: ["portal:read", "admin"],
  withinScope: true,
  query: listOneTimeLinksQuery,
  answerHeaders: nextPageLink,
  response: oneTimeLinkList,
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** The link opens nothing any more. */
export const withdrawOneTimeLink = operation({
  id: "withdrawOneTimeLink",
  method: "DELETE",
  path: "/v1/one-time-links/{id}",
  tag,
  summary: "Withdraw an unused one-time link; the key stays valid",
  description:
    "To end the key too, revoke it. A key's one-time link is withdrawn by `approve`, an access token's by `admin` alone: others do not find it, and a session must have signed in within the last five minutes.",
  permission: ["approve", "admin"],
  withinScope: true,
  idempotent: true,
  response: oneTimeLink,
  // The last one for an access token's alone, so not by `needsFreshSignIn`.
  errors: ["not_found", "one_time_link_closed", "fresh_sign_in_required"],
  async serve(ctx, { params: { id }, idempotency }) {
    const { storage, principal, clock } = ctx;
    const actor = actorOf(principal, clock.now());
    const { org_id, now } = actor;
    const call = idempotentCall(principal, now, idempotency);
    const oneTimeLink = await findOneTimeLink(storage.reader, { org_id, id });
    if (!oneTimeLink || !mayReach(principal, oneTimeLink, "approve")) {
      throw new Failure("not_found");
    }
    if ((await seenAmong(ctx, [oneTimeLink.key_id])).length === 0) throw new Failure("not_found");
    if (handsOverAccess(oneTimeLink) && principal.session && !principal.session.isFresh) {
      throw new Failure("fresh_sign_in_required");
    }
    await storage.commit(withdrawOneTimeLinkChange, { actor, id, idempotency: call });
    const row = await findOneTimeLink(storage.reader, { org_id, id });
    if (!row) throw new Failure("not_found");
    return serialize(row, toTimestamp(now));
  },
});

const tokenBody = z.object({ token: z.string().min(1).max(200) }).meta({
  id: "OpenOneTimeLinkInput",
});

/** The holder of the token may see its content's kind. */
export const previewOneTimeLink = operation({
  id: "previewOneTimeLink",
  method: "POST",
  path: "/v1/one-time-links/preview",
  tag,
  summary: "Read whose and what for a one-time link is, with the token of its link; burns nothing",
  description:
    "Nothing secret is in the answer. A one-time link that is over is answered like one that never was. Wrong tokens count as those of opening do.",
  permission: "public",
  body: tokenBody,
  response: oneTimeLinkPreview,
  errors: [...bodyErrors, "one_time_link_gone", "too_many_requests"],
  example: { token: exampleToken },
  async serve(ctx, call) {
    const { body: { token } } = call;
    const address = ctx.clientAddresses.of(call);
    return await counted(ctx, token, address, () => previewOf(ctx, oneTimeLinkHash(token)));
  },
});

/** The state of a one-time link, and the support contact. */
const oneTimeLinkFate = z.strictObject({
  state: z.enum(["open", "opened", "withdrawn", "expired", "stopped"]).meta({
    description:
      "`opened`: it was used. `stopped`: its key or access token is suspended, has expired or was revoked.",
  }),
  at: nullable(timestamp).meta({ description: "Since when; null: not recorded." }),
  organisation: z.strictObject({ name: text, logo: text, colour: text, support: text }),
}).meta({ id: "OneTimeLinkFate" });

/** The holder of the token may learn why it is not valid any more. */
export const readOneTimeLinkFate = operation({
  id: "readOneTimeLinkFate",
  method: "POST",
  path: "/v1/one-time-links/fate",
  tag,
  summary:
    "Tell what became of a one-time link, with the token of its link, and whom to ask; burns nothing",
  description:
    "For the holder of an invalid link: used, withdrawn, expired, or stopped. A token that is none of a one-time link is answered `one_time_link_gone`. Wrong tokens count as those of opening do.",
  permission: "public",
  body: tokenBody,
  response: oneTimeLinkFate,
  errors: [...bodyErrors, "one_time_link_gone", "too_many_requests"],
  example: { token: exampleToken },
  async serve(ctx, call) {
    const { body: { token } } = call;
    const address = ctx.clientAddresses.of(call);
    return await counted(ctx, token, address, () => fateOf(ctx, oneTimeLinkHash(token)));
  },
});

/** The holder of the token gets the secret, once. */
export const openOneTimeLink = operation({
  id: "openOneTimeLink",
  method: "POST",
  path: "/v1/one-time-links/open",
  tag,
  summary: "Open a one-time link with the token of its link and receive its secret; works once",
  description:
    "The token alone opens it, so no access token is needed. Afterwards the sealed copy of the key is deleted. Too many wrong tokens from one address are answered 429.",
  permission: "public",
  body: tokenBody,
  response: openedOneTimeLink,
  errors: [...bodyErrors, "one_time_link_gone", "too_many_requests"],
  example: { token: exampleToken },
  async serve(ctx, call) {
    const { body: { token } } = call;
    const address = ctx.clientAddresses.of(call);
    const { storage, clock, principal } = ctx;
    return await counted(ctx, token, address, async () => {
      const input = { token, now: clock.now(), call: actingCall(principal) };
      const { reveal, ...about } = await storage.commit(openOneTimeLinkChange, input);
      return { key: reveal, ...about };
    });
  },
});

/** The page that a one-time link leads to; reading it burns nothing. */
export const oneTimeLinkPage = operation({
  ...definePublicPage({
    id: "oneTimeLinkPage",
    path: "/claim",
    tag,
    type: "text/html",
    summary: "The page of a one-time link",
    description:
      "For the browser of a person who was sent a link. The token is behind `#`, so that loading the page sends it to no server. In English or German, as the browser accepts.",
    answerHeaders: { vary: "`accept-language`: the page is written in one of its languages." },
  }),
  serve: languagePage((accepted) => oneTimeLinkHtml(oneTimeLinkLanguage(accepted))),
});

/** The script of that page. */
export const oneTimeLinkScript = operation({
  ...definePublicPage({
    id: "oneTimeLinkScript",
    path: "/claim.js",
    tag,
    type: "text/javascript",
    summary: "The script of the page of a one-time link",
    description: "Loaded by the page itself.",
  }),
  serve: writtenPage(script, "text/javascript"),
});

/** How that page looks. */
export const oneTimeLinkStyle = operation({
  ...definePublicPage({
    id: "oneTimeLinkStyle",
    path: "/claim.css",
    tag,
    type: "text/css",
    summary: "The style sheet of the page of a one-time link",
    description: "Loaded by the page itself.",
  }),
  serve: writtenPage(style, "text/css"),
});

type OneTimeLink = z.output<typeof oneTimeLink>;

/**
 * A page of the one-time links that the caller may see, newest first. Throws `invalid_input` for a
 * cursor of another list.
 */
async function list(
  ctx: RequestContext,
  { state, key_id, key_request_id, request_id: older, ...page }: z.output<
    NonNullable<typeof listOneTimeLinksQuery>
  >,
): Promise<z.output<typeof oneTimeLinkList>> {
  const { storage: { reader }, principal, clock } = ctx;
  const { org_id } = principal;
  const now = toTimestamp(clock.now());
  const request_id = key_request_id ?? older;
  const oneTimeLinks = source(
    (place, limit) =>
      key_id !== undefined
        ? oneTimeLinksOfAfter(reader, { org_id, of: "key_id", named: key_id }, place, limit)
        : request_id !== undefined
        ? oneTimeLinksOfAfter(reader, { org_id, of: "request_id", named: request_id }, place, limit)
        : oneTimeLinksAfter(reader, { org_id, ...place }, limit),
    (row) => ({ sort: row.created_at, id: row.id }),
  );
  const { rows, next_cursor } = await walk({
    order: "claims",
    first: { sort: "~", id: "" },
    sources: [seenOf(ctx, oneTimeLinks)],
    cover: cursorCover(ctx),
    wanted: (row) =>
      mayReach(principal, row, "portal:read") &&
      (request_id === undefined || row.request_id === request_id) &&
      (state === undefined || stateAt(row, now) === state),
  }, page);
  return { data: rows.map((row) => serialize(row, now)), next_cursor };
}

/** Those of keys that the caller sees; with no scope all of them. */
function seenOf(ctx: RequestContext, oneTimeLinks: Source<OneTimeLinkRow>): Source<OneTimeLinkRow> {
  if (!ctx.principal.covers) return oneTimeLinks;
  return async (place, limit) => {
    const part = await oneTimeLinks(place, limit);
    const seen = await seenAmong(ctx, part.rows.map(({ row }) => row.key_id));
    return { ...part, rows: part.rows.filter(({ row }) => seen.includes(row.key_id)) };
  };
}

type Fate = z.output<typeof oneTimeLinkFate>;

/** The result of `give` for a token. Failed attempts are counted, and make their caller wait. */
async function counted<T>(
  { storage, attempts }: RequestContext,
  token: string,
  address: string | undefined,
  give: () => Promise<T>,
): Promise<T> {
  const credential = oneTimeLinkHash(token);
  const refused = () =>
    attempts.failed("one_time_link", { address, credential }) ?? new Failure("one_time_link_gone");
  if (attempts.isWrong("one_time_link", credential)) throw refused();
  try {
    return await give();
  } catch (error) {
    // A store that was away says nothing about the token.
    if (!(error instanceof Failure && error.code === "one_time_link_gone")) throw error;
    // A caller who has to wait learns nothing of it.
    throw await findByHash(storage.reader, { hash: credential })
      ? attempts.mustWait("one_time_link", { address, credential }) ?? error
      : refused();
  }
}

/** False where the one-time link is absent for this caller: `ofKeys` opens those of keys. */
function mayReach(principal: Principal, oneTimeLink: OneTimeLinkRow, ofKeys: Permission): boolean {
  return may(principal, handsOverAccess(oneTimeLink) ? "admin" : ofKeys);
}

function serialize(row: OneTimeLinkRow, now: string): OneTimeLink {
  return { ...row, key_request_id: row.request_id, state: stateAt(row, now) };
}

function stateAt({ state, expires_at }: OneTimeLinkRow, now: string): OneTimeLink["state"] {
  return state === "open" && expires_at <= now ? "expired" : state;
}

/**
 * The state of the one-time link of a token's hash. Throws `one_time_link_gone` if there never was
 * one.
 */
async function fateOf(ctx: RequestContext, hash: string): Promise<Fate> {
  const { storage: { reader }, clock } = ctx;
  const oneTimeLink = await findByHash(reader, { hash });
  if (!oneTimeLink) throw new Failure("one_time_link_gone");
  const { name, logo, colour, support } = await publicBrand(reader, oneTimeLink.org_id);
  const organisation = { name, logo, colour, support };
  const { state, closed_at, expires_at } = oneTimeLink;
  if (state !== "open") return { state, at: closed_at, organisation };
  if (expires_at <= toTimestamp(clock.now())) {
    return { state: "expired", at: expires_at, organisation };
  }
  return { state: await isOver(ctx, hash) ? "stopped" : "open", at: null, organisation };
}

/** Whether what an open one-time link hands over opens nothing now. */
async function isOver(ctx: RequestContext, hash: string): Promise<boolean> {
  try {
    await previewOf(ctx, hash);
    return false;
  } catch (error) {
    if (error instanceof Failure && error.code === "one_time_link_gone") return true;
    throw error;
  }
}
