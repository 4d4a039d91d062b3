/** Where a response keeps the body that it was made of: asking the response itself makes a stream of it. */
const WHOLE = Symbol("whole body");

interface Remembering extends Response {
  [WHOLE]?: string | Uint8Array;
}

/** A response with this body, which `wholeBodyOf` knows. No copy is made of bytes: thousands may be sent the same. */
export function wholeResponse(
  body: string | Uint8Array<ArrayBuffer>,
  init?: ResponseInit,
): Response {
  const sent = typeof body === "string" ? body : streamOf(body);
  const response: Remembering = init === undefined ? new Response(sent) : new Response(sent, init);
  response[WHOLE] = body;
  return response;
}

/** The body that a response was made of; undefined where it has none, or is made while it is sent. */
export function wholeBodyOf(response: Response): string | Uint8Array | undefined {
  // as: wholeResponse alone knows the member's name.
  return (response as Remembering)[WHOLE];
}

/** For whoever reads the response itself, in process. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      // A stream takes away what it is given.
      controller.enqueue(bytes.slice());
      controller.close();
    },
  }, { highWaterMark: 0 });
}
