import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, idempotentCall } from "../../calls/principal.ts";
import { newSince } from "../../changes/provisioned.store.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { gatewayKinds } from "../../contract/gateway-states.ts";
import { nameText } from "../../contract/labels.ts";
import type { Page } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { Failure } from "../../kernel/failure.ts";
import { source, walk } from "../../kernel/walk.ts";
import { seenKey } from "../keys/within-scope.service.ts";
import { safeUrl } from "../notifications/channels.contract.ts";
import { gateway, held, keyAtGatewayList } from "./gateways.contract.ts";
import { found, get, ofGateway, saidBy, shown } from "./gateways.service.ts";
import { listGateways as listGatewaysRow } from "./gateways.store.ts";
import * as transactions from "./gateways.transactions.ts";
import { writtenMap } from "./hashes/map-settings.contract.ts";
import { FETCHED, mapOf } from "./hashes/map-settings.ts";
import {
  provisionedBehind,
  provisionedOfKey,
  provisionedOfState,
} from "./provisioned-keys.store.ts";
import {
  filesAt,
  showKeyThere,
  type ShownGateway,
  type ShownKeyThere,
  type ShownOfRow,
} from "./show-gateway.ts";

/**
 * Where a Redis is, or "": `rediss://`, or `redis://` on this machine alone, with port and database
 * whether they are written or not, and without a password.
 */
const redisUrl = z.string().max(2048).refine((text) => text === "" || isSafe(text), {
  error: "expected rediss://host:6379/0 without a password; redis:// is for this machine alone",
}).overwrite(normalForm);

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, hostname, password, pathname, search, hash } = new URL(text);
  if (/%(?![0-9a-f]{2})/i.test(username)) return false;
  if (hostname === "" || password !== "" || search + hash !== "") return false;
  if (!/^(\/\d{0,4})?$/.test(pathname)) return false;
  return protocol === "rediss:" || protocol === "redis:" &&
      /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function normalForm(text: string): string {
  if (text === "" || !URL.canParse(text)) return text;
  const { protocol, username, hostname, port, pathname } = new URL(text);
  const user = username === "" ? "" : `${username}@`;
  const host = hostname.toLowerCase();
  return `${protocol}//${user}${host}:${port || 6379}/${Number(pathname.slice(1) || 0)}`;
}

const tag = "Gateways";

const written = {
  name: nameText().min(1),
  url: safeUrl({ orNone: true }).default("").meta({
    description: "Of kind `tyk`: where its own interface is, without `/tyk`.",
  }),
  map: nullable(writtenMap).default(null).meta({ description: "Of kind `hashes`." }),
  probe_url: safeUrl({ orNone: true }).default(""),
  redis_url: redisUrl.default("").meta({
    description:
      "Of kind `tyk`, whose `hash_key_function` is `sha256`: its Redis, `rediss://user@host:6379/0`, `redis://` on this machine alone. Keys that nobody has any more are made there, where their hash is known; empty: they are `stuck`. `KEYDESK_OUTBOUND` has to name it.",
  }),
  plans: nullable(z.array(text.min(1).max(255)).max(500)).default(null).meta({
    description:
      "The plans whose keys stand there; null: those of all; none: every key is ended there.",
  }),
  calls_per_second: nullable(z.int().min(1).max(10_000)).default(null).meta({
    description:
      "So often it is called at the most: what closes keys first, then changes, then what is only read. Null: as often as it answers.",
  }),
  policies: z.enum(["compare", "write"]).default("compare").meta({
    description:
      "`write`: a policy is made for each of these plans, and changed with it; policies of plans that are gone, and all others, are left to people.",
  }),
  certificates: z.boolean().default(false).meta({
    description:
      "Whether a key whose request names a certificate is pinned to it there. Certificates are put there, and taken away, by people.",
  }),
};

const secret = z.string().min(1).max(1000).regex(/^[\x21-\x7e]+$/, {
  error: "expected printable characters without spaces",
}).meta({
  description: "Of kind `tyk`: what opens its own interface. It is kept sealed and never shown.",
});

const redisPassword = z.string().max(1000).regex(/^[\x21-\x7e]*$/, {
  error: "expected printable characters without spaces",
}).meta({
  description:
    "What opens that Redis; empty: nothing. It is kept sealed and never shown, and forgotten with another `redis_url` where it is not sent again.",
});

