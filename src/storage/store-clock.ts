import { sql } from "kysely";
import type { Clock } from "../kernel/clock.ts";
import { statement } from "./statement.ts";
import type { Connection } from "./storage.ts";

const postgresClockSql = statement<Record<never, never>>()((db) =>
  db.selectNoFrom(sql<string>`cast(extract(epoch from clock_timestamp()) * 1000 as text)`.as("ms"))
);

/**
 * The clock of the store's own machine in milliseconds since 1970; undefined where that is ours.
 */
export async function clockOf(db: Connection): Promise<number | undefined> {
  if (db.dialect === "sqlite") return undefined;
  const row = await db.row(postgresClockSql, {});
  return row && Math.round(Number(row.ms));
}

/**
 * The one clock that all nodes over a store go by where they take turns: the database's, or of a
 * file the machine's.
 */
export interface StoreClock {
  /**
   * Milliseconds since 1970. Throws `unavailable` where the database has to be asked and does not
   * answer.
   */
  now(): Promise<number>;
  /**
   * How far this process's own clock was ahead of it when they were last compared, in milliseconds;
   * undefined: they are one, or were not compared yet.
   */
  aheadMs(): number | undefined;
}

/** For so long what the database said is carried on by a clock that no one sets. */
const KEPT_MS = 1000;
/**
 * By so much the machine's own clock may have moved otherwise meanwhile; beyond it something was
 * set or stood still.
 */
const JUMP_MS = 100;

/** The database's clock, to half of the time that an answer of it takes. */
export class DatabaseClock implements StoreClock {
  #last: { at: number; measured: number; own: number } | undefined;
  #asking: Promise<void> | undefined;
  #aheadMs: number | undefined;

  /** `own`: the machine's clock; `measured`: milliseconds of one that no one sets. */
  constructor(
    private readonly db: Connection,
    private readonly own: Clock,
    private readonly measured: () => number = () => performance.now(),
  ) {}

  async now(): Promise<number> {
    if (!this.#isFresh()) {
      await (this.#asking ??= this.#ask().finally(() => this.#asking = undefined));
    }
    const { at, measured } = this.#last ?? { at: this.own.now(), measured: this.measured() };
    return Math.round(at + this.measured() - measured);
  }

  aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  #isFresh(): boolean {
    if (!this.#last) return false;
    const passed = this.measured() - this.#last.measured;
    const elapsed = this.own.now() - this.#last.own;
    return passed < KEPT_MS && Math.abs(elapsed - passed) < JUMP_MS;
  }

  async #ask(): Promise<void> {
    const asked = this.measured();
    const said = await clockOf(this.db);
    const measured = this.measured();
    const own = this.own.now();
    const at = said === undefined ? own : said + (measured - asked) / 2;
    this.#last = { at, measured, own };
    this.#aheadMs = said === undefined ? undefined : Math.round(own - at);
  }
}

/** A clock in the store's place: the machine's own of a store that is a file. */
export function storeClockBy(store: Clock, own: Clock): StoreClock {
  return {
    now: () => Promise.resolve(store.now()),
    aheadMs: () => store === own ? undefined : own.now() - store.now(),
  };
}
