import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as secure } from "node:tls";
import { failedWords } from "./failed-words.ts";
import { type OutboundDenied, OutboundFailed, type OutboundPlace } from "./outbound.ts";

/**
 * Opens a connection, by TLS where that is asked for. `guard` hears its address before the first
 * byte goes out, and says what forbids it. Throws what `guard` gives, or OutboundFailed. The caller
 * closes the connection.
 */
export function openConnection(
  { host, port, isSecure = false, timeoutMs }: OutboundPlace,
  { guard, ca, lookup }: {
    guard(address: string): OutboundDenied | undefined;
    ca?: string;
    lookup?: LookupFunction;
  },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
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
    const done = (open: Socket) => {
      clearTimeout(timer);
      open.off("error", failed);
      resolve(open);
    };
    socket.on("error", failed);
    socket.once("connect", () => {
      const denied = guard(socket.remoteAddress ?? "");
      if (denied) return fail(denied);
      if (!isSecure) return done(socket);
      const servername = isIP(host) === 0 ? host : "";
      const open = secure({ socket, servername, host, ...ca === undefined ? {} : { ca } });
      open.on("error", failed);
      open.once("secureConnect", () => done(open));
    });
  });
}
