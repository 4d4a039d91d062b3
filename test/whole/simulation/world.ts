/**
 * One history: callers on a desk whose disk fails, whose process dies and whose clock jumps, as one
 * seed says.
 */
import assert from "node:assert/strict";
import { type Config, retentionOf } from "../../../src/config.ts";
import { startIndexer } from "../../../src/features/key-requests/search-indexer.ts";
import { randomBytes } from "../../../src/kernel/ids.ts";
import { startPurger } from "../../../src/maintenance/retention/purger.ts";
import { SqliteConnection } from "../../../src/storage/engines/sqlite-connection.ts";
import { transactions } from "../../../src/transactions.ts";
import { Random } from "../../support/random.ts";
import { check } from "../history/check.ts";
import { Crowd } from "../history/clients.ts";
import { checkCommittee } from "../history/committee-check.ts";
import { ordersOf } from "../history/committee-orders.ts";
import { Committee } from "../history/committee.ts";
import { History } from "../history/history.ts";
import { booksOfFile } from "./books.ts";
import { arrive, deliveryProblems, Receiver } from "./deliveries.ts";
import { Disk, type Stop, stops } from "./disk.ts";
import { faultKinds, faultsOf } from "./faults.ts";
import { abandonAll } from "./node-sqlite.ts";
import { type Base, BEGINS, endsOf, type Life, nodeOf, openApp } from "./simulated-desk.ts";
import { useDisk, writeBeside } from "./sqlite-files.ts";
import { Digest, tellDecisions, tellHistory } from "./tell.ts";
import type { Variant } from "./variants.ts";
import { virtual } from "./virtual.ts";

const { openWriter } = SqliteConnection;
const HOUR_MS = 60 * 60 * 1000;

/** What became of one history. */
export interface Told {
  seed: number;
  /** Every promise that was broken, in words. */
  broken: string[];
  /** What was done to it, and what the callers did and were told; for people. */
  lines: string[];
  /**
   * The same for the same history: of every change of the disk, every fault, and how every call
   * ended.
   */
  digest: string;
  figures: Figures;
  /** The interleavings of a committee's calls; see ordersOf. */
  orders: string[];
}

/** How much happened. */
export interface Figures {
  acknowledged: number;
  refused: number;
  unknown: number;
  looks: number;
  stops: number;
  failures: number;
  jumps: number;
  /** Messages that changes left, and how often one came. */
  messages: number;
  taken: number;
}

/**
 * Fewer callers and calls than the seed says, for the shortest history that still shows a fault.
 */
export interface Limits {
  callers: number;
  calls: number;
}

/** Runs the history of this seed. */
export async function runHistory(
  base: Base,
  seed: number,
  variant: Variant,
  limits: Limits = { callers: 5, calls: 20 },
): Promise<Told> {
  // What is left of random bytes that were drawn together would be had by the next history.
  randomBytes(4096);
  virtual.begin(seed, BEGINS);
  writeBeside(variant.rewritesLog ?? true);
  const world = new World(base, seed, variant, limits);
  try {
    return await world.run();
  } finally {
    abandonAll();
    virtual.forget();
  }
}

class World {
  readonly #config: Config;
  readonly #variant: Variant;
  readonly #random: Random;
  readonly #history = new History();
  readonly #crowd: Crowd;
  /** Instead of the crowd. */
  readonly #committee: Committee | undefined;
  readonly #base: Base;
  readonly #seed: number;
  readonly #broken: string[] = [];
  readonly #lines: string[] = [];
  readonly #digest = new Digest();
  readonly #unknown: number[] = [];
  readonly #limits: Limits;
  #disk: Disk;
  #life: Life | undefined;
  #next: Stop = "kill";
  #checkpointPages: number;
  #isOver = false;
  #figures = { stops: 0, failures: 0, jumps: 0, messages: 0, taken: 0 };
  readonly #receiver: Receiver;

