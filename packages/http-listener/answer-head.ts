import { WrittenResponse } from "./written-response.ts";

/** The head of an answer, and what it says of what follows. */
interface AnswerHead {
  /** Up to and with the blank line; characters of Latin 1. */
  readonly text: string;
  /** False: the connection ends behind this answer. */
  readonly persists: boolean;
}

/**
 * How the end of an answer's body is found: by its length, by chunks, by the connection's end, or
 * there is none.
 */
export type Ending = number | "chunked" | "close" | "bodiless";

/** The length that a response says of itself; undefined where it says none. */
export function declaredLength(response: Response): number | undefined {
  const length = response.headers.get("content-length");
  return length === null ? undefined : Number(length);
}

/**
 * The head of a response (RFC 9112, 4), whose body ends so. `persists`: the connection may be used
 * again.
 */
export function answerHead(
  response: Response,
  minor: 0 | 1,
  ending: Ending,
  persists: boolean,
): AnswerHead {
  const { status } = response;
  let text = `HTTP/1.${minor} ${status} ${REASONS[status] ?? ""}\r\n`;
  let isLast = !persists || ending === "close";
  const written = response instanceof WrittenResponse ? response.written : undefined;
  if (written === undefined) {
    response.headers.forEach((value, name) => {
      if (name === "connection") isLast ||= value === "close";
      else if (name !== "content-length" || ending === "bodiless") text += `${name}: ${value}\r\n`;
    });
  } else {
    text += written;
  }
  if (typeof ending === "number") text += `content-length: ${ending}\r\n`;
  else if (ending === "chunked") text += "transfer-encoding: chunked\r\n";
  if (isLast) text += "connection: close\r\n";
  else if (minor === 0) text += "connection: keep-alive\r\n";
  return { text: `${text}date: ${httpDate()}\r\n\r\n`, persists: !isLast };
}

let second = 0;
let date = "";

/** The time as RFC 9110, 5.6.7 writes it, made once a second. */
function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
};
