import { HttpListener, type ListenerOptions } from "../listener.ts";
import { BadRequest } from "../bad-request.ts";

/** A listener on a port of its own, without an application behind it; it ends with its test. */
export function openListener(
  options: Partial<ListenerOptions> = {},
): HttpListener & AsyncDisposable {
  const listener = new HttpListener({
    hostname: "127.0.0.1",
    port: 0,
    most: 1000,
    idleMs: 20_000,
    countedBy: (hostname) => hostname,
    handle: () => new Response("hello"),
    refuse: (error) =>
      error instanceof BadRequest
        ? new Response(error.message, { status: error.status })
        : new Response("failed", { status: 500 }),
    onRefused: () => {},
    ...options,
  });
  return Object.assign(listener, { [Symbol.asyncDispose]: () => listener.shutdown() });
}
