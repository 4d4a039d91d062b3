import type { ReceivedHeaders } from "../../packages/http-listener/request.ts";

/** By which a caller says for how many seconds it waits for an answer. */
const REQUEST_TIMEOUT = "x-request-timeout";

/** The longest that is worth heeding, in seconds: a day. */
const LONGEST = 86_400;

/**
 * For how long the caller of a request waits, in milliseconds. Infinity where it does not say, or
 * says anything but a number of seconds above zero: proxies on the way send the header in forms of
 * their own.
 */
export function requestTimeoutMs(headers: ReceivedHeaders): number {
  const text = headers.get(REQUEST_TIMEOUT);
  if (text === null || !/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Infinity;
  const seconds = Number(text);
  return seconds > 0 && seconds <= LONGEST ? seconds * 1000 : Infinity;
}
