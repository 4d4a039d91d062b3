/**
 * The database, its log, and the memory that its processes share: without any of them a commit can
 * be lost.
 */
const files: readonly (readonly [end: string, name: string])[] = [
  ["", "the database file"],
  ["-wal", "the database's log"],
  ["-shm", "the database's shared memory"],
];

/** The identity of a path's file, which differs from that of any later one. */
interface Identity {
  readonly dev: number;
  readonly ino: number | null;
}

/**
 * The files of an open SQLite store, by the device and inode of each. They are only asked about,
 * never opened: closing any descriptor of the database takes away the locks that this process holds
 * on it.
 */
export class SqliteFiles {
  readonly #known: readonly { path: string; name: string; identity: Identity }[];
  readonly #path: string;

  /**
   * Those of the store at `path`, which is open. Throws where one is not there. If this process may
   * not look where its log is, the database alone is looked at.
   */
  constructor(path: string) {
    this.#path = path;
    const beside = realPlaceOf(path);
    this.#known = files.flatMap(([end, name]) => {
      const at = end === "" ? path : beside === undefined ? undefined : beside + end;
      const identity = at === undefined ? undefined : ifAllowed(() => identityOf(at));
      return at === undefined || identity === undefined ? [] : [{ path: at, name, identity }];
    });
  }

  /**
   * Why what is written through the open files is not in the store at the path; undefined where it
   * is. Three questions to the file system, some 15 µs.
   */
  lost(): string | undefined {
    for (const { path, name, identity } of this.#known) {
      const reason = changeOf(path, identity, path === this.#path);
      if (reason !== undefined) return `${name} ${reason}`;
    }
    return undefined;
  }

  /**
   * How large the log is on the disk, and when the database was last written, which checkpoints
   * alone do.
   */
  log(): { bytes: number; checkpointAt: number | undefined } {
    const log = this.#known[1]?.path ?? `${this.#path}-wal`;
    const { size: bytes } = Deno.statSync(log);
    return { bytes, checkpointAt: Deno.statSync(this.#path).mtime?.getTime() };
  }
}

/**
 * The real path of a database, with its log beside it: if the path is a link, that of its target.
 * Undefined if this process may not look there. Throws if there is no database.
 */
export function realPlaceOf(path: string): string | undefined {
  const isLink = Deno.lstatSync(path).isSymlink;
  return isLink ? ifAllowed(() => Deno.realPathSync(path)) : path;
}

/** The change of a file; undefined if it is the known one. `holds`: it is never empty. */
function changeOf(path: string, known: Identity, holds: boolean): string | undefined {
  try {
    const found = Deno.statSync(path);
    if (!same(found, known)) return "was replaced by another";
    return holds && found.size === 0 ? "was emptied" : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "is not at its place any more";
    // as: system errors carry their code; any of them means that no one can say what is there.
    const { code = "of the system" } = error as { code?: string };
    return `can't be found any more (${code})`;
  }
}

/** Undefined where the launcher granted nothing for it. */
function ifAllowed<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/**
 * Opens what is at `path` with `open`, and gives it with its files. If another file takes the place
 * meanwhile, it is tried again: file systems in layers do so at the first opening for writing.
 */
export function openWithFiles<T extends { close(): void }>(
  path: string,
  open: () => T,
): { opened: T; files: SqliteFiles } {
  for (let attempt = 1;; attempt++) {
    const before = identityOf(path);
    const opened = open();
    try {
      if (same(identityOf(path), before)) return { opened, files: new SqliteFiles(path) };
      if (attempt === 3) throw new Error("the database file is replaced again and again");
    } catch (error) {
      opened.close();
      throw error;
    }
    opened.close();
  }
}

function identityOf(path: string): Identity {
  const { dev, ino } = Deno.statSync(path);
  return { dev, ino };
}

function same(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
