import { z } from "zod";
import { changeBy, changeOnceBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import {
  findCheckingGateway,
  listCheckingGateways,
} from "../verification/gateways/checking-gateways.store.ts";
import {
  changeCheckingGateway,
  createCheckingGateway,
  deleteCheckingGateway,
} from "../verification/gateways/checking-gateways.transactions.ts";
import {
  type CheckingGateway,
  toCheckingGateway,
} from "../verification/gateways/show-checking-gateway.ts";
import {
  checkingKind,
  connection,
  formOf,
  gatewayChange,
  gatewayInput,
  invalid,
  requireBroughtOnly,
  requireCheckingName,
  requireCheckingOnly,
} from "./gateway-input.ts";
import { gateway } from "./gateways.contract.ts";
import { found, get, ofGateway, saidBy, serializeGateway } from "./gateways.service.ts";
import { listGateways as listGatewaysRow } from "./gateways.store.ts";
import * as transactions from "./gateways.transactions.ts";
import { FETCHED, mapOf } from "./hashes/map-settings.ts";
import { filesAt, type GatewayView } from "./show-gateway.ts";

const tag = "Gateways";

/** The read permission for either kind of gateway. */
const READ = {
  checks: "portal:read",
  others: "admin:read",
} as const;

/** All of them: there are 120 at the most. */
export const listGateways = operation({
  id: "listGateways",
  method: "GET",
  path: "/v1/gateways",
  tag,
  summary: "List the gateways by name, each with how it is connected",
  description:
    "`portal:read` reads those that check each call, `admin:read` those that keys are brought to, with their addresses and findings. There are 100 and 20 at the most: no pages. A gateway that checks calls names itself in `X-Keydesk-Gateway`; no result depends on that name.",
  permission: [READ.checks, READ.others],
  withinTemporaryAccess: true,
  query: z.object({
    connection: connection.optional().meta({ description: "Only those connected like this." }),
  }),
  response: z.strictObject({ data: z.array(gateway) }).meta({ id: "GatewayList" }),
  errors: ["invalid_input"],
  async serve(ctx, { query: { connection } }) {
    const { storage: { reader }, principal, clock } = ctx;
    const { org_id } = principal;
    const now = clock.now();
    const readsChecking = may(principal, READ.checks) &&
      (connection === undefined || connection === "checks");
    const checking = readsChecking ? await listCheckingGateways(reader, { org_id }) : [];
    const readsOthers = may(principal, READ.others) && connection !== "checks";
    const rows = readsOthers ? await listGatewaysRow(reader, { org_id }) : [];
    const others = await Promise.all(rows.map((row) => serializeGateway(ctx, row)));
    const data = [
      ...checking.map((row) => toCheckingGateway(row, now)),
      ...others.filter((one) => connection === undefined || one.connection === connection),
    ].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1);
    return { data };
  },
});

/** A further one. */
export const createGateway = operation({
  id: "createGateway",
  method: "POST",
  path: "/v1/gateways",
  tag,
  summary: "Add a gateway, by how it is connected",
  description:
    "`checks`: its calls count by its name from now on; earlier ones count as `other`. `synced` and `map` take `approve` beside `admin`: all keys are written to it from now on. Earlier keys can be suspended, resumed and revoked at it if it has them; others are `stuck`: only their holders know their text. With `redis_url` those are made whose hash is enough. A gateway that an access token adds waits for a person's confirmation (`unconfirmed_since`), since the token has no fresh sign-in. Other administrators are mailed.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: gatewayInput,
  response: gateway,
  errors: [...bodyErrors, "gateway_name_taken", "too_many_gateways"],
  example: { connection: "checks", kind: "nginx", name: "edge-1", silent_minutes: 60 },
  serve: (ctx, call) =>
    call.body.connection === "checks" ? addChecking(ctx, call) : addBrought(ctx, call),
});

/** One of them. */
export const getGateway = operation({
  id: "getGateway",
  method: "GET",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Read a gateway, with its waiting keys and problems",
  description:
    "`portal:read` reads one that checks each call, `admin:read` any other; without it there is none. Its secret is never shown.",
  permission: [READ.checks, READ.others],
  withinTemporaryAccess: true,
  response: gateway,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
    const { storage: { reader }, principal, clock } = ctx;
    const checking = await findCheckingGateway(reader, { org_id: principal.org_id, id });
    if (!may(principal, checking ? READ.checks : READ.others)) throw new Failure("not_found");
    return checking ? toCheckingGateway(checking, clock.now()) : await get(ctx, id);
  },
});

