/**
 * One store that commands reach by both of their doors: opened beside its server, and through that
 * server.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Ended, keydesk, temporaryFolder } from "./command.ts";
import { copySeeded } from "./seeded-store.ts";
import { type Served, startServerHere } from "./server-here.ts";

/** A plain seeded store with a server, and ways to call commands on it. */
export interface DeskWithDoors<Server extends Served = Served> extends AsyncDisposable {
  readonly server: Server;
  readonly settings: Readonly<Record<string, string>>;
  /** The administrator's access token. */
  readonly tokenFile: string;
  readonly folder: string;
  /** Runs a command on the store itself. */
  local(...words: string[]): Promise<Ended>;
  /** Runs it on the server, with nothing of the store in its settings. */
  remote(...words: string[]): Promise<Ended>;
  /** The ids of pending key requests, newest first. */
  pending(): Promise<string[]>;
}

/** Which door; each is a member of DeskWithDoors. */
export const doors = ["local", "remote"] as const;

/** Opens it, with the server in this process; `more`: of another engine than SQLite. */
export function openDoors(more: Record<string, string> = {}): Promise<DeskWithDoors> {
  return openDoorsOf(startServerHere, more);
}

/** Opens it with a server that `start` starts. */
export async function openDoorsOf<Server extends Served>(
  start: (settings: Record<string, string>) => Promise<Server>,
  more: Record<string, string> = {},
): Promise<DeskWithDoors<Server>> {
  const folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data"), ...more };
  if (more.KEYDESK_DATABASE_URL === undefined) {
    await copySeeded(settings.KEYDESK_DATA_DIR, true);
  } else {
    const seeded = await keydesk(["seed"], settings);
    assert.equal(seeded.code, 0, seeded.stderr);
  }
  const server = await start(settings);
  const tokenFile = join(settings.KEYDESK_DATA_DIR, "administrator-credential");
  const local = (...words: string[]) => keydesk(words, settings);
  return {
    server,
    settings,
    tokenFile,
    folder: folder.path,
    local,
    remote: (...words) => keydesk([...words, "--url", server.url, "--token-file", tokenFile], {}),
    pending: async () => {
      const { stdout } = await local("requests", "list", "--state", "pending", "--json");
      return linesOf(stdout).map(({ id }) => id);
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Objects, one a line. */
// deno-lint-ignore no-explicit-any -- a test says itself what it expects of them
export function linesOf(text: string): any[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}