  constructor(base: Base, seed: number, variant: Variant, limits: Limits) {
    this.#base = base;
    this.#limits = limits;
    this.#config = base.config;
    this.#variant = variant;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#receiver = new Receiver(new Random(seed ^ 0x7a26e));
    this.#checkpointPages = this.#random.pick([4000, 4000, 60, 15]);
    this.#disk = new Disk();
    for (const [name, bytes] of base.files) this.#disk.put(name, bytes);
    const pauses = new Random(seed ^ 0x9a05e);
    const think = async () => {
      if (pauses.chance(0.1)) await new Promise((over) => setTimeout(over, pauses.below(1500)));
    };
    const nodes = [nodeOf(() => this.#running(), think)];
    const unknown = this.#unknown;
    const more = { everything: true, unknown, newest: 4 };
    this.#crowd = new Crowd(this.#history, nodes, more);
    const { table, tokenOf } = base.committee ?? {};
    this.#committee = table && tokenOf && new Committee(table, nodes, tokenOf, { unknown });
  }

  async run(): Promise<Told> {
    const random = this.#random;
    this.#say(`a checkpoint each ${this.#checkpointPages} pages`);
    await virtual.until(
      (async () => {
        await this.#start();
        const supervised = this.#supervise();
        // Heard of below, when the callers have ended.
        supervised.catch(() => {});
        const { callers, calls } = this.#limits;
        const all = Math.min(callers, 2 + random.below(4));
        const clients = this.#committee ?? this.#crowd;
        await Promise.all(Array.from({ length: all }, (_, n) => {
          let left = Math.min(calls, 6 + random.below(10)) * (this.#committee ? 4 : 1);
          return clients.work(new Random(this.#seed * 31 + n), () => left-- <= 0);
        }));
        this.#isOver = true;
        this.#life?.end();
        await supervised;
        this.#receiver.isCalm = true;
        await this.#start({ calm: true });
        await clients.lookAtEverything();
        await arrive(this.#running().app);
        virtual.held = true;
        this.#broken.push(...await booksOfFile(this.#config.databaseFile));
        this.#broken.push(...await this.#decisionProblems());
        const { taken } = this.#receiver;
        const told = await deliveryProblems(this.#config.databaseFile, taken);
        this.#broken.push(...told.problems);
        this.#figures.messages = told.messages;
        this.#figures.taken = taken.length;
      })().catch((error) => {
        if (!(error instanceof assert.AssertionError)) throw error;
        this.#broken.push(error.message);
      }),
    );
    this.#isOver = true;
    this.#life?.end();
    this.#broken.push(...check(this.#history));
    const { sights, verdicts } = this.#history;
    const changes = this.#committee?.decisions ?? this.#history.changes;
    const count = (outcome: string) => changes.filter((one) => one.outcome === outcome).length;
    const { table } = this.#base.committee ?? {};
    for (const change of changes) this.#digest.add(`${change.kind} ${change.outcome}`);
    return {
      seed: this.#seed,
      broken: this.#broken,
      lines: [
        ...this.#lines,
        ...table ? tellDecisions(table, this.#committee?.decisions ?? []) : [],
        ...tellHistory(this.#history),
      ],
      orders: table ? ordersOf(table, this.#committee?.decisions ?? []) : [],
      digest: this.#digest.text(),
      figures: {
        ...this.#figures,
        acknowledged: count("ok"),
        refused: count("refused"),
        unknown: count("unknown"),
        looks: sights.length + verdicts.length + (this.#committee?.seen.length ?? 0),
      },
    };
  }

  async #decisionProblems(): Promise<string[]> {
    const { table } = this.#base.committee ?? {};
    if (!table || !this.#committee) return [];
    const connection = SqliteConnection.openReader(this.#config.databaseFile);
    try {
      return await checkCommittee(connection, table, this.#committee);
    } finally {
      connection.close();
    }
  }

  #running(): Life {
    if (!this.#life || this.#life.isOver) throw new Error("the process is down");
    return this.#life;
  }

  /** Starts the process again whenever it has ended, until all is over. */
  async #supervise(): Promise<void> {
    while (true) {
      await this.#life?.ended;
      if (this.#isOver) return;
      await this.#start();
    }
  }

  /** As a supervisor does, again and again; with `calm` nothing goes wrong any more. */
  async #start({ calm = false } = {}): Promise<void> {
    virtual.held = true;
    for (let attempt = 1;; attempt++) {
      this.#recover();
      const isCalm = calm || attempt > 3;
      // Not all of a log whose flush failed is on the disk until a start is over.
      const chance = this.#disk.forgets ? 0.5 : 0.15;
      if (!isCalm && this.#random.chance(chance)) this.#failWhileOpening();
      try {
        this.#life = await this.#open();
        break;
      } catch (error) {
        this.#say(`the start fails: ${error instanceof Error ? error.message : error}`);
        // Nothing fails any more, so what was promised can't be read.
        if (isCalm) assert.fail(`the store can't be opened: ${error}`);
        this.#disk.stop();
      }
    }
    this.#disk.rules = { before: () => undefined };
    this.#broken.push(...await booksOfFile(this.#config.databaseFile));
    if (!calm) this.#plan(this.#life);
    virtual.held = false;
  }

  /** The disk as the next process finds it. */
  #recover(): void {
    if (this.#disk.stopped) {
      abandonAll();
      this.#disk = this.#disk.after(this.#next, this.#random);
      this.#next = "kill";
    }
    this.#disk.onCall = (line) => this.#digest.add(line);
    useDisk(this.#disk);
  }

  #failWhileOpening(): void {
    const at = this.#disk.count + 1 + this.#random.below(12);
    const dies = this.#random.chance(0.5);
    if (dies) this.#next = this.#random.pick(stops);
    this.#say(`${dies ? `stopped (${this.#next})` : "a call fails"} while it opens`);
    this.#disk.rules = {
      before: (call, _, count) =>
        count !== at || call === "read" ? undefined : dies ? "stop" : "io",
    };
  }

  async #open(): Promise<Life> {
    let own: Life | undefined;
    const { app, end } = await this.#openApp(() => own?.end());
    const ended = Promise.withResolvers<void>();
    const life: Life = own = {
      app,
      ended: ended.promise,
      isOver: false,
      end: () => {
        if (life.isOver) return;
        life.isOver = true;
        this.#disk.stop();
        end();
        ended.resolve();
      },
    };
    return life;
  }

  /** `onStoreEnd`: where a desk says that its process should end. */
  async #openApp(onStoreEnd: () => void) {
    const { transaction = (one) => one, extra = [], writer, desk } = this.#variant;
    SqliteConnection.openWriter = (path) => {
      const connection = openWriter(path);
      connection.exec(`pragma wal_autocheckpoint=${this.#checkpointPages}`);
      writer?.(connection);
      return connection;
    };
    const list = [...transactions.map(transaction), ...extra];
    const app = await openApp(this.#config, list, onStoreEnd);
    desk?.(app.ctx.storage, this.#disk);
    const { storage, verifier } = app.ctx;
    const indexer = startIndexer(storage);
    const purger = startPurger(app.ctx, retentionOf(this.#config), { restMs: 5000 });
    const deliveries = this.#receiver.serve(app);
    // Not any more when all has been looked at: hours pass until every message has come.
    const ends = this.#committee && !this.#isOver ? endsOf(app) : undefined;
    return {
      app,
      end: () => {
        indexer.stop();
        purger.stop();
        deliveries.stop();
        ends?.stop();
        void verifier.close().catch(() => {});
      },
    };
  }

  /** Decides what goes wrong in this process's life. */
  #plan(life: Life): void {
    const random = this.#random;
    const disk = this.#disk;
    const kind = random.pick(faultKinds);
    const faults = faultsOf(kind, disk.count, random);
    // As the product answers what it can't read.
    if (kind === "read") this.#unknown.push(500);
    const how = random.next();
    let stopCall = Infinity;
    let stopTurn = Infinity;
    if (how < 0.6) stopCall = disk.count + 1 + random.below(90);
    else if (how < 0.95) stopTurn = virtual.turns + 1 + random.below(500);
    const isOrderly = how >= 0.9;
    this.#next = random.pick(stops);
    const stop = (where: string) => {
      this.#figures.stops++;
      this.#say(`stopped (${this.#next}) ${where}`);
      // Not in the middle of whoever is at work: what it does next finds no disk any more.
      queueMicrotask(() => life.end());
    };
    disk.rules = {
      before: (call, file, count) => {
        if (count >= stopCall && call !== "read") {
          stop(`at ${call} of ${file.slice(file.lastIndexOf("/") + 1)}`);
          return "stop";
        }
        const fault = faults(call, count);
        if (fault) {
          this.#figures.failures++;
          this.#say(`${call} of ${file.slice(file.lastIndexOf("/") + 1)}: ${fault}`);
        }
        return fault;
      },
    };
    let jumpAt = random.chance(this.#committee ? 0.8 : 0.4)
      ? virtual.turns + random.below(500)
      : Infinity;
    virtual.onTurn = () => {
      if (virtual.turns >= jumpAt) {
        jumpAt = random.chance(0.3) ? virtual.turns + random.below(500) : Infinity;
        this.#jump();
      }
      if (virtual.turns < stopTurn || life.isOver) return;
      stopTurn = Infinity;
      if (isOrderly) {
        this.#say("stops in the regular way");
        void life.app.ctx.storage.close().catch(() => {}).finally(() => life.end());
        return;
      }
      stop("between two calls");
      disk.stop();
    };
  }

  #jump(): void {
    const usual = [1000, 61_000, HOUR_MS, 25 * HOUR_MS, -1000, -61_000, -HOUR_MS];
    // Behind it offers are over.
    const days = this.#committee ? [25 * HOUR_MS, 25 * HOUR_MS, 25 * HOUR_MS] : [];
    const by = this.#random.pick([...usual, ...days]);
    virtual.wall += by;
    this.#figures.jumps++;
    this.#say(`the clock jumps by ${by / 1000} s`);
    // What callers repeat is kept for a day.
    if (by > HOUR_MS) (this.#committee ?? this.#crowd).forgetRepeats();
  }

  #say(line: string): void {
    this.#lines.push(`${virtual.elapsed.toFixed(3).padStart(10)}  ${line}`);
    this.#digest.add(line);
  }
}
