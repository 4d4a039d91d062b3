import { z } from "zod";
import { nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { branding } from "../../branding/branding.contract.ts";

/** The preview of a one-time link, before it is opened. */
export const oneTimeLinkPreview = z.strictObject({
  kind: z.enum(["key", "oauth_client", "access_token"]),
  organisation: branding.pick({ name: true, logo: true, colour: true, support: true })
    .extend({ documentation: text }),
  recipient: z.strictObject({ name: text, email: text })
    .meta({ description: "Whose it is; empty members where nobody knows." }),
  name: text.meta({ description: "What the key is called; empty: nobody said." }),
  environment: text.meta({
    description: "Where the key is used, such as production; may be empty.",
  }),
  plans: z.array(z.strictObject({
    id: text,
    name: text,
    apis: z.array(text).meta({ description: "What its keys open, by name." }),
    rate: z.number(),
    per: z.number(),
    quota_max: z.number(),
    quota_renewal_rate: z.number(),
  })),
  base_url: text.meta({ description: "Where the gateway answers; empty where nobody has said." }),
  key_header: text,
  created_at: timestamp,
  expires_at: timestamp.meta({ description: "Until when the link opens anything." }),
  key_expires_at: nullable(timestamp).meta({
    description: "From when on what it hands over is over.",
  }),
}).meta({ id: "OneTimeLinkPreview" });
