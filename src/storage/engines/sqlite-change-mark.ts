import type { SqliteConnection } from "./sqlite-connection.ts";

/** For how long a commit of another process may go unnoticed. */
export const UNNOTICED_MS = 5;

/**
 * A number that differs after any commit to the file. It differs as soon as a commit of this process is acknowledged,
 * and at most `UNNOTICED_MS` after another process's commit. The number is the connection's `data_version`.
 */
export class ChangeMark {
  readonly #connection: Pick<SqliteConnection, "dataVersion">;
  readonly #elapsed: () => number;
  #version = 0;
  #askedAt = -Infinity;

  /** `elapsed` counts milliseconds and never goes back. */
  constructor(
    connection: Pick<SqliteConnection, "dataVersion">,
    elapsed = () => performance.now(),
  ) {
    this.#connection = connection;
    this.#elapsed = elapsed;
  }

  /** Throws what the connection throws where the file can't be read. */
  now(): number {
    const now = this.#elapsed();
    if (now - this.#askedAt >= UNNOTICED_MS) {
      this.#version = this.#connection.dataVersion();
      this.#askedAt = now;
    }
    return this.#version;
  }

  /** Runs a commit of this process. The mark is asked for anew afterwards, also where the commit's answer was lost. */
  async through<T>(commit: () => Promise<T>): Promise<T> {
    try {
      return await commit();
    } finally {
      this.#askedAt = -Infinity;
    }
  }
}
