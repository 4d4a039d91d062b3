/** A TCP proxy that makes a server as far away as a number of milliseconds there and back. */

/** A proxy on a port of 127.0.0.1. */
export interface SlowProxy {
  port: number;
  /**
   * How often clients have asked something after an answer, all connections together: round trips.
   */
  roundTrips(): number;
  /** How often the server has answered, all connections together. */
  answers(): number;
  /** From now on each question takes so many milliseconds there and back. */
  slowTo(roundTripMs: number): void;
  /** How many clients, at the most, have waited at the same time to be let in. */
  mostWaiting(): number;
  /** Takes no further connections, and closes those that there are. */
  stop(): void;
}

/**
 * Starts a proxy before a server of 127.0.0.1: each direction takes half of `roundTripMs` longer,
 * and clients are let in one by one, `admissionMs` for each.
 */
export function slowProxy(target: number, roundTripMs: number, admissionMs = 0): SlowProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  let awayMs = roundTripMs;
  let roundTrips = 0;
  let answers = 0;
  let waiting = 0;
  let mostWaiting = 0;
  let admitted: Promise<unknown> = Promise.resolve();
  const accept = async () => {
    for await (const client of listener) {
      mostWaiting = Math.max(mostWaiting, ++waiting);
      admitted = admitted.then(() => new Promise((resolve) => setTimeout(resolve, admissionMs)))
        .then(() => waiting--).then(() => letIn(client));
      admitted.catch(() => {});
    }
  };
  const letIn = async (client: Deno.TcpConn) => {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: target });
    for (const connection of [client, server]) {
      connection.setNoDelay(true);
      open.add(connection);
    }
    let isAsking = false;
    const ask = () => {
      if (!isAsking) roundTrips++;
      isAsking = true;
    };
    const ended = Promise.all([
      carry(client, server, () => awayMs / 2, { taken: ask }),
      carry(server, client, () => awayMs / 2, {
        given: () => {
          if (isAsking) answers++;
          isAsking = false;
        },
      }),
    ]);
    // Either side may be gone while something is still under way to it.
    ended.catch(() => {}).finally(() => [client, server].forEach(close));
  };
  const close = (connection: Deno.TcpConn) => {
    if (open.delete(connection)) connection.close();
  };
  accept().catch(() => {});
  return {
    port: listener.addr.port,
    roundTrips: () => roundTrips,
    answers: () => answers,
    slowTo: (ms) => void (awayMs = ms),
    mostWaiting: () => mostWaiting,
    stop: () => {
      listener.close();
      for (const connection of [...open]) close(connection);
    },
  };
}

/** Sends on what comes in, in its order, each piece so many milliseconds after it came. */
async function carry(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  ms: () => number,
  told: { taken?: () => void; given?: () => void },
): Promise<void> {
  const buffer = new Uint8Array(65536);
  let sent = Promise.resolve();
  for (;;) {
    const length = await from.read(buffer);
    if (length === null) break;
    told.taken?.();
    const piece = buffer.slice(0, length);
    const due = new Promise((resolve) => setTimeout(resolve, ms()));
    sent = sent.then(() => due).then(() => {
      told.given?.();
      return writeAll(to, piece);
    });
    sent.catch(() => {});
  }
  await sent;
  await to.closeWrite();
}

async function writeAll(to: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await to.write(bytes.subarray(done));
}
