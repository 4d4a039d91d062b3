/** How long things may take, in milliseconds, and how many connections there may be. */
export interface PostgresLimits {
  /** Connections of this process. */
  readonly pool: number;
  /** Until a server has let us in. */
  readonly connectMs: number;
  /** A statement; the server ends it. */
  readonly statementMs: number;
  /** A statement's wait for a lock; the server ends it. */
  readonly lockMs: number;
  /**
   * A transaction in which nothing is asked; the server ends it and frees its locks. Shorter than
   * `lockMs`, so that who comes after a lost connection outwaits what it held.
   */
  readonly idleMs: number;
  /** All attempts of one call together, before it is answered `unavailable`. */
  readonly patienceMs: number;
}

/** Of a store that is opened without settings. */
export const defaultLimits: PostgresLimits = {
  pool: 16,
  connectMs: 2000,
  statementMs: 10_000,
  lockMs: 3000,
  idleMs: 2000,
  patienceMs: 5000,
};
