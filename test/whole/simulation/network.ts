/**
 * A network before a PostgreSQL, in which everything that a network does to bytes is decided by
 * whoever made it.
 */

/** What happens to some bytes that one side has sent. */
export type Weather =
  | { kind: "pass" }
  /** They come later, in their order. */
  | { kind: "delay"; ms: number }
  /** The first half of them comes; then both connections are closed. */
  | { kind: "tear" }
  /** They don't come, and both connections are closed. */
  | { kind: "cut" }
  /** They come; what answers them does not, and both connections are closed. */
  | { kind: "cutAfter" }
  /**
   * For so long nothing comes on this connection in either direction, and nobody is told; then it
   * is closed.
   */
  | { kind: "silence"; ms: number };

/** Decides about each piece. `isCommit`: with it a transaction that has written ends. */
export type Forecast = (side: "client" | "server", isCommit: boolean) => Weather;

/** A proxy on a port of 127.0.0.1. */
export interface Network extends AsyncDisposable {
  /** The same URL, through this network. */
  through(url: string): string;
  /** Closes every connection; `refused`: and takes no others until it is called with false. */
  cutAll(refused?: boolean): void;
  /** How often each kind of weather was had, passing left out. */
  readonly had: Map<Weather["kind"], number>;
}

interface Pair {
  client: Deno.TcpConn;
  server: Deno.TcpConn;
  isSilent: boolean;
  /** Whatever the server says to this goes nowhere. */
  isLost: boolean;
}

/** Starts one before the server of this URL. */
export function network(url: string, forecast: Forecast): Network {
  const { hostname, port } = new URL(url);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pairs = new Set<Pair>();
  const had = new Map<Weather["kind"], number>();
  let isRefused = false;

  const close = (pair: Pair) => {
    pairs.delete(pair);
    for (const connection of [pair.client, pair.server]) {
      try {
        connection.close();
      } catch {
        // The other direction has closed it already.
      }
    }
  };
  /** False: the connection is over. */
  const carry = async (pair: Pair, side: "client" | "server", bytes: Uint8Array) => {
    const to = side === "client" ? pair.server : pair.client;
    if (pair.isSilent) return true;
    if (side === "server" && pair.isLost) {
      close(pair);
      return false;
    }
    const weather = forecast(side, side === "client" && endsTransaction(bytes));
    if (weather.kind !== "pass") had.set(weather.kind, (had.get(weather.kind) ?? 0) + 1);
    switch (weather.kind) {
      case "delay":
        await new Promise((resolve) => setTimeout(resolve, weather.ms));
        break;
      case "tear":
        await write(to, bytes.subarray(0, Math.ceil(bytes.length / 2)));
        close(pair);
        return false;
      case "cut":
        close(pair);
        return false;
      case "cutAfter":
        pair.isLost = true;
        break;
      case "silence":
        pair.isSilent = true;
        setTimeout(() => close(pair), weather.ms);
        return true;
    }
    await write(to, bytes);
    return true;
  };
  const pump = async (pair: Pair, side: "client" | "server") => {
    const buffer = new Uint8Array(65536);
    for (;;) {
      const length = await pair[side].read(buffer);
      if (length === null || !await carry(pair, side, buffer.slice(0, length))) return;
    }
  };
  const serve = async (client: Deno.TcpConn) => {
    const server = isRefused
      ? undefined
      : await Deno.connect({ hostname, port: Number(port) }).catch(() => undefined);
    if (!server) return client.close();
    const pair: Pair = { client, server, isSilent: false, isLost: false };
    pairs.add(pair);
    await Promise.race([pump(pair, "client"), pump(pair, "server")]).catch(() => {});
    close(pair);
  };
  const accepting = (async () => {
    for await (const client of listener) void serve(client).catch(() => {});
  })().catch(() => {});

  return {
    had,
    through: (original) => {
      const through = new URL(original);
      through.hostname = "127.0.0.1";
      through.port = String(listener.addr.port);
      return through.href;
    },
    cutAll: (refused = false) => {
      isRefused = refused;
      for (const pair of pairs) close(pair);
    },
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const pair of pairs) close(pair);
      await accepting;
    },
  };
}

/** The engine ends a transaction that has written by one simple query. */
function endsTransaction(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes).endsWith("; commit\0");
}

async function write(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
}
