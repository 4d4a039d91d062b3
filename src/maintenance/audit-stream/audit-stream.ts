import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { inTime } from "../../kernel/in-time.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import type { Problems } from "../../kernel/problems.ts";
import type { AuditLogOutlet, ForOutlet, OutletRow } from "../../storage/outlet.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Destination, Fate } from "./destination.ts";
import { noteSent } from "./audit-stream.transactions.ts";
import { outletRowOf, UNSENT_AT_ONCE, type UnsentRow, unsentRows } from "./unsent-rows.store.ts";

/** How long the place has for what it is given at once. */
const PATIENCE_MS = 5000;
/** How often a place that is away is tried, and what it has is noted. */
const TURN_MS = 1000;
/** How often it is looked for rows that no one has sent, and how old they are then. */
const SWEEP_MS = 5000;
const LEFT_MS = 30_000;
/**
 * Rows and characters that are written in one go, about; rows that wait in memory at the most,
 * where the store has all.
 */
const TOGETHER = 500;
const CHARACTERS = 256 * 1024;
const MOST_WAITING = 10_000;

/** The problem that lasts while the place takes nothing. */
const SINK_AWAY = "audit_stream_away";

/** The problem that the place takes rows and never confirms that it has them. */
const SINK_UNCONFIRMED = "audit_stream_unconfirmed";

/** Doubtful rows wait so long before they are written again: twice as long each time. */
const AGAIN_MS = 5000;
const LONGEST_AGAIN_MS = 10 * 60 * 1000;
/** After this many doubtful sendings in a row it is reported. */
const REPORTED_AFTER = 3;

/** The problem that rows are gone which the place may lack. It lasts as long as the process. */
const SINK_GAP = "audit_stream_gap";

/** The server's part that a stream needs. */
interface StreamContext {
  readonly storage: Pick<Storage, "reader" | "commit">;
  readonly clock: Clock;
  readonly problems: Problems;
}

/** The context with the audit log's stream. */
export interface WithStream {
  /** Undefined: it has none, or this process sends nothing. */
  readonly stream: AuditStream | undefined;
}

/** Rows to write, and the callers that wait for them. */
interface Waiting {
  rows: readonly OutletRow[];
  settle: ((error?: Failure) => void) | undefined;
}

/**
 * The stream of the audit log. Every row that this process commits is written to its destination in
 * the order of the commits, many at once if many came; the caller of a change is answered after
 * that. A row is left in the store's list of unsent ones until the destination certainly has it, so
 * none is missing there, whatever dies; one may be there twice.
 *
 * If the destination fails or is too slow it is unavailable: changes that were committed meanwhile
 * are `audit_stream_behind`, others are refused before they are made. It is tried each second, and
 * changes are accepted again once it has all rows that were left.
 */
export class AuditStream implements AuditLogOutlet {
  readonly #destination: Destination;
  readonly #patienceMs: number;
  readonly #againMs: number;
  #ctx: StreamContext | undefined;
  #takes = false;
  #line: Waiting[] = [];
  #waitingRows = 0;
  /** Ids of rows that are in the line, or were written and are in the store's list yet. */
  readonly #known = new Set<string>();
  #sent: UnsentRow[] = [];
  /** Rows that were written and may not have come, how often in a row, and when to write them. */
  #doubtful: { rows: OutletRow[]; times: number; at: number } = { rows: [], times: 0, at: 0 };
  #before: Promise<unknown> = Promise.resolve();
  #working: Promise<void> | undefined;
  #turns: { stop(): Promise<void> } | undefined;
  #sweptAt = -Infinity;
  /** Rows that the place has taken, and how often it was given some, since the start. */
  readonly metrics = { rows: 0, writes: 0, behind: 0 };

