import assert from "node:assert/strict";
import type { Permission } from "../../src/contract/permissions.ts";
import type { TestDesk } from "./desk.ts";

/** A call of `/v1`; asserts success and gives its answer. */
export async function call(
  desk: TestDesk,
  method: string,
  path: string,
  body?: unknown,
  credential: string = desk.admin,
  // deno-lint-ignore no-explicit-any -- tests look at members of many shapes
): Promise<any> {
  const response = await desk.send(method, path, { body, credential });
  const answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Adds a person with one credential and gives their ids and the credential. */
export async function newPerson(
  desk: TestDesk,
  permissions: readonly Permission[],
  more: { scope?: readonly Permission[]; expires_at?: string; name?: string } = {},
): Promise<{ id: string; credential_id: string; credential: string }> {
  const { name = "Grace", ...rest } = more;
  const { id } = await call(desk, "POST", "/v1/people", { name, permissions });
  const path = `/v1/people/${id}/access-tokens`;
  const issued = await call(desk, "POST", path, { name: "laptop", deliver: "answer", ...rest });
  return { id, credential_id: issued.id, credential: issued.access_token };
}

/** The status that a credential gets for reading who it is. */
export async function statusOf(desk: TestDesk, credential: string): Promise<number> {
  const response = await desk.send("GET", "/v1/me", { credential });
  await response.body?.cancel();
  return response.status;
}

/** Every item of a list, page by page. */
// deno-lint-ignore no-explicit-any -- as above
export async function allItems(desk: TestDesk, path: string, credential?: string): Promise<any[]> {
  const items = [];
  let cursor: string | null = null;
  do {
    const more = cursor === null ? "" : `${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
    const page = await call(desk, "GET", path + more, undefined, credential);
    items.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

/** A clock that tests move. */
export function testClock(start = "2026-03-01T00:00:00Z") {
  const clock = { at: Date.parse(start), now: () => clock.at };
  return clock;
}
