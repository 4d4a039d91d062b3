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
    const headers = { ...bodilessHeaders, "x-request-id": requestId, ...output.headers };
    return new Response(null, { status: output.status, headers });
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
  if (method !== "HEAD") return new Response(text, { headers });
  const length = String(new TextEncoder().encode(text).length);
  return new Response(null, { headers: { ...headers, "content-length": length } });
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