const example = { name: "City gateway", url: "https://gateway.example.org", plans: null };

/** All of them: there are 20 at the most. */
export const listGateways = operation({
  id: "listGateways",
  method: "GET",
  path: "/v1/gateways",
  tag,
  summary: "List the gateways that hold keys of their own, by name",
  description: "With what waits there and what was found. There are 20 at the most: no pages.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: z.strictObject({ data: z.array(gateway) }).meta({ id: "GatewayList" }),
  errors: [],
  async serve(ctx) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const rows = await listGatewaysRow(reader, { org_id });
    return { data: await Promise.all(rows.map((row) => shown(ctx, row))) };
  },
});

const gatewayInput = z.object({
  kind: z.enum(gatewayKinds).default("tyk"),
  ...written,
  secret: secret.optional(),
  redis_password: redisPassword.optional(),
})
  .meta({ id: "GatewayInput" });

/** A further one. */
export const createGateway = operation({
  id: "createGateway",
  method: "POST",
  path: "/v1/gateways",
  tag,
  summary: "Add a gateway, to which all keys are brought from now on",
  description:
    "Keys from before it can be suspended, resumed and ended there where they stand there; others are `stuck`: what would make them is known to their holders alone. With `redis_url` those are made whose hash is enough. What an access token adds waits for a person's yes (`unconfirmed_since`), since no fresh sign-in stands behind it. Other administrators are mailed.",
  permission: ["admin"],
  permissionBesides: "approve",
  needsFreshSignIn: true,
  idempotent: true,
  body: gatewayInput,
  response: gateway,
  errors: [...bodyErrors, "too_many_gateways"],
  example: { ...example, secret: "what-opens-its-interface" },
  async serve(ctx, { body: { secret, redis_password, ...gateway }, idempotency }) {
    const actor = actorOf(ctx.principal, ctx.clock.now());
    const call = idempotentCall(ctx.principal, actor.now, idempotency);
    transactions.requireKind(gateway.kind, gateway, redis_password);
    if ((gateway.kind === "tyk") !== (secret !== undefined)) {
      const message = `secret: ${secret === undefined ? "needed for" : "belongs to"} kind tyk`;
      throw new Failure("invalid_input", { message, details: [message] });
    }
    const secrets = { secret, redis_password };
    const input = { actor, by: saidBy(ctx), gateway, secrets, idempotency: call };
    const { id } = await ctx.storage.commit(transactions.createGateway, input);
    return await get(ctx, id);
  },
});

/** One of them. */
export const getGateway = operation({
  id: "getGateway",
  method: "GET",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Read a gateway, with what waits there and what was found",
  description: "Its secret is never shown.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: gateway,
  errors: ["not_found"],
  serve: (ctx, { params }) => get(ctx, params.id),
});

const gatewayChange = z.object({
  ...written,
  secret: secret.optional(),
  redis_password: redisPassword.optional(),
}).meta({ id: "GatewayChange" });

/** What somebody writes, anew. */
export const updateGateway = operation({
  id: "updateGateway",
  method: "PUT",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Replace name, URL, plans and, where they are sent, the secrets of a gateway",
  description:
    "Behind another URL everything is brought anew, and `secret` is needed: it goes to no other address than that for which it was written. Keys whose plans stand there no more are ended there. Another `url`, `probe_url`, `redis_url` or `map.socket` takes `approve` beside `admin`, and is mailed to other administrators; by an access token it waits for a person's yes (`unconfirmed_since`), as does every change until then.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: gatewayChange,
  response: gateway,
  errors: [...bodyErrors, "not_found"],
  example,
  async serve(ctx, { params: { id }, body: { secret, redis_password, ...gateway } }) {
    const secrets = { secret, redis_password };
    const input = { ...ofGateway(ctx, id), by: saidBy(ctx), gateway, secrets };
    await ctx.storage.commit(transactions.changeGateway, input);
    return await get(ctx, id);
  },
});

