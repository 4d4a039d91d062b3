import { join } from "node:path";
import { lstat, readFile } from "node:fs/promises";
import { readFileIfThere } from "../../../kernel/durable-file.ts";
import { randomBytes, toHex } from "../../../kernel/ids.ts";
import type { Wanted } from "../gateway.ts";
import {
  type Brought,
  type Checked,
  GatewayAway,
  type KeyThere,
  type Kind,
  type Opened,
  type Trial,
  Undone,
} from "../kind.ts";
import { HaproxySocket } from "./haproxy-socket.ts";
import { configOf } from "./agentgateway-config.ts";
import { entryOf } from "./map-entry.ts";
import { MapFile, nameIn, writeInPlace } from "./map-file.ts";
import { filesOf, type MapSettings } from "./map-settings.ts";

/** So many keys are put into a file at once. */
const AT_ONCE = 500;
/** Keys that are brought in this time share one file. */
const GATHERED_MS = 5;
/** A key that a proxy is tried by opens no longer. */
const TRIAL_SECONDS = 600;
/** More changes than this, and the proxy is given the whole map. */
const MOST_COMMANDS = 2000;

/** A batch for the next file, and the callbacks of its keys. */
interface Batch {
  readonly changes: Map<string, string | undefined>;
  readonly written: Promise<void>;
}

/**
 * A proxy that goes by the SHA-256 of keys: a file in the server administrator's folder, and
 * HAProxy's map in memory. The file is on the disk before the proxy is updated, so that a proxy
 * that starts reads the newest decisions. While the proxy is unavailable files are still written.
 */
export class HashGateway implements Kind {
  readonly atOnce = AT_ONCE;
  readonly #file: MapFile;
  readonly #socket: HaproxySocket | undefined;
  #canary = "";
  #batch: Batch | undefined;
  #last: Promise<void> = Promise.resolve();
  /** Why the proxy was not updated; "": it was. */
  #proxyAway = "";

  constructor(
    private readonly to: {
      readonly folder: string;
      readonly id: string;
      readonly map: MapSettings;
      readonly socket: HaproxySocket | undefined;
    },
  ) {
    this.#file = new MapFile(join(to.folder, filesOf(to.id).map));
    this.#socket = to.socket;
  }

