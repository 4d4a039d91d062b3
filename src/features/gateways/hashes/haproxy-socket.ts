import { connect, type Socket } from "node:net";
import type { Outbound } from "../../../kernel/outbound/outbound.ts";
import { isLoopback } from "../../../kernel/outbound/reachable.ts";
import { MARK } from "./map-file.ts";

/** An answer is awaited for so long. */
const ANSWER_MS = 5000;
/** Characters of commands that are sent at once: HAProxy reads no more than its buffer. */
const AT_ONCE = 12_000;

/**
 * The address of HAProxy's command interface: a socket in the operator's folder, or a port of this
 * machine.
 */
type SocketPlace = { readonly path: string } | { readonly host: string; port: number };

/** HAProxy's runtime interface, for one of its maps. Throws Error if a command fails. */
export class HaproxySocket {
  constructor(
    private readonly outbound: Pick<Outbound, "connect">,
    private readonly place: SocketPlace,
    /** The file's name without its folder, which may be another one where HAProxy runs. */
    private readonly name: string,
  ) {}

  /** How HAProxy calls the map of that file. */
  async map(): Promise<string> {
    const maps = (await this.#ask("show map")).split("\n");
    const ours = maps.map((line) => /^(-?\d+) \((\S+)\)/.exec(line))
      .find((found) => found?.[2]?.split("/").at(-1) === this.name);
    if (!ours?.[1]) throw new Error(`the proxy has no map ${this.name}`);
    return `#${ours[1]}`;
  }

  /** The mark in the proxy's memory; undefined: none. */
  async mark(map: string): Promise<string | undefined> {
    return (await this.find(map, [MARK])).get(MARK);
  }

  /** The entries of these hashes there. */
  async find(map: string, hashes: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const part of parts(hashes.map((hash) => `get map ${map} ${hash}`))) {
      for (const line of (await this.#ask(part.join(";"))).split("\n")) {
        const [, hash, entry] = /found=yes.* key="([^"]*)", value="([^"]*)"/.exec(line) ?? [];
        if (hash !== undefined && entry !== undefined) found.set(hash, entry);
      }
    }
    return found;
  }

  /** Brings some hashes to these entries, and the mark behind them; reads all of them back. */
  async change(
    map: string,
    changes: ReadonlyMap<string, string | undefined>,
    mark: string,
  ): Promise<void> {
    const there = await this.find(map, [...changes.keys()]);
    const commands = [...changes].flatMap(([hash, entry]) => {
      const is = there.get(hash);
      if (is === entry) return [];
      if (entry === undefined) return `del map ${map} ${hash}`;
      return `${is === undefined ? "add" : "set"} map ${map} ${hash} ${entry}`;
    });
    for (const part of parts([...commands, `set map ${map} ${MARK} ${mark}`])) {
      await this.#ask(part.join(";"));
    }
    const after = await this.find(map, [...changes.keys(), MARK]);
    const isDone = [...changes].every(([hash, entry]) => after.get(hash) === entry);
    if (!isDone || after.get(MARK) !== mark) throw new Error("the proxy did not take a change");
  }

  /** Puts one entry into the proxy's memory alone, beside its mark; undefined takes it away. */
  async put(map: string, hash: string, entry: string | undefined): Promise<void> {
    const is = (await this.find(map, [hash])).get(hash);
    if (is === entry) return;
    if (is !== undefined) await this.#ask(`del map ${map} ${hash}`);
    if (entry !== undefined) await this.#ask(`add map ${map} ${hash} ${entry}`);
  }

  /** Puts all entries in the place of those that stand there, at one moment. */
  async replace(
    map: string,
    entries: AsyncIterable<(readonly [hash: string, entry: string])[]>,
    mark: string,
  ): Promise<void> {
    const prepared = await this.#ask(`prepare map ${map}`);
    const [, version] = /created: (\d+)/.exec(prepared) ?? [];
    if (version === undefined) throw new Error(`the proxy prepares no map: ${prepared.trim()}`);
    const add = async (lines: string[]) => {
      for (const part of parts(lines)) {
        await this.#ask(`add map @${version} ${map} <<\n${part.join("\n")}\n`);
      }
    };
    for await (const group of entries) await add(group.map((line) => line.join(" ")));
    await add([`${MARK} ${mark}`]);
    await this.#ask(`commit map @${version} ${map}`);
    if (await this.mark(map) !== mark) throw new Error("the proxy did not take the map");
  }

  /** Sends commands of one line, and gives all that is answered. */
  async #ask(commands: string): Promise<string> {
    const socket = await this.#connect();
    try {
      return await answer(socket, `${commands}\n`);
    } finally {
      socket.destroy();
    }
  }

  async #connect(): Promise<Socket> {
    const { place } = this;
    if ("path" in place) {
      const socket = connect({ path: place.path });
      await new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("error", reject);
      });
      return socket;
    }
    const socket = await this.outbound.connect({ ...place, timeoutMs: ANSWER_MS });
    // No one has to show who they are there, and everybody between could read it.
    if (isLoopback(socket.remoteAddress ?? "")) return socket;
    socket.destroy();
    throw new Error("its socket is not on this machine");
  }
}

function answer(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = "";
    socket.setEncoding("utf8");
    socket.setTimeout(ANSWER_MS, () => reject(new Error("its socket does not answer")));
    socket.on("data", (piece: string) => all += piece);
    socket.on("error", reject);
    socket.on("close", () => resolve(all));
    socket.on("end", () => resolve(all));
    socket.write(text);
  });
}

/** Texts in groups that HAProxy reads at once. */
function* parts(texts: readonly string[]): Generator<string[], void, void> {
  let part: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (length + text.length > AT_ONCE && part.length > 0) {
      yield part;
      [part, length] = [[], 0];
    }
    part.push(text);
    length += text.length + 1;
  }
  if (part.length > 0) yield part;
}
