import type { Problems } from "../kernel/problems.ts";
import { POSTGRES_NO_ROOM, SQLITE_NO_ROOM } from "./no-room.ts";
import type { StoreEnd, StoreSigns, WriteEnd } from "./storage.ts";

/** Changes that fail for so long, and none that is kept, are a problem. */
const AFTER_MS = 5000;
/**
 * No change ends for so long, though some are under way: longer than another process's lock is
 * waited for.
 */
const HANGS_MS = 10_000;
/** How often it is looked, and while changes fail, tried. */
const TICK_MS = 1000;
/** A small change may find room where larger ones don't: it proves nothing so soon after those. */
const NO_ROOM_MS = 2 * TICK_MS;
/**
 * While the log is not taken over, something is written so often, so that the end is noticed where
 * no one sends any more.
 */
const LOG_MS = 5000;

/** The result of the last change that the store was asked to write. */
interface LastCommit {
  readonly outcome: "kept" | "failed";
  /** The engine's code, where it failed. */
  readonly reason?: string;
  readonly ageMs: number;
}

/**
 * Whether a store can be written to, by what became of the changes that were tried; `writes_fail`
 * on the board of problems while it can't. While changes fail a small one is tried again and again,
 * so that the end is noticed also where no one sends any more.
 */
export class WriteHealth implements Omit<StoreSigns, "damaged" | "whole"> {
  readonly #problems: Problems;
  readonly #elapsed: () => number;
  #last: { outcome: "kept" | "failed"; reason?: string; at: number } | undefined;
  #lacksRoom = false;
  #failing: { since: number; reason: string; at: number } | undefined;
  /** When a change last ended while the log is not taken over. */
  #keptBackAt: number | undefined;
  #underWay = 0;
  #movedAt = 0;
  #trying: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `elapsed` counts milliseconds and never goes back. */
  constructor(problems: Problems, elapsed: () => number = () => performance.now()) {
    this.#problems = problems;
    this.#elapsed = elapsed;
  }

  /**
   * Looks from now on, until it is closed. `attempt`: writes something small through the store;
   * throws where it can't.
   */
  start(attempt: () => Promise<unknown>): void {
    this.#timer = setInterval(() => this.tick(attempt), TICK_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Looks no more. Resolves when the last attempt has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#trying;
  }

  /** Undefined before the first. */
  last(): LastCommit | undefined {
    if (!this.#last) return undefined;
    const { at, ...rest } = this.#last;
    return { ...rest, ageMs: this.#elapsed() - at };
  }

  began(): void {
    if (this.#underWay++ === 0) this.#movedAt = this.#elapsed();
  }

  ended(how: WriteEnd): void {
    const at = this.#movedAt = this.#elapsed();
    this.#underWay--;
    if (how === "nothing") return;
    if (how === "kept") {
      this.#last = { outcome: "kept", at };
      if (this.#failing && !this.#lacksRoom && !isTooSoon(this.#failing, at)) this.#recovers();
    } else {
      this.#last = { outcome: "failed", reason: how.failed, at };
      this.#fails(how.failed, at);
    }
  }

  /** A disk without room is a problem at once, until its reserve is set aside again. */
  room(lacks: boolean): void {
    this.#lacksRoom = lacks;
    if (!lacks) return this.#recovers();
    this.#fails(SQLITE_NO_ROOM, this.#elapsed());
    this.#problems.begin("writes_fail", { reason: SQLITE_NO_ROOM, stops: "writes" });
  }

  /** A log that the database does not take over is a problem that stops nothing yet. */
  log(keptBack: string | undefined): void {
    this.#keptBackAt = keptBack === undefined ? undefined : this.#elapsed();
    if (keptBack === undefined) this.#problems.end(LOG_PROBLEM);
    else this.#problems.begin(LOG_PROBLEM, { reason: keptBack, stops: "nothing" });
  }

  over({ kind, reason }: StoreEnd): void {
    this.#problems.begin(`store_${kind}`, { reason, stops: "all" });
  }

  /** One look, as the timer does. */
  tick(attempt: () => Promise<unknown>): void {
    const now = this.#elapsed();
    if (this.#underWay > 0 && now - this.#movedAt >= HANGS_MS) {
      this.#fails("no answer", now, this.#movedAt);
    }
    if (!this.#failing) {
      if (this.#keptBackAt === undefined || now - this.#keptBackAt < LOG_MS) return;
      this.#keptBackAt = now;
      return this.#try(attempt);
    }
    const { since, reason } = this.#failing;
    if (now - since >= AFTER_MS) this.#problems.begin("writes_fail", { reason, stops: "writes" });
    this.#try(attempt);
  }

  #try(attempt: () => Promise<unknown>): void {
    this.#trying ??= attempt().then(() => {}, () => {}).finally(() => this.#trying = undefined);
  }

  #fails(reason: string, at: number, since = at): void {
    this.#failing = { since: this.#failing?.since ?? since, reason, at };
  }

  #recovers(): void {
    this.#failing = undefined;
    this.#problems.end("writes_fail");
  }
}

/** The name of the problem of a log that is not taken over. */
const LOG_PROBLEM = "log_held_back";

/** Of SQLite and by the SQLSTATE of a full disk. */
function isTooSoon({ reason, at }: { reason: string; at: number }, now: number): boolean {
  return (reason === SQLITE_NO_ROOM || reason === POSTGRES_NO_ROOM) && now - at < NO_ROOM_MS;
}
