/** The name of an answer: the noun first, so that equal beginnings are forgotten together. */
export type QueryKey = readonly (string | number | undefined)[];

/** How a component wants something read. */
export interface QueryOptions<T> {
  readonly queryKey: QueryKey;
  readonly queryFn: () => Promise<T>;
  /** False: what is known is shown, and nothing is asked. */
  readonly enabled?: boolean;
  /** For so many milliseconds an answer is as good as a new one. */
  readonly staleTime?: number;
  /** So many milliseconds after its last user left, an answer is forgotten. */
  readonly gcTime?: number;
}

/** The state of a key. A failure leaves the last good answer in place. */
export interface Known<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
}

/** A component that looks at a key. */
export interface User<T> {
  options: QueryOptions<T>;
  /** Called after each change of `data` or `error`, and of nothing else. */
  readonly changed: () => void;
}

interface Entry {
  readonly key: QueryKey;
  data: unknown;
  error: Error | null;
  /** When the answer came; -Infinity: there is none, or it is known to be old. */
  readAt: number;
  /** The request under way. Another value, or none: its answer comes too late. */
  run: object | undefined;
  readonly users: Set<User<unknown>>;
  /** The longest that a user asked for. */
  keptMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const FRESH_MS = 5000;
const KEPT_MS = 5 * 60_000;

/**
 * Answers by key. All readers of a key see one answer; one request is under way for it; an answer
 * that was overtaken (by a change, or by a later request) is dropped. An equal answer stays one
 * object, so nothing is rendered again for it. Knows nothing of the page: `queries.ts` joins the
 * two.
 */
export class QueryCache {
  readonly #entries = new Map<string, Entry>();
  readonly #pauseBeforeRetry: (failures: number, error: unknown) => number | undefined;
  readonly #now: () => number;

  /**
   * `pauseBeforeRetry` gives the milliseconds after which a failed request is sent again;
   * undefined: it is not.
   */
  constructor({ pauseBeforeRetry, now = Date.now }: {
    pauseBeforeRetry: (failures: number, error: unknown) => number | undefined;
    now?: () => number;
  }) {
    this.#pauseBeforeRetry = pauseBeforeRetry;
    this.#now = now;
  }

  /** The known state. Sends no request. */
  peek<T>(key: QueryKey): Known<T> {
    const { data, error = null } = this.#entries.get(nameOf(key)) ?? {};
    // as: a key has one type, that of the call which it names.
    return { data: data as T | undefined, error };
  }

  /** Begins to follow the key of `user.options` without a call. The answer ends it. */
  join<T>(user: User<T>): () => void {
    const { queryKey, gcTime = KEPT_MS } = user.options;
    const entry = this.#entryOf(queryKey);
    clearTimeout(entry.timer);
    entry.keptMs = Math.max(entry.keptMs, gcTime);
    // as: a key has one type.
    entry.users.add(user as User<unknown>);
    return () => {
      entry.users.delete(user as User<unknown>);
      this.#forgetLater(entry);
    };
  }

  /**
   * Asks for what a user looks at, unless it is not `enabled`, a request is under way, or the
   * answer is fresh.
   */
  refresh<T>({ options }: User<T>, staleMs = options.staleTime ?? FRESH_MS): void {
    const entry = this.#entryOf(options.queryKey);
    if (options.enabled === false || entry.run !== undefined) return;
    if (this.#now() - entry.readAt >= staleMs) void this.#read(entry, options.queryFn);
  }

  /** Asks in any case. Resolves when that is over, with an answer or an error. */
  async refetch<T>({ queryKey, queryFn }: QueryOptions<T>): Promise<void> {
    await this.#read(this.#entryOf(queryKey), queryFn);
  }

  /** `refresh` for every shown answer: for a page that comes to the front again. */
  refreshSeen(): void {
    for (const { users } of this.#entries.values()) users.forEach((user) => this.refresh(user));
  }

  /**
   * Marks every key that begins with `queryKey` (all, without one) as old: read again at once if a
   * component uses it, else at its next use. Resolves when those requests are over.
   */
  async invalidateQueries({ queryKey = [], predicate = () => true }: {
    queryKey?: QueryKey;
    predicate?: (entry: { readonly queryKey: QueryKey }) => boolean;
  } = {}): Promise<void> {
    const old = [...this.#entries.values()].filter(({ key }) =>
      queryKey.every((part, index) => part === key[index]) && predicate({ queryKey: key })
    );
    await Promise.all(old.map((entry) => {
      entry.readAt = -Infinity;
      entry.run = undefined;
      const user = [...entry.users].find(({ options }) => options.enabled !== false);
      return user && this.#read(entry, user.options.queryFn);
    }));
  }

  /** Stores the answer of a change, without a request. */
  setQueryData(key: QueryKey, data: unknown): void {
    const entry = this.#entryOf(key);
    entry.keptMs ||= KEPT_MS;
    this.#known(entry, data);
  }

  /** Forgets everything before another person uses the page. */
  clear(): void {
    for (const [name, entry] of this.#entries) {
      Object.assign(entry, { data: undefined, error: null, readAt: -Infinity, run: undefined });
      clearTimeout(entry.timer);
      if (entry.users.size === 0) this.#entries.delete(name);
      notify(entry);
    }
  }

  #entryOf(key: QueryKey): Entry {
    const name = nameOf(key);
    let entry = this.#entries.get(name);
    if (!entry) {
      entry = {
        key,
        data: undefined,
        error: null,
        readAt: -Infinity,
        run: undefined,
        users: new Set(),
        keptMs: 0,
        timer: undefined,
      };
      this.#entries.set(name, entry);
    }
    return entry;
  }

  async #read(entry: Entry, queryFn: () => Promise<unknown>): Promise<void> {
    const run = entry.run = {};
    if (entry.data === undefined && entry.error) {
      entry.error = null;
      notify(entry);
    }
    for (let failures = 0;; failures++) {
      try {
        const data = await queryFn();
        if (entry.run === run) this.#known(entry, data);
        return;
      } catch (error) {
        if (entry.run !== run) return;
        const pauseMs = this.#pauseBeforeRetry(failures, error);
        if (pauseMs === undefined || entry.users.size === 0) {
          entry.run = undefined;
          // A failure that no component saw is forgotten: the next reader asks again. as: calls
          // throw nothing else.
          if (entry.users.size > 0) entry.error = error as Error;
          return notify(entry);
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        if (entry.run !== run) return;
      }
    }
  }

  #known(entry: Entry, data: unknown): void {
    const isNews = entry.error !== null || !isSame(entry.data, data);
    if (isNews) Object.assign(entry, { data, error: null });
    entry.readAt = this.#now();
    entry.run = undefined;
    if (isNews) notify(entry);
    this.#forgetLater(entry);
  }

  #forgetLater(entry: Entry): void {
    if (entry.users.size > 0) return;
    entry.error = null;
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      entry.run = undefined;
      this.#entries.delete(nameOf(entry.key));
    }, entry.keptMs);
  }
}

function nameOf(key: QueryKey): string {
  return JSON.stringify(key);
}

function notify({ users }: Entry): void {
  users.forEach(({ changed }) => changed());
}

/**
 * True for equal texts, numbers, lists and plain objects; anything else is equal to itself alone.
 */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return Array.isArray(value) ||
    typeof value === "object" && value !== null &&
      Object.getPrototypeOf(value) === Object.prototype;
}
