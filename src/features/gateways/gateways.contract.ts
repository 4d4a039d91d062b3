import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { findingCodes, gatewayKinds, provisionedStates } from "../../contract/gateway-states.ts";
import { nameText } from "../../contract/labels.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { pageOf } from "../../contract/paging.ts";
import { integer, text, timestamp } from "../../contract/values.ts";
import { canary, reconciled } from "./canary.contract.ts";
import { safeUrl } from "../notifications/targets.contract.ts";
import { shownMap, writtenMap } from "./hashes/map-settings.contract.ts";

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

/** For how many seconds keys may still open there behind their end. */
const late = z.strictObject({
  without_quota: nullable(integer),
  with_quota: nullable(integer).meta({
    description: "Of keys whose plans have a quota; null: as long as calls with them go on.",
  }),
});

/** How late a gateway shuts. */
const closing = nullable(z.strictObject({
  version: text.meta({ description: "What it says of itself; empty: nothing." }),
  cache: z.enum(["on", "not_seen", "not_tried"]).meta({
    description:
      "Its session cache. `on`: a call was let in although the key was read as gone. `not_seen`: none was. `not_tried`: there is no `probe_url`.",
  }),
  revoked: late,
  suspended: late,
})).meta({
  description:
    "For how many seconds a key may still open there behind its end, as the last check measured it; until then the worst that is known of its version. Null of kind `hashes`.",
});

const tag = "Gateways";

const counts = z.strictObject({
  waiting: integer,
  delivered: integer,
  stuck: integer,
  diverged: integer,
  gone: integer,
});

/** A gateway that holds keys of its own. */
export const gateway = z.strictObject({
  id: text,
  name: text,
  kind: z.enum(gatewayKinds).meta({
    description: "`tyk`: the original's. `hashes`: a door that opens by the SHA-256 of keys.",
  }),
  url: text.meta({ description: "Where its own interface is; empty of kind `hashes`." }),
  probe_url: text.meta({
    description: "An API behind it, called daily to see whether revocations hold; empty: none.",
  }),
  redis_url: text.meta({
    description: "Its Redis, by which keys are made there that nobody has any more; empty: none.",
  }),
  map: nullable(shownMap).meta({ description: "Of kind `hashes`." }),
  plans: nullable(z.array(text)).meta({
    description: "The plans whose keys stand there; null: those of all.",
  }),
  calls_per_second: nullable(integer).meta({
    description: "So often it is called at the most; null: as often as it answers.",
  }),
  policies: z.enum(["compare", "write"]).meta({
    description: "Whether plans are only compared with its policies, or written there.",
  }),
  certificates: z.boolean().meta({
    description: "Whether keys are pinned there to the certificate that their request names.",
  }),
  state: z.enum(["active", "paused", "ending"]).meta({
    description: "`ending`: its keys are ended there, and it goes with the last of them.",
  }),
  failing_since: nullable(timestamp).meta({
    description: "Since when it can't be reached or believed; null: it can.",
  }),
  failure: text.meta({ description: "Why; else empty." }),
  filling: z.boolean().meta({ description: "Whether all keys are being compared with it." }),
  counts,
  reading: integer.meta({
    description: "How many keys are still to be read there, as the last comparison asked.",
  }),
  waits_since: nullable(timestamp).meta({ description: "Of the key that waits longest." }),
  checked_at: nullable(timestamp),
  findings: z.array(z.strictObject({
    code: z.enum(findingCodes),
    detail: text,
  })).meta({
    description:
      "`cache_on`: calls were let in by its session cache behind the end of a key: `undone`, so revocations do not " +
      "hold while calls go on, set `local_session_cache.disable_cached_session_state` there; or how many seconds late " +
      "it shuts. `quota_in_policies`: revocations are undone by calls in flight, and repeated. `not_checked`: there is " +
      "no `probe_url`, or it did not open. `clock_differs`: its seconds ahead. `no_policy`: a plan has none " +
      "there. `policy_differs`: what differs. `no_list`: it does not list keys, set `enable_hashed_keys_listing`. " +
      "`redis_unusable`: nothing can be made in its Redis, with the reason that keys have then.",
  }),
  closing,
  canary,
  reconciled_at: nullable(timestamp),
  reconciled: nullable(reconciled),
  missing_outbound: nullable(text).meta({
    description: "What `KEYDESK_OUTBOUND` has to name before it can be called; null: it does.",
  }),
  created_at: timestamp,
  created_by: text,
  unconfirmed_since: nullable(timestamp).meta({
    description:
      "Since when it waits for a person's yes, because an access token added or moved it: nothing is brought there. Null: it waits for none.",
  }),
}).meta({ id: "Gateway" });