  /** `to` gives the place, which tells by `fate` what becomes of rows. */
  constructor(
    to: (fate: Fate) => Destination,
    patienceMs = PATIENCE_MS,
    againMs = AGAIN_MS,
  ) {
    this.#patienceMs = patienceMs;
    this.#againMs = againMs;
    this.#destination = to({
      kept: (rows) => {
        this.#confirmed();
        for (const { org_id, id, at } of rows) this.#sent.push({ org_id, event_id: id, at });
      },
      doubtful: (rows) => this.#isDoubtful(rows),
    });
  }

  get takes(): boolean {
    return this.#takes;
  }

  /** Rows that wait in memory. */
  get waiting(): number {
    return this.#waitingRows;
  }

  async take({ rows, waits }: ForOutlet): Promise<void> {
    if (waits === "never") return this.#add({ rows, settle: undefined });
    const taken = new Promise<Failure | undefined>((resolve) =>
      this.#add({ rows, settle: resolve })
    );
    if (!this.#takes) this.#settleAll();
    const failed = await taken;
    if (failed && waits === "always") throw failed;
  }

  /** Goes on until it is stopped. Resolves when the place was tried once. Never rejects. */
  async start(ctx: StreamContext): Promise<void> {
    this.#ctx = ctx;
    await this.#sweep(0);
    await this.#work();
    this.#turns = repeatedly(async () => {
      await this.#turn();
      return TURN_MS;
    }, TURN_MS);
  }

  /** Waits for what is known of rows that were written, and notes it. Never rejects. */
  async stop(): Promise<void> {
    await this.#turns?.stop();
    await this.#working;
    await inTime(this.#destination.close(), this.#patienceMs, () => {}).catch(() => {});
    await this.#noteSent();
  }

  #confirmed(): void {
    if (this.#doubtful.rows.length === 0) this.#doubtful.times = 0;
    this.#ctx?.problems.end(SINK_UNCONFIRMED);
  }

  /** They are written again: once without delay, then ever later while nothing is confirmed. */
  #isDoubtful(rows: readonly OutletRow[]): void {
    const { times, rows: before } = this.#doubtful;
    const waitMs = times === 0 ? 0 : Math.min(LONGEST_AGAIN_MS, this.#againMs * 2 ** (times - 1));
    const all = [...before, ...rows];
    // The store's list has the others, and they are looked for once none of these waits.
    for (const { org_id, id } of all.splice(MOST_WAITING)) this.#known.delete(nameOf(org_id, id));
    this.#doubtful = { rows: all, times: times + 1, at: performance.now() + waitMs };
    if (waitMs === 0) return this.#writeDoubtful();
    if (times + 1 < REPORTED_AFTER) return;
    const reason = `the stream of the audit log took ${all.length} rows and did not confirm them, ${
      times + 1
    } times in a row; they are sent again in ${Math.ceil(waitMs / 1000)} s`;
    this.#ctx?.problems.begin(SINK_UNCONFIRMED, { reason, stops: "nothing" });
  }

  #writeDoubtful(): void {
    const { rows, at } = this.#doubtful;
    if (rows.length === 0 || performance.now() < at) return;
    this.#doubtful.rows = [];
    this.#add({ rows, settle: undefined }, "first");
  }

  async #turn(): Promise<void> {
    await this.#noteSent();
    this.#writeDoubtful();
    const isDue = performance.now() - this.#sweptAt > SWEEP_MS;
    if (this.#takes && isDue && this.#doubtful.rows.length === 0) await this.#sweep(LEFT_MS);
    if (!this.#takes || this.#line.length > 0) await this.#work();
  }

  #add(waiting: Waiting, place: "first" | "last" = "last"): void {
    const isFull = this.#waitingRows >= MOST_WAITING && !waiting.settle;
    if (isFull) {
      // The store's list has them, and they are looked for again.
      for (const row of waiting.rows) this.#known.delete(nameOf(row.org_id, row.id));
      return;
    }
    for (const row of waiting.rows) this.#known.add(nameOf(row.org_id, row.id));
    this.#waitingRows += waiting.rows.length;
    if (place === "first") this.#line.unshift(waiting);
    else this.#line.push(waiting);
    if (this.#takes) void this.#work();
  }

  /** Writes all that waits, unless a person does so. Never rejects. */
  #work(): Promise<void> {
    return this.#working ??= this.#writeAll().finally(() => this.#working = undefined);
  }

  async #writeAll(): Promise<void> {
    // One turn of the microtask queue, so that what was committed together is written together.
    await Promise.resolve();
    try {
      if (this.#line.length === 0) await this.#write([]);
      while (this.#line.length > 0) {
        const together = this.#together();
        await this.#write(together.flatMap(({ rows }) => rows));
        this.#line = this.#line.filter((one) => !together.includes(one));
        for (const { rows, settle } of together) {
          this.#waitingRows -= rows.length;
          settle?.();
        }
      }
      this.#takes = true;
      this.#ctx?.problems.end(SINK_AWAY);
    } catch (error) {
      this.#isAway(error);
    }
  }

  /** The first of the queue, as much as is written in one go. */
  #together(): Waiting[] {
    let count = 0;
    let length = 0;
    const last = this.#line.findIndex(({ rows }) => {
      count += rows.length;
      length += rows.reduce((sum, { content }) => sum + content.length, 0);
      return count >= TOGETHER || length >= CHARACTERS;
    });
    return this.#line.slice(0, last < 0 ? undefined : last + 1);
  }

  async #write(rows: readonly OutletRow[]): Promise<void> {
    let isLate = false;
    // A slow write may still be under way: nothing is written beside it.
    const writing = this.#before.then(async () => {
      if (!isLate) await this.#destination.write(rows);
    });
    this.#before = writing.catch(() => {});
    await inTime(writing, this.#patienceMs, () => {
      isLate = true;
      this.#destination.giveUp();
      throw new Error(`it took more than ${this.#patienceMs} ms`);
    });
    if (rows.length === 0) return;
    this.metrics.rows += rows.length;
    this.metrics.writes++;
  }

  #isAway(error: unknown): void {
    this.#takes = false;
    this.#settleAll();
    const reason = `the stream of the audit log takes no rows: ${textOf(error)}`;
    this.#ctx?.problems.begin(SINK_AWAY, { reason, stops: "writes" });
  }

  /** No one waits any more; the rows do. */
  #settleAll(): void {
    for (const waiting of this.#line) {
      if (!waiting.settle) continue;
      this.metrics.behind++;
      waiting.settle(new Failure("audit_stream_behind"));
      waiting.settle = undefined;
    }
  }

  /** Puts rows into the line that stand in the store's list for so long, and in no one's memory. */
  async #sweep(leftMs: number): Promise<void> {
    const ctx = this.#ctx;
    if (!ctx) return;
    const { storage: { reader }, clock } = ctx;
    this.#sweptAt = performance.now();
    let gone = 0;
    try {
      const before = toTimestamp(clock.now() - leftMs + 1);
      let behind: UnsentRow | undefined;
      do {
        const rows = await unsentRows(reader, before, behind);
        for (const row of rows) {
          if (this.#known.has(nameOf(row.org_id, row.event_id))) continue;
          const found = await outletRowOf(reader, row);
          if (found) this.#add({ rows: [found], settle: undefined });
          else {
            this.#sent.push(row);
            gone++;
          }
        }
        behind = rows.length < UNSENT_AT_ONCE ? undefined : rows.at(-1);
      } while (behind && this.#waitingRows < MOST_WAITING);
    } catch {
      // A store that can't be reached now is asked again; calls tell of it.
      this.#sweptAt = -Infinity;
    }
    if (gone === 0) return;
    const reason =
      `the audit log has ${gone} rows no more that its stream did not have for certain`;
    ctx.problems.begin(SINK_GAP, { reason, stops: "nothing" });
  }

  async #noteSent(): Promise<void> {
    while (this.#sent.length > 0) {
      const rows = this.#sent.splice(0, TOGETHER);
      try {
        await this.#ctx?.storage.commit(noteSent, { rows });
        for (const { org_id, event_id } of rows) this.#known.delete(nameOf(org_id, event_id));
      } catch {
        this.#sent.unshift(...rows);
        return;
      }
    }
  }
}

function nameOf(org_id: string, id: string): string {
  return `${org_id} ${id}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For a process that sends nothing: what it commits is left for a server, and no one waits. */
export const leavesToServers: AuditLogOutlet = { takes: true, take: () => Promise.resolve() };
