import { z } from "zod";
import { keyLabels, line } from "../../../contract/labels.ts";
import { id, idOrEmpty, text } from "../../../contract/values.ts";

export const plans = {
  apply_policies: z.array(id).max(100).optional(),
  policy_id: idOrEmpty.optional().meta({
    description: "One plan, beside `apply_policies` or alone.",
  }),
};

/** The members of a session that Keydesk takes; the rights of a key come from its plans alone. */
export const session = z.object({
  ...plans,
  alias: line(100).optional(),
  tags: keyLabels.tags.optional(),
  expires: z.int().optional().meta({
    description: "In seconds since 1970; 0 and below: when the plans say, or never.",
  }),
  is_inactive: z.boolean().optional(),
  meta_data: z.object({
    tyk_developer_id: idOrEmpty.optional().meta({ description: "The developer of the key." }),
  }).optional(),
  basic_auth_data: z.object({ password: text.max(4096).optional() }).optional(),
}).meta({ id: "SessionInput" });

/** An OAuth client as the original shows one. */
export const client = z.strictObject({
  client_id: text,
  secret: text.meta({
    description: "Empty for access tokens without the permission `secrets`, but for a fresh one.",
  }),
  redirect_uri: text,
  policy_id: text.meta({ description: "The first of its plans." }),
}).meta({ id: "ClientOfApi" });

/** The body of `createClientOfApi`. */
export const clientOfApiInput = z.object({
  ...plans,
  redirect_uri: text.max(4096).optional(),
  client_id: text.optional(),
  secret: text.optional(),
}).meta({ id: "ClientOfApiInput" });
