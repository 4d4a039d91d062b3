import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { newSince } from "../../changes/provisioned.store.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import type { Page } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { source, walk } from "../../kernel/walk.ts";
import { seenKey } from "../keys/within-scope.service.ts";
import { held, keyAtGatewayList, syncedGateway } from "./gateways.contract.ts";
import { found, get, ofGateway } from "./gateways.service.ts";
import { listGateways } from "./gateways.store.ts";
import * as transactions from "./gateways.transactions.ts";
import {
  provisionedBehind,
  provisionedOfKey,
  provisionedOfState,
} from "./provisioned-keys.store.ts";
import {
  type GatewayView,
  type KeyAtGateway,
  type RowView,
  toKeyAtGateway,
} from "./show-gateway.ts";

const tag = "Gateways";

/** It is brought nothing until it is resumed. */
export const pauseGateway = operation({
  id: "pauseGateway",
  method: "POST",
  path: "/v1/gateways/{id}/pause",
  tag,
  summary: "Bring a gateway nothing until it is resumed, revocations neither",
  description:
    "Changes wait meanwhile. Until it is resumed, a key that was revoked in Keydesk is still valid at the gateway.",
  permission: ["admin"],
  response: syncedGateway,
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
  response: syncedGateway,
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
  description:
    "Differences are corrected by that. With `key_id` it concerns one key, whatever its state.",
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
    "As it is done daily: missing keys and keys that came back are corrected, a sample is read, all with `whole`. With `dry_run` it is only counted. The findings are shown at the gateway.",
  permission: ["admin"],
  body: z.object({ whole: z.boolean().default(false), dry_run: z.boolean().default(false) })
    .meta({ id: "ReconcileInput" }),
  bodyOptional: true,
  response: syncedGateway,
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

/** Lists the states of its keys. */
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

/** The state of a key at each of its gateways. */
export const getKeyAtGateways = operation({
  id: "getKeyAtGateways",
  method: "GET",
  path: "/v1/keys/{key_id}/gateways",
  tag,
  withinScope: true,
  summary: "Read the state of a key at each gateway",
  description: "Empty if there is no gateway, or the key was never to be at one.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  response: z.strictObject({ data: z.array(held) }).meta({ id: "KeyAtGateways" }),
  errors: ["not_found"],
  async serve(ctx, { params: { key_id } }) {
    await seenKey(ctx, key_id);
    const { storage: { reader }, principal: { org_id }, clock } = ctx;
    const gateways = await listGateways(reader, { org_id });
    // Before the rows: once it is new no more they are there.
    const since = await newSince(reader, { org_id, key_id });
    const rows = await provisionedOfKey(reader, { org_id, key_id });
    const now = clock.now();
    return {
      data: gateways.flatMap((gateway) => {
        const row = rows.find(({ gateway_id }) => gateway_id === gateway.id) ??
          (since === undefined ? undefined : newThere(gateway.id, key_id, since));
        return row ? [toKeyAtGateway(row, gateway, now)] : [];
      }),
    };
  },
});

/** Pauses a gateway or resumes it. Throws `not_found`. */
async function pause(
  ctx: RequestContext,
  id: string,
  paused: boolean,
): Promise<GatewayView> {
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
): Promise<Page<KeyAtGateway>> {
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
  const data = page.rows.map((row) => toKeyAtGateway(row, gateway, now));
  return { data, next_cursor: page.next_cursor };
}

/** The state of a key at a gateway that has no row of it yet. */
function newThere(gateway_id: string, key_id: string, since: string): RowView {
  const nothing = { reason: "", tries: 0, remote_id: "", delivered_at: null, held: "", done: 0 };
  return { gateway_id, key_id, state: "waiting", since, ...nothing };
}
