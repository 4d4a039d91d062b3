import { sql } from "kysely";
import type { Mark } from "../../kernel/read-cache.ts";
import { statement } from "../statement.ts";
import type { Changes } from "../storage.ts";
import { connectionOn } from "./postgres-connection.ts";
import type { Lease, PostgresServers } from "./postgres-servers.ts";

/**
 * The server's present snapshot: which transactions are over and which are under way, and which of
 * the server's processes says so. As long as it is equal, no transaction has ended.
 */
const selectState = statement<Record<never, never>>()<{ state: string }>((db) => ({
  compile: () =>
    sql<{ state: string }>`select pg_backend_pid() || ' ' || pg_current_snapshot() as state`
      .compile(db),
}));

/** Databases that speak PostgreSQL's protocol may mean something else by a snapshot, or nothing. */
const selectVersion = statement<Record<never, never>>()<{ version: string }>((db) => ({
  compile: () => sql<{ version: string }>`select version() as version`.compile(db),
}));
const POSTGRES = /^PostgreSQL \d+(?!.*-YB-)/;

/** A caller this many milliseconds after the last question does not wait for its answer. */
const APART_MS = 1;

/**
 * Tells by one question to the server whether anybody has committed since something was read. Those
 * who want to know at the same time share a question, which is sent after the last of them has
 * come. So a change that was acknowledged by whichever node is heard of by the next read.
 *
 * The question has a connection of its own: a server that crashes may use the numbers of lost
 * transactions again, and no connection outlives that.
 */
export class PostgresChanges implements Changes {
  readonly #servers: Pick<PostgresServers, "lease" | "failed">;
  readonly #elapsed: () => number;
  #line: Promise<Lease> | undefined;
  /** Counts connections. */
  #life = 0;
  /** The last answer; what is read now is at least as new. */
  #state: string | undefined;
  #underWay = 0;
  #sentAt = -Infinity;
  #waiting: PromiseWithResolvers<string | undefined> | undefined;
  #closed = false;

  /** `elapsed` counts milliseconds and never goes back. */
  constructor(
    servers: Pick<PostgresServers, "lease" | "failed">,
    elapsed = () => performance.now(),
  ) {
    this.#servers = servers;
    this.#elapsed = elapsed;
  }

  mark(): Mark {
    return { changes: this.#life, version: this.#state };
  }

  async holds({ changes, version }: Mark): Promise<boolean> {
    const state = await this.#look();
    return state !== undefined && state === version && changes === this.#life;
  }

  async close(): Promise<void> {
    this.#closed = true;
    (await this.#line?.catch(() => undefined))?.release();
  }

  /** The server's snapshot after this call; undefined if it does not answer. */
  #look(): Promise<string | undefined> {
    const isFree = this.#underWay === 0 || this.#elapsed() - this.#sentAt >= APART_MS;
    this.#waiting ??= Promise.withResolvers();
    const { promise } = this.#waiting;
    if (isFree) this.#send();
    return promise;
  }

  #send(): void {
    const asked = this.#waiting;
    if (!asked) return;
    this.#waiting = undefined;
    this.#underWay++;
    this.#sentAt = this.#elapsed();
    this.#ask().then((state) => {
      this.#state = state;
      this.#underWay--;
      asked.resolve(state);
      if (this.#underWay === 0) this.#send();
    });
  }

  async #ask(): Promise<string | undefined> {
    if (this.#closed) return undefined;
    const line = this.#line ??= this.#open();
    let lease: Lease | undefined;
    try {
      lease = await line;
      return (await connectionOn(lease).row(selectState, {}))?.state;
    } catch (error) {
      // The callers read the store itself, and find the problem there.
      if (this.#line === line) {
        this.#line = undefined;
        this.#life++;
        this.#state = undefined;
      }
      if (lease) {
        await this.#servers.failed(lease, error);
        lease.discard();
      }
      return undefined;
    }
  }

  async #open(): Promise<Lease> {
    const lease = await this.#servers.lease();
    try {
      const { version } = await connectionOn(lease).row(selectVersion, {}) ?? { version: "" };
      if (POSTGRES.test(version)) return lease;
      this.#closed = true;
      lease.release();
    } catch (error) {
      await this.#servers.failed(lease, error);
      lease.discard();
      throw error;
    }
    throw new Error("the database is no PostgreSQL");
  }
}
