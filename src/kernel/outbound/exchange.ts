import { type ClientRequest, type IncomingMessage, request as sendHttp } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as secure } from "node:tls";
import { failedWords } from "./failed-words.ts";
import {
  type ClientCertificate,
  type Destination,
  type OutboundAnswer,
  type OutboundCall,
  type OutboundDenied,
  OutboundFailed,
} from "./outbound.ts";

/**
 * Makes a call on a connection of its own. `guard` hears the address of the open connection before
 * the first byte goes out, and says what forbids it. Throws what `guard` gives, or OutboundFailed.
 */
export function exchange(
  call: OutboundCall,
  to: Destination,
  { guard, ca, lookup, client }: {
    guard(address: string): OutboundDenied | undefined;
    ca?: string;
    lookup?: LookupFunction;
    client?: ClientCertificate | undefined;
  },
): Promise<Omit<OutboundAnswer, "durationMs">> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: to.host,
      port: to.port,
      ...lookup === undefined ? {} : { lookup },
    });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const failed = (error: Error) => fail(new OutboundFailed(failedWords(error), { cause: error }));
    const timer = setTimeout(
      () => fail(new OutboundFailed(`no answer within ${call.timeoutMs} ms`)),
      call.timeoutMs,
    );
    const talk = (open: Socket) => {
      const sent = ask(call, to.url, open);
      sent.on("error", failed);
      sent.once("upgrade", () => fail(new OutboundFailed("the answer is no answer of HTTP")));
      sent.once("response", (answer: IncomingMessage) => {
        read(answer, call.keptBytes).then((body) => {
          end(() => resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), body }));
        }, failed);
      });
    };
    socket.on("error", failed);
    socket.once("connect", () => {
      const denied = guard(socket.remoteAddress ?? "");
      if (denied) return fail(denied);
      if (!to.isSecure) return talk(socket);
      const servername = isIP(to.host) === 0 ? to.host : "";
      const open = secure({
        socket,
        servername,
        host: to.host,
        ...ca === undefined ? {} : { ca },
        ...client,
      });
      open.on("error", failed);
      open.once("secureConnect", () => talk(open));
    });
  });
}

/** Sends the call on an open connection, which is closed after the answer. */
function ask(call: OutboundCall, url: URL, open: Socket): ClientRequest {
  const body = typeof call.body === "string" ? new TextEncoder().encode(call.body) : call.body;
  const sent = sendHttp({
    createConnection: () => open,
    method: call.method,
    host: url.hostname,
    path: url.pathname + url.search,
    headers: {
      ...call.headers,
      host: url.host,
      connection: "close",
      ...body === undefined ? {} : { "content-length": body.byteLength },
    },
  });
  sent.end(body);
  return sent;
}

/** The beginning of an answer's body, as text. */
async function read(answer: IncomingMessage, keptBytes: number): Promise<string> {
  const kept = new Uint8Array(keptBytes);
  let length = 0;
  for await (const chunk of answer) {
    const part = chunk.subarray(0, keptBytes - length);
    kept.set(part, length);
    length += part.byteLength;
    if (length === keptBytes) break;
  }
  return new TextDecoder().decode(kept.subarray(0, length));
}

function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
