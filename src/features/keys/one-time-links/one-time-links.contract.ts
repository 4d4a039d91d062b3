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
    .meta({ description: "The developer; empty members if unknown." }),
  name: text.meta({ description: "The name of the key; empty: none was given." }),
  environment: text.meta({
    description: "The environment of the key, such as production; may be empty.",
  }),
  plans: z.array(z.strictObject({
    id: text,
    name: text,
    apis: z.array(text).meta({ description: "The APIs for which its keys are valid, by name." }),
    rate: z.number(),
    per: z.number(),
    quota_max: z.number(),
    quota_renewal_rate: z.number(),
  })),
  base_url: text.meta({ description: "The address of the gateway; empty if none was given." }),
  key_header: text,
  created_at: timestamp,
  expires_at: timestamp.meta({ description: "Until when the link is valid." }),
  key_expires_at: nullable(timestamp).meta({
    description: "From when on what it hands over is over.",
  }),
}).meta({ id: "OneTimeLinkPreview" });