const held = z.strictObject({
  gateway_id: text,
  gateway: text.meta({ description: "Its name." }),
  key_id: text,
  state: z.enum(provisionedStates).meta({
    description:
      "`waiting`, `late` after a minute of it, `delivered`, `stuck`: somebody has to do something, `diverged`: it " +
      "was changed there, `closing`: it was revoked or suspended there at `since` and may open until " +
      "`may_open_until`, `gone`: it is not there and opens nothing.",
  }),
  reason: text.meta({
    description:
      "Why, where it waits, is stuck, closing or diverged, such as `secret_gone`: rotate the key; `conditions`: it was " +
      "granted on what the gateway can't hold; `no_policy <plan>`; `opens more there: <what>`, which is put right by " +
      "itself where at most five keys do and each was issued or changed here; `redis_away`, `redis_refuses <code>` and " +
      "`another_redis`, which does not hold what the gateway does. At a gateway of kind `hashes` a door asks the desk " +
      "for `not_a_token`, `other_hash`, `short_key` and `end`; `not_read`: the file is without the key, and its proxy opens " +
      "until it reads the file; `not_fetched`: a proxy has not said that it has a map without the key.",
  }),
  since: timestamp,
  opens: z.boolean().meta({
    description:
      "Whether it opens there, or may: as it was brought last, or since its door asks the desk for it. False of a revoked key once it was read as gone for as long as the gateway's cache and calls in flight can bring it back; of kind `hashes` once the proxies have a map without it.",
  }),
  may_open_until: nullable(timestamp).meta({
    description:
      "Until when it may open there although it was ended, since the gateway goes by its cache, or by a file that it reads again by then; null: it was not ended there, it opens no more, or it may open (`opens`) as long as calls with it go on or until its proxy has the map.",
  }),
  tries: integer.meta({ description: "How many failed since the last change." }),
  remote_id: text.meta({
    description: "What the gateway calls it, for good; empty: not known yet.",
  }),
  delivered_at: nullable(timestamp).meta({ description: "When it was last read there as wanted." }),
}).meta({ id: "KeyAtGateway" });

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
export const listGateways = defineEndpoint({
  id: "listGateways",
  method: "GET",
  path: "/v1/gateways",
  tag,
  summary: "List the gateways that hold keys of their own, by name",
  description: "With what waits there and what was found. There are 20 at the most: no pages.",
  permission: ["admin:read"],
  withinElevation: true,
  response: z.strictObject({ data: z.array(gateway) }).meta({ id: "GatewayList" }),
  errors: [],
});

/** A further one. */
export const createGateway = defineEndpoint({
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
  body: z.object({
    kind: z.enum(gatewayKinds).default("tyk"),
    ...written,
    secret: secret.optional(),
    redis_password: redisPassword.optional(),
  })
    .meta({ id: "GatewayInput" }),
  response: gateway,
  errors: [...bodyErrors, "too_many_gateways"],
  example: { ...example, secret: "what-opens-its-interface" },
});

/** One of them. */
export const getGateway = defineEndpoint({
  id: "getGateway",
  method: "GET",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Read a gateway, with what waits there and what was found",
  description: "Its secret is never shown.",
  permission: ["admin:read"],
  withinElevation: true,
  response: gateway,
  errors: ["not_found"],
});

/** What somebody writes, anew. */
export const updateGateway = defineEndpoint({
  id: "updateGateway",
  method: "PUT",
  path: "/v1/gateways/{id}",
  tag,
  summary: "Replace name, URL, plans and, where they are sent, the secrets of a gateway",
  description:
    "Behind another URL everything is brought anew, and `secret` is needed: it goes to no other address than that for which it was written. Keys whose plans stand there no more are ended there. Another `url`, `probe_url`, `redis_url` or `map.socket` takes `approve` beside `admin`, and is mailed to other administrators; by an access token it waits for a person's yes (`unconfirmed_since`), as does every change until then.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    ...written,
    secret: secret.optional(),
    redis_password: redisPassword.optional(),
  }).meta({ id: "GatewayChange" }),
  response: gateway,
  errors: [...bodyErrors, "not_found"],
  example,
});

/** It is brought nothing any more. */
export const deleteGateway = defineEndpoint({
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
});

/** It is brought nothing until it is resumed. */
export const pauseGateway = defineEndpoint({
  id: "pauseGateway",
  method: "POST",
  path: "/v1/gateways/{id}/pause",
  tag,
  summary: "Bring a gateway nothing until it is resumed, revocations neither",
  description: "What changes meanwhile waits; what was ended here opens there until then.",
  permission: ["admin"],
  response: gateway,
  errors: ["not_found"],
});

/** It goes on. */
export const resumeGateway = defineEndpoint({
  id: "resumeGateway",
  method: "POST",
  path: "/v1/gateways/{id}/resume",
  tag,
  summary: "Go on with a paused gateway",
  description: "It is brought to the present state, what closes keys first.",
  permission: ["admin"],
  response: gateway,
  errors: ["not_found"],
});

/** Without waiting. */
export const hurryGateway = defineEndpoint({
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
});

/** Compares everything. */
export const reconcileGateway = defineEndpoint({
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
});

/** What stands there of each key. */
export const listKeysAtGateway = defineEndpoint({
  id: "listKeysAtGateway",
  method: "GET",
  path: "/v1/gateways/{id}/keys",
  tag,
  summary: "List the keys of a gateway, by their ids",
  description:
    "With `state` those of one alone; what is late waits, what is closing is `gone` or `delivered`.",
  permission: ["admin:read"],
  withinElevation: true,
  query: z.object({
    ...pageQuery,
    state: z.enum(["waiting", "delivered", "stuck", "diverged", "gone"]).optional(),
  }),
  answerHeaders: nextPageLink,
  response: pageOf(held).meta({ id: "KeyAtGatewayList" }),
  errors: ["invalid_input", "not_found"],
});

/** What stands at each gateway of a key. */
export const getKeyAtGateways = defineEndpoint({
  id: "getKeyAtGateways",
  method: "GET",
  path: "/v1/keys/{key_id}/gateways",
  tag,
  withinScope: true,
  summary: "Read where a key stands at each gateway",
  description: "Empty where there is no gateway, or the key was never to stand at one.",
  permission: ["portal:read"],
  withinElevation: true,
  response: z.strictObject({ data: z.array(held) }).meta({ id: "KeyAtGateways" }),
  errors: ["not_found"],
});