/** It is brought nothing any more. */
export const deleteGateway = operation({
  id: "deleteGateway",
  method: "DELETE",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Remove a gateway; the keys there stay as they are, or are ended first",
  description:
    "With `keys=end` it is `ending` until every key was ended and read back there, and is then removed; `resume` keeps it. What can't be ended there stands as `stuck`. Of kind `hashes` that is done unless `keys=leave` is said: its door then asks the desk for each key, while a map that is left opens for good what it holds.",
  permission: ["admin"],
  needsFreshSignIn: true,
  query: z.object({
    keys: z.enum(["leave", "end"]).optional().meta({
      description: "Left out: `end` of kind `hashes`, `leave` of `tyk`.",
    }),
  }),
  response: z.strictObject({
    left: integer.meta({ description: "How many keys were left there." }),
    ending: z.boolean().meta({ description: "Whether it goes with the last of its keys." }),
    files: z.array(text).meta({
      description:
        "Files in `KEYDESK_GATEWAY_FOLDER` that were left with keys: a door goes on opening by them, to keys that are ended later too, until somebody takes them away.",
    }),
  }).meta({ id: "RemovedGateway" }),
  errors: ["invalid_input", "not_found"],
  async serve(ctx, { params: { id }, query: { keys } }) {
    const row = await found(ctx, id);
    // Where nothing was written nothing is emptied: from then on a door that asks has no map.
    const isFetched = mapOf(row)?.socket === FETCHED;
    const isCalled = row.unconfirmed_since === null;
    const isEmptied = keys === "end" || keys === undefined && row.kind === "hashes" && isCalled;
    if (isEmptied && !isFetched) {
      await ctx.storage.commit(transactions.endGateway, ofGateway(ctx, id));
      return { left: 0, ending: true, files: [] };
    }
    for (let left = 0;;) {
      const input = { ...ofGateway(ctx, id), left };
      const step = await ctx.storage.commit(transactions.removeGateway, input);
      left = step.left;
      if (step.done) return { left, ending: false, files: left === 0 ? [] : filesAt(row) };
    }
  },
});

/** It is brought nothing until it is resumed. */
export const pauseGateway = operation({
  id: "pauseGateway",
  method: "POST",
  path: "/v1/gateways/{id}/pause",
  tag,
  summary: "Bring a gateway nothing until it is resumed, revocations neither",
  description: "What changes meanwhile waits; what was ended here opens there until then.",
  permission: ["admin"],
  response: gateway,
  errors: ["not_found"],
  serve: (ctx, { params }) => pause(ctx, params.id, true),
});

/** It goes on. */
export const resumeGateway = operation({
  id: "resumeGateway",
  method: "POST",
  path: "/v1/gateways/{id}/resume",
  tag,
  summary: "Go on with a paused gateway",
  description: "It is brought to the present state, what closes keys first.",
  permission: ["admin"],
  response: gateway,
  errors: ["not_found"],
  serve: (ctx, { params }) => pause(ctx, params.id, false),
});

/** Without waiting. */
export const hurryGateway = operation({
  id: "hurryGateway",
  method: "POST",
  path: "/v1/gateways/{id}/now",
  tag,
  summary: "Try all that waits, is stuck or diverged at a gateway now",
  description: "What diverged is put right by that. With `key_id` one key, whatever its state.",
  permission: ["admin"],
  body: z.object({ key_id: text.min(1).max(255).optional() }).meta({ id: "GatewayHurry" }),
  bodyOptional: true,
  response: z.strictObject({ tried: integer }).meta({ id: "HurriedGateway" }),
  errors: [...bodyErrors, "not_found"],
  example: {},
  serve: (ctx, { params, body }) => hurry(ctx, params.id, body.key_id ?? null),
});

/** Compares everything. */
export const reconcileGateway = operation({
  id: "reconcileGateway",
  method: "POST",
  path: "/v1/gateways/{id}/reconcile",
  tag,
  summary: "Compare the keys of a gateway with what was decided, and check it, soon",
  description:
    "As it is done daily: what is missing or came back is put right, a sample is read, all with `whole`. With `dry_run` it is counted alone. What was found stands at the gateway.",
  permission: ["admin"],
  body: z.object({ whole: z.boolean().default(false), dry_run: z.boolean().default(false) })
    .meta({ id: "ReconcileInput" }),
  bodyOptional: true,
  response: gateway,
  errors: [...bodyErrors, "not_found"],
  example: { whole: true, dry_run: true },
  async serve(ctx, { params: { id }, body: asked }) {
    await ctx.storage.commit(transactions.askToReconcile, { ...ofGateway(ctx, id), asked });
    return await get(ctx, id);
  },
});

