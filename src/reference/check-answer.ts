import type { Endpoint } from "../contract/endpoint.ts";
import { Answer, isPieces } from "../kernel/answer.ts";
import { unsaidHeaders } from "./openapi-answers.ts";

/** Throws where an answer is not what its endpoint tells: another shape, or an untold header. */
export function checkAnswer(endpoint: Endpoint, output: unknown): void {
  const value = answerValue(output);
  if (value !== undefined) endpoint.response.parse(value);
  const untold = untoldHeaders(endpoint, output);
  if (untold.length > 0) throw new Error(`${endpoint.id} does not tell of ${untold.join(", ")}`);
}

/**
 * The value of an answer as a client will see it; undefined for bytes and pieces, which are left
 * alone, and without a body.
 */
function answerValue(output: unknown): unknown {
  if (!(output instanceof Answer)) return output;
  const { body, headers } = output;
  if (typeof body === "string") return "content-type" in headers ? body : JSON.parse(body);
  return body === null || body instanceof Uint8Array || isPieces(body) ? undefined : body;
}

/** Headers that an answer carries of its own and that the endpoint's contract does not tell of. */
function untoldHeaders(endpoint: Endpoint, output: unknown): string[] {
  if (!(output instanceof Answer)) return [];
  if (output.status === 202 && endpoint.status !== 202) throw new Error(`${endpoint.id}: 202`);
  const headers = output.status <= 202 ? endpoint.answerHeaders : endpoint.refusalHeaders;
  return Object.keys(output.headers).filter((name) =>
    !unsaidHeaders.includes(name) && !(name in (headers ?? {}))
  );
}
