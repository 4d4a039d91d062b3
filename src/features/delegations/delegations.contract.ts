import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";

const tag = "People";

const named = { id: text, name: text };

/** Who decides in whose place. */
export const delegation = z.strictObject({
  delegate: nullable(z.strictObject({ ...named, until: timestamp })).meta({
    description: "Who decides in the caller's place, and until when; null: nobody.",
  }),
  decides_for: z.array(z.strictObject({ ...named, until: timestamp })).meta({
    description: "In whose place the caller decides now.",
  }),
  candidates: z.array(z.strictObject(named)).meta({
    description: "Who could decide in the caller's place: people who may approve, 100 at the most.",
  }),
}).meta({ id: "Delegation" });

/** Read. */
export const getDelegation = defineEndpoint({
  id: "getDelegation",
  method: "GET",
  path: "/v1/me/delegation",
  tag,
  summary: "Read who decides in the caller's place while they are away, and for whom they do",
  description: "Only persons have somebody; of other callers there is nobody.",
  permission: ["approve"],
  withinScope: true,
  response: delegation,
  errors: [],
});

/** Name somebody. */
export const putDelegation = defineEndpoint({
  id: "putDelegation",
  method: "PUT",
  path: "/v1/me/delegation",
  tag,
  summary: "Name who gives the caller's steps of approval policies until a time",
  description:
    "For 90 days at the most: a later time is that. The delegate gives a step that is the caller's and not their own, only of requests that both may decide, and each person counts once. Nobody passes it on; it counts for nothing while either may not approve.",
  permission: ["approve"],
  withinScope: true,
  needsFreshSignIn: true,
  body: z.object({ delegate_id: id, until: timestamp }).meta({ id: "DelegationInput" }),
  response: delegation,
  errors: [...bodyErrors],
  example: { delegate_id: exampleIds.person, until: "2036-01-31T09:00:00Z" },
});

/** End it. */
export const deleteDelegation = defineEndpoint({
  id: "deleteDelegation",
  method: "DELETE",
  path: "/v1/me/delegation",
  tag,
  summary: "End that somebody decides in the caller's place",
  description: "Nothing happens where nobody does. Steps that were given stay.",
  permission: ["approve"],
  withinScope: true,
  response: delegation,
  errors: [],
});
