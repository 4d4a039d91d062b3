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
  version: text.meta({ description: "The name that it states; empty: none." }),
  cache: z.enum(["on", "not_seen", "not_tried"]).meta({
    description:
      "Its session cache. `on`: a call was allowed although the key was read as gone. `not_seen`: none was. `not_tried`: there is no `probe_url`.",
  }),
  revoked: late,
  suspended: late,
})).meta({
  description:
    "For how many seconds a key may still be valid at the gateway after it was revoked, as the last check measured it; until then the worst that is known of its version. Null of `map`.",
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
    description: "Its Redis, in which keys are made whose text is no longer known; empty: none.",
  }),
  map: nullable(mapView).meta({ description: "Of `map`; else null." }),
  plans: nullable(z.array(text)).meta({
    description: "The plans whose keys are at the gateway; null: those of all.",
  }),
  calls_per_second: nullable(integer).meta({
    description: "So often it is called at the most; null: as often as it answers.",
  }),
  policies: z.enum(["compare", "write"]).meta({
    description: "Whether plans are only compared with its policies, or written to it.",
  }),
  certificates: z.boolean().meta({
    description:
      "Whether keys are pinned at the gateway to the certificate that their request names.",
  }),
  state: z.enum(["active", "paused", "ending"]).meta({
    description: "`ending`: its keys are revoked at it, and it is removed with the last of them.",
  }),
  failing_since: nullable(timestamp).meta({
    description: "Since when it can't be reached or believed; null: it can.",
  }),
  failure: text.meta({ description: "Why; else empty." }),
  filling: z.boolean().meta({ description: "Whether all keys are being compared with it." }),
  counts,
  reading: integer.meta({
    description:
      "How many keys of the gateway are still to be read, as the last comparison counted.",
  }),
  waits_since: nullable(timestamp).meta({ description: "Of the key that waits longest." }),
  checked_at: nullable(timestamp),
  findings: z.array(z.strictObject({
    code: z.enum(findingCodes),
    detail: text,
  })).meta({
    description:
      "`cache_on`: its session cache allowed calls after a key was revoked: `undone`, so revocations do not hold while calls go on, set `local_session_cache.disable_cached_session_state` there; or how many seconds late it refuses. `quota_in_policies`: revocations are undone by calls in flight, and repeated. `not_checked`: there is no `probe_url`, or it did not accept the key. `clock_differs`: its seconds ahead. `no_policy`: a plan has none there. `policy_differs`: the difference. `no_list`: it does not list keys, set `enable_hashed_keys_listing`. `redis_unusable`: nothing can be made in its Redis, with the reason that keys have then.",
  }),
  closing,
  canary,
  reconciled_at: nullable(timestamp),
  reconciled: nullable(reconciled),
  missing_outbound: nullable(text).meta({
    description:
      "The host that `KEYDESK_OUTBOUND` must name before it can be called; null: it is named.",
  }),
  created_at: timestamp,
  created_by: text,
  unconfirmed_since: nullable(timestamp).meta({
    description:
      "Since when it waits for a person's confirmation, because an access token added or moved it: nothing is written to it. Null: it waits for none.",
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
      "`waiting`, `late` after a minute of it, `delivered`, `stuck`: a person has to act, `diverged`: it was changed at the gateway, `closing`: it was revoked or suspended at `since` and may be valid until `may_be_valid_until`, `gone`: it is not at the gateway and is not valid.",
  }),
  reason: text.meta({
    description:
      "The reason, if it waits, is stuck, closing or diverged, such as `secret_gone`: rotate the key; `conditions`: it was granted on conditions that the gateway can't hold; `no_policy <plan>`; `opens more there: <what>`, which is corrected automatically if at most five keys do and each was issued or changed in Keydesk; `redis_away`, `redis_refuses <code>` and `another_redis`, which does not hold the gateway's keys. At a gateway of `map` a proxy asks Keydesk for `not_a_token`, `other_hash`, `short_key` and `end`; `not_read`: the file is without the key, which is valid until its proxy reads the file; `not_fetched`: a proxy has not reported that it has a map without the key.",
  }),
  since: timestamp,
  valid: z.boolean().meta({
    description:
      "Whether it is valid at the gateway, or may be: as it was written last, or since its proxy asks Keydesk for it. False of a revoked key once it was read as gone for as long as the gateway's cache and calls in flight can bring it back; of `map` once the proxies have a map without it.",
  }),
  may_be_valid_until: nullable(timestamp).meta({
    description:
      "Until when it may be valid at the gateway although it was revoked, since the gateway uses its cache, or a file that it reads again until then; null: it was not revoked there, it is no longer valid, or it may be valid (`opens`) as long as calls with it go on or until its proxy has the map.",
  }),
  tries: integer.meta({ description: "How many failed since the last change." }),
  remote_id: text.meta({
    description: "Its permanent name at the gateway; empty: not known yet.",
  }),
  delivered_at: nullable(timestamp).meta({
    description: "When it was last read as desired at the gateway.",
  }),
}).meta({ id: "KeyAtGateway" });

/** The answer of `listKeysAtGateway`. */
export const keyAtGatewayList = pageOf(held).meta({ id: "KeyAtGatewayList" });
