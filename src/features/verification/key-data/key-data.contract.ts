import { z } from "zod";
import { freeForm, id, text, timestamp } from "../../../contract/values.ts";

/** The rights of a key and its rest, in the words of the original's gateway. */
const keyData = z.strictObject({
  quota_max: z.int().meta({ description: "Calls in a period; -1: as many as they like." }),
  quota_remaining: z.int().meta({
    description: "The calls that are left as this server knows it; -1: no limit.",
  }),
  quota_renews: z.int().meta({
    description: "When the next period begins, in seconds since 1970; 0: never.",
  }),
  rate: z.number().meta({ description: "Calls in `per` seconds; 0: as many as they like." }),
  per: z.number(),
  expires: z.int().meta({ description: "In seconds since 1970; 0: never." }),
  apply_policies: z.array(id),
  access_rights: z.record(id, freeForm)
    .meta({ description: "By API id; empty: every API, or none where `is_inactive`." }),
  is_inactive: z.boolean().meta({
    description: "True: suspended, expired, or none of the plans is valid for an API.",
  }),
  alias: text.meta({ description: "The display name of the key; empty: none." }),
  org_id: text,
  tags: z.array(text),
  quota_renewal_rate: z.int().meta({
    description: "Seconds in a period of the quota; -1: no quota, or one that is never renewed.",
  }),
  date_created: timestamp,
  last_updated: text.meta({
    description: "When the key was issued or its state changed last, in seconds since 1970.",
  }),
  meta_data: z.strictObject({ tyk_developer_id: text }).meta({
    description: "The developer of the key, in the member by which Tyk Gateway knows them.",
  }),
}).meta({ id: "KeyData" });

/** A key as the original's gateway shows one: never the key itself. */
export const namedKeyData = z.strictObject({ key_id: text, key_hash: text, data: keyData })
  .meta({ id: "NamedKeyData" });

export const capped = z.literal(true).optional().meta({
  description: "There only where it is true: `pages` counts the newest 10,000 alone.",
});

/** The ids of keys. */
export const keyIds = z.strictObject({
  data: z.strictObject({ keys: z.array(text) }),
  pages: z.int(),
  capped,
}).meta({ id: "KeyIds" });

/** An API as lists show it. */
export const apiDefinition = z.strictObject({ api_id: id, name: text, id, active: z.boolean() });

/** APIs that plans and catalogue name. */
export const apiList = z.strictObject({
  apis: z.array(z.strictObject({ api_definition: apiDefinition })),
  pages: z.int(),
}).meta({ id: "ApiList" });
