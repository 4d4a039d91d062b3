import { join, resolve } from "node:path";
import { type Config, ConfigInvalid } from "../config.ts";
import { Failure } from "../kernel/failure.ts";
import { randomBytes, toHex } from "../kernel/ids.ts";
import { SealingKeysInvalid } from "../kernel/sealing/sealing-keys.ts";
import { nameOf, parsePostgresUrl } from "../storage/engines/postgres-url.ts";
import type { StoreInUse } from "../storage/engines/store-session.ts";
import { SEALING_KEY_FILE, StoreIncomplete } from "../store-files.ts";
import { SchemaTooNew, SchemaTooOld } from "../storage/schema-errors.ts";

/** Something that the operator can do something about; shown without a stack. */
export class OperatorError extends Error {
  /** The exit code of the process; undefined for the usual 1. */
  readonly exitCode: number | undefined;

  constructor(message: string, options: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = options.exitCode;
  }
}

/** Opens the store with `open`. Throws OperatorError, with place and reason, where that fails. */
export async function openingStore<T>(config: Config, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof ConfigInvalid || error instanceof StoreIncomplete) throw error;
    if (error instanceof SchemaTooNew || error instanceof SchemaTooOld) throw error;
    if (error instanceof SealingKeysInvalid) {
      throw new ConfigInvalid(unusableKeyText(config, error));
    }
    const reason = await roomProblem(config, error) ?? reasonOf(error);
    if (reason === undefined) throw error;
    throw new OperatorError(
      `can't open ${config.DATABASE_URL ? "" : "the store in "}${storePlace(config)}: ${reason}`,
      { cause: error },
    );
  }
}

/**
 * That there is no room on the disk of an SQLite store, where that is why it failed; undefined for
 * every other reason. SQLite calls it an I/O error where it can't make its shared memory, so a
 * write of that size is tried.
 */
export async function roomProblem(config: Config, error: unknown): Promise<string | undefined> {
  if (
    config.DATABASE_URL || !/disk I\/O error|disk is full|os error 28/.test(reasonOf(error) ?? "")
  ) {
    return undefined;
  }
  const path = join(resolve(config.DATA_DIR), `${toHex(randomBytes(6))}.room`);
  try {
    await Deno.writeFile(path, new Uint8Array(ROOM), { createNew: true, mode: 0o600 });
    return undefined;
  } catch (failed) {
    return /os error (28|122)\b/.test(reasonOf(failed) ?? "")
      ? "no room is left on its disk; make some, nothing that was answered as done is lost"
      : undefined;
  } finally {
    await Deno.remove(path).catch(() => {});
  }
}

/** The least size of SQLite's shared memory, in bytes. */
const ROOM = 32 * 1024;

/** That the file of the sealing key holds none, and what to do. */
export function unusableKeyText(config: Config, error: SealingKeysInvalid): string {
  const file = resolve(config.DATA_DIR, SEALING_KEY_FILE);
  return `${file} holds no usable key: ${error.message}; put the store's sealing key back, or give it as KEYDESK_SEALING_KEY`;
}

/** Listens with `listen`. Throws OperatorError, with address and reason, where that fails. */
export async function listening<T>(config: Config, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const reason = error instanceof Deno.errors.AddrInUse
      ? config.REUSE_PORT ? NOT_SHARED : "the address is in use"
      : reasonOf(error);
    if (reason === undefined) throw error;
    throw new OperatorError(
      `can't listen on ${config.HOST} port ${config.PORT} (KEYDESK_HOST, KEYDESK_PORT): ${reason}`,
      { cause: error },
    );
  }
}

const NOT_SHARED =
  "the address is in use by a process that does not share it: one without KEYDESK_REUSE_PORT=true, or of another user";

/** The problem with a named file or folder; undefined for an error of another kind. */
export function fileProblem(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  // The launcher grants nothing for a path where nothing was when it looked.
  if (error instanceof Deno.errors.NotCapable) {
    return "there is no such file, or it may not be opened";
  }
  if (error instanceof Deno.errors.PermissionDenied) return "may not be read or written";
  if (error instanceof Deno.errors.FilesystemLoop) return "is a link to itself";
  if (error instanceof Deno.errors.IsADirectory) return "is a folder";
  return undefined;
}

/**
 * The reason that the outside gave: system, SQLite or PostgreSQL. Undefined for a mistake in this
 * program.
 */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof Failure) {
    return error.cause === undefined ? undefined : reasonOf(error.cause);
  }
  // Every address of a host name failed; the first reason tells enough.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error) || MISTAKES.some((kind) => error instanceof kind)) return undefined;
  return error.message;
}

const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError];

/**
 * The location of the store, for people, with the setting that names it; never with a password.
 */
export function storePlace(config: Config): string {
  if (!config.DATABASE_URL) return `${resolve(config.DATA_DIR)} (KEYDESK_DATA_DIR)`;
  const names = parsePostgresUrl(config.DATABASE_URL).servers.map(nameOf);
  return `the database at ${names.join(", ")} (KEYDESK_DATABASE_URL)`;
}

/** The end of a sentence on a store that is in use: by whom, where that is known. */
export function usersOf({ message }: StoreInUse): string {
  return message === "" ? "" : `. Found: ${message}`;
}
