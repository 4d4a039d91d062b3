import assert from "node:assert/strict";
import { oauthError } from "../../src/contract/envelope.ts";
import { type FailureCode, failureCodes, ownMessageOf } from "../../src/kernel/failure-codes.ts";

/** What a failure is expected to say beyond its code. */
export interface ExpectedFailure {
  /** The message where it is not the code's own. */
  message?: string;
  /** The list of problems; none by default. */
  errors?: readonly string[];
}

/**
 * Asserts that a response is this failure: status, exact body in its member order, and the usual
 * headers. Of `/v1` it is the problem document that says the same, under `/oauth`
 * the shape of RFC 6749.
 */
export async function assertFailure(
  response: Response,
  code: FailureCode,
  expected: ExpectedFailure = {},
): Promise<void> {
  const text = await response.text();
  const { status } = failureCodes[code];
  const v1 = response.headers.get("content-type") === PROBLEM;
  const title = v1 ? ownMessageOf(code) : failureCodes[code].message;
  const message = expected.message ?? title;
  const envelope = {
    Status: "Error",
    Message: message,
    Meta: null,
    ...expected.errors ? { Errors: expected.errors } : {},
  };
  const problem = {
    type: `urn:keydesk:error:${code}`,
    title: title.trim(),
    status,
    detail: message,
    code,
    ...expected.errors ? { errors: expected.errors } : {},
    ...v1 ? requestIdsIn(response, text) : {},
  };
  if (response.headers.has("pragma") || text.startsWith('{"error":')) {
    const { error, error_description } = oauthError.parse(JSON.parse(text));
    assert.match(error, /^[a-z]+(_[a-z]+)*$/);
    assert.equal(error_description, message);
  } else {
    assert.equal(text, JSON.stringify(v1 ? problem : envelope));
  }
  assert.equal(response.status, status);
  assert.equal(response.headers.get("x-keydesk-error"), code);
  assertUsualHeaders(response, v1 ? PROBLEM : JSON_TYPE);
}

/** Ours, and beside it the caller's own, which the header names where there is one. */
function requestIdsIn(response: Response, text: string): Record<string, unknown> {
  const named = response.headers.get("x-request-id");
  const { request_id } = JSON.parse(text);
  assert.match(request_id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  return named === request_id ? { request_id } : { request_id, caller_request_id: named };
}

const PROBLEM = "application/problem+json";
const JSON_TYPE = "application/json; charset=utf-8";

/** Asserts a 400 whose problems are exactly these; the first of them is the message. */
export async function assertInvalid(response: Response, ...errors: string[]): Promise<void> {
  await assertFailure(response, "invalid_input", { message: errors[0] ?? "", errors });
}

/** Asserts an answer with status 200 and exactly this JSON text. */
export async function assertAnswer(response: Response, value: unknown): Promise<void> {
  assert.equal(await response.text(), JSON.stringify(value));
  assert.equal(response.status, 200);
  assertUsualHeaders(response);
}

/** Asserts the headers that every answer carries. */
export function assertUsualHeaders(response: Response, type = JSON_TYPE): void {
  assert.match(response.headers.get("x-request-id") ?? "", /^[A-Za-z0-9_.-]{1,64}$/);
  assert.equal(response.headers.get("content-type"), type);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
}

/** A response as a client can tell it from another: status, headers but the request's id, body. */
export async function wholeAnswer(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  // A problem document repeats the request's id.
  const id = response.headers.get("x-request-id") ?? "";
  const body = (await response.text()).replaceAll(id, "<request id>");
  return { status: response.status, headers, body };
}
