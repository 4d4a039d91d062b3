/**
 * Why a connection to another server failed, as a sentence for anyone who set it up, with the
 * system's code behind it where there is one. An unforeseen error is reported in the system's
 * words.
 */
export function failedWords(error: Error): string {
  // as: the system's errors carry a code, which their type does not say.
  const { code } = error as { code?: unknown };
  // A connection that ends within an answer is "aborted" and nothing else.
  const known = error.message === "aborted" || error.message === "socket hang up"
    ? ENDED
    : typeof code === "string"
    ? words[code]
    : undefined;
  if (known === undefined) return error.message;
  return typeof code === "string" ? `${known} (${code})` : known;
}

const ENDED = "the other side ended the connection before its answer was whole";

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: ENDED,
  EPIPE: ENDED,
  ENOTFOUND: "no server has this name",
  EAI_AGAIN: "the name could not be looked up now",
  EHOSTUNREACH: "no way leads there",
  ENETUNREACH: "no way leads there",
  ETIMEDOUT: "nothing answered there in time",
};
