/**
 * The bounded cache of an organisation's hashes: at most `most` entries in all, and the least
 * recently used go first. Kept in two halves: used entries move to the newer half, and when that is
 * full it becomes the older one and the one before is dropped. So the last `most / 2` used entries
 * never go, and no use costs a sort.
 */
export class KeyMemory<Entry> {
  readonly #half: number;
  readonly #dropped: (entries: Iterable<Entry>) => void;
  #newer = new Half<Entry>();
  #older = new Half<Entry>();

  /** `dropped` hears of the entries that go. */
  constructor(most: number, dropped: (entries: Iterable<Entry>) => void) {
    this.#half = Math.max(1, Math.floor(most / 2));
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(org_id: string, hash: string): Entry | undefined {
    const entry = this.#newer.get(org_id, hash);
    if (entry !== undefined) return entry;
    const old = this.#older.get(org_id, hash);
    if (old !== undefined) this.set(org_id, hash, old);
    return old;
  }

  set(org_id: string, hash: string, entry: Entry): void {
    this.#older.delete(org_id, hash);
    this.#newer.set(org_id, hash, entry);
    if (this.#newer.size < this.#half) return;
    const dropped = this.#older;
    this.#older = this.#newer;
    this.#newer = new Half();
    if (dropped.size > 0) this.#dropped(dropped.values());
  }

  /** As `get`, without counting as a use. */
  peek(org_id: string, hash: string): Entry | undefined {
    return this.#newer.get(org_id, hash) ?? this.#older.get(org_id, hash);
  }

  *values(): Generator<Entry, void, void> {
    yield* this.#newer.values();
    yield* this.#older.values();
  }
}

/**
 * By organisation, then by hash: one joined name would cost each look-up its joining, and each
 * entry its length.
 */
class Half<Entry> {
  readonly #byOrg = new Map<string, Map<string, Entry>>();
  size = 0;

  get(org_id: string, hash: string): Entry | undefined {
    return this.#byOrg.get(org_id)?.get(hash);
  }

  set(org_id: string, hash: string, entry: Entry): void {
    let own = this.#byOrg.get(org_id);
    if (own === undefined) this.#byOrg.set(org_id, own = new Map());
    if (!own.has(hash)) this.size++;
    own.set(hash, entry);
  }

  delete(org_id: string, hash: string): void {
    if (this.#byOrg.get(org_id)?.delete(hash)) this.size--;
  }

  *values(): Generator<Entry, void, void> {
    for (const own of this.#byOrg.values()) yield* own.values();
  }
}

/**
 * Names that lead nowhere, each remembered for a short time from when that was found out. Bounded;
 * when it is full, the oldest go. It is apart from what is known, so that guesses can't push that
 * out.
 */
export class UnknownNames {
  readonly #until = new Map<string, number>();

  constructor(readonly keptMs: number, readonly most: number) {}

  has(name: string, nowMs: number): boolean {
    const until = this.#until.get(name);
    return until !== undefined && nowMs < until;
  }

  /** `nowMs` of a clock that never goes back. */
  add(name: string, nowMs: number): void {
    this.#until.delete(name);
    this.#until.set(name, nowMs + this.keptMs);
    // In the order of their ends, so those that are over stand in front.
    for (const [oldest, until] of this.#until) {
      if (until > nowMs && this.#until.size <= this.most) break;
      this.#until.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#until.delete(name);
  }

  get size(): number {
    return this.#until.size;
  }
}