const listKeysAtGatewayQuery = z.object({
  ...pageQuery,
  state: z.enum(["waiting", "delivered", "stuck", "diverged", "gone"]).optional(),
});

/** What stands there of each key. */
export const listKeysAtGateway = operation({
  id: "listKeysAtGateway",
  method: "GET",
  path: "/v1/gateways/{id}/keys",
  tag,
  summary: "List the keys of a gateway, by their ids",
  description:
    "With `state` those of one alone; what is late waits, what is closing is `gone` or `delivered`.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  query: listKeysAtGatewayQuery,
  answerHeaders: nextPageLink,
  response: keyAtGatewayList,
  errors: ["invalid_input", "not_found"],
  async serve(ctx, call) {
    const page = await keysAt(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** What stands at each gateway of a key. */
export const getKeyAtGateways = operation({
  id: "getKeyAtGateways",
  method: "GET",
  path: "/v1/keys/{key_id}/gateways",
  tag,
  withinScope: true,
  summary: "Read where a key stands at each gateway",
  description: "Empty where there is no gateway, or the key was never to stand at one.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  response: z.strictObject({ data: z.array(held) }).meta({ id: "KeyAtGateways" }),
  errors: ["not_found"],
  async serve(ctx, { params: { key_id } }) {
    await seenKey(ctx, key_id);
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const gateways = await listGatewaysRow(reader, { org_id });
    // Before the rows: once it is new no more they are there.
    const since = await newSince(reader, { org_id, key_id });
    const rows = await provisionedOfKey(reader, { org_id, key_id });
    const now = clock.now();
    return {
      data: gateways.flatMap((gateway) => {
        const row = rows.find(({ gateway_id }) => gateway_id === gateway.id) ??
          (since === undefined ? undefined : newThere(gateway.id, key_id, since));
        return row ? [showKeyThere(row, gateway, now)] : [];
      }),
    };
  },
});

/** Pauses a gateway or resumes it. Throws `not_found`. */
async function pause(
  ctx: RequestContext,
  id: string,
  paused: boolean,
): Promise<ShownGateway> {
  await ctx.storage.commit(transactions.pauseGateway, { ...ofGateway(ctx, id), paused });
  return await get(ctx, id);
}

/** Has all of a gateway tried now, or one key. Throws `not_found`. */
async function hurry(
  ctx: RequestContext,
  id: string,
  key_id: string | null,
): Promise<{ tried: number }> {
  const input = { ...ofGateway(ctx, id), key_id };
  return { tried: await ctx.storage.commit(transactions.hurryGateway, input) };
}

/** The keys of a gateway, by their ids. Throws `not_found`. */
async function keysAt(
  ctx: RequestContext,
  id: string,
  { state, ...query }: z.output<typeof listKeysAtGatewayQuery>,
): Promise<Page<ShownKeyThere>> {
  const gateway = await found(ctx, id);
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const place = { org_id, gateway_id: id };
  const read = (behind: string, limit: number) =>
    state === undefined
      ? provisionedBehind(reader, { ...place, behind }, limit)
      : provisionedOfState(reader, { ...place, behind, state }, limit);
  const placeOf = ({ key_id }: { key_id: string }) => ({ sort: "", id: key_id });
  const rows = source((behind, limit) => read(behind.id, limit), placeOf);
  const order = `gateway keys ${id} ${state ?? ""}`;
  const page = await walk({ order, first: { sort: "", id: "" }, sources: [rows] }, query);
  const now = clock.now();
  const data = page.rows.map((row) => showKeyThere(row, gateway, now));
  return { data, next_cursor: page.next_cursor };
}

/** What stands at a gateway of a key that it has no row of yet. */
function newThere(gateway_id: string, key_id: string, since: string): ShownOfRow {
  const nothing = { reason: "", tries: 0, remote_id: "", delivered_at: null, held: "", done: 0 };
  return { gateway_id, key_id, state: "waiting", since, ...nothing };
}
