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
          `Sent to targets that want \`${topic}\` or \`${object.object}.*\`, signed as Standard Webhooks says.`,
        security: [],
        parameters: HEADERS,
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

const header = (name: string, description: string): Json => ({
  ...{ name, in: "header", required: true, description, schema: { type: "string" } },
});

const HEADERS: Json[] = [
  header("webhook-id", "The same at every try: what came already is taken and left aside."),
  header("webhook-timestamp", "Seconds since 1970 of this try."),
  header("webhook-signature", "`v1,` and base64; during a rotation two, separated by a blank."),
];