  /** A file that is not where it was is of another machine: it is not made anew unasked. */
  async open(canary: string): Promise<Opened> {
    await written(async () => {
      const mark = await this.#file.mark();
      if (mark === undefined && canary !== "") {
        throw new Error(
          "its file is not in KEYDESK_GATEWAY_FOLDER: make an empty one if it is lost",
        );
      }
      const name = nameIn(mark ?? "");
      this.#canary = name === "" || name !== canary && canary !== "" ? toHex(randomBytes(8)) : name;
      if (this.#canary === name) return;
      await this.#file.empty(this.#canary);
      await this.#writeConfig(await this.#file.mark() ?? "");
    });
    return { canary: this.#canary, date: NaN };
  }

  nameOf(key: KeyThere): Promise<string> {
    return Promise.resolve(key.key_id);
  }

  nameIn(row: { key_id: string }): string {
    return row.key_id;
  }

  async bring(key: KeyThere, wanted: Wanted): Promise<Brought> {
    await this.#put(key.key_id, entryFor(key, wanted));
    if (this.#proxyAway !== "") throw new Undone(this.#proxyAway);
    return {};
  }

  async compare(key: KeyThere, wanted: Wanted): Promise<string> {
    const entry = entryFor(key, wanted);
    const only = new Map([[key.key_id, entry]]);
    const said = (place: string, found: ReadonlyMap<string, string>) => {
      const is = found.get(key.key_id);
      return is === entry ? "" : `${is ?? "nothing"} in its ${place}, ${entry ?? "nothing"} here`;
    };
    const inFile = said("file", await written(() => this.#file.find(only)));
    if (inFile !== "" || !this.#socket) return inFile;
    const socket = this.#socket;
    return said("memory", await written(async () => socket.find(await socket.map(), [key.key_id])));
  }

  async names(): Promise<ReadonlySet<string>> {
    return await written(async () => {
      const names = new Set<string>();
      for await (const group of this.#file.entries()) for (const [hash] of group) names.add(hash);
      return names;
    });
  }

  /** A proxy goes by what is beside each hash, and has no plans. */
  writePlans(): Promise<string[]> {
    return Promise.resolve([]);
  }

  check(): Promise<Checked> {
    return Promise.resolve({ findings: [] });
  }

  /**
   * A hash in the proxy's memory, which no file has: who reads the file sees nothing of it. It is
   * of no text.
   */
  trial(_probe_url: string, left = toHex(randomBytes(32))): Promise<Trial | undefined> {
    const socket = this.#socket;
    if (!socket) return Promise.resolve(undefined);
    const put = (entry?: string) =>
      written(async () => socket.put(await socket.map(), left, entry));
    return Promise.resolve({
      name: left,
      how: "read",
      hasQuota: false,
      make: async () => {
        await written(() => this.#requireSocket());
        const expires = Math.floor(Date.now() / 1000) + TRIAL_SECONDS;
        await put(entryOf("keydesk-canary", { plans: [], expires }));
      },
      opens: () => written(async () => (await socket.find(await socket.map(), [left])).has(left)),
      end: () => put(),
    });
  }

  /** A proxy that started meanwhile, or missed a change, is given the whole map. */
  async finish(): Promise<void> {
    await this.#last;
    if (this.#proxyAway === "") {
      const mark = await written(() => this.#file.mark()) ?? "";
      await this.#report(new Map(), { before: mark, after: mark });
    }
    if (this.#proxyAway !== "") throw new GatewayAway(this.#proxyAway);
  }

  /** All that is put within a few milliseconds, or while a file is written, shares the next one. */
  #put(hash: string, entry: string | undefined): Promise<void> {
    const batch = this.#batch ??= this.#begin();
    batch.changes.set(hash, entry);
    return batch.written;
  }

  #begin(): Batch {
    const changes = new Map<string, string | undefined>();
    const before = this.#last;
    const write = async () => {
      await before.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, GATHERED_MS));
      this.#batch = undefined;
      await this.#write(changes);
    };
    const ended = write();
    this.#last = ended.catch(() => {});
    return { changes, written: ended };
  }

  async #write(changes: ReadonlyMap<string, string | undefined>): Promise<void> {
    const marks = await written(async () => {
      const both = await this.#file.change(changes);
      await this.#writeConfig(both.after);
      return both;
    });
    this.#proxyAway = "";
    await this.#report(changes, marks);
  }

  /** The mark in the proxy's memory says which file it goes by; of another one it is given all. */
  async #report(
    changes: ReadonlyMap<string, string | undefined>,
    { before, after }: { before: string; after: string },
  ): Promise<void> {
    const socket = this.#socket;
    if (!socket) return;
    try {
      await this.#requireSocket();
      const map = await socket.map();
      const mark = await socket.mark(map);
      if (mark === after && changes.size === 0) return;
      if (mark !== after && mark !== before || changes.size > MOST_COMMANDS) {
        return await socket.replace(map, this.#file.entries(), after);
      }
      await socket.change(map, changes, after);
    } catch (error) {
      this.#proxyAway = `the proxy was not told: ${wordsOf(error)}`;
    }
  }

  /** A link or a file of that name leads elsewhere. */
  async #requireSocket(): Promise<void> {
    if (this.to.map.socket !== "unix") return;
    const path = join(this.to.folder, filesOf(this.to.id).socket);
    if (!(await lstat(path)).isSocket()) throw new Error("there is something else in its place");
  }

  /** Unless it says already that it is of this mark: one that failed is written the next time. */
  async #writeConfig(mark: string): Promise<void> {
    if (this.to.map.form !== "agentgateway") return;
    const { template, config } = filesOf(this.to.id);
    const path = join(this.to.folder, config);
    const first = `# ${mark}\n`;
    if ((await readFileIfThere(path))?.startsWith(first)) return;
    const text = await readFile(join(this.to.folder, template), "utf8");
    await writeInPlace(path, configOf(first + text, this.#file.entries()));
  }
}

function entryFor(key: KeyThere, wanted: Wanted): string | undefined {
  return wanted.is === "open" ? entryOf(key.developer_id, wanted) : undefined;
}

/** Throws GatewayAway in the place of what files and sockets throw. */
async function written<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new GatewayAway(wordsOf(error), { cause: error });
  }
}

/** The error without the paths that errors of files have. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "it failed";
  // The server's file permissions are fixed when it starts.
  if (error.name === "NotCapable") {
    return "this server was started before its socket or folder was there: start it anew";
  }
  if (!("code" in error) || typeof error.code !== "string") return error.message;
  return WORDS[error.code] ?? `${error.code}`;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "a file or socket of it is not in KEYDESK_GATEWAY_FOLDER",
  ENOSPC: "no space is left for its file",
  EDQUOT: "no space is left for its file",
  EACCES: "this server may not write or use it",
  EPERM: "this server may not write or use it",
  EROFS: "its folder can't be written",
  ECONNREFUSED: "no process listens at its socket",
};
