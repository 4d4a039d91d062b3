import type { Endpoint } from "../contract/endpoint.ts";
import { unsaidHeaders } from "../contract/openapi-answers.ts";
import { HeadedAnswer, WrittenBytes, WrittenText } from "../lib/headed-answer.ts";
import { HeaderAnswer } from "../lib/header-answer.ts";
import { JsonStream, JsonText, TextStream } from "../lib/json-text.ts";

/** The value of an answer as a client will see it; undefined for a stream, which is left alone, and without a body. */
export function answerValue(output: unknown): unknown {
  if (output instanceof HeadedAnswer) return answerValue(output.output);
  if (output instanceof WrittenText) return output.text;
  if (output instanceof WrittenBytes) return undefined;
  if (output instanceof JsonText) return JSON.parse(output.text);
  if (output instanceof JsonStream || output instanceof TextStream) return undefined;
  if (output instanceof HeaderAnswer) return undefined;
  return output;
}

/** Headers that an answer carries of its own and that the endpoint's contract does not tell of. */
export function untoldHeaders(endpoint: Endpoint, output: unknown): string[] {
  const isRefusal = output instanceof HeaderAnswer && output.status !== 200;
  const told = isRefusal ? endpoint.refusalHeaders : endpoint.answerHeaders;
  return headersOf(output).filter((name) =>
    !unsaidHeaders.includes(name) && !(name in (told ?? {}))
  );
}

function headersOf(output: unknown): string[] {
  if (output instanceof HeadedAnswer) {
    return [...Object.keys(output.headers), ...headersOf(output.output)];
  }
  if (output instanceof HeaderAnswer) return Object.keys(output.headers);
  return output instanceof TextStream ? ["content-disposition"] : [];
}
