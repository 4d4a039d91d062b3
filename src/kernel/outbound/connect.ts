import { connect, type LookupFunction, type Socket } from "node:net";
import { failedWords } from "./failed-words.ts";
import { type OutboundDenied, OutboundFailed } from "./outbound.ts";

/**
 * Opens a connection. `guard` hears its address before the first byte goes out, and says what
 * forbids it. Throws what `guard` gives, or OutboundFailed. Whoever gets the connection closes it.
 */
export function openConnection(
  to: { host: string; port: number; timeoutMs: number },
  { guard, lookup }: {
    guard(address: string): OutboundDenied | undefined;
    lookup?: LookupFunction;
  },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { host, port, timeoutMs } = to;
    const socket = connect({ host, port, ...lookup === undefined ? {} : { lookup } });
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const failed = (error: Error) => fail(new OutboundFailed(failedWords(error), { cause: error }));
    const timer = setTimeout(
      () => fail(new OutboundFailed(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    socket.once("error", failed);
    socket.once("connect", () => {
      const denied = guard(socket.remoteAddress ?? "");
      if (denied) return fail(denied);
      clearTimeout(timer);
      socket.off("error", failed);
      resolve(socket);
    });
  });
}