/** Replaces a gateway's settings. */
export const updateGateway = operation({
  id: "updateGateway",
  method: "PUT",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Replace name, URL, plans and, if they are sent, the secrets of a gateway",
  description:
    "Of `checks` only `kind` and `silent_minutes` change, and stay if left out. Any other is replaced as a whole. Behind another URL everything is written anew, and `secret` is needed: it goes only to the address for which it was written. Keys whose plans are no longer for it are revoked at it. Another `url`, `probe_url`, `redis_url` or `map.socket` takes `approve` beside `admin`, and is mailed to other administrators; by an access token it waits for a person's confirmation (`unconfirmed_since`), as does every change until then.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: gatewayChange,
  response: gateway,
  errors: [...bodyErrors, "not_found", "managed_by_file"],
  example: { name: "City gateway", url: "https://gateway.example.org", plans: null },
  async serve(ctx, { params: { id }, body }) {
    const { name, kind, silent_minutes, ...written } = body;
    const { reader } = ctx.storage;
    const checking = await findCheckingGateway(reader, { org_id: ctx.principal.org_id, id });
    if (checking) {
      requireCheckingOnly(written);
      if (name !== undefined && name !== checking.name) {
        throw invalid("name: stays, since calls were counted by it; add another gateway");
      }
      const change = { kind: kind && checkingKind(kind), silent_minutes };
      return await changeBy(ctx, changeCheckingGateway, { id, change });
    }
    const row = await found(ctx, id);
    if (name === undefined) throw invalid("name: expected a text");
    requireBroughtOnly(body);
    const before = mapOf(row)?.form;
    const form = formOf(row.kind === "tyk" ? "synced" : "map", kind, before);
    const { secret, redis_password, ...gateway } = written;
    const input = {
      ...ofGateway(ctx, id),
      by: saidBy(ctx),
      gateway: {
        ...gateway,
        name,
        map: gateway.map && { ...gateway.map, form: form ?? "haproxy" },
      },
      secrets: { secret, redis_password },
    };
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
  summary: "Remove a gateway; its keys stay as they are, or are revoked at it first",
  description:
    "Calls of one that checks each call count as `other` afterwards. Of any other: with `keys=end` it is `ending` until every key was revoked and read back at it, and is then removed; `resume` keeps it. A key that can't be revoked at it is `stuck`. Of `map` that is done unless `keys=leave` is sent: its proxy then asks Keydesk for each key, while a map that is left is valid for good for the keys in it.",
  permission: ["admin"],
  needsFreshSignIn: true,
  query: z.object({
    keys: z.enum(["leave", "end"]).optional().meta({
      description: "Left out: `end` of `map`, `leave` of `synced`.",
    }),
  }),
  response: z.strictObject({
    left: integer.meta({ description: "How many keys were left at the gateway." }),
    ending: z.boolean().meta({ description: "Whether it goes with the last of its keys." }),
    files: z.array(text).meta({
      description:
        "Files in `KEYDESK_GATEWAY_FOLDER` that were left with keys: a proxy goes on accepting their keys, also those that are revoked later, until a person removes the files.",
    }),
  }).meta({ id: "RemovedGateway" }),
  errors: ["invalid_input", "not_found", "managed_by_file"],
  async serve(ctx, { params: { id }, query: { keys } }) {
    const place = { org_id: ctx.principal.org_id, id };
    if (await findCheckingGateway(ctx.storage.reader, place)) {
      await changeBy(ctx, deleteCheckingGateway, { id });
      return { left: 0, ending: false, files: [] };
    }
    const row = await found(ctx, id);
    // A fetched map without writes is not emptied: from then on a proxy that fetches gets no map.
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

/** The body of an addition. */
interface Addition {
  readonly body: z.output<typeof gatewayInput>;
  readonly idempotency: Idempotency;
}

/** Adds a gateway that checks each call. */
async function addChecking(ctx: RequestContext, call: Addition): Promise<CheckingGateway> {
  const { connection: _, kind, name, silent_minutes, ...written } = call.body;
  requireCheckingOnly(written);
  requireCheckingName(name);
  const gateway = { name, kind: checkingKind(kind), silent_minutes: silent_minutes ?? 0 };
  return await changeOnceBy(ctx, call, createCheckingGateway, { gateway });
}

const ADDS = "access denied: a gateway that keys are brought to takes approve beside admin.";

/** Adds a gateway that keys are brought to. Throws `access_denied` without `approve`. */
async function addBrought(
  ctx: RequestContext,
  { body, idempotency }: Addition,
): Promise<GatewayView> {
  const by = saidBy(ctx);
  if (!by.mayApprove) throw new Failure("access_denied", { message: ADDS });
  const { connection, kind, secret, redis_password, silent_minutes: _, ...written } = body;
  requireBroughtOnly(body);
  const form = formOf(connection === "map" ? "map" : "synced", kind);
  const gateway = {
    ...written,
    kind: form === undefined ? "tyk" as const : "hashes" as const,
    map: written.map && { ...written.map, form: form ?? "haproxy" },
  };
  transactions.requireConnection(gateway.kind, gateway, redis_password);
  if ((connection === "synced") !== (secret !== undefined)) {
    throw invalid(
      `secret: ${secret === undefined ? "needed for" : "belongs to"} connection synced`,
    );
  }
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { id } = await ctx.storage.commit(transactions.createGateway, {
    actor,
    by,
    gateway,
    secrets: { secret, redis_password },
    idempotency: idempotentCall(ctx.principal, actor.now, idempotency),
  });
  return await get(ctx, id);
}
