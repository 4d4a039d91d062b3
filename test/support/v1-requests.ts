import assert from "node:assert/strict";
import type { z } from "zod";
import type {
  oneTimeLinkList,
  openedOneTimeLink,
} from "../../src/features/keys/one-time-links/one-time-links.operations.ts";
import type { job, jobRow } from "../../src/features/jobs/jobs.contract.ts";
import type { keyRequestDetail, v1Approval } from "../../src/features/key-requests/v1.contract.ts";
import type { v1KeyRequestList } from "../../src/features/key-requests/v1.operations.ts";
import type { SendInit, TestDesk } from "./desk.ts";
import { known } from "./known-parties.ts";

/** Where key requests live in `/v1`. */
export const V1_REQUESTS = "/v1/key-requests";

/**
 * Sends a call that must succeed and gives its answer, which the application under test has
 * checked.
 */
async function succeed<Answer>(
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

/** `/v1` as tests call it. */
export const v1 = {
  list: (desk: TestDesk, query = "", init?: SendInit) =>
    succeed<z.output<typeof v1KeyRequestList>>(desk, "GET", `${V1_REQUESTS}${query}`, init),
  counts: (desk: TestDesk) => succeed<unknown>(desk, "GET", `${V1_REQUESTS}/counts`),
  get: (desk: TestDesk, id: string) =>
    succeed<z.output<typeof keyRequestDetail>>(desk, "GET", `${V1_REQUESTS}/${id}`),
  /** Its plans and its developer are made where nobody knows them. */
  approve: async (desk: TestDesk, id: string, query = "", init?: SendInit) => {
    await known(desk, id);
    const path = `${V1_REQUESTS}/${id}/approve${query}`;
    return await succeed<z.output<typeof v1Approval>>(desk, "POST", path, init);
  },
  decline: (desk: TestDesk, id: string, body?: unknown) =>
    succeed<z.output<typeof keyRequestDetail>>(desk, "POST", `${V1_REQUESTS}/${id}/decline`, {
      body,
    }),
  reopen: (desk: TestDesk, id: string) =>
    succeed<z.output<typeof keyRequestDetail>>(desk, "POST", `${V1_REQUESTS}/${id}/reopen`),
  /** The same of several, by a small job; what became of each. */
  approveMany: async (
    desk: TestDesk,
    requests: readonly Seen[],
    init?: SendInit,
    reason?: string,
  ) => {
    await known(desk, ...requests.map(({ id }) => id));
    return await decided(desk, { kind: "approve", seen: requests, reason }, init);
  },
  declineMany: (desk: TestDesk, ids: string[], reason?: string) =>
    decided(desk, { kind: "decline", ids, reason }),
  oneTimeLinks: (desk: TestDesk, query = "") =>
    succeed<z.output<typeof oneTimeLinkList>>(desk, "GET", `/v1/one-time-links${query}`),
  open: (desk: TestDesk, token: string) =>
    succeed<z.output<typeof openedOneTimeLink>>(desk, "POST", "/v1/one-time-links/open", {
      credential: null,
      body: { token },
    }),
};

/** What became of each of a small job, in their order. */
async function decided(
  desk: TestDesk,
  body: object,
  init?: SendInit,
): Promise<z.output<typeof jobRow>[]> {
  const started = { ...init, body };
  const { id, state } = await succeed<z.output<typeof job>>(desk, "POST", "/v1/jobs", started);
  assert.equal(state, "done");
  const path = `/v1/jobs/${id}/rows?limit=100`;
  const by = init?.credential === undefined ? {} : { credential: init.credential };
  const { data } = await succeed<{ data: z.output<typeof jobRow>[] }>(desk, "GET", path, by);
  return data;
}

/** A request as somebody has seen it. */
export interface Seen {
  id: string;
  revision: string;
}

/** These requests as they are now; one that there is not has a revision that nothing has. */
export async function seen(desk: TestDesk, ...ids: string[]): Promise<Seen[]> {
  const all: Seen[] = [];
  for (const id of ids) {
    const response = await desk.send("GET", `${V1_REQUESTS}/${id}`);
    const { revision } = await response.json();
    all.push({ id, revision: response.status === 200 ? revision : "none" });
  }
  return all;
}

/** Opens a one-time link, whatever comes of it. */
export function tryOpen(desk: TestDesk, token: string): Promise<Response> {
  return desk.send("POST", "/v1/one-time-links/open", { credential: null, body: { token } });
}

/** The ids of a whole list, page after page. */
export async function pagedIds(desk: TestDesk, query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `&cursor=${cursor}`;
    const page = await v1.list(desk, `?${query}${next}`);
    ids.push(...page.data.map((request) => request.id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

/** The token in a one-time link. */
export function tokenOf(one_time_link: { link: string } | null): string {
  return one_time_link?.link.split("#")[1] ?? "";
}
