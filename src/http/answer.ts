import { HeadedAnswer, WrittenBytes, WrittenText } from "../lib/headed-answer.ts";
import { HeaderAnswer } from "../lib/header-answer.ts";
import { JsonStream, JsonText, TextStream } from "../lib/json-text.ts";

/** The headers that every answer carries. */
export const securityHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** The same for an answer without a body. */
const { "content-type": _, ...bodilessHeaders } = securityHeaders;

/** An answer with status 200: a value, JSON text, or a stream of it; or one with headers alone. To HEAD it has the same length and no body. */
export function successResponse(output: unknown, requestId: string, method: string): Response {
  if (output instanceof HeadedAnswer) {
    const response = successResponse(output.output, requestId, method);
    for (const [name, value] of Object.entries(output.headers)) response.headers.set(name, value);
    return response;
  }
  if (output instanceof HeaderAnswer) {
    return headerResponse(output, requestId);
  }
  const headers = { ...securityHeaders, "x-request-id": requestId };
  if (output instanceof JsonStream) return new Response(encodePieces(output.pieces), { headers });
  if (output instanceof TextStream) {
    const file = `attachment; filename="${output.fileName}"`;
    const own = { "content-type": output.contentType, "content-disposition": file };
    return new Response(encodePieces(output.pieces), { headers: { ...headers, ...own } });
  }
  if (output instanceof WrittenBytes) {
    const length = String(output.bytes.length);
    // as: a file's bytes lie in memory of their own.
    const body = method === "HEAD" ? null : output.bytes as Uint8Array<ArrayBuffer>;
    return new Response(body, { headers: { ...headers, "content-length": length } });
  }
  const isWritten = output instanceof JsonText || output instanceof WrittenText;
  const text = isWritten ? output.text : JSON.stringify(output);
  if (method !== "HEAD") return textResponse(text, headers);
  const length = String(new TextEncoder().encode(text).length);
  return new Response(null, { headers: { ...headers, "content-length": length } });
}

/**
 * The headers are set afterwards: given together with a text, the runtime makes a native copy of the whole answer
 * and registers it for finalization, which costs more than all else here.
 */
function textResponse(text: string, headers: Record<string, string>): Response {
  const response = new Response(text);
  setAll(response.headers, headers);
  return response;
}

/** What every answer carries is in a copy already; a runtime that is given a whole list compares all with all. */
function headerResponse({ status, headers }: HeaderAnswer, requestId: string): Response {
  const response = BODILESS[status].clone();
  const own = response.headers;
  own.set("x-request-id", requestId);
  setAll(own, headers);
  return response;
}

const bodiless = (status: number) => new Response(null, { status, headers: bodilessHeaders });
const BODILESS = { 200: bodiless(200), 401: bodiless(401), 403: bodiless(403), 429: bodiless(429) };

function setAll(own: Headers, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) own.set(name, headers[name] ?? "");
}

/** Pulls the next piece when the client has taken the one before, so that a slow client costs one piece of memory. */
function encodePieces(pieces: AsyncGenerator<string, void, void>): ReadableStream<Uint8Array> {
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
