import { z } from "zod";
import { findingCodes, provisionedStates, syncedKinds } from "../../contract/gateway-states.ts";
import { nullable } from "../../contract/v1.ts";
import { pageOf } from "../../contract/paging.ts";
import { integer, text, timestamp } from "../../contract/values.ts";
import { checkingGateway } from "../verification/gateways/checking-gateways.contract.ts";
import { canary, reconciled } from "./canary.contract.ts";
import { mapView } from "./hashes/map-settings.contract.ts";

/** For how many seconds keys may still open there behind their end. */
export const late = z.strictObject({
  without_quota: nullable(integer),
  with_quota: nullable(integer).meta({
    description: "Of keys whose plans have a quota; null: as long as calls with them go on.",
  }),
});

/** How late a gateway shuts. */
export const closing = nullable(z.strictObject({
  version: text.meta({ description: "What it says of itself; empty: nothing." }),
  cache: z.enum(["on", "not_seen", "not_tried"]).meta({
    description:
      "Its session cache. `on`: a call was let in although the key was read as gone. `not_seen`: none was. `not_tried`: there is no `probe_url`.",
  }),
  revoked: late,
  suspended: late,
})).meta({
  description:
    "For how many seconds a key may still open there behind its end, as the last check measured it; until then the worst that is known of its version. Null of `map`.",
});

const counts = z.strictObject({
  waiting: integer,
  delivered: integer,
  stuck: integer,
  diverged: integer,
  gone: integer,
});

/** A gateway that keys are written into, or that goes by a map of their hashes. */
export const syncedGateway = z.strictObject({
  id: text,
  name: text,
  connection: z.enum(["synced", "map"]).meta({
    description:
      "`synced`: keys are written into it. `map`: it goes by a map of the SHA-256 of keys.",
  }),
  kind: z.enum(syncedKinds).meta({
    description: "The product: `tyk` of `synced`, `haproxy` or `agentgateway` of `map`.",
  }),
  url: text.meta({ description: "The address of its own interface; empty of `map`." }),
  probe_url: text.meta({
    description: "An API behind it, called daily to see whether revocations hold; empty: none.",
  }),
  redis_url: text.meta({
    description: "Its Redis, by which keys are made there that nobody has any more; empty: none.",
  }),
  map: nullable(mapView).meta({ description: "Of `map`; else null." }),
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
}).meta({ id: "SyncedGateway" });

/** A gateway, by how it is connected. */
export const gateway = z.discriminatedUnion("connection", [checkingGateway, syncedGateway])
  .meta({ id: "Gateway" });

export const held = z.strictObject({
  gateway_id: text,
  gateway: text.meta({ description: "Its name." }),
  key_id: text,
  state: z.enum(provisionedStates).meta({
    description:
      "`waiting`, `late` after a minute of it, `delivered`, `stuck`: somebody has to do something, `diverged`: it " +
      "was changed there, `closing`: it was revoked or suspended there at `since` and may open until " +
      "`may_be_valid_until`, `gone`: it is not there and opens nothing.",
  }),
  reason: text.meta({
    description:
      "Why, where it waits, is stuck, closing or diverged, such as `secret_gone`: rotate the key; `conditions`: it was " +
      "granted on what the gateway can't hold; `no_policy <plan>`; `opens more there: <what>`, which is put right by " +
      "itself where at most five keys do and each was issued or changed here; `redis_away`, `redis_refuses <code>` and " +
      "`another_redis`, which does not hold what the gateway does. At a gateway of `map` a proxy asks the desk " +
      "for `not_a_token`, `other_hash`, `short_key` and `end`; `not_read`: the file is without the key, and its proxy opens " +
      "until it reads the file; `not_fetched`: a proxy has not said that it has a map without the key.",
  }),
  since: timestamp,
  valid: z.boolean().meta({
    description:
      "Whether it opens there, or may: as it was brought last, or since its proxy asks the desk for it. False of a revoked key once it was read as gone for as long as the gateway's cache and calls in flight can bring it back; of `map` once the proxies have a map without it.",
  }),
  may_be_valid_until: nullable(timestamp).meta({
    description:
      "Until when it may open there although it was ended, since the gateway goes by its cache, or by a file that it reads again by then; null: it was not ended there, it opens no more, or it may open (`opens`) as long as calls with it go on or until its proxy has the map.",
  }),
  tries: integer.meta({ description: "How many failed since the last change." }),
  remote_id: text.meta({
    description: "What the gateway calls it, for good; empty: not known yet.",
  }),
  delivered_at: nullable(timestamp).meta({ description: "When it was last read there as wanted." }),
}).meta({ id: "KeyAtGateway" });

/** The answer of `listKeysAtGateway`. */
export const keyAtGatewayList = pageOf(held).meta({ id: "KeyAtGatewayList" });
