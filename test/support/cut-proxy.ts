/** A TCP proxy before a PostgreSQL that loses what a network loses, at the worst moment. */

/** What happens to the next commit that comes by. */
export type Loss =
  /** The server commits, its answer is dropped and both connections are closed. */
  | "answer"
  /** It never reaches the server: both connections are closed before. */
  | "commit"
  /** The server commits, and its answer waits for `answerLate`; no connection is closed. */
  | "delayed"
  /**
   * The client's connection is closed; the commit waits for `deliverLate` and reaches the server
   * then.
   */
  | "late";

/** A proxy on a port of 127.0.0.1. */
export interface CutProxy extends AsyncDisposable {
  readonly port: number;
  /** The same URL, through this proxy. */
  through(url: string): string;
  /** Loses the next commit so. */
  loseNext(loss: Loss): void;
  /** How many commits were lost so far. */
  losses(): number;
  /** Sends on the commit that was held back; gives the server's answer. */
  deliverLate(): Promise<string>;
  /** Lets the answer through that was delayed. */
  answerLate(): void;
  /**
   * From now on nothing passes in either direction, and nothing is closed: what a firewall that
   * drops does.
   */
  silence(): void;
  /** Closes all connections and refuses new ones. */
  refuse(): void;
  /** Everything passes again, on new connections. */
  restore(): void;
}

interface Pair {
  client: Deno.TcpConn;
  server: Deno.TcpConn;
  /** The server's next answer goes here and not to the client. */
  swallowed: PromiseWithResolvers<string> | undefined;
  /** The server's answers wait for this. */
  delayed: Promise<void> | undefined;
  /** A commit that is delivered late keeps its way to the server. */
  held: boolean;
}

/** Starts a proxy before the server of this URL. */
export function cutProxy(url: string): CutProxy {
  const target = new URL(url);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pairs = new Set<Pair>();
  let mode: "pass" | "silent" | "refuse" = "pass";
  let next: Loss | undefined;
  let losses = 0;
  const late = Promise.withResolvers<() => Promise<string>>();

  let answerLate = () => {};

  const close = (...connections: Deno.TcpConn[]) => {
    for (const connection of connections) {
      try {
        connection.close();
      } catch {
        // The other direction has closed it already.
      }
    }
  };
  const cut = (pair: Pair) => {
    pairs.delete(pair);
    close(pair.client, pair.server);
  };

  const lose = async (loss: Loss, pair: Pair, commit: Uint8Array) => {
    losses++;
    if (loss === "commit") return cut(pair);
    if (loss === "delayed") {
      const { promise, resolve } = Promise.withResolvers<void>();
      pair.delayed = promise;
      answerLate = resolve;
      return await write(pair.server, commit);
    }
    const answer = Promise.withResolvers<string>();
    pair.swallowed = answer;
    if (loss === "answer") return await write(pair.server, commit);
    pair.held = true;
    close(pair.client);
    late.resolve(async () => {
      await write(pair.server, commit);
      const text = await answer.promise;
      cut(pair);
      return text;
    });
  };

  const fromClient = async (pair: Pair) => {
    const buffer = new Uint8Array(65536);
    for (;;) {
      const length = await pair.client.read(buffer);
      if (length === null) return;
      if (mode === "silent") continue;
      const bytes = buffer.slice(0, length);
      const at = next === undefined ? -1 : startOfCommit(bytes);
      await write(pair.server, at === -1 ? bytes : bytes.subarray(0, at));
      if (next === undefined || at === -1) continue;
      const loss = next;
      next = undefined;
      await lose(loss, pair, bytes.subarray(at));
      if (loss === "late") return;
    }
  };
  const fromServer = async (pair: Pair) => {
    const buffer = new Uint8Array(65536);
    let swallowed = "";
    for (;;) {
      const length = await pair.server.read(buffer);
      const bytes = buffer.slice(0, length ?? 0);
      await pair.delayed;
      if (pair.swallowed) {
        swallowed += new TextDecoder().decode(bytes);
        // What was asked before the commit is answered before it.
        if (length !== null && !/COMMIT\0|SERROR\0|SFATAL\0/.test(swallowed)) continue;
        return pair.swallowed.resolve(swallowed);
      }
      if (length === null) return;
      if (mode !== "silent") await write(pair.client, bytes);
    }
  };
  const serve = async (client: Deno.TcpConn) => {
    if (mode === "refuse") return close(client);
    const { hostname, port } = target;
    const server = await Deno.connect({ hostname, port: Number(port) }).catch(() => undefined);
    if (!server) return close(client);
    const pair: Pair = { client, server, swallowed: undefined, delayed: undefined, held: false };
    pairs.add(pair);
    await Promise.race([fromClient(pair), fromServer(pair)]).catch(() => {});
    if (!pair.held) cut(pair);
  };
  const accepting = (async () => {
    for await (const client of listener) void serve(client);
  })().catch(() => {});

  return {
    port: listener.addr.port,
    through: (original) => {
      const through = new URL(original);
      through.hostname = "127.0.0.1";
      through.port = String(listener.addr.port);
      return through.href;
    },
    loseNext: (loss) => void (next = loss),
    losses: () => losses,
    deliverLate: async () => await (await late.promise)(),
    answerLate: () => answerLate(),
    silence: () => void (mode = "silent"),
    refuse: () => {
      mode = "refuse";
      for (const pair of pairs) cut(pair);
    },
    restore: () => {
      mode = "pass";
      for (const pair of pairs) cut(pair);
    },
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const pair of pairs) cut(pair);
      await accepting;
    },
  };
}

/**
 * The engine ends a transaction that has written by one simple query, behind what else was still to
 * be sent. Where it begins; -1 where it is not there.
 */
function startOfCommit(bytes: Uint8Array): number {
  const text = new TextDecoder("latin1").decode(bytes);
  if (!text.endsWith("; commit\0")) return -1;
  return text.lastIndexOf("insert into commits ") - 5;
}

async function write(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
}
