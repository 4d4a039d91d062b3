/** Desks whose audit log has a stream, and what stands there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Buffer } from "node:buffer";
import tls from "node:tls";
import { id_kp_serverAuth } from "@peculiar/asn1-x509";
import { statement } from "../../../src/storage/statement.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { makeStoreFolder } from "../../support/memory-folder.ts";
import { type Engine, openTestDesk, type TestDesk, testEachEngine } from "../../support/desk.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";
import { newKey } from "../../../packages/x509/test/support/keys.ts";

/** A row as it stands in the stream. */
export interface PlacedRow {
  id: string;
  action: string;
  actor: string;
  org_id: string;
  object_id: string;
}

/** Registers one test for each engine, with a folder for the file. */
export function testWithFile(
  promise: string,
  test: (
    place: { engine: Engine; path: string; open(settings?: Settings): Promise<TestDesk> },
  ) => Promise<void>,
): void {
  testEachEngine(promise, async (engine) => {
    const folder = await makeStoreFolder("keydesk-sink-");
    const path = join(folder, "trail.jsonl");
    const open = (settings: Settings = {}) =>
      openTestDesk(engine, {
        environment: { KEYDESK_AUDIT_STREAM: `file:${path}`, ...settings },
      });
    try {
      await test({ engine, path, open });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

export type Settings = Record<string, string>;

/** The whole lines of a file, and how many were torn. */
export async function rowsIn(path: string): Promise<PlacedRow[]> {
  const text = await Deno.readTextFile(path);
  return text.split("\n").filter((line) => line !== "").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** Every row of the audit log, the oldest first, as the export with its proof has them. */
export async function auditLogOf(
  desk: TestDesk,
): Promise<{ id: string; action: string; content_hash: string | null }[]> {
  const { reader } = desk.app.ctx.storage;
  return await reader.rows(eventsSql, {});
}

const eventsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("audit_events").select(["id", "action", "content_hash"]).orderBy("id")
);
const unsentSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("trail_unsent").select(["event_id"])
);

/** How many rows the store's list says that the place may lack. */
export async function unsentIn(desk: TestDesk): Promise<number> {
  return (await desk.app.ctx.storage.reader.rows(unsentSql, {})).length;
}

/** That every row of the audit log stands in the place, as it was written. */
export async function assertWhole(desk: TestDesk, contents: readonly string[]): Promise<void> {
  const hashes = new Set(contents.map((content) => sha256(`\0${content}`)));
  const missing = (await auditLogOf(desk)).filter(({ content_hash }) =>
    !hashes.has(content_hash ?? "")
  );
  assert.deepEqual(missing, []);
}

/** Adds a developer: one deed. */
export async function deed(desk: TestDesk, n: number, init: Settings = {}): Promise<Response> {
  return await desk.send("POST", "/v1/developers", {
    body: { email: `one${n}@example.org` },
    headers: init,
  });
}

/** An authority, and a certificate of it for a host. */
export function authority() {
  const root = issue({
    key: newKey("P-256"),
    days: 2,
    subject: { CN: "ca" },
    authority: true,
    keyIds: true,
  });
  const of = (name: string) =>
    issue({
      key: newKey("P-256"),
      days: 2,
      subject: { CN: name },
      issuer: root,
      names: name === "localhost"
        ? [{ dNSName: name }, { iPAddress: "127.0.0.1" }]
        : [{ dNSName: name }],
      usage: id_kp_serverAuth,
    });
  return { ca: root.certificate, of };
}

/** A receiver of syslog over TLS. */
export interface SyslogReceiver extends AsyncDisposable {
  readonly port: number;
  /** The messages, in the order in which they came. */
  readonly messages: string[];
  /** Connections that were made. */
  readonly connections: () => number;
  /** Ends all of them without a word, and loses what was not read. */
  cut(): void;
  /** From now on what is read is lost. */
  lose(): void;
}

/**
 * Listens, at this port or a free one. `most`: it ends a connection at a message of more octets;
 * `stays`: it ends no connection that its sender has ended.
 */
export async function syslogReceiver(
  { certificate, key }: { certificate: string; key: string },
  port = 0,
  { most = Infinity, stays = false } = {},
): Promise<SyslogReceiver> {
  const messages: string[] = [];
  const sockets = new Set<tls.TLSSocket>();
  let count = 0;
  let loses = false;
  const options = { cert: certificate, key, allowHalfOpen: stays };
  const server = tls.createServer(options, (socket) => {
    count++;
    sockets.add(socket);
    let unread = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes: Uint8Array) => {
      if (loses) return;
      unread = Buffer.concat([unread, bytes]);
      if (parseInt(unread.toString("latin1", 0, 10), 10) > most) return void socket.destroy();
      for (let frame = frameOf(unread); frame; frame = frameOf(unread)) {
        messages.push(frame.message);
        unread = unread.subarray(frame.length);
      }
    });
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    // as: it listens at a port.
    port: (server.address() as { port: number }).port,
    messages,
    connections: () => count,
    cut,
    lose: () => {
      loses = true;
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Takes connections over TLS, and reads none of them until it is told to. */
export function deafReceiver(
  { certificate, key }: { certificate: string; key: string },
): AsyncDisposable & { readonly port: number; listen(): void } {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert: certificate, key });
  const listening = Promise.withResolvers<void>();
  const readAll = async (connection: Deno.TlsConn) => {
    using open = connection;
    await open.handshake();
    await listening.promise;
    const unread = new Uint8Array(64 * 1024);
    while (await open.read(unread) !== null);
    await open.closeWrite();
  };
  const accepting = (async () => {
    const open: Promise<void>[] = [];
    // What its other side has given up is of no interest.
    for await (const connection of listener) open.push(readAll(connection).catch(() => {}));
    await Promise.all(open);
  })();
  return {
    port: listener.addr.port,
    listen: () => listening.resolve(),
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
    },
  };
}

function frameOf(bytes: Uint8Array): { message: string; length: number } | undefined {
  const blank = bytes.indexOf(32);
  if (blank < 0) return undefined;
  const size = Number(new TextDecoder().decode(bytes.subarray(0, blank)));
  const length = blank + 1 + size;
  if (bytes.length < length) return undefined;
  return { message: new TextDecoder().decode(bytes.subarray(blank + 1, length)), length };
}

/** The row's content in a message of RFC 5424. */
export function contentIn(message: string): string {
  return message.slice(message.indexOf("] {") + 2);
}
