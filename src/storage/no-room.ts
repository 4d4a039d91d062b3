import { Failure } from "../kernel/failure.ts";

/** SQLite's code for a full disk. */
export const SQLITE_NO_ROOM = "SQLITE_FULL";

/** The SQLSTATE of a full disk. */
export const POSTGRES_NO_ROOM = "53100";

/**
 * `unavailable` of a store whose disk is full. Its message names the engine's code, as `/readyz`
 * does, so that the caller knows why nothing was done.
 */
export function noRoomFailure(code: string, cause?: unknown): Failure {
  const name = code === POSTGRES_NO_ROOM ? `SQLSTATE ${code}` : code;
  const message = `Nothing was done: the disk of the store is full (${name}).`;
  return new Failure("unavailable", { message, cause });
}
