import assert from "node:assert/strict";
import type { z } from "zod";
import type { accepted, refused } from "../../src/features/verification/verification.operations.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { createLog } from "../../src/kernel/log.ts";
import { type Application, openApplication } from "../../src/server.ts";
import { transactions } from "../../src/transactions.ts";
import { POLICIES, post, succeed } from "./companions.ts";
import type { TestDesk } from "./desk.ts";
import { eventually } from "./eventually.ts";
import { issue, type Issued } from "./keys.ts";

/** What verification answers. */
export type Verdict = z.output<typeof accepted> | z.output<typeof refused>;
/** That the credential opens what was asked for. */
export type Accepted = z.output<typeof accepted>;

/** Where a question is sent: a desk, or another application on its store. */
export type Asked = Pick<TestDesk, "app" | "admin">;

/** Sends a question as it stands. */
export async function ask(
  { app, admin }: Asked,
  body: unknown,
  credential: string | null = admin,
): Promise<Response> {
  const headers = new Headers(credential === null ? {} : { authorization: credential });
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return await app.fetch(new Request("http://desk.test/v1/keys/verify", init));
}

/** Asks about a credential and gives the verdict; asks again what can't be told yet. */
export async function verify(
  asked: Asked,
  body: Record<string, unknown> | string,
  credential?: string,
): Promise<Verdict> {
  let verdict: Verdict | undefined;
  await eventually("a verdict", async () => {
    verdict = await verdictNow(asked, body, credential);
    return verdict !== undefined;
  });
  assert.ok(verdict);
  return verdict;
}

/**
 * The verdict on a credential; undefined where that can't be told now, since on a busy machine the
 * last look at what has changed may be too old.
 */
async function verdictNow(
  asked: Asked,
  body: Record<string, unknown> | string,
  credential?: string,
): Promise<Verdict | undefined> {
  const question = typeof body === "string" ? { key: body } : body;
  const response = await ask(asked, question, credential);
  const answer = await response.json();
  if (response.status === 503) return undefined;
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** `valid`, or the reason why not. */
export async function outcome(
  asked: Asked,
  body: Record<string, unknown> | string,
  credential?: string,
): Promise<string> {
  return wordOf(await verify(asked, body, credential));
}

function wordOf(verdict: Verdict): string {
  return verdict.valid ? "valid" : verdict.reason;
}

/** The verdict on a credential that must be valid. */
export async function valid(
  asked: Asked,
  body: Record<string, unknown> | string,
): Promise<Accepted> {
  const verdict = await verify(asked, body);
  assert.ok(verdict.valid, JSON.stringify(verdict));
  return verdict;
}

/** Another application on the desk's store, with a memory of its own. */
export async function withSecond(
  desk: TestDesk,
  test: (second: Asked) => Promise<void>,
  clock?: Clock,
): Promise<void> {
  const app = await openSecond(desk, clock);
  try {
    await test({ app, admin: desk.admin });
  } finally {
    await close(app);
  }
}

/** The same without an end of its own. */
export function openSecond(desk: TestDesk, clock?: Clock): Promise<Application> {
  return openApplication(desk.config, {
    writer: { thread: false, transactions },
    log: createLog("info", () => {}),
    checkAnswers: true,
    ...clock ? { clock } : {},
  });
}

/** Ends an application as the server does. */
export async function close({ ctx }: Application): Promise<void> {
  ctx.passwords.close();
  await ctx.storage.close();
}

/** How long a change that was committed may go unnoticed. */
const HEEDED_MS = 1000;

/**
 * Asks until the outcome is this one. No call that began more than a second after the change may
 * have another one, however slow the machine is.
 */
export async function heeds(
  asked: Asked,
  body: Record<string, unknown> | string,
  expected: string,
  changedAt = performance.now(),
): Promise<void> {
  await eventually(`${expected} is heeded`, async () => {
    const began = performance.now();
    const verdict = await verdictNow(asked, body);
    if (verdict === undefined) return false;
    const seen = wordOf(verdict);
    assert.ok(
      seen === expected || began - changedAt <= HEEDED_MS,
      `${seen} instead of ${expected}`,
    );
    return seen === expected;
  }, 5);
}

/** Adds a plan that opens these APIs, through the interface, and gives its id. */
export function planWith(
  desk: TestDesk,
  members: Record<string, unknown>,
  apis: string[] = [],
): Promise<string> {
  const name = `plan-${crypto.randomUUID()}`;
  return post(desk, "/api/portal/policies", { name, ...members, ...rightsOf(apis) });
}

/** Adds plans under these ids where they are not there yet. */
export async function makeKnown(desk: TestDesk, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const response = await desk.send("POST", POLICIES, { body: { _id: id, id, name: id } });
    const code = response.headers.get("x-keydesk-error");
    assert.ok(response.status === 200 || code === "plan_id_taken", await response.text());
  }
}

/** Issues a key for plans that are there, or are added first: one that opens something. */
export async function issueKnown(
  desk: TestDesk,
  plans: string[] = ["plan-weather"],
  by_user = "dev-ada",
): Promise<Issued> {
  await makeKnown(desk, plans);
  return await issue(desk, plans, by_user);
}

/** Changes a plan. */
export async function changePlan(
  desk: TestDesk,
  id: string,
  members: Record<string, unknown>,
): Promise<void> {
  await succeed(desk, "PUT", `/api/portal/policies/${id}`, { body: members });
}

function rightsOf(apis: string[]) {
  const rights = apis.map((id) => [id, { api_id: id, api_name: id, versions: ["Default"] }]);
  return apis.length === 0 ? {} : { access_rights: Object.fromEntries(rights) };
}

/** What the store is asked while a test watches: the SQL of every read. */
export interface Watched {
  readonly sql: string[];
  /** Reads of credentials and tokens. */
  lookUps(): number;
  /** What every read of this SQL does before it reads: throw, or wait. Undefined: nothing. */
  before: ((sql: string) => Promise<void>) | undefined;
}

/** Watches the reads of a desk's store, and lets a test disturb them. */
export function watchReads({ app }: Asked): Watched {
  const { reader } = app.ctx.storage;
  const watched: Watched = {
    sql: [],
    before: undefined,
    lookUps: () =>
      watched.sql.filter((text) => /from "?(credentials|oauth_tokens)"?/.test(text)).length,
  };
  const row = reader.row.bind(reader);
  const rows = reader.rows.bind(reader);
  reader.row = async (statement, params) => {
    const { sql } = statement.compile(reader.dialect);
    watched.sql.push(sql);
    await watched.before?.(sql);
    return await row(statement, params);
  };
  reader.rows = async (statement, params) => {
    const { sql } = statement.compile(reader.dialect);
    watched.sql.push(sql);
    await watched.before?.(sql);
    return await rows(statement, params);
  };
  return watched;
}
