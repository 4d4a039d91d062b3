import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";

/** What a hint says, worst first. */
const hintKinds = [
  "holds_active_key",
  "developer_inactive",
  "email_unconfirmed",
  "email_mixed_script",
  "email_changed",
  "many_requests",
  "declined_before",
  "new_developer",
  "keys_unused",
  "same_company",
] as const;

/** One thing worth knowing before a decision. */
export const hint = z.strictObject({
  hint: z.enum(hintKinds),
  title: text.meta({ description: "The same in words." }),
  detail: text.meta({ description: "What else is said of it, such as the new address; or empty." }),
  at: nullable(timestamp).meta({
    description: "When it came about, such as the address's change; null: that says nothing here.",
  }),
  key_ids: z.array(id).meta({ description: "The keys of which it tells." }),
  request_ids: z.array(id).meta({ description: "The key requests of which it tells." }),
}).meta({ id: "Hint" });

/** What is worth knowing before a request is decided. */
export const listHints = defineEndpoint({
  id: "listHints",
  method: "GET",
  path: "/v1/key-requests/{id}/hints",
  tag: "Key requests (native)",
  summary: "Read what is worth knowing before a key request is decided, worst first",
  description:
    "Each is there only while it is true, and none blocks a decision. A decided request has none. `same_company` looks at the newest 50 requests with the company's name or the address's domain; `keys_unused` at the developer's newest 20 active keys.",
  permission: ["portal:read"],
  withinElevation: true,
  withinScope: true,
  response: z.strictObject({ data: z.array(hint) }).meta({ id: "Hints" }),
  errors: ["not_found"],
});
