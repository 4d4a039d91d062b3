import type { Duplex } from "node:stream";
import pg from "pg";
import { Failure } from "../../kernel/failure.ts";
import {
  type ClientOptions,
  prepareSession,
  probe,
  search,
  type StoreId,
} from "./postgres-client.ts";
import { isBusy, isConnectionLoss, isReadOnly, OtherStore } from "./postgres-errors.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { type Passage, passageOf } from "./postgres-pooler.ts";
import { LineTooLong, PoolLine } from "./postgres-pool-line.ts";
import { nameOf, type Server } from "./postgres-url.ts";
import type { PoolLoad } from "../storage.ts";

/** How often lent connections are checked for an answer that is overdue. */
const PULSE_MS = 250;
/** After this long without an answer another connection asks the server whether it still lives. */
const SILENCE_MS = 1000;
/**
 * A statement is given up when it lasts this much longer than the limit at which the server should
 * have ended it.
 */
const GRACE_MS = 1000;
/** How often a server is looked for while none is known. */
const AWAY_MS = 250;
/** How long after a vain search callers are refused at once; the search goes on meanwhile. */
const KNOWN_AWAY_MS = 10_000;
/** After the loss of this many servers a caller is refused, even before its patience is over. */
const ATTEMPTS = 3;

/** A connection that is lent out: exactly one of `release` and `discard` ends it. */
export interface Lease {
  readonly client: pg.PoolClient;
  readonly server: Server;
  /** Whether statements may be prepared by name, to be there in later transactions. */
  named(): boolean;
  /**
   * Call it before each statement. The connection is closed after `limitMs` without an answer;
   * absent: when the server should have ended the statement. The time of a statement begins when it
   * is the oldest without an answer.
   */
  asking(limitMs?: number): void;
  /** Call it after each answer. */
  answered(): void;
  /** Gives the connection back to the pool. */
  release(): void;
  /** Closes the connection, whose state is unknown. */
  discard(): void;
}

/**
 * The connections to the one server of the list that takes writes. All servers are asked who that
 * is: at the start, and again when it is lost. A server is lost when it refuses connections, turns
 * read-only or falls silent; silence is noticed after a second and a connect timeout.
 */
export class PostgresServers {
  readonly #servers: readonly Server[];
  readonly #optionsOf: (server: Server) => ClientOptions;
  readonly #limits: PostgresLimits;
  readonly #onOther: () => void;
  #storeId: StoreId | undefined;
  /** Whether statements are prepared by name. */
  #isNaming = true;
  #group: Group | undefined;
  #choosing: Promise<Group> | undefined;
  #away: { since: number; failure: Failure } | undefined;
  #closed = false;

  constructor(
    servers: readonly Server[],
    optionsOf: (server: Server) => ClientOptions,
    limits: PostgresLimits,
    onOther: () => void,
  ) {
    this.#onOther = onOther;
    this.#servers = servers;
    this.#optionsOf = optionsOf;
    this.#limits = limits;
  }

