import { presentAction } from "../../src/contract/former-names.ts";
import assert from "node:assert/strict";
import { splitNames } from "../../src/changes/event-names.ts";
import { withPersonal } from "../../src/changes/personal.ts";
import { permissions } from "../../src/contract/permissions.ts";
import type { Developer } from "../../src/features/developers/developer.ts";
import { importLines, type LineResult } from "../../src/features/keys/import.service.ts";
import type { KeyPage } from "../../src/features/keys/list-keys.service.ts";
import type { Key } from "../../src/features/keys/show-key.ts";
import { insertPlan } from "../../src/features/plans/plans.store.ts";
import { newId } from "../../src/kernel/ids.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import type { SendInit, TestDesk } from "./desk.ts";
import { approve, create, type ShownApproval, smallRequest } from "./key-requests.ts";

/** Where keys live. */
export const KEYS = "/v1/keys";

/** A key that was issued for a request, with its id. */
export interface Issued extends ShownApproval {
  key_id: string;
  request_id: string;
}

/** Issues a key for these plans by a key request. */
export async function issue(
  desk: TestDesk,
  plans: string[] = ["plan-weather"],
  by_user = "dev-ada",
): Promise<Issued> {
  const sent = smallRequest({ for_plan: plans[0], apply_policies: plans, by_user });
  const request_id = await create(desk, sent);
  const shown = await approve(desk, request_id);
  return { ...shown, key_id: sha256(shown.RawKey), request_id };
}

/** Sends a call that must succeed and gives its answer. */
export async function call<Answer = Key>(
  desk: TestDesk,
  method: string,
  path: string,
  body?: unknown,
  init: SendInit = {},
): Promise<Answer> {
  const response = await desk.send(method, path, { ...init, body });
  const answer: Answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** One key as it is shown. */
export function readKey(desk: TestDesk, key_id: string): Promise<Key> {
  return call(desk, "GET", `${KEYS}/${key_id}`);
}

/** A page of keys; `query` with its question mark. */
export function listKeys(desk: TestDesk, query = ""): Promise<KeyPage> {
  return call(desk, "GET", `${KEYS}${query}`);
}

/** The key ids of a whole list, page by page. */
export async function allKeyIds(desk: TestDesk, query = ""): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: KeyPage = await listKeys(
      desk,
      `?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    ids.push(...page.data.map((key) => key.key_id));
    cursor = page.next_cursor;
  }
  return ids;
}

const developerSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("developers").select("document")
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A developer as it is stored, secrets left out. */
export async function storedDeveloper(desk: TestDesk, id = "dev-ada"): Promise<Developer> {
  const row = await desk.app.ctx.storage.reader.row(developerSql, { org_id: desk.org_id, id });
  assert.ok(row, `${id} is not registered`);
  return JSON.parse(row.document);
}

const tracesSql = statement<{ object_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["action", "detail", "personal"])
    .where("object_id", "=", p.object_id).orderBy("id")
);
const outboxSql = statement<{ object_id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select("topic").where("object_id", "=", p.object_id).orderBy("id")
);
const invalidationsSql = statement<{ object_id: string }>()((db, p) =>
  db.selectFrom("invalidations").select("position").where("object_id", "=", p.object_id)
);

/**
 * What changes of this object have left: audit actions with their detail, outbox topics, both by
 * their present names, and how many invalidations.
 */
export async function tracesOf(desk: TestDesk, object_id: string) {
  const { reader } = desk.app.ctx.storage;
  const audit = await reader.rows(tracesSql, { object_id });
  return {
    audit: audit.map(({ action, detail, personal }) => [
      presentAction(action),
      splitNames(withPersonal(JSON.parse(detail), JSON.parse(personal))).detail,
    ]),
    topics: (await reader.rows(outboxSql, { object_id })).map((row) => presentAction(row.topic)),
    invalidations: (await reader.rows(invalidationsSql, { object_id })).length,
  };
}

/** The same of a key behind its issue, which comes first. */
export async function tracesSinceIssue(desk: TestDesk, key_id: string) {
  const { audit, topics, invalidations } = await tracesOf(desk, key_id);
  assert.equal(audit[0]?.[0], "key.issued");
  assert.equal(topics[0], "key.issued");
  return { audit: audit.slice(1), topics: topics.slice(1), invalidations };
}

const addPlanWith = defineTransaction(
  "test.add-plan-with",
  async (
    tx,
    input: { org_id: string; id: string; auth_type: string; document: Record<string, unknown> },
  ) => {
    const { org_id, id, auth_type, document } = input;
    const date_created = "2026-01-01T00:00:00.000Z";
    const ids = { id: newId(Date.parse(date_created)), given_id: id };
    const text = JSON.stringify(document);
    await insertPlan(tx, { org_id, ...ids, name: id, auth_type, document: text, date_created });
  },
);

/** The transactions behind addPlan; a desk that uses it is opened with these. */
export const planRecords = [addPlanWith];

/** Adds a plan whose document has these members. */
export async function addPlan(
  desk: TestDesk,
  id: string,
  document: Record<string, unknown> = {},
  auth_type = "authToken",
): Promise<void> {
  await desk.app.ctx.storage.commit(addPlanWith, { org_id: desk.org_id, id, auth_type, document });
}

/** A clock that stands until it is moved. */
export function movableClock(start = "2026-03-01T00:00:00Z") {
  const clock = { at: Date.parse(start), now: () => clock.at };
  return clock;
}

/** Imports these lines, objects or texts. */
export async function importKeys(
  desk: TestDesk,
  lines: readonly unknown[],
  options: { murmurUntil?: string; dryRun?: boolean } = {},
): Promise<LineResult[]> {
  const principal = { org_id: desk.org_id, user_id: "operator", token_id: "operator", permissions };
  const run = { import_id: "run-1", murmurUntil: null, dryRun: false, ...options };
  return await importLines(
    { ...desk.app.ctx, principal },
    run,
    lines.map((one, i) => ({
      line: i + 1,
      text: typeof one === "string" ? one : JSON.stringify(one),
    })),
  );
}
