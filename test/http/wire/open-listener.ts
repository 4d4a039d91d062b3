import { HttpListener, type ListenerOptions } from "../../../src/http/wire/listener.ts";
import { asFailure, failureResponse } from "../../../src/http/failure-response.ts";

const ids = { request_id: "refused", caller_request_id: "", told: "refused" };

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
    refuse: (error) => failureResponse(asFailure(error), { ids, path: "-" }),
    onRefused: () => {},
    ...options,
  });
  return Object.assign(listener, { [Symbol.asyncDispose]: () => listener.shutdown() });
}