  /**
   * A connection to the server that takes writes. Throws `unavailable`: at once while no server is
   * known, and at the latest some connect timeouts after the patience.
   */
  async lease(): Promise<Lease> {
    const deadline = performance.now() + this.#limits.patienceMs;
    for (let gone = 0;;) {
      const group = await this.#current();
      try {
        return await group.lease();
      } catch (error) {
        if (error instanceof OtherStore) this.#onOther();
        if (isBusy(error) || error instanceof LineTooLong || error instanceof OtherStore) {
          throw new Failure("unavailable", { cause: error });
        }
        await this.#recheck(group, error);
        // One that was slow to let us in, and lives, is asked again.
        if (this.#group !== group) gone++;
        if (gone === ATTEMPTS || performance.now() > deadline) {
          throw new Failure("unavailable", { cause: error });
        }
      }
    }
  }

  /** How its server is reached, by which statements are named or not. Throws `unavailable`. */
  async passage(): Promise<Passage> {
    const lease = await this.lease();
    try {
      const { client } = lease;
      const passage = await passageOf(client, this.#optionsOf(lease.server), this.#limits);
      this.#isNaming &&= passage.keepsStatements;
      lease.release();
      return passage;
    } catch (error) {
      lease.discard();
      throw new Failure("unavailable", { cause: error });
    }
  }

  /** To be called where a prepared statement was not there: none is named from now on. */
  stopNaming(): void {
    this.#isNaming = false;
  }

  /** To be called where the store that was opened is not there any more. */
  isOther(): void {
    this.#onOther();
  }

  /** The number by which a commit knows that it writes to the store that was opened. */
  get storeId(): number {
    return this.#storeId?.store ?? 0;
  }

  /** Which server is written to now. */
  get current(): string | undefined {
    return this.#group && nameOf(this.#group.server);
  }

  /** How its connections are used. */
  load(): PoolLoad {
    return this.#group?.load() ?? { inUse: 0, idle: 0, max: this.#limits.pool, waiting: 0 };
  }

  /**
   * Tells of the error of a statement. If the server is lost, resolves when that is known: the next
   * call chooses anew.
   */
  async failed(lease: Lease, error: unknown): Promise<void> {
    const group = this.#group;
    if (!group?.has(lease)) return;
    if (isReadOnly(error)) this.#drop(group);
    else if (isConnectionLoss(error)) await this.#recheck(group, error);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#choosing?.catch(() => {});
    await this.#group?.close();
  }

  #current(): Promise<Group> | Group {
    if (this.#group) return this.#group;
    if (this.#closed) throw new Failure("unavailable");
    const awayMs = this.#away ? performance.now() - this.#away.since : Infinity;
    if (awayMs > AWAY_MS) {
      this.#choosing ??= this.#choose().finally(() => this.#choosing = undefined);
    }
    if (this.#away && awayMs < KNOWN_AWAY_MS) {
      this.#choosing?.catch(() => {});
      throw this.#away.failure;
    }
    return this.#choosing ??= this.#choose().finally(() => this.#choosing = undefined);
  }

  /** The first that answers and takes writes; of servers that are given it should never be two. */
  async #choose(): Promise<Group> {
    try {
      const { server, id } = await Promise.any(this.#servers.map(async (one) => {
        const id = await search(this.#optionsOf(one), this.#limits.connectMs);
        return { server: one, id };
      }));
      const expected = this.#storeId ??= id;
      this.#away = undefined;
      this.#group = new Group(
        server,
        this.#optionsOf(server),
        this.#limits,
        { expected, isNaming: () => this.#isNaming, onSilence: (group) => this.#drop(group) },
      );
      return this.#group;
    } catch (error) {
      const failure = new Failure("unavailable", { cause: this.#whyNone(error) });
      this.#away = { since: performance.now(), failure };
      throw failure;
    }
  }

  #whyNone(error: unknown): unknown {
    const reasons = error instanceof AggregateError ? error.errors : [error];
    if (this.#servers.length === 1) return reasons[0];
    const texts = this.#servers.map((server, i) => `${nameOf(server)}: ${textOf(reasons[i])}`);
    return new Error(texts.join("; "), { cause: reasons[0] });
  }

  async #recheck(group: Group, error: unknown): Promise<void> {
    if (this.#group !== group) return;
    if (isReadOnly(error) || !await group.lives()) this.#drop(group);
  }

  #drop(group: Group): void {
    if (this.#group === group) this.#group = undefined;
    group.abandon();
  }
}

/**
 * A lent connection: the time limits of its statements without an answer, and since when the oldest
 * of them waits.
 */
interface Lent {
  readonly client: pg.ClientBase;
  since: number;
  readonly limitsMs: number[];
}

/** The connections to one server, for as long as it is the one. */
class Group {
  readonly server: Server;
  readonly #options: ClientOptions;
  readonly #limits: PostgresLimits;
  readonly #expected: StoreId;
  readonly #isNaming: () => boolean;
  readonly #pool: pg.Pool;
  readonly #line: PoolLine;
  readonly #lent = new Map<Lease, Lent>();
  /** Connections that are being prepared, and since when. */
  readonly #starting = new Map<pg.ClientBase, number>();
  readonly #pulse: ReturnType<typeof setInterval>;
  #probing: Promise<boolean> | undefined;
  #probedAt = -Infinity;
  /** When a connection was last given back whole: until then the server answered. */
  #provedAt = -Infinity;
  #abandoned = false;

  constructor(
    server: Server,
    options: ClientOptions,
    limits: PostgresLimits,
    { expected, isNaming, onSilence }: {
      expected: StoreId;
      isNaming: () => boolean;
      onSilence: (group: Group) => void;
    },
  ) {
    this.#expected = expected;
    this.#isNaming = isNaming;
    this.server = server;
    this.#options = options;
    this.#limits = limits;
    this.#pool = new pg.Pool({
      ...options,
      max: limits.pool,
      // How long a new connection may take is in the options of the client.
      connectionTimeoutMillis: limits.patienceMs,
      Client: class extends pg.Client {
        constructor() {
          super(options);
        }
      },
      onConnect: (client) => this.#prepare(client),
    });
    this.#line = new PoolLine(this.#pool, limits);
    // An idle connection that the server closes must not end the process; the next query gets a new
    // one.
    this.#pool.on("error", () => {});
    this.#pulse = setInterval(() => void this.#look(onSilence), PULSE_MS);
    this.#pulse.unref();
  }

  async lease(): Promise<Lease> {
    const client = await this.#line.connect();
    if (this.#abandoned) {
      client.release(true);
      throw new Error("connection closed: the server is lost");
    }
    const usual = this.#limits.statementMs + GRACE_MS;
    const state: Lent = { client, since: Infinity, limitsMs: [] };
    const end = (error?: Error) => {
      if (!this.#lent.delete(lease)) return;
      if (!error) this.#provedAt = performance.now();
      client.release(error);
      this.#line.next();
    };
    const lease: Lease = {
      client,
      server: this.server,
      named: this.#isNaming,
      asking: (limitMs = usual) => {
        if (state.limitsMs.push(limitMs) === 1) state.since = performance.now();
      },
      answered: () => {
        state.limitsMs.shift();
        state.since = state.limitsMs.length > 0 ? performance.now() : Infinity;
      },
      release: () => end(),
      discard: () => end(new Error("discarded")),
    };
    this.#lent.set(lease, state);
    return lease;
  }

  load(): PoolLoad {
    const { totalCount, idleCount: idle } = this.#pool;
    const { pool: max } = this.#limits;
    return { inUse: totalCount - idle, idle, max, waiting: this.#line.length };
  }

  has(lease: Lease): boolean {
    return this.#lent.has(lease);
  }

  /**
   * Whether the server answers a new connection and takes writes. One that has no room for it
   * lives, and so does one that is slow to let it in and answers others meanwhile.
   */
  lives(): Promise<boolean> {
    const began = performance.now();
    return this.#probing ??= probe(this.#options, this.#limits.connectMs)
      .then(
        () => true,
        (error) => isBusy(error) || (isTooSlow(error) && this.#provedAt > began),
      )
      .finally(() => this.#probing = undefined);
  }

  /** Tells all callers who wait for an answer of the server that the connection is gone. */
  abandon(): void {
    if (this.#abandoned) return;
    this.#abandoned = true;
    clearInterval(this.#pulse);
    for (const { client } of this.#lent.values()) cut(client);
    for (const client of this.#starting.keys()) cut(client);
    this.#line.refuse(new Error("connection closed: the server is lost"));
    this.#pool.end().catch(() => {});
  }

  async close(): Promise<void> {
    // Hanging connections are cut off meanwhile.
    if (!this.#abandoned) await this.#pool.end();
    clearInterval(this.#pulse);
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    this.#starting.set(client, performance.now());
    try {
      await prepareSession(client, this.#expected);
    } finally {
      this.#starting.delete(client);
    }
  }

  async #look(onSilence: (group: Group) => void): Promise<void> {
    const now = performance.now();
    let oldest = Infinity;
    for (const { client, since, limitsMs: [limitMs = Infinity] } of this.#lent.values()) {
      oldest = Math.min(oldest, since);
      if (now - since > limitMs) cut(client);
    }
    for (const [client, since] of this.#starting) {
      if (now - since > this.#limits.connectMs) cut(client);
    }
    if (now - oldest < SILENCE_MS || now - this.#probedAt < SILENCE_MS || this.#probing) return;
    this.#probedAt = now;
    if (!await this.lives()) onSilence(this);
  }
}

/** Closes a connection at once: anyone who waits for its answers gets an error. */
function cut(client: pg.ClientBase): void {
  // as: of ClientBase, which the types give, Client is the only class; its `end` would wait for the
  // answers.
  const { connection } = client as unknown as { connection: { stream: Duplex } };
  connection.stream.destroy();
}

function isTooSlow(error: unknown): boolean {
  return error instanceof Error && /timeout expired/.test(error.message);
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return textOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
