import assert from "node:assert/strict";
import type { z } from "zod";
import type { approval } from "../../src/features/keys/issued-keys.contract.ts";
import type { keyRequest } from "../../src/features/key-requests/key-requests.contract.ts";
import type { keyRequestList } from "../../src/features/key-requests/key-requests.operations.ts";
import type { SendInit, TestDesk } from "./desk.ts";

/** A key request as it is shown. */
export type ShownRequest = z.output<typeof keyRequest>;
/** A list of them. */
export type ShownList = z.output<typeof keyRequestList>;
/** The answer of an approval. */
export type ShownApproval = z.output<typeof approval>;
/** Members that a client sends. */
export type Sent = Record<string, unknown>;

/** Where key requests live. */
export const REQUESTS = "/api/portal/requests";

/** The least that a key request needs: who asks, and for what. */
export function smallRequest(changes: Sent = {}): Sent {
  return { by_user: "dev-ada", for_plan: "plan-weather", ...changes };
}

/** The path of one key request. */
export function pathOf(id: string): string {
  return `${REQUESTS}/${encodeURIComponent(id)}`;
}

/** The path that approves one key request. */
export function approvalOf(id: string): string {
  return `${REQUESTS}/approve/${encodeURIComponent(id)}`;
}

/** Creates a key request and gives its id. */
export async function create(desk: TestDesk, body: unknown, init: SendInit = {}): Promise<string> {
  const response = await desk.send("POST", REQUESTS, { ...init, body });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer.Message;
}

/** Reads a key request. */
export async function read(
  desk: TestDesk,
  id: string,
  credential?: string,
): Promise<ShownRequest> {
  return await succeed(desk, "GET", pathOf(id), credential === undefined ? {} : { credential });
}

/** Creates a key request and reads it back. */
export async function createAndRead(desk: TestDesk, body: unknown): Promise<ShownRequest> {
  return await read(desk, await create(desk, body));
}

/** Replaces a key request. */
export async function update(desk: TestDesk, id: string, body: unknown): Promise<void> {
  const answer = await succeed(desk, "UPDATE", pathOf(id), { body });
  assert.deepEqual(answer, { Status: "OK", Message: id, Meta: null });
}

/** Approves a key request. */
export async function approve(
  desk: TestDesk,
  id: string,
  init: SendInit = {},
): Promise<ShownApproval> {
  return await succeed(desk, "PUT", approvalOf(id), init);
}

/** Lists key requests; `query` with its question mark. */
export async function list(desk: TestDesk, query = "", credential?: string): Promise<ShownList> {
  const init = credential === undefined ? {} : { credential };
  return await succeed(desk, "GET", `${REQUESTS}${query}`, init);
}

/** The ids of a list, in its order. */
export async function listIds(desk: TestDesk, query = "", credential?: string): Promise<string[]> {
  return (await list(desk, query, credential)).Data.map((request) => request.id);
}

/**
 * Sends a call that must succeed and gives its answer, which the application under test has
 * checked.
 */
async function succeed<Answer>(
  desk: TestDesk,
  method: string,
  path: string,
  init: SendInit,
): Promise<Answer> {
  const response = await desk.send(method, path, init);
  const answer: Answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
