/** Jobs as tests start, work on and read them. */
import assert from "node:assert/strict";
import { JobEngine } from "../../src/features/jobs/job-engine.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "./desk.ts";
import { create, smallRequest } from "./key-requests.ts";
import { known } from "./known-parties.ts";
import { call } from "./people.ts";

/** Where jobs are. */
export const JOBS = "/v1/jobs";
/** In milliseconds. */
export const DAY = 24 * 60 * 60 * 1000;
/** What a job is started with that says nothing of it. */
export const START = {
  at_most: 0,
  key_expires_at: null,
  assignee: null,
  message: null,
  conditions: null,
  terms: null,
};

/** What time it is: later each time that somebody asks. */
export interface Clock {
  at: number;
  now(): number;
}

/** A moment is behind what was asked before it, so that a job that starts finds all of that. */
export function laterEachTime(): Clock {
  const clock: Clock = { at: Date.now(), now: () => ++clock.at };
  return clock;
}

/** Tests a promise of jobs on each engine, by a clock that is later each time that it is asked. */
export function onEngines(
  promise: string,
  test: (desk: TestDesk, clock: Clock) => Promise<void>,
): void {
  testEachEngine(`jobs: ${promise}`, async (engine) => {
    const clock = laterEachTime();
    await using desk = await openTestDesk(engine, { clock });
    await test(desk, clock);
  });
}

/** Another node over the desk's store. */
export const engineOf = (desk: TestDesk) => new JobEngine(desk.app.ctx);

/** Works until nothing is to be done. */
export async function work(engine: JobEngine): Promise<void> {
  for (let turns = 0; (await engine.turn()).worked; turns++) {
    assert.ok(turns < 1000, "it comes to an end");
  }
}

/** Asks so often, each time for another developer, whom the desk knows; gives the ids. */
export async function ask(desk: TestDesk, count: number, changes = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await create(desk, smallRequest({ by_user: `dev-${n}`, ...changes })));
  }
  return [...await known(desk, ...ids)];
}

/** Starts a job. */
export const start = (desk: TestDesk, body: object, credential?: string) =>
  call(desk, "POST", JOBS, body, credential);
/** Starts a job whose server is gone behind that: what it does not do within the call is left. */
export async function startOnly(desk: TestDesk, body: object, credential?: string) {
  const { workOn } = JobEngine.prototype;
  JobEngine.prototype.workOn = () => Promise.resolve();
  try {
    return await start(desk, body, credential);
  } finally {
    JobEngine.prototype.workOn = workOn;
  }
}

/** Starts a job, works until it has ended, and gives it. */
export async function finishedJob(desk: TestDesk, body: object) {
  const { id } = await start(desk, body);
  const engine = engineOf(desk);
  await work(engine);
  await engine.giveBack();
  return await read(desk, id);
}

/** Reads a job. */
export const read = (desk: TestDesk, id: string) => call(desk, "GET", `${JOBS}/${id}`);

/** The lines of a CSV file that a call answers with. */
export async function file(desk: TestDesk, method: string, path: string): Promise<string[]> {
  const answer = await desk.send(method, path);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
  return text.split("\r\n").slice(0, -1);
}

/** Asserts that a call was refused by this code. */
export async function assertFailure(answer: Response, code: string): Promise<void> {
  assert.equal(answer.headers.get("x-keydesk-error"), code, await answer.text());
}

/** How far a job is. */
export const outcomes = ({ state, total, done, left_alone, failed }: Record<string, unknown>) => ({
  state,
  total,
  done,
  left_alone,
  failed,
});
