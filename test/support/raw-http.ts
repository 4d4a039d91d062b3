import { isolation, memory } from "../../bin/isolation.js";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { inTime } from "../../src/kernel/in-time.ts";
import { startServer } from "../../src/server.ts";
import { type Engine, openTestDesk, type TestDesk } from "./desk.ts";
import { PATIENCE_MS } from "./eventually.ts";
import { mainModule } from "./program.ts";

/** Where a server listens. */
export interface Address {
  hostname: string;
  port: number;
}

/** One answer as it stood on the wire. */
export interface RawAnswer {
  version: string;
  status: number;
  /** Names in lower case; the values of a name that came twice are joined by ", ". */
  headers: Map<string, string>;
  body: string;
}

/** A TCP connection to a server, on which a test writes what no HTTP client would. */
export class RawConnection implements Disposable {
  readonly #socket: Deno.TcpConn;
  #unread = new Uint8Array();
  #ended = false;
  #closed = false;

  private constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
  }

  /** Connects. */
  static async open({ hostname, port }: Address): Promise<RawConnection> {
    return new RawConnection(await Deno.connect({ hostname, port }));
  }

  /**
   * Writes all of it. A server that has closed meanwhile is no error: what it answered is still to
   * be read.
   */
  async send(...parts: (string | Uint8Array)[]): Promise<void> {
    try {
      for (const part of parts) {
        let bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
        while (bytes.length > 0) bytes = bytes.subarray(await this.#socket.write(bytes));
      }
    } catch (error) {
      if (!isLoss(error)) throw error;
    }
  }

  /**
   * The next answer; undefined when the server closes before a whole one. `bodiless`: it answers
   * HEAD.
   */
  async answer(bodiless = false): Promise<RawAnswer | undefined> {
    const head = await this.#until("\r\n\r\n");
    if (head === undefined) return undefined;
    const [first = "", ...lines] = head.split("\r\n");
    const [version = "", status = ""] = first.split(" ");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const before = headers.get(name);
      const value = line.slice(colon + 1).trim();
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    const empty = bodiless || Number(status) < 200;
    const body = empty ? "" : await this.#body(headers);
    return body === undefined ? undefined : { version, status: Number(status), headers, body };
  }

  /** Everything up to the end of the connection. Fails the test when the server does not close. */
  async rest(): Promise<string> {
    while (await this.#more());
    return this.#take(this.#unread.length);
  }

  /** Reads once, into the void: how many bytes came, 0 at the end of the connection. */
  async sip(): Promise<number> {
    this.#unread = new Uint8Array();
    return await this.#more() ? this.#unread.length : 0;
  }

  /** Says that nothing more will be sent, and still listens. */
  async finishSending(): Promise<void> {
    await this.#socket.closeWrite();
  }

  /** Leaves at once. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #body(headers: Map<string, string>): Promise<string | undefined> {
    if (headers.get("transfer-encoding") === "chunked") return await this.#chunks();
    const length = headers.get("content-length");
    if (length === undefined) return await this.rest();
    while (this.#unread.length < Number(length)) if (!await this.#more()) return undefined;
    return this.#take(Number(length));
  }

  async #chunks(): Promise<string | undefined> {
    let body = "";
    while (true) {
      const size = await this.#until("\r\n");
      if (size === undefined) return undefined;
      const length = parseInt(size, 16);
      while (this.#unread.length < length + 2) if (!await this.#more()) return undefined;
      body += this.#take(length);
      this.#take(2);
      if (length === 0) return body;
    }
  }

  /** The text before `mark`, which is taken away too; undefined when the connection ends first. */
  async #until(mark: string): Promise<string | undefined> {
    while (true) {
      // Latin 1: a byte a character, so that positions agree.
      const at = new TextDecoder("latin1").decode(this.#unread).indexOf(mark);
      if (at >= 0) {
        const text = this.#take(at);
        this.#take(mark.length);
        return text;
      }
      if (!await this.#more()) return undefined;
    }
  }

  #take(length: number): string {
    const text = new TextDecoder().decode(this.#unread.subarray(0, length));
    this.#unread = this.#unread.subarray(length);
    return text;
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false;
    const buffer = new Uint8Array(65536);
    const count = await patiently("the server's next bytes", this.#socket.read(buffer)).catch(
      (error) => {
        if (isLoss(error)) return null;
        throw error;
      },
    );
    if (count === null) {
      this.#ended = true;
      return false;
    }
    const joined = new Uint8Array(this.#unread.length + count);
    joined.set(this.#unread);
    joined.set(buffer.subarray(0, count), this.#unread.length);
    this.#unread = joined;
    return true;
  }
}

/** A desk that listens on a port of its own, in this process. */
export interface ListeningDesk extends TestDesk {
  readonly address: Address;
  /**
   * A request's head: the line, Host, the administrator's credential, further lines, and the blank
   * one.
   */
  head(method: string, path: string, ...lines: string[]): string;
  connect(): Promise<RawConnection>;
}

/** Opens a desk, on SQLite unless said otherwise, and lets it listen. */
export async function openListeningDesk(
  environment: Record<string, string> = {},
  engine: Engine = "sqlite",
  clock?: Clock,
): Promise<ListeningDesk> {
  const desk = await openTestDesk(engine, { environment, clock });
  const { ctx } = desk.app;
  // The desk closes its store itself.
  const storage = { ...ctx.storage, close: () => Promise.resolve() };
  const server = await startServer(readConfig({ KEYDESK_PORT: "0" }), {
    ...desk.app,
    ctx: { ...ctx, storage },
  });
  const { address } = server;
  return {
    ...desk,
    address,
    head: (method, path, ...lines) => headOf(desk.admin, method, path, ...lines),
    connect: () => RawConnection.open(address),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await desk[Symbol.asyncDispose]();
    },
  };
}

/** A request's head with this credential. */
export function headOf(
  credential: string,
  method: string,
  path: string,
  ...lines: string[]
): string {
  const own = [`${method} ${path} HTTP/1.1`, "Host: desk.test", `Authorization: ${credential}`];
  return [...own, ...lines, "", ""].join("\r\n");
}

/** `keydesk serve` as a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly address: Address;
  readonly admin: string;
  /** The lines of its log so far, parsed. */
  readonly log: Record<string, unknown>[];
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  /** Ends it in an orderly way; resolves when the last line of its log is there. */
  stop(): Promise<void>;
}

/**
 * Starts `keydesk serve`, as the launcher does but with every grant, on a free port with a fresh
 * data directory and waits until it listens.
 */
export async function startServerProcess(
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-wire-" });
  const admin = `admin-${crypto.randomUUID()}`;
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...isolation, memory, mainModule, "serve"],
    cwd: root,
    env: {
      KEYDESK_DATA_DIR: folder,
      KEYDESK_PORT: "0",
      KEYDESK_ADMIN_TOKEN: admin,
      // The launcher says it, from the hard limit.
      KEYDESK_OPEN_FILES: "4096",
      ...environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const log: Record<string, unknown>[] = [];
  const listening = Promise.withResolvers<URL>();
  const reading = readLines(child.stdout, (line) => {
    log.push(line);
    if (typeof line.url === "string") listening.resolve(new URL(line.url));
  });
  child.status.then(() => listening.reject(new Error("the server ended")));
  const url = await patiently("the server to listen", listening.promise);
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    child.kill("SIGTERM");
    await patiently("the server to end", child.status);
    await reading;
    await Deno.remove(folder, { recursive: true });
  };
  return {
    address: { hostname: url.hostname, port: Number(url.port) },
    admin,
    log,
    memory: () => residentMemory(child.pid),
    stop: () => stopped ??= stop(),
    [Symbol.asyncDispose]: () => stopped ??= stop(),
  };
}

/** Linux says it in a file, other systems through `ps`. */
async function residentMemory(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => undefined);
  const kilobytes = status !== undefined
    ? /VmRSS:\s+(\d+) kB/.exec(status)?.[1]
    : new TextDecoder().decode(
      (await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] }).output()).stdout,
    );
  return Number(kilobytes) * 1024;
}

/** Fails when the promise takes longer than a test may wait. */
export async function patiently<T>(what: string, promise: Promise<T>): Promise<T> {
  return await inTime(promise, PATIENCE_MS, () => {
    throw new Error(`waited too long for ${what}`);
  });
}

async function readLines(
  stream: ReadableStream<Uint8Array>,
  take: (line: Record<string, unknown>) => void,
): Promise<void> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream() as TransformStream)) {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line !== "") take(JSON.parse(line));
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.ConnectionAborted || error instanceof Deno.errors.NotConnected;
}
