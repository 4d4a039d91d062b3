import assert from "node:assert/strict";
import type { z } from "zod";
import type { developer } from "../../src/features/developers/developers.contract.ts";
import type { plan } from "../../src/features/plans/plans.contract.ts";
import type { SendInit, TestDesk } from "./desk.ts";
import type { Sent } from "./key-requests.ts";

/** A developer and a plan as they are shown. */
export type ShownDeveloper = z.output<typeof developer.whole>;
export type ShownPlan = z.output<typeof plan>;

/** Where the companions live. */
export const DEVELOPERS = "/api/portal/developers";
export const POLICIES = "/api/portal/policies";
export const CATALOGUE = "/api/portal/catalogue";
export const CONFIGURATION = "/api/portal/configuration";

/** The path of one of them. */
export function pathTo(collection: string, id: string): string {
  return `${collection}/${encodeURIComponent(id)}`;
}

/** Sends a call that must succeed, and gives its answer. */
export async function succeed<Answer = Record<string, unknown>>(
  desk: TestDesk,
  method: string,
  path: string,
  init: SendInit = {},
): Promise<Answer> {
  const response = await desk.send(method, path, init);
  const answer: Answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Sends a POST that must succeed, and gives the id that it answers with. */
export async function post(desk: TestDesk, path: string, body: Sent): Promise<string> {
  const { Status, Message, Meta } = await succeed<Record<string, unknown>>(desk, "POST", path, {
    body,
  });
  assert.deepEqual([Status, typeof Message, Meta], ["OK", "string", null]);
  return String(Message);
}

/** Registers a developer and gives the id. */
export function register(desk: TestDesk, changes: Sent = {}): Promise<string> {
  return post(desk, DEVELOPERS, { email: "ada@example.org", ...changes });
}

/** Reads a developer. */
export function readDeveloper(
  desk: TestDesk,
  id: string,
  init: SendInit = {},
): Promise<ShownDeveloper> {
  return succeed(desk, "GET", pathTo(DEVELOPERS, id), init);
}

/** Adds a plan and gives the id. */
export function addPlan(desk: TestDesk, changes: Sent = {}): Promise<string> {
  return post(desk, POLICIES, { name: "Weather", ...changes });
}
