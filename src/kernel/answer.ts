/**
 * Text that is made piece by piece while it is sent: each piece when the client has taken the one
 * before.
 */
export type Pieces = AsyncGenerator<string, void, void>;

/**
 * An answer that says more than a value. A text, bytes and pieces are sent as they are, which is
 * JSON unless a header names another type; null is no body; any other body is sent as JSON.
 */
export class Answer<Body> {
  constructor(
    readonly body: Body,
    /**
     * Headers of its own, which stand in place of the usual ones of that name. Names in lower case,
     * values visible ASCII.
     */
    readonly headers: Readonly<Record<string, string>> = {},
    readonly status: 200 | 202 | 304 | 401 | 403 | 409 | 422 | 429 | 503 = 200,
    /** True of a text that is a list without pages. */
    readonly isWholeList: boolean = false,
    /** True: it holds no secret, although its endpoint shows secrets to those who may read them. */
    readonly holdsNoSecret: boolean = false,
  ) {}
}

/** Whether a body is sent piece by piece. */
export function isPieces(body: unknown): body is Pieces {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Characters of a text that is sent whole although it is made piece by piece: about a thousand
 * certificates with every detail. A client that reads nothing holds so much of the server's memory,
 * and no more.
 */
const SHORT = 1280 * 1024;
/** The text of the pieces where it is short, else the same pieces. */
export async function textIfShort(pieces: Pieces): Promise<string | Pieces> {
  const made: string[] = [];
  for (let length = 0; length <= SHORT;) {
    const next = await pieces.next();
    if (next.done) return made.join("");
    made.push(next.value);
    length += next.value.length;
  }
  return behind(made, pieces);
}

/** The pieces after the first one is made, so that an error in it is an error of the call. */
export async function begun(pieces: Pieces): Promise<Pieces> {
  const first = await pieces.next();
  return behind(first.done ? [] : [first.value], pieces);
}

async function* behind(made: readonly string[], pieces: Pieces): Pieces {
  try {
    yield* made;
    yield* pieces;
  } finally {
    await pieces.return();
  }
}

/** The headers of an answer that a client is to keep as a file. */
export function fileHeaders(contentType: string, fileName: string): Record<string, string> {
  return {
    "content-type": contentType,
    "content-disposition": `attachment; filename="${fileName}"`,
  };
}
