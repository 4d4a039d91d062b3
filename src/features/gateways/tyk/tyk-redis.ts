import {
  type Outbound,
  OutboundDenied,
  OutboundFailed,
} from "../../../kernel/outbound/outbound.ts";
import { hostOf, isLoopback } from "../../../kernel/outbound/reachable.ts";
import { membersOf } from "./tyk-calls.ts";
import { RedisAway, RedisLine, RedisRefused } from "./redis-line.ts";
import { ENDED } from "./tyk-terms.ts";

/** A connection is awaited for so long. */
const CONNECT_MS = 2000;
/** A seed of which the gateway has made nothing goes by itself. */
const SEED_SECONDS = 3600;
/** The prefix of a key's session record, before the key's own name. */
const RECORD = "apikey-";

/** The store of a gateway's sessions. */
interface RedisPlace {
  /** As RedisUrl has it: with host, port, database, and user where there is one. */
  readonly url: string;
  /** "": it needs none. */
  readonly password: string;
}

/** A connection, and a session as this gateway writes them. */
interface Opened {
  readonly line: RedisLine;
  readonly pattern: Readonly<Record<string, unknown>>;
}

/**
 * The Redis of a gateway, for seeds of keys whose secret is not stored here. A seed is an expired
 * session: it allows nothing until the gateway's own interface sets the key's rights.
 */
export class TykRedis {
  #opened: Promise<Opened> | undefined;

  constructor(
    private readonly outbound: Pick<Outbound, "connect">,
    private readonly place: RedisPlace,
  ) {}

  /**
   * Puts a seed where no record stands. Gives why that can't be, as a key's reason says it, such as
   * `another_redis` for one that does not hold the gateway's canary; "": it is there.
   */
  async plant(
    canary: string,
    name: string,
    session: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    return await problemOf(async () => {
      const { line, pattern } = await this.#open(canary);
      const seed = JSON.stringify({ ...pattern, ...session, expires: ENDED });
      await line.ask("SET", RECORD + name, seed, "NX", "EX", String(SEED_SECONDS));
    });
  }

  /** Why no seed can be put there, as a key's reason says it; "": they can. */
  async problem(canary: string): Promise<string> {
    return await problemOf(() => this.#open(canary));
  }

  /** Ends the connection, if there is one. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    opened?.line.close();
  }

  /** The open connection; one that could not be opened is not tried again by this object. */
  async #open(canary: string): Promise<Opened> {
    const opened = this.#opened;
    if ((await opened)?.line.isOver && this.#opened === opened) this.#opened = undefined;
    return await (this.#opened ??= this.#connect(canary));
  }

  async #connect(canary: string): Promise<Opened> {
    const { password } = this.place;
    const url = new URL(this.place.url);
    const isSecure = url.protocol === "rediss:";
    const [host, port] = [hostOf(url), Number(url.port)];
    const socket = await this.outbound.connect({ host, port, isSecure, timeoutMs: CONNECT_MS });
    const line = new RedisLine(socket);
    try {
      // Its password is not sent through anything between.
      if (!isSecure && !isLoopback(socket.remoteAddress ?? "")) {
        throw new RedisAway("it is reached by rediss:// alone");
      }
      const user = decodeURIComponent(url.username);
      if (password !== "") await line.ask("AUTH", ...user === "" ? [] : [user], password);
      await line.ask("SELECT", url.pathname.slice(1) || "0");
      const record = await line.ask("GET", RECORD + canary);
      if (record === null) throw new SyntaxError("it has no canary");
      // Changes nothing, and is refused where nothing may be written.
      await line.ask("SET", RECORD + canary, record, "NX");
      return { line, pattern: membersOf(JSON.parse(record)) };
    } catch (error) {
      line.close();
      throw error;
    }
  }
}

/** Why something could not be done, as a key's reason says it; "": it was. */
async function problemOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "";
  } catch (error) {
    if (error instanceof RedisRefused) return `redis_refuses ${error.message}`;
    // No canary, or one whose record is no JSON: it is none of this gateway.
    if (error instanceof SyntaxError) return "another_redis";
    const isAway = [RedisAway, OutboundDenied, OutboundFailed].some((one) => error instanceof one);
    if (isAway) return "redis_away";
    throw error;
  }
}
