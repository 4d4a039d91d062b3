import type { Actor } from "../changes/audit.ts";
import { type Clock, toTimestamp } from "../kernel/clock.ts";
import { inTime } from "../kernel/in-time.ts";
import type { Storage } from "../storage/storage.ts";
import { actorOf, type Principal } from "./principal.ts";
import { type AuditLogRow, writeAuditLogRows } from "./audit-notes.transactions.ts";

/** Rows of one kind and organisation that a minute may have; the rest is counted in one more. */
const EACH_MINUTE = 100;
/** Of these, rows of one access token, or of one developer who was to sign in. */
const EACH_SHARE = 10;
/** Rows that a minute may have of sign-ins of which no one knows whose they are. */
const EACH_UNKNOWN = 10;
/** Callers whom the row names; the others are counted. */
const NAMED = 5;
const MINUTE = 60_000;
/** Notes are written so often. */
const EVERY_MS = 5000;
/** Rows of one transaction. */
const TOGETHER = 100;
/**
 * Rows, windows and counts that memory holds, each; what is beyond while the store is away is lost.
 */
const MOST = 10_000;
/**
 * Access tokens, access tokens of calls that had to wait, and callers of a window, that memory
 * holds, each.
 */
const MOST_PRESENTED = 500;
const MOST_LIMITED = 100;
const MOST_SHARES = 1000;
/** A store that says nothing for so long is away. */
const PATIENCE_MS = 1000;

/** Refusals: each is written, within limits. */
type Refused = "sign_in.refused" | "call.refused" | "developer.sign_in_refused";

/** Calls counted by caller: one row a minute. */
type Counted = "secret.read" | "list.streamed";

/** The owner of an access token, in force or not. */
interface TokenOwner {
  org_id: string;
  user_id: string;
  token_id: string;
}

/** The notes' queries to the store. */
export interface AuditLogSource {
  /** By the SHA-256 of an access token; undefined where it never was one. */
  ownerOf(hash: string): Promise<TokenOwner | undefined>;
  /**
   * The first organisation, whose audit log has what belongs to none; undefined: there is none yet.
   */
  firstOrganisation(): Promise<string | undefined>;
}

/** A sign-in that was refused by what an identity provider said, or did not say. */
interface RefusedByProvider {
  org_id: string;
  /** Its id. */
  identity_provider: string;
  path: string;
  reason: string;
}

/** A presented token by its SHA-256; it may be an access token that is no longer in force. */
interface Presented {
  /** The first of its refusals, as many as may become rows. */
  rows: AuditLogRow[];
  /** Refusals beyond these. */
  more: number;
  last: Actor;
}

/** The refusals of one caller, or of one developer, in a window. */
interface Share {
  who: Readonly<Record<string, string>>;
  rows: number;
  more: number;
}

interface Window {
  action: Refused;
  org_id: string;
  from: number;
  rows: number;
  /** Beyond the rows. */
  more: number;
  last: number;
  shares: Map<string, Share>;
}

interface Count {
  actor: Actor;
  action: Counted;
  object: string;
  object_id: string;
  count: number;
}

/**
 * Writes audit log rows for calls that change nothing: refused sign-ins, refused calls, read
 * secrets, whole lists. They are kept in memory and written every few seconds, so noting costs a
 * call nothing, and under an attack the store gets at most a hundred rows a minute of each kind and
 * organisation, ten of them by one caller, and one with the number of the others. Sign-ins by
 * unknown callers have ten rows a minute of their own. The owner of an access token is looked up
 * when the notes are written: once each, and for six hundred at the most. If the process is killed,
 * waiting notes are lost: refusals of five seconds, counts of a minute.
 */
export class AuditLogNotes {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #source: AuditLogSource;
  #waiting: AuditLogRow[] = [];
  #presented = new Map<string, Presented>();
  /** Calls that were refused by a rate limit, apart: they can come in any number. */
  #limited = new Map<string, Presented>();
  readonly #windows = new Map<string, Window>();
  readonly #counts = new Map<string, Count>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #listeners: ((refused: RefusedByProvider) => void)[] = [];

