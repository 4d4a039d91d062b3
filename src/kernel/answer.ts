/** Text that is made piece by piece while it is sent: each piece when the client has taken the one before. */
export type Pieces = AsyncGenerator<string, void, void>;

/**
 * An answer that says more than a value. A text, bytes and pieces are sent as they are, which is JSON unless a header
 * names another type; null is no body; any other body is sent as JSON.
 */
export class Answer<Body> {
  constructor(
    readonly body: Body,
    /** Headers of its own, which stand in place of the usual ones of that name. Names in lower case, values visible ASCII. */
    readonly headers: Readonly<Record<string, string>> = {},
    readonly status: 200 | 202 | 401 | 403 | 429 | 503 = 200,
  ) {}
}

/** Whether a body is sent piece by piece. */
export function isPieces(body: unknown): body is Pieces {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** The headers of an answer that a client is to keep as a file. */
export function fileHeaders(contentType: string, fileName: string): Record<string, string> {
  return {
    "content-type": contentType,
    "content-disposition": `attachment; filename="${fileName}"`,
  };
}
