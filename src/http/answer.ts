import { Answer, isPieces, type Pieces } from "../kernel/answer.ts";

/** The headers that every answer carries. */
export const securityHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
} as const;

/** The same for an answer without a body. */
const { "content-type": _, ...withoutType } = securityHeaders;
export const bodilessHeaders: Readonly<Record<string, string>> = withoutType;

/** What a handler gave, an `Answer` or a value, as a response. To HEAD it has the same headers and no body. */
export function successResponse(output: unknown, requestId: string, method: string): Response {
  const { body, headers: own, status } = output instanceof Answer
    ? output
    : new Answer(JSON.stringify(output));
  if (body === null) return bodilessResponse(status, own, requestId);
  if (isPieces(body) || body instanceof Uint8Array) {
    const headers = { ...securityHeaders, "x-request-id": requestId, ...own };
    if (isPieces(body)) return new Response(encodePieces(body), { status, headers });
    const length = String(body.length);
    // as: a file's bytes lie in memory of their own.
    const sent = method === "HEAD" ? null : body as Uint8Array<ArrayBuffer>;
    return new Response(sent, { status, headers: { ...headers, "content-length": length } });
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (method !== "HEAD") return textResponse(text, status, requestId, own);
  const length = String(new TextEncoder().encode(text).length);
  const headers = { ...securityHeaders, "x-request-id": requestId, ...own };
  return new Response(null, { status, headers: { ...headers, "content-length": length } });
}

/**
 * The headers are set afterwards: given together with a text, the runtime makes a native copy of the whole answer
 * and registers it for finalization, which costs more than all else here.
 */
function textResponse(
  text: string,
  status: Status,
  requestId: string,
  own: Readonly<Record<string, string>>,
): Response {
  const response = status === 200 ? new Response(text) : new Response(text, { status });
  const { headers } = response;
  setAll(headers, securityHeaders);
  headers.set("x-request-id", requestId);
  setAll(headers, own);
  return response;
}

type Status = Answer<unknown>["status"];

/** What every answer carries is in a copy already; a runtime that is given a whole list compares all with all. */
function bodilessResponse(
  status: Status,
  headers: Readonly<Record<string, string>>,
  requestId: string,
): Response {
  const response = BODILESS[status].clone();
  const own = response.headers;
  own.set("x-request-id", requestId);
  setAll(own, headers);
  return response;
}

const bodiless = (status: number) => new Response(null, { status, headers: bodilessHeaders });
const BODILESS = {
  200: bodiless(200),
  202: bodiless(202),
  401: bodiless(401),
  403: bodiless(403),
  429: bodiless(429),
  503: bodiless(503),
};

function setAll(own: Headers, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) own.set(name, headers[name] ?? "");
}

/** Pulls the next piece when the client has taken the one before, so that a slow client costs one piece of memory. */
function encodePieces(pieces: Pieces): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await pieces.return();
    },
  }, { highWaterMark: 0 });
}
