import { Buffer } from "node:buffer";
import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { Answer, isPieces, type Pieces } from "../kernel/answer.ts";
import {
  commonHeaders,
  wholeResponse,
  WrittenResponse,
} from "../../packages/http-listener/written-response.ts";
import { type Bytes, compressPieces, compressText, encodingFor, LEAST } from "./compression.ts";

/** The headers that every answer carries. */
export const securityHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
} as const;

/** The headers of an answer without a body. */
const { "content-type": _, ...withoutType } = securityHeaders;
export const bodilessHeaders: Readonly<Record<string, string>> = withoutType;

/** A request, as far as its answer goes by it. */
type Asking = Pick<ReceivedRequest, "method" | "headers">;

/** Pieces as they are sent. */
type SentPieces = AsyncGenerator<string | Uint8Array, void, void>;

/** A function that adds rests between pieces. */
type Pacing = (pieces: SentPieces) => SentPieces;

/**
 * The result of a handler, an `Answer` or a value, as a response: compressed if `mayCompress` and
 * the client takes that. To HEAD it has the same headers and no body. Pieces go through `pacing` as
 * they are sent, compressed or not.
 */
export function successResponse(
  output: unknown,
  requestId: string,
  asking: Asking,
  mayCompress = false,
  pacing: Pacing = (pieces) => pieces,
): Response | Promise<Response> {
  const answer = asSent(output);
  const accepted = mayCompress && isWorthwhile(answer)
    ? asking.headers.get("accept-encoding")
    : null;
  return accepted === null
    ? respondPlainly(answer, requestId, asking.method, pacing)
    : variedResponse(answer, requestId, asking.method, accepted, pacing);
}

/**
 * Whether an answer gains by being compressed: a text that is not short, in no encoding yet. One
 * with a tag stays as it is, since its tag names its bytes and callers send it back as it came.
 */
function isWorthwhile({ body, headers, status }: Answer<Sent>): boolean {
  if (status !== 200 || headers["content-encoding"] || headers["etag"]) return false;
  return typeof body === "string" ? body.length >= LEAST : isPieces(body);
}

/** In the encoding that suits the client best, or as it is; the next client's may differ. */
function variedResponse(
  answer: Answer<Sent>,
  requestId: string,
  method: string,
  accepted: string,
  pacing: Pacing,
): Response | Promise<Response> {
  const { body, headers, status } = answer;
  const vary = headers["vary"] ? `${headers["vary"]}, Accept-Encoding` : "Accept-Encoding";
  const encoding = encodingFor(accepted);
  if (encoding === undefined) {
    const plain = new Answer(body, { ...headers, vary }, status);
    return respondPlainly(plain, requestId, method, pacing);
  }
  const own = {
    ...securityHeaders,
    "x-request-id": requestId,
    ...headers,
    vary,
    "content-encoding": encoding,
  };
  if (isPieces(body)) {
    // To HEAD nothing is made.
    if (method === "HEAD") return new Response(null, { status, headers: own });
    const sent = streamPieces(pacing(compressPieces(body, encoding)));
    return new Response(sent, { status, headers: own });
  }
  const respond = (bytes: Bytes) =>
    respondWith(method === "HEAD" ? null : bytes, {
      status,
      headers: { ...own, "content-length": String(bytes.length) },
    });
  // as: isWorthwhile lets through texts and pieces alone.
  const bytes = compressText(body as string, encoding);
  return bytes instanceof Promise ? bytes.then(respond) : respond(bytes);
}

/** The response without compression. */
export function plainResponse(output: unknown, requestId: string, method: string): Response {
  return respondPlainly(asSent(output), requestId, method, (pieces) => pieces);
}

/** A body that is sent as it is; any other value as JSON. */
type Sent = string | Uint8Array | Pieces | null;

function asSent(output: unknown): Answer<Sent> {
  const { body, headers, status } = output instanceof Answer ? output : new Answer(output);
  const isSent = body === null || typeof body === "string" || body instanceof Uint8Array ||
    isPieces(body);
  if (output instanceof Answer && isSent) return output;
  return new Answer(JSON.stringify(body), headers, status);
}

function respondPlainly(
  answer: Answer<Sent>,
  requestId: string,
  method: string,
  pacing: Pacing,
): Response {
  const { headers: own, status } = answer;
  const body = method === "HEAD" ? answer.body : encodedOf(answer) ?? answer.body;
  if (body === null) return bodilessResponse(status, own, requestId);
  if (isPieces(body) || body instanceof Uint8Array) {
    const headers = { ...securityHeaders, "x-request-id": requestId, ...own };
    if (isPieces(body)) return new Response(streamPieces(pacing(body)), { status, headers });
    const length = String(body.length);
    // as: a file's bytes lie in memory of their own.
    const sent = method === "HEAD" ? null : body as Uint8Array<ArrayBuffer>;
    return respondWith(sent, { status, headers: { ...headers, "content-length": length } });
  }
  if (method !== "HEAD") return textResponse(body, status, requestId, own);
  const length = String(new TextEncoder().encode(body).length);
  const headers = { ...securityHeaders, "x-request-id": requestId, ...own };
  return new Response(null, { status, headers: { ...headers, "content-length": length } });
}

/** The bytes of long texts beyond ASCII, while their answers are kept (kernel/read-cache.ts). */
const ENCODED = new WeakMap<Answer<Sent>, Uint8Array>();

/**
 * A long text in UTF-8 where it has a character beyond ASCII: to encode it costs fifty times what
 * it costs to copy the bytes, so that an answer that is given again has them.
 */
function encodedOf(answer: Answer<Sent>): Uint8Array | undefined {
  const { body } = answer;
  if (typeof body !== "string" || body.length < LONG) return undefined;
  const known = ENCODED.get(answer);
  if (known || Buffer.byteLength(body) === body.length) return known;
  const bytes = new TextEncoder().encode(body);
  ENCODED.set(answer, bytes);
  return bytes;
}

/** In characters: shorter texts are encoded while they are sent. */
const LONG = 4096;

function respondWith(body: Uint8Array<ArrayBuffer> | null, init: ResponseInit): Response {
  return body === null ? new Response(null, init) : wholeResponse(body, init);
}

const WITH_BODY = commonHeaders(securityHeaders);
const WITHOUT_BODY = commonHeaders(bodilessHeaders);

function textResponse(
  text: string,
  status: Status,
  requestId: string,
  own: Readonly<Record<string, string>>,
): Response {
  return new WrittenResponse(text, status, WITH_BODY, requestId, own);
}

type Status = Answer<unknown>["status"];

function bodilessResponse(
  status: Status,
  own: Readonly<Record<string, string>>,
  requestId: string,
): Response {
  return new WrittenResponse(null, status, WITHOUT_BODY, requestId, own);
}

/**
 * Pulls the next piece when the client has taken the one before, so that a slow client costs one
 * piece of memory.
 */
function streamPieces(pieces: SentPieces): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const asBytes = (piece: string | Uint8Array) =>
    typeof piece === "string" ? encoder.encode(piece) : piece;
  return new ReadableStream({
    async pull(controller) {
      let next = await pieces.next();
      // An empty one would end the body.
      while (!next.done && next.value.length === 0) next = await pieces.next();
      if (next.done) controller.close();
      else controller.enqueue(asBytes(next.value));
    },
    async cancel() {
      await pieces.return();
    },
  }, { highWaterMark: 0 });
}
