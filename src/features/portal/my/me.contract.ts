import { z } from "zod";
import { defineEndpoint } from "../../../contract/endpoint.ts";
import { text } from "../../../contract/values.ts";

/** What somebody is asked for. */
export const askedField = z.strictObject({ name: text, required: z.boolean() });

/** Who calls. */
export const getMe = defineEndpoint({
  id: "getMe",
  method: "GET",
  path: "/v1/my",
  tag: "My account",
  summary: "Read who one is: name, address, and whether that is known to be one's own",
  description: "Of the developer who calls, by session or token, and of nobody else.",
  permission: "developer",
  response: z.strictObject({
    id: text,
    name: text.meta({ description: "Empty: they said none." }),
    email: text,
    email_verified: z.boolean().meta({
      description: "Whether the address is known to be theirs; a changed one is to be confirmed.",
    }),
    fields: z.record(z.string(), text).meta({ description: "What they said of themselves." }),
    sign_up_fields: z.array(askedField).meta({
      description: "What developers are asked for, as the portal's configuration says.",
    }),
  }).meta({ id: "MyAccount" }),
  errors: [],
});
