import { z } from "zod";
import { message, messageData } from "../features/deliveries/message.contract.ts";
import { topics } from "../features/deliveries/topics.contract.ts";
import type { Json, SchemaCollector } from "./schema-collector.ts";

/** What targets are sent, by topic. */
export function webhooks(schemas: SchemaCollector): Json {
  return Object.fromEntries(topics.map(({ topic, summary, object }) => {
    const schema = message.extend({
      type: z.literal(topic),
      data: messageData,
    });
    return [topic, {
      post: {
        operationId: `on_${topic.replace(".", "_")}`,
        tags: ["Webhooks"],
        summary,
        description:
          `Sent to targets that want \`${topic}\` or \`${object.object}.*\`, signed as Standard Webhooks says: ` +
          HEADERS,
        security: [],
        requestBody: {
          required: true,
          content: { "application/json": { schema: schemas.of(schema) } },
        },
        responses: {
          "2XX": { description: "It was taken. Anything else is sent again, with the same id." },
        },
      },
    }];
  }));
}

/** In words: as parameters, generators of Python clients would make them names that are none. */
const HEADERS =
  "`webhook-id` is the same at every try, `webhook-timestamp` says when this one was made, in seconds since 1970, " +
  "and `webhook-signature` is `v1,` and base64, during a rotation two with a blank between them.";
