import { z } from "zod";
import { pageNumber } from "../../../contract/envelope.ts";
import { operation } from "../../../http/operation.ts";
import type { VerificationContext } from "../verifier.ts";
import { apiList, capped, keyIds, namedKeyData } from "./key-data.contract.ts";
import { getNamed } from "./key-data.service.ts";
import { listApis as readApis } from "./list-apis.service.ts";
import {
  listKeyDetails as readKeyDetails,
  listKeyIds as readKeyIds,
} from "./list-key-data.service.ts";

const tag = "Keys of a developer";

const page = z.object({
  p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
});

const reading = {
  method: "GET",
  tag,
  permission: ["portal:read"],
} as const;

/** One key, as the plan says that opens this API, or the most generous one where none does. */
export const getKeyOfApi = operation({
  ...reading,
  id: "getKeyOfApi",
  path: "/api/apis/{api}/keys/{key}",
  withinScope: true,
  otherPaths: [
    "/api/apis//keys/{key}",
    "/api/api/apis/{api}/keys/{key}",
    "/api/api/apis//keys/{key}",
  ],
  summary: "Read what a key may do and has left, by its id or by itself; `-` is any API",
  description: "Rate, quota and what is left of it, end and plans; never the plain key.",
  keyParameter: "key",
  response: namedKeyData,
  errors: ["key_not_found"],
  serve: (ctx: VerificationContext, { params }) => getNamed(ctx, params.key, params.api),
});

/** One key. */
export const getNamedKey = operation({
  ...reading,
  id: "getNamedKey",
  path: "/api/keys/{key}",
  withinScope: true,
  otherPaths: ["/api/api/keys/{key}"],
  summary: "Read what a key may do and has left, by its id or by itself",
  description: "Rate, quota and what is left of it, end and plans; never the plain key.",
  keyParameter: "key",
  response: namedKeyData,
  errors: ["key_not_found"],
  serve: (ctx: VerificationContext, { params }) => getNamed(ctx, params.key),
});

/** The ids of the keys of plans that open an API. */
export const listKeysOfApi = operation({
  ...reading,
  id: "listKeysOfApi",
  path: "/api/apis/{api}/keys",
  withinScope: true,
  otherPaths: ["/api/apis//keys"],
  summary: "List ids of the keys whose plans are valid for an API, newest first; `-` is any API",
  description: "Never plain keys. Without `p` all of them; with `p` from 1 on, that page.",
  query: page,
  response: keyIds,
  errors: ["invalid_input"],
  serve: (ctx: VerificationContext, { params, query }) => readKeyIds(ctx, query.p, params.api),
});

/** The ids of all keys. */
export const listKeyIds = operation({
  ...reading,
  id: "listKeyIds",
  path: "/api/apis/keys",
  withinScope: true,
  summary: "Ids of all keys that are not revoked, newest first",
  description: "Never plain keys. Without `p` all of them; with `p` from 1 on, that page.",
  query: page,
  response: keyIds,
  errors: ["invalid_input"],
  serve: (ctx: VerificationContext, { query }) => readKeyIds(ctx, query.p),
});

/** All keys with what they may do. */
export const listKeyDetails = operation({
  ...reading,
  id: "listKeyDetails",
  path: "/api/keys/detailed",
  withinScope: true,
  summary: "All keys that are not revoked with what they may do, newest first",
  description: "Never plain keys. Without `p` all of them; with `p` from 1 on, that page.",
  query: page,
  response: z.strictObject({ keys: z.array(namedKeyData), pages: z.int(), capped })
    .meta({ id: "KeyDetails" }),
  errors: ["invalid_input"],
  serve: (ctx: VerificationContext, { query }) => readKeyDetails(ctx, query.p),
});

/** The APIs that plans and catalogue name. */
export const listApis = operation({
  ...reading,
  id: "listApis",
  path: "/api/apis",
  summary: "The APIs that plans and catalogue entries name, by their names",
  description: "Without `p` all of them; with `p` from 1 on, that page.",
  query: page,
  response: apiList,
  errors: ["invalid_input"],
  serve: (ctx: VerificationContext, { query }) => readApis(ctx, query.p),
});
