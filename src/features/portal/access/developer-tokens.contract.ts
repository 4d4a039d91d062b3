import { z } from "zod";
import { nameText } from "../../../contract/labels.ts";
import { nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";

/** The scopes of a developer's own token. */
export const tokenScopes = ["look", "keys"] as const;

const members = {
  id: text,
  name: text,
  scope: z.enum(tokenScopes).meta({
    description:
      "`look`: reads and changes nothing. `keys`: asks, and handles keys; not the account itself.",
  }),
  date_created: timestamp,
  last_used_at: nullable(timestamp).meta({ description: "To the minute." }),
  expires_at: timestamp,
};

/** A developer's own token, as they read of it: never its value. */
export const developerToken = z.strictObject(members).meta({ id: "DeveloperToken" });

/** The answer of `createMyToken`. */
export const developerTokenMade = z.strictObject({
  ...members,
  token: text.meta({ description: "It begins with `kdd_`, and is shown in no other answer." }),
}).meta({ id: "DeveloperTokenMade" });

/** The body of `createMyToken`. */
export const developerTokenInput = z.object({
  name: nameText().min(1),
  scope: z.enum(tokenScopes),
  days: z.int().min(1).max(90).meta({ description: "How long it lives." }),
}).meta({ id: "DeveloperTokenInput" });
