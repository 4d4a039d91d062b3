import { POSTGRES_NO_ROOM } from "../no-room.ts";

/** The SQLSTATE of an error, or the system's code; empty for neither. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Serialisation failure and deadlock: the whole transaction may simply be run again. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error));
}

/** Refused because a statement before it in the transaction failed: that one's error says why. */
export function isAfterFailure(error: unknown): boolean {
  return codeOf(error) === "25P02";
}

/** A server that was chosen for writing and takes none: it is, or became, a person's standby. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof ReadOnlyServer || codeOf(error) === "25006";
}

/** Thrown for a server that takes no writes. */
export class ReadOnlyServer extends Error {
  constructor() {
    super("the server takes no writes");
  }
}

/**
 * Thrown for a database that is not the one that was opened: it was dropped, and another is in its
 * place.
 */
export class OtherStore extends Error {
  constructor() {
    super("the database is not the one that was opened");
  }
}

/** Thrown for a database whose encoding can't hold every text. */
export class WrongEncoding extends Error {
  constructor(encoding: unknown) {
    super(
      `the database is encoded in ${encoding}, which can't hold every text: make it with encoding 'UTF8' (create database … encoding 'UTF8' template template0)`,
    );
  }
}

/** The error of a pooler that takes no parameter of ours, with what to set; undefined: no such. */
export function refusedParameter(error: unknown): Error | undefined {
  const message = error instanceof Error ? error.message : "";
  const [, name] = /unsupported startup parameter(?: in options)?: "?(\w+)/.exec(message) ?? [];
  if (name === undefined) return undefined;
  return new Error(
    `the pooler refuses the parameter ${name}: set ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout in pgbouncer.ini, and set these limits for the role (docs/postgresql.md)`,
    { cause: error },
  );
}

/** Refused because a table, or the whole schema, is not there. */
export function isTableGone(error: unknown): boolean {
  return ["42P01", "3F000"].includes(codeOf(error));
}

/** A table or a column that a statement names is not there. */
export function isMissing(error: unknown): boolean {
  return ["42P01", "42703"].includes(codeOf(error));
}

/** The mark of a commit that is in another store than the opened one; see `commitSql`. */
export function isForeignCommit(error: unknown): boolean {
  // as: the driver's errors name the table.
  return codeOf(error) === "23502" && (error as { table?: string }).table === "commits";
}

/**
 * A prepared statement is not there, or another client's is: a pooler gave the transaction another
 * connection of the server. Nothing was done.
 */
export function isPreparedOnOtherConnection(error: unknown): boolean {
  return ["26000", "42P05"].includes(codeOf(error));
}

/** The server could not write or read its files: SQLSTATE class 58. */
export function isServerProblem(error: unknown): boolean {
  return codeOf(error).startsWith("58");
}

/**
 * The connection is gone, or never was. The last statement over it may have been done: a server
 * says 57P01 too when it has committed and can't wait for its standby any more.
 */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("08") || LOST.includes(code) || SYSTEM.test(code) ||
    (error instanceof Error && MESSAGES.test(error.message));
}

/** It was stopped (57P0x), or waited longer than a transaction, or a session, may do nothing. */
const LOST = ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"];
const SYSTEM = /^(ECONN|ENOTFOUND|ENETUNREACH|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOST|ENETDOWN)/;
const MESSAGES = /connection (terminated|error|ended|closed)|not queryable|timeout expired/i;

/**
 * The server answers, and can't do this now: too many connections, a lock or a statement that takes
 * too long.
 */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("53") || ["55P03", "57014"].includes(code);
}

/** The disk of the server is full. */
export function isNoRoom(error: unknown): boolean {
  return codeOf(error) === POSTGRES_NO_ROOM;
}

/** The server read a page, or an entry of an index, that is damaged; other pages can be read. */
export function isDamage(error: unknown): error is Error {
  return ["XX001", "XX002"].includes(codeOf(error));
}

/** After this answer to a commit no one knows whether it was done. CockroachDB says 40003. */
export function isUnknownOutcome(error: unknown): boolean {
  return codeOf(error) === "40003" || isConnectionLoss(error);
}
