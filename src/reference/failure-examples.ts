import { type FailureCode, failureCodes, ownMessageOf } from "../kernel/failure-codes.ts";
import type { Json } from "./schema-collector.ts";

/** The three shapes that the interface gives its failures. */
export type FailureShape = "envelope" | "problem" | "oauth";

/** The request's id in examples. */
export const exampleRequestId = "7d1b8c5e-3f0a-4a53-9c1e-5b2f8d6e4a90";

/** The path that an example of a refusal names. */
export const examplePaths = { envelope: "/api/portal/requests", problem: "/v1/people" } as const;

/**
 * The example of each of these codes in its shape: one as it is, several by their codes, referred
 * to in `collected` because many operations have them.
 */
export function failureExamples(
  shape: FailureShape,
  codes: readonly FailureCode[],
  collected: Record<string, Json>,
): Json {
  const [code] = codes;
  if (shape === "oauth" || !code) return {};
  if (codes.length === 1) return { example: exampleOf(shape, code) };
  const examples = codes.map((code) => {
    const name = `${shape}.${code}`;
    collected[name] ??= { value: exampleOf(shape, code) };
    return [code, { $ref: `#/components/examples/${name}` }] as const;
  });
  return { examples: Object.fromEntries(examples) };
}

function exampleOf(shape: "envelope" | "problem", code: FailureCode): Json {
  const { status } = failureCodes[code];
  const message = shape === "problem" ? ownMessageOf(code) : failureCodes[code].message;
  const detail = code === "access_denied" ? `${message} ${examplePaths[shape]}` : message;
  if (shape === "envelope") return { Status: "Error", Message: detail, Meta: null };
  return {
    type: `urn:keydesk:error:${code}`,
    title: message.trim(),
    status,
    detail,
    code,
    request_id: exampleRequestId,
  };
}