  constructor(storage: Storage, clock: Clock, source: AuditLogSource) {
    this.#storage = storage;
    this.#clock = clock;
    this.#source = source;
  }

  /**
   * A person could not sign in, or called with a wrong access token. `presented`: the SHA-256 of
   * what may be one. `path`: a pattern. `limited`: the answer was to wait, which is counted and is
   * no row. `provider`: whose answer it was, and why that let no one in.
   */
  refusedSignIn(
    caller: Principal,
    { path, by, presented, limited = false, provider }: {
      path: string;
      by: string;
      presented?: string | undefined;
      limited?: boolean;
      provider?: { id: string; reason: string } | undefined;
    },
  ): void {
    const actor = { ...this.#actorOf(caller), user_id: UNKNOWN };
    const { id: identity_provider_id, reason } = provider ?? {};
    const detail = { by, ...provider && { identity_provider_id, reason } };
    const event = { action: "sign_in.refused", object: "sign_in", object_id: path, detail };
    if (provider) {
      const about = { identity_provider: provider.id, path, reason: provider.reason };
      for (const listener of this.#listeners) listener({ org_id: caller.org_id, ...about });
    }
    const counts = limited ? this.#limited : this.#presented;
    const known = presented && counts.get(presented);
    if (known) {
      known.last = actor;
      if (known.rows.length < EACH_SHARE && !limited) known.rows.push({ actor, event });
      else known.more++;
      this.#wake();
    } else if (presented && counts.size < (limited ? MOST_LIMITED : MOST_PRESENTED)) {
      const rows = limited ? [] : [{ actor, event }];
      counts.set(presented, { rows, more: limited ? 1 : 0, last: actor });
      this.#wake();
    } else {
      this.#refused("sign_in.refused", actor, limited ? undefined : event);
    }
  }

  /** `listener` is called for every later refusal for which a provider gave the reason. */
  listen(listener: (refused: RefusedByProvider) => void): void {
    this.#listeners.push(listener);
  }

  /** A caller could not do this. `path`: a pattern. */
  refusedCall(caller: Principal, call: { method: string; path: string; code: string }): void {
    const { method, path, code } = call;
    const detail = { method, reason: code };
    const event = { action: "call.refused", object: "endpoint", object_id: path, detail };
    this.#refused("call.refused", this.#actorOf(caller), event);
  }

  /**
   * A developer's password was wrong, or the developer is none that may sign in; `id` "" where no
   * one is known.
   */
  refusedDeveloper(caller: Principal, id: string): void {
    const action = "developer.sign_in_refused";
    const event = { action, object: "developer", object_id: id, detail: {} };
    this.#refused(action, this.#actorOf(caller), event, 1, { developer: id });
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

  /**
   * Counts refusals, of which `event` makes the row where one may still stand; without one they are
   * counted alone.
   */
  #refused(
    action: Refused,
    actor: Actor,
    event?: AuditLogRow["event"],
    times = 1,
    who: Share["who"] = { actor: actor.user_id, token_id: actor.token_id },
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
      const shares = new Map<string, Share>();
      window = { action, org_id, from: now, rows: 0, more: 0, last: now, shares };
      this.#windows.set(name, window);
    }
    window.from = Math.min(window.from, now);
    window.last = Math.max(window.last, now);
    const share = shareOf(window, who);
    const most = org_id === "" ? EACH_UNKNOWN : EACH_MINUTE;
    const isRow = event && window.rows < most && (share?.rows ?? 0) < EACH_SHARE &&
      this.#waiting.length < MOST;
    if (isRow) {
      window.rows++;
      if (share) share.rows++;
      this.#waiting.push({ actor, event });
    } else {
      window.more += times;
      if (share) share.more += times;
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

  /** A minute is over: what was beyond its rows is one more, with those who had most of it. */
  #end(name: string, { action, org_id, from, more, last, shares }: Window): void {
    this.#windows.delete(name);
    if (more === 0) return;
    const actor = { org_id, user_id: UNKNOWN, token_id: "", now: last };
    const named = [...shares.values()].filter((share) => share.more > 0)
      .toSorted((a, b) => b.more - a.more).slice(0, NAMED)
      .map((share) => ({ ...share.who, count: share.more }));
    const detail = {
      count: more,
      from: toTimestamp(from),
      until: toTimestamp(last),
      ...org_id !== "" && { most: named },
    };
    const object = action.slice(0, action.indexOf("."));
    this.#waiting.push({ actor, event: { action, object, object_id: "", detail } });
  }

  #wake(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#turn(), EVERY_MS);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    await this.#write(this.#clock.now() - MINUTE);
    this.#timer = undefined;
    const { size } = this.#presented;
    const counts = size + this.#limited.size + this.#windows.size + this.#counts.size;
    if (this.#waiting.length + counts > 0) this.#wake();
  }

  /**
   * Writes what waits, and what is counted of minutes that began before `begun`. One writing after
   * the other.
   */
  #write(begun: number): Promise<void> {
    return this.#writing = this.#writing.then(() => this.#writeNow(begun)).catch(() => {
      // As well as it can be done: a batch whose commit fails is not sent again, since it may have
      // been kept.
    });
  }

  async #writeNow(begun: number): Promise<void> {
    // A store that is away costs nothing of what waits.
    const isThere = () => inTime(this.#storage.ping().then(() => true), PATIENCE_MS, () => false);
    const isAsked = this.#presented.size + this.#limited.size > 0;
    if (isAsked && await isThere()) await this.#findOwners();
    for (const [name, window] of this.#windows) {
      if (window.from <= begun) this.#end(name, window);
    }
    for (const [name, { actor, action, object, object_id, count }] of this.#counts) {
      if (actor.now > begun) continue;
      this.#counts.delete(name);
      const event = { action, object, object_id, detail: { count } };
      this.#waiting.push({ actor, event });
    }
    if (this.#waiting.length === 0 || !await isThere()) return;
    while (this.#waiting.length > 0) {
      const rows: AuditLogRow[] = [];
      for (const waiting of this.#waiting.splice(0, TOGETHER)) {
        const row = await this.#placed(waiting);
        if (row) rows.push(row);
      }
      await this.#storage.commit(writeAuditLogRows, { rows });
    }
  }

  /** Counts what was presented: a known access token as its owner's, in their organisation. */
  async #findOwners(): Promise<void> {
    const presented = [...this.#presented, ...this.#limited];
    this.#presented = new Map();
    this.#limited = new Map();
    for (const [hash, { rows, more, last }] of presented) {
      const owner = await this.#source.ownerOf(hash);
      for (const { actor, event } of rows) {
        this.#refused("sign_in.refused", { ...actor, ...owner }, event);
      }
      if (more > 0) this.#refused("sign_in.refused", { ...last, ...owner }, undefined, more);
    }
  }

  /** The row in the audit log where it belongs: what is no one's, in the first organisation's. */
  async #placed(row: AuditLogRow): Promise<AuditLogRow | undefined> {
    if (row.actor.org_id !== "") return row;
    const org_id = await this.#source.firstOrganisation();
    return org_id === undefined ? undefined : { ...row, actor: { ...row.actor, org_id } };
  }
}

/** The caller's share of the window; undefined: there are too many callers. */
function shareOf({ shares }: Window, who: Share["who"]): Share | undefined {
  const name = Object.values(who).join(" ");
  const known = shares.get(name);
  if (known || shares.size >= MOST_SHARES) return known;
  const fresh = { who, rows: 0, more: 0 };
  shares.set(name, fresh);
  return fresh;
}

/** The actor when the caller is unknown. */
const UNKNOWN = "unknown";
