import type { Actor } from "../changes/audit.ts";
import type { Clock } from "../kernel/clock.ts";
import { toTimestamp } from "../kernel/clock.ts";
import { inTime } from "../kernel/in-time.ts";
import type { Storage } from "../storage/storage.ts";
import { actorOf, type Principal } from "./principal.ts";
import { type TrailRow, writeTrailRows } from "./trail-notes.transactions.ts";

/** Rows of one kind and organisation that a minute may have; what is beyond is counted in one more. */
const EACH_MINUTE = 100;
const MINUTE = 60_000;
/** What is noted waits so long before it is written. */
const EVERY_MS = 5000;
/** Rows of one transaction. */
const TOGETHER = 100;
/** Rows, windows and counts that memory holds, each; what is beyond while the store is away is lost. */
const MOST = 10_000;
/** A store that says nothing for so long is away. */
const PATIENCE_MS = 1000;

/** What is refused, and so written for each time, within limits. */
type Refused = "sign_in.refused" | "call.refused" | "developer.sign_in_refused";

/** What is counted by caller: one row a minute. */
type Counted = "secret.read" | "list.streamed";

/** Whose an access token is, in force or not. */
export interface TokenOwner {
  org_id: string;
  user_id: string;
  token_id: string;
}

/** What the notes ask the store, beside writing. */
export interface TrailSource {
  /** By the SHA-256 of an access token; undefined where it never was one. */
  ownerOf(hash: string): Promise<TokenOwner | undefined>;
  /** The first organisation, in whose trail stands what belongs to none; undefined before there is one. */
  firstOrganisation(): Promise<string | undefined>;
}

interface Waiting {
  row: TrailRow;
  /** The SHA-256 of what was presented, which may be an access token that is no longer in force. */
  presented?: string | undefined;
}

interface Window {
  from: number;
  rows: number;
  /** Beyond the rows. */
  more: number;
  last: number;
}

interface Count {
  actor: Actor;
  action: Counted;
  object: string;
  object_id: string;
  count: number;
}

/**
 * What the trail tells of calls that change nothing: refused sign-ins, refused calls, secrets that were read, whole
 * lists. It is kept in memory and written every few seconds, so noting costs a call nothing, and under an attack the
 * store gets at most a hundred rows a minute of each kind and organisation, and one with the number of the others.
 * What waits when the process is killed is lost: refusals of five seconds, counts of a minute.
 */
