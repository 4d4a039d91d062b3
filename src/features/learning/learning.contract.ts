import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { learningQuestions } from "../../contract/gateway-states.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

const tag = "Gateways";

/** Whether a gateway teaches keys that nobody knows here. */
export const learning = z.strictObject({
  gateway_id: text,
  on: z.boolean(),
  started_at: nullable(timestamp).meta({ description: "null: never." }),
  started_by: nullable(text),
  ends_at: nullable(timestamp).meta({ description: "When it ends, or ended." }),
  questions_per_second: integer.meta({
    description: "So many questions each server asks the gateway, at the most.",
  }),
  learned: integer.meta({ description: "How many keys were learned from it so far." }),
  waiting: integer.meta({
    description:
      "Of them, those that should have been asked about anew by now; what waits for hours can't be told there.",
  }),
  alarms: integer.meta({
    description: "How often the trail says `gateway.key_not_learned` of it; 100: or more.",
  }),
  not_followed: integer.meta({
    description:
      "How often the trail says `gateway.key_not_followed` of it, as for a change that has no effect there; 100: or more.",
  }),
  awaiting: integer.meta({
    description:
      "Keys that would lose access because of what the gateway says, and wait for a person's yes.",
  }),
  awaiting_since: nullable(timestamp).meta({
    description: "Since when the first of them waits.",
  }),
}).meta({ id: "Learning" });

/** Whether it does. */
export const getLearning = defineEndpoint({
  id: "getLearning",
  method: "GET",
  path: "/v1/gateways/{id}/learning",
  tag,
  summary: "Read whether keys that nobody knows here are learned from a gateway, and until when",
  description: "What was learned stays when it is over.",
  permission: ["admin:read"],
  withinElevation: true,
  response: learning,
  errors: ["not_found"],
});

/** It does from now on. */
export const startLearning = defineEndpoint({
  id: "startLearning",
  method: "PUT",
  path: "/v1/gateways/{id}/learning",
  tag,
  summary: "Learn keys that nobody knows here from a gateway, until an end",
  description:
    "Verification asks the gateway about a key that it does not know, by its hashes alone, and keeps the key's SHA-256 with its plans, developer and end where it opens there. Never learned: what needs a password, OAuth clients, what is pinned to a certificate. While the gateway can't tell, or the limit is reached, verification answers 503 with `Retry-After`. Of 32-bit hashes (`murmur32`) another text with the same hash may be learned first. What was learned is asked again within each minute in which it is used, else once a day, and follows plans, end, state and quota there until all its plans are decided here. At most five keys an hour lose access by it; of more all wait for a person's yes (`awaiting`).",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    ends_at: timestamp.meta({ description: "Within 366 days; to learn for longer, say so again." }),
    questions_per_second: z.int().min(1).max(learningQuestions.most).default(
      learningQuestions.usual,
    ).meta({
      description:
        "So many questions each server asks at the most; each door, and each network at a door, has the same share of them.",
    }),
  }).meta({ id: "LearningInput" }),
  response: learning,
  errors: [...bodyErrors, "not_found"],
  example: { ends_at: "2026-12-31T00:00:00Z" },
});

/** It does no more. */
export const stopLearning = defineEndpoint({
  id: "stopLearning",
  method: "DELETE",
  path: "/v1/gateways/{id}/learning",
  tag,
  summary: "Learn no more keys from a gateway; what was learned stays",
  description: "What nobody knows here is `unknown` again, on every server within a second.",
  permission: ["admin"],
  response: learning,
  errors: ["not_found"],
});

/** A person's yes. */
export const confirmLosses = defineEndpoint({
  id: "confirmLosses",
  method: "POST",
  path: "/v1/gateways/{id}/learning/confirm",
  tag,
  summary: "Say yes to keys losing access because of what a gateway says",
  description:
    "By a session alone, within five minutes of its sign-in. Each of these keys is asked about anew, and loses access if the gateway still says so. `awaiting` as it was read: where more keys wait since, read it again.",
  permission: ["admin"],
  permissionBesides: "approve",
  needsFreshSignIn: true,
  body: z.object({ awaiting: z.int().min(1) }).meta({ id: "LossesConfirmation" }),
  response: learning,
  errors: [...bodyErrors, "not_found", "person_needed", "precondition_failed"],
  example: { awaiting: 1 },
});
