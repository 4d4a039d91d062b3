import assert from "node:assert/strict";
import {
  errorEnvelope,
  isOAuthPath,
  isV1Path,
  oauthError,
  problem,
} from "../../../../src/contract/envelope.ts";
import type { SendInit, TestDesk } from "../../../support/desk.ts";
import { storedRows } from "./store-checks.ts";

/** An error's public parts. */
export interface Refusal {
  status: number;
  message: string;
  errors: readonly string[];
}

/**
 * Makes the call, wants this status, the envelope (of `/v1` the problem document)
 * and an unchanged store, and gives what the answer says.
 */
export async function assertRefused(
  desk: TestDesk,
  status: number,
  method: string,
  path: string,
  init: SendInit = {},
): Promise<Refusal> {
  const before = await storedRows(desk);
  const response = await desk.send(method, path, init);
  const text = await response.text();
  const call = `${method} ${path.slice(0, 200)}`;
  assert.equal(response.status, status, `${call}: ${text.slice(0, 300)}`);
  const type = isV1Path(path) ? /^application\/problem\+json$/ : /^application\/json/;
  assert.match(response.headers.get("content-type") ?? "", type);
  assert.notEqual(response.headers.get("x-keydesk-error"), null, call);
  assert.deepEqual(await storedRows(desk), before, `${call} left something`);
  assert.ok(text.length < 10_000, `${call} is answered with ${text.length} characters`);
  if (isOAuthPath(path)) {
    const { error_description } = oauthError.parse(JSON.parse(text));
    assert.notEqual(error_description, "");
    return { status, message: error_description, errors: [] };
  }
  if (isV1Path(path)) {
    const { detail, errors = [] } = problem.parse(JSON.parse(text));
    assert.notEqual(detail, "");
    return { status, message: detail, errors };
  }
  const { Message, Errors } = errorEnvelope.parse(JSON.parse(text));
  assert.notEqual(Message, "");
  return { status, message: Message, errors: Errors ?? [] };
}

/** Creates a request and gives its id. */
export async function create(desk: TestDesk, body: unknown): Promise<string> {
  const response = await desk.send("POST", "/api/portal/requests", { body });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer.Message;
}
