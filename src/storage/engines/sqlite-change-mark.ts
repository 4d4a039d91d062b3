import type { SqliteConnection } from "./sqlite-connection.ts";

/** What tells of commits more cheaply than a connection does. */
export interface CommitSign {
  /** Another number after any commit. */
  mark(): number;
  close(): void;
}

/**
 * A number that differs after any commit to the file. It comes from `sign`, unless that is found wrong: on some file
 * systems (a host's folder in a virtual machine) what is read from a file is not what others have mapped.
 */
export class ChangeMark {
  readonly #connection: SqliteConnection;
  readonly #sign: CommitSign | undefined;
  #state: "new" | "proven" | "wrong";

  constructor(connection: SqliteConnection, sign: CommitSign | undefined) {
    this.#connection = connection;
    this.#sign = sign;
    this.#state = sign ? "new" : "wrong";
  }

  now(): number {
    return this.#signs() ?? this.#connections();
  }

  /** Runs a commit. The first of which the connection knows has to be known by the sign too. */
  async through<T>(commit: () => Promise<T>): Promise<T> {
    if (this.#state !== "new") return await commit();
    const before = { sign: this.#signs(), connection: this.#connections() };
    const result = await commit();
    this.#judge(before);
    return result;
  }

  /** Throws nothing: what was committed stays so, whatever can be read of it. */
  #judge(before: { sign: number | undefined; connection: number }): void {
    const sign = this.#signs();
    if (sign === undefined) return;
    try {
      if (sign !== before.sign) this.#state = "proven";
      else if (this.#connections() !== before.connection) this.#state = "wrong";
    } catch {
      this.#state = "wrong";
    }
  }

  /** After the connection was closed. */
  close(): void {
    this.#sign?.close();
  }

  /** Undefined where the sign is of no use, or can't be read any more. */
  #signs(): number | undefined {
    if (this.#state === "wrong") return undefined;
    try {
      return this.#sign?.mark();
    } catch {
      this.#state = "wrong";
      return undefined;
    }
  }

  /** Below zero, so that it is never taken for one of the sign's. */
  #connections(): number {
    return -this.#connection.dataVersion();
  }
}
