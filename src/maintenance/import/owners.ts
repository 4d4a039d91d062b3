/** The owner of a key, by a developer's maps. */
interface Owner {
  developer_id: string;
  plans: string[];
  isClient?: boolean;
}

/**
 * The owners of keys, gathered while developers are read; keys come behind them. Names are hashes.
 * The entries left at the end of the keys were in no session.
 */
export class Owners {
  readonly #owners = new Map<string, Owner>();
  readonly #clients = new Set<string>();

  note(key_id: string, owner: Owner): void {
    this.#owners.set(key_id, owner);
  }

  /** An OAuth client that came with its developer, whole: another source need not name it. */
  noteClient(key_id: string): void {
    this.#clients.add(key_id);
  }

  /** Whether the client came with its developer. */
  hasClient(key_id: string): boolean {
    return this.#clients.has(key_id);
  }

  /** Whether a developer names the client. */
  has(key_id: string): boolean {
    return this.#owners.has(key_id);
  }

  /** The owner of a key, which has been met herewith. */
  take(key_id: string): Owner | undefined {
    const owner = this.#owners.get(key_id);
    this.#owners.delete(key_id);
    return owner;
  }

  /** Keys that developers name and that no session was met of. */
  left(): Iterable<[key_id: string, owner: Owner]> {
    return this.#owners;
  }
}
