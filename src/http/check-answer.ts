import { HeadedAnswer, WrittenText } from "../lib/headed-answer.ts";
import { HeaderAnswer } from "../lib/header-answer.ts";
import { JsonStream, JsonText, TextStream } from "../lib/json-text.ts";

/** The value of an answer as a client will see it; undefined for a stream, which is left alone, and without a body. */
export function answerValue(output: unknown): unknown {
  if (output instanceof HeadedAnswer) return answerValue(output.output);
  if (output instanceof WrittenText) return output.text;
  if (output instanceof JsonText) return JSON.parse(output.text);
  if (output instanceof JsonStream || output instanceof TextStream) return undefined;
  if (output instanceof HeaderAnswer) return undefined;
  return output;
}
