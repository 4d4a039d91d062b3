import type { RequestContext, ServiceContext } from "../../calls/context.ts";
import { scopeOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { findAccessToken, findTokenByHash } from "../people/access-tokens.store.ts";
import { isDamagedCaller } from "../people/authenticate.ts";
import { findPerson } from "../people/people.store.ts";
import { newOneTimeLink } from "../keys/one-time-links/one-time-link.ts";
import { newAttempt } from "../keys/key-kinds.ts";
import { decideRow, noteFailure } from "./decide-row.transactions.ts";
import { nextRows } from "./job-rows.store.ts";
import type { BreakOff, JobRow } from "./job.ts";
import { findJob, isAnyUnderWay, jobLease, jobsUnderWay } from "./jobs.store.ts";
import { addRows, leaveJobs, settleJob, takeTurn } from "./jobs.transactions.ts";
import { type Part, partOfSelection } from "./selection.service.ts";

/** Rows of a job in one turn. */
const ROWS = 40;
/**
 * How many of them have it at the same time: SQLite's share a flush and the pages that all of them
 * touch, those of a database server take half of the usual pool.
 */
const AT_ONCE = { sqlite: 40, postgres: 8 };
/** Parts of what a job is to decide that are found in one turn. */
const PARTS = 5;

/** The result of a turn. */
interface Turn {
  /** True: something was to be done, and more may be. */
  worked: boolean;
  ended: { org_id: string; id: string; state: JobRow["state"] }[];
}

/**
 * Works on every job under way, a few rows of each at a turn. Any number of nodes may do so over
 * one store: one at a time does, and whatever becomes of it, a row has its turn once. A node that
 * dies leaves its jobs to the others when its right ends.
 */
export class JobEngine {
  readonly #id: string;
  #holds = false;
  #isLeaving = false;

  /** `failed` hears of what no one foresaw. */
  constructor(
    private readonly ctx: ServiceContext,
    private readonly failed: (error: unknown) => void = () => {},
  ) {
    this.#id = newId(ctx.clock.now());
  }

  /** One turn of every job. A slow job delays no other one. */
  async turn(): Promise<Turn> {
    const { storage, storeClock } = this.ctx;
    const turn: Turn = { worked: false, ended: [] };
    const { reader } = storage;
    if (!await isAnyUnderWay(reader)) return turn;
    if (await jobLease.isOthers(reader, this.#id, await storeClock.now())) return turn;
    for await (const { org_id, id } of jobsUnderWay(reader)) {
      if (this.#isLeaving) return turn;
      const right = { holder: this.#id, now: await storeClock.now() };
      this.#holds = await storage.commit(takeTurn, right);
      if (!this.#holds) return turn;
      const state = await this.#workOn(org_id, id).catch((error: unknown) => this.#delay(error));
      if (state === undefined) continue;
      turn.worked = true;
      if (state !== null && !UNDER_WAY.includes(state)) turn.ended.push({ org_id, id, state });
    }
    return turn;
  }

  /**
   * Works on one job until it has ended, for so long at the most, beside whoever else does: a row
   * has its turn once. If it is delayed, it is left to the turns.
   */
  async workOn({ org_id, id }: Pick<JobRow, "org_id" | "id">, forMs: number): Promise<void> {
    const until = performance.now() + forMs;
    try {
      while (performance.now() < until) {
        const job = await findJob(this.ctx.storage.reader, org_id, id);
        if (!job || job.ended_at !== null) return;
        await this.#workOn(org_id, id, until);
      }
    } catch (error) {
      this.#delay(error);
    }
  }

  /** A turn under way ends with the job that it works on. */
  leaves(): void {
    this.#isLeaving = true;
  }

  /**
   * Leaves the jobs to the other nodes at once, where no turn is under way. Throws `unavailable`.
   */
  async giveBack(): Promise<void> {
    if (!this.#holds) return;
    this.#holds = false;
    await this.ctx.storage.commit(leaveJobs, { holder: this.#id });
  }

  /** The job is tried again at the next turn. */
  #delay(error: unknown): undefined {
    // A job that is too slow for the store is not reported; an unavailable store delays the turn
    // itself.
    if (!(error instanceof Failure && error.code === "unavailable")) this.failed(error);
  }

  /** The state afterwards; null: it is not known. */
  async #workOn(
    org_id: string,
    id: string,
    until = Infinity,
  ): Promise<JobRow["state"] | null> {
    const { storage, clock } = this.ctx;
    const job = await findJob(storage.reader, org_id, id);
    if (!job) return null;
    if (job.state === "preparing") {
      const why = await this.#prepare(job);
      if (why === null) return null;
      return await storage.commit(settleJob, { org_id, id, why, now: clock.now() });
    }
    const why = job.state === "running" ? await this.#decideSome(job, until) : null;
    return await storage.commit(settleJob, { org_id, id, why, now: clock.now() });
  }

  /** Adds some parts of what the job is to decide; why the job can't go on, where it can't. */
  async #prepare({ org_id, id }: JobRow): Promise<BreakOff | null> {
    const { storage, clock } = this.ctx;
    for (let n = 0; n < PARTS; n++) {
      const job = await findJob(storage.reader, org_id, id);
      if (job?.state !== "preparing") return null;
      let part: Part | undefined;
      try {
        part = await partOfSelection(await this.#callOf(job), job);
      } catch (error) {
        // A place is good within the scope in which it was found, or without one.
        if (error instanceof Failure && error.code === "invalid_input") return "permission_ended";
        throw error;
      }
      // A search that lacks the newest is asked again, at the next turn.
      if (!part) return null;
      await storage.commit(addRows, { org_id, id, from: job.place, ...part, now: clock.now() });
    }
    return null;
  }

  /** Gives some rows their turn; why the job can't go on, where it can't. */
  async #decideSome(job: JobRow, until: number): Promise<BreakOff | null> {
    const { storage: { reader } } = this.ctx;
    const { org_id, id: job_id } = job;
    if (await this.#isDamaged(job)) return "permission_ended";
    const rows = await nextRows(reader, { org_id, job_id }, job.settled, ROWS);
    const atOnce = AT_ONCE[reader.dialect];
    for (let from = 0; from < rows.length && performance.now() < until; from += atOnce) {
      const some = rows.slice(from, from + atOnce);
      const outcomes = await Promise.all(some.map((n) => this.#decide({ org_id, job_id, n })));
      const why = outcomes.find((end) => end !== null);
      if (why) return why;
    }
    return null;
  }

  async #decide(place: { org_id: string; job_id: string; n: number }): Promise<BreakOff | null> {
    const { storage, clock, settings, metrics } = this.ctx;
    const now = clock.now();
    const oneTimeLink = newOneTimeLink(now, settings.oneTimeLinkLifeSeconds);
    const attempt = newAttempt(settings.keyFormat);
    const { references } = settings;
    const minted = { attempt, oneTimeLink, references, now };
    try {
      const { why, approved } = await storage.commit(decideRow, { ...place, ...minted });
      if (approved) metrics?.approved();
      return why;
    } catch (error) {
      // The store is asked again at the next turn, and knows whether the row had its own.
      if (error instanceof Failure && error.code === "unavailable") throw error;
      if (!(error instanceof Failure)) this.failed(error);
      const code = error instanceof Failure ? error.code : "internal";
      return await storage.commit(noteFailure, { ...place, code, now: clock.now() });
    }
  }

  /** Whether the access token that the job was started with is not as it was written. */
  async #isDamaged({ org_id, token_id }: JobRow): Promise<boolean> {
    const { storage: { reader }, damages } = this.ctx;
    const token = await findAccessToken(reader, { org_id, id: token_id });
    const caller = token && await findTokenByHash(reader, { hash: token.hash });
    return caller !== undefined && await isDamagedCaller(damages, caller);
  }

  /** The server as the job's starter may see it. */
  async #callOf({ org_id, person: user_id, token_id }: JobRow): Promise<RequestContext> {
    const person = await findPerson(this.ctx.storage.reader, { org_id, id: user_id });
    const scope = scopeOf({ covers: person?.covers ?? null });
    // With which they started it, so that it is known what waits for them. A row's turn asks anew.
    const permissions = ["approve" as const];
    const principal = { org_id, user_id, token_id, permissions, ...scope };
    // Inherited, as it is for calls.
    return Object.assign(Object.create(this.ctx), { principal });
  }
}

const UNDER_WAY: readonly JobRow["state"][] = ["preparing", "running", "stopping"];