export class TrailNotes {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #source: TrailSource;
  #waiting: Waiting[] = [];
  readonly #windows = new Map<string, Window>();
  readonly #counts = new Map<string, Count>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(storage: Storage, clock: Clock, source: TrailSource) {
    this.#storage = storage;
    this.#clock = clock;
    this.#source = source;
  }

  /** Somebody could not sign in, or called with a wrong access token. `presented`: its SHA-256. `path`: a pattern. */
  refusedSignIn(
    caller: Principal,
    { path, by, presented }: { path: string; by: string; presented?: string | undefined },
  ): void {
    const actor = { ...this.#actorOf(caller), user_id: UNKNOWN };
    const event = { object: "sign_in", object_id: path, detail: { by } };
    this.#refused("sign_in.refused", actor, event, presented);
  }

  /** A caller could not do this. `path`: a pattern. */
  refusedCall(caller: Principal, call: { method: string; path: string; code: string }): void {
    const { method, path, code } = call;
    const detail = { method, reason: code };
    const event = { object: "endpoint", object_id: path, detail };
    this.#refused("call.refused", this.#actorOf(caller), event);
  }

  /** A developer's password was wrong, or the developer is none that may sign in; `id` "" where nobody is known. */
  refusedDeveloper(caller: Principal, id: string): void {
    const event = { object: "developer", object_id: id, detail: {} };
    this.#refused("developer.sign_in_refused", this.#actorOf(caller), event);
  }

  /** Secrets that were not empty stood in an answer, of so many things of this kind. */
  secretsRead(caller: Principal, kind: string, number: number): void {
    if (number > 0) this.#count("secret.read", caller, kind, "", number);
  }

  /** A list went out whole. `path`: a pattern. */
  listStreamed(caller: Principal, path: string): void {
    this.#count("list.streamed", caller, "list", path, 1);
  }

  /** Writes all that was noted, minutes that are not over among it. */
  flush(): Promise<void> {
    return this.#write(Infinity);
  }

  /** Writes what was noted, for the last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.flush();
  }

  #actorOf(caller: Principal): Actor {
    return actorOf(caller, this.#clock.now());
  }

  #refused(
    action: Refused,
    actor: Actor,
    event: Omit<TrailRow["event"], "action">,
    presented?: string,
  ): void {
    const { org_id, now } = actor;
    const name = `${action} ${org_id}`;
    let window = this.#windows.get(name);
    if (window && now - window.from >= MINUTE) {
      this.#end(name, window);
      window = undefined;
    }
    if (!window) {
      if (this.#windows.size >= MOST) return;
      this.#windows.set(name, window = { from: now, rows: 0, more: 0, last: now });
    }
    window.last = now;
    if (window.rows >= EACH_MINUTE || this.#waiting.length >= MOST) {
      window.more++;
    } else {
      window.rows++;
      this.#waiting.push({ row: { actor, event: { action, ...event } }, presented });
    }
    this.#wake();
  }

  #count(
    action: Counted,
    caller: Principal,
    object: string,
    object_id: string,
    number: number,
  ): void {
    const session = caller.session?.id ?? "";
    const name = `${action} ${object} ${object_id} ${caller.org_id} ${caller.token_id} ${session}`;
    const known = this.#counts.get(name);
    if (known) known.count += number;
    else if (this.#counts.size < MOST) {
      const actor = this.#actorOf(caller);
      this.#counts.set(name, { actor, action, object, object_id, count: number });
      this.#wake();
    }
  }

  /** A minute is over: what was beyond its rows is one more. */
  #end(name: string, { from, more, last }: Window): void {
    this.#windows.delete(name);
    if (more === 0) return;
    const [action = "", org_id = ""] = name.split(" ");
    const actor = { org_id, user_id: UNKNOWN, token_id: "", now: last };
    const detail = { count: more, from: toTimestamp(from), until: toTimestamp(last) };
    const object = action.slice(0, action.indexOf("."));
    this.#waiting.push({ row: { actor, event: { action, object, object_id: "", detail } } });
  }

  #wake(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#turn(), EVERY_MS);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    await this.#write(this.#clock.now() - MINUTE);
    this.#timer = undefined;
    if (this.#waiting.length + this.#windows.size + this.#counts.size > 0) this.#wake();
  }

  /** Writes what waits, and what is counted of minutes that began before `begun`. One writing after the other. */
  #write(begun: number): Promise<void> {
    return this.#writing = this.#writing.then(() => this.#writeNow(begun)).catch(() => {
      // As well as it can be done: a batch whose commit fails is not sent again, since it may have been kept.
    });
  }

  async #writeNow(begun: number): Promise<void> {
    for (const [name, window] of this.#windows) {
      if (window.from <= begun) this.#end(name, window);
    }
    for (const [name, { actor, action, object, object_id, count }] of this.#counts) {
      if (actor.now > begun) continue;
      this.#counts.delete(name);
      const event = { action, object, object_id, detail: { count } };
      this.#waiting.push({ row: { actor, event } });
    }
    // A store that is away costs nothing of what waits.
    const isThere = () => inTime(this.#storage.ping().then(() => true), PATIENCE_MS, () => false);
    if (this.#waiting.length === 0 || !await isThere()) return;
    while (this.#waiting.length > 0) {
      const rows: TrailRow[] = [];
      for (const waiting of this.#waiting.splice(0, TOGETHER)) {
        const row = await this.#settled(waiting);
        if (row) rows.push(row);
      }
      await this.#storage.commit(writeTrailRows, { rows });
    }
  }

  /** The row in the trail where it belongs: of an access token that is known, its owner's, else the first one's. */
  async #settled({ row, presented }: Waiting): Promise<TrailRow | undefined> {
    const owner = presented && await this.#source.ownerOf(presented);
    if (owner) return { ...row, actor: { ...row.actor, ...owner } };
    if (row.actor.org_id !== "") return row;
    const org_id = await this.#source.firstOrganisation();
    return org_id === undefined ? undefined : { ...row, actor: { ...row.actor, org_id } };
  }
}

/** Who acts where nobody is known. */
const UNKNOWN = "unknown";
