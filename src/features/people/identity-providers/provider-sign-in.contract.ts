import { z } from "zod";
import { nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";

/** One of the caller's accounts. */
export const ownIdentity = z.strictObject({
  id: text,
  provider_id: text,
  provider: text.meta({ description: "The text of its button; empty: it can't be read." }),
  date_created: timestamp,
  last_used_at: nullable(timestamp),
  managed: z.boolean().meta({
    description:
      "The provider added the caller and says what they may do: it is their only account, and can't be unlinked.",
  }),
}).meta({ id: "Identity" });

/** The answer of `listIdentities`. */
export const identityList = z.strictObject({
  data: z.array(ownIdentity),
  providers: z.array(z.strictObject({ id: text, name: text })),
}).meta({ id: "IdentityList" });
