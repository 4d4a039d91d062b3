import { JsonStream, JsonText } from "../lib/json-text.ts";

/** The value of an answer as a client will see it; a stream is left alone and stands for an empty list. */
export function answerValue(output: unknown): unknown {
  if (output instanceof JsonText) return JSON.parse(output.text);
  if (output instanceof JsonStream) return { Data: [], Pages: 1 };
  return output;
}
