import { z } from "zod";
import { actorTypes } from "../../contract/actor-types.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

/**
 * The content of a message about its object. It never contains a secret: recipients look up the
 * object for more.
 */
const messageData = z.strictObject({
  id: text.meta({ description: "The object's id." }),
  object: text.meta({ description: "Its kind: the topic's first half." }),
  name: text.optional().meta({
    description:
      "The name of the key as the message is sent, if it is about a key that has a name.",
  }),
  organisation_id: text,
  event_id: text.meta({ description: "The change's id, the same for every channel." }),
  request_id: nullable(text).meta({
    description:
      "Keydesk's id of the call that made the change, as the audit log and the access log have it; null: no call made it.",
  }),
  caller_request_id: nullable(text).meta({
    description: "The `X-Request-Id` that its caller gave it; null: none.",
  }),
  actor: nullable(z.strictObject({
    type: z.enum(actorTypes).meta({
      description:
        "`operator`: the command line or the start; `link`: the holder of a link; `system`: Keydesk by itself.",
    }),
    id: text.meta({ description: "A person's id, or the audit log's word for what acted." }),
    name: text.meta({
      description: "The person's name as the message is sent; else the id.",
    }),
  })).meta({
    description:
      "The actor of the change: the audit log's `actor_type`, `actor` and `actor_name`. null: a server of an earlier release made it, or it is no longer kept.",
  }),
  path: nullable(text).meta({
    description: "The path of the object in `/v1`, for an access token that may read it.",
  }),
  url: nullable(text).meta({ description: "The address of the object in the console, if known." }),
  missing: integer.meta({
    description:
      "How many earlier messages of this object were given up since the last that was delivered.",
  }),
  detail: nullable(z.record(z.string(), z.union([text, integer]))).meta({
    description:
      "Details of the topic: of an alert `days` (0: expiry itself) and `ends_at`, of `alerts.digest` its counts; null: none.",
  }),
}).meta({ id: "MessageData" });

/** The body of a message, as Standard Webhooks has it. */
export const message = z.strictObject({
  type: text.meta({ description: "The topic." }),
  timestamp: timestamp.meta({ description: "When the change was made." }),
  data: messageData,
}).meta({ id: "Message" });
