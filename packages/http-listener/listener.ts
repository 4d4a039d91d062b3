import type { Peer, ReceivedRequest } from "./request.ts";
import { Connection, type Serving } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";
import { PiecesOut } from "./pieces-out.ts";
import { Places } from "./places.ts";
import { Turns } from "./turns.ts";

export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  /**
   * True: other processes listen there too. It takes a flag of the runtime, which the launcher
   * gives for it.
   */
  readonly reusePort?: boolean;
  /** How many connections there may be at once. */
  readonly most: number;
  /**
   * How long one may be idle between requests, and how long nothing may be taken of an answer, in
   * milliseconds.
   */
  readonly idleMs: number;
  /** How long a head may take, from its first byte, and from the connection; absent: 10 seconds. */
  readonly headMs?: number;
  /** How long nothing may come of what is passed over behind an answer; absent: 2 seconds. */
  readonly leavingMs?: number;
  /**
   * The group by which a connection from this address is counted when places are few; undefined:
   * none.
   */
  countedBy(hostname: string): string | undefined;
  handle(request: ReceivedRequest, peer: Peer): Response | Promise<Response>;
  /**
   * The answer to what is no request (a `BadRequest`), to one whose handling threw, or whose answer
   * broke off on its way.
   */
  refuse(error: unknown): Response;
  /** Called once most of a crowd of connections has gone, whose memory can be given back now. */
  onCrowdGone?(): void;
  /**
   * Hears that connections could not be taken, and how many since it heard last; at most once a
   * minute.
   */
  onRefused(reason: string, count: number): void;
}

const HEAD_MS = 10_000;
/** How long a client may be silent behind its last answer before it leaves. */
const LEAVING_MS = 2000;
/** How long nothing is accepted when the system gave no connection. */
const PAUSE_MS = 100;
/** So many are accepted in a row; then those that are connected have their turn. */
const ACCEPTED_IN_A_ROW = 64;
const REPORTED_EVERY_MS = 60_000;
/** So many connections more than now were a crowd. */
const CROWD = 200;
/** At a stop: within this time the system has handed over what came before it. */
const QUIET_MS = 20;

/**
 * Listens for HTTP/1.1. Nothing that clients do ends it: connections are capped, each has
 * deadlines, and an accept that the system refuses is tried again.
 */
export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #listener: Deno.TcpListener;
  readonly #serving: Serving;
  readonly #places: Places<Connection>;
  /** Of its own, so that it never stands behind those that send ahead. */
  readonly #turns = new Turns();
  /** The most connections since memory was last given back for those that left. */
  #crowd = 0;
  #refused = 0;
  #reportedAt = -Infinity;
  #isStopping = false;
  #emptied: (() => void) | undefined;

  /** Throws where the address can't be had. */
  constructor(options: ListenerOptions) {
    const { hostname, port, reusePort, most, idleMs, headMs = HEAD_MS, leavingMs = LEAVING_MS } =
      options;
    this.#options = options;
    this.#listener = Deno.listen({ hostname, port, ...reusePort ? { reusePort } : {} });
    const deadlines = new Deadlines<Connection>({
      head: headMs,
      request: idleMs,
      taking: idleMs,
      leaving: leavingMs,
    });
    this.#places = new Places(most, deadlines);
    this.#serving = {
      handle: (request, peer) => options.handle(request, peer),
      refuse: (error) => options.refuse(error),
      // Nobody is sent this answer, but it stands where all failed ones do.
      broken: (cause) => void options.refuse(cause),
      deadlines,
      pieces: new PiecesOut(),
      turns: new Turns(),
      closed: (connection) => {
        this.#places.leave(connection);
        this.#noteLeft();
        if (this.#places.all.size === 0) this.#emptied?.();
      },
      isEnding: false,
    };
    void this.#acceptAll();
  }

  /** With the port that was really taken. */
  get address(): { hostname: string; port: number } {
    const { hostname, port } = this.#listener.addr;
    return { hostname, port };
  }

  /** How many connections clients have open, and may have. */
  get connections(): { open: number; most: number } {
    return { open: this.#places.all.size, most: this.#places.most };
  }

  /** From now on each answer is the last of its connection. */
  endConnections(): void {
    this.#serving.isEnding = true;
  }

  /**
   * Stops accepting, and resolves when every request that had come is answered and every connection
   * has ended.
   */
  async shutdown(): Promise<void> {
    this.endConnections();
    this.#isStopping = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    this.#listener.close();
    // Bytes in the kernel are read in one of the next turns; until then a connection only looks
    // idle.
    const quietMs = this.#places.all.size === 0 ? 0 : QUIET_MS;
    await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, quietMs))]);
    for (const connection of this.#places.all) if (connection.isIdle) connection.close();
    if (this.#places.all.size > 0) await promise;
    this.#serving.deadlines.stop();
  }

  async #acceptAll(): Promise<void> {
    for (let accepted = 1; !this.#isStopping; accepted++) {
      try {
        this.#take(await this.#listener.accept());
      } catch (error) {
        if (this.#isStopping) return;
        if (!isOfClient(error)) {
          this.#refuse(error instanceof Error ? error.message : "the system gave none");
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
      if (accepted % ACCEPTED_IN_A_ROW === 0) await this.#turns.next();
    }
  }

  #take(socket: Deno.TcpConn): void {
    const from = this.#options.countedBy(socket.remoteAddr.hostname);
    if (!this.#places.makeRoom(from)) {
      socket.close();
      this.#refuse("there are as many as there may be");
      return;
    }
    const connection = new Connection(socket, this.#serving, from);
    this.#places.enter(connection);
    this.#crowd = Math.max(this.#crowd, this.#places.all.size);
    void connection.run();
  }

  /** Notes that one left, and whether most of a crowd has gone with it. */
  #noteLeft(): void {
    const { size } = this.#places.all;
    if (this.#crowd - size < CROWD || size > this.#crowd / 2) return;
    this.#crowd = size;
    this.#options.onCrowdGone?.();
  }

  #refuse(reason: string): void {
    this.#refused++;
    const now = performance.now();
    if (now - this.#reportedAt < REPORTED_EVERY_MS) return;
    this.#options.onRefused(reason, this.#refused);
    this.#reportedAt = now;
    this.#refused = 0;
  }
}

/**
 * True where it is the client that left before it was accepted, as scanners and probes of balancers
 * do: the next waits.
 */
function isOfClient(error: unknown): boolean {
  return error instanceof Deno.errors.NotConnected ||
    error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionAborted;
}
