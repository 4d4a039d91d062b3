import { Failure } from "../client/failure.ts";
import { type Client, type ClientOptions, createClient } from "../client/keydesk-client.ts";
import { fetchFrom } from "./fetch-from.ts";
import { OperatorError } from "./operator-error.ts";

/** A client of a server, and what its failures tell at a terminal. */
export interface ServerClient {
  client: Client;
  /**
   * The error that the latest call threw. If another server than Keydesk answered, or the access
   * token is not valid: an OperatorError with the request, its address, and the source of the
   * access token.
   */
  explained(error: unknown): unknown;
}

/** Without `token` no access token is sent. `source`: where it was found, as people know it. */
export function clientFor(
  url: string,
  token?: string,
  source = "",
  options: Pick<ClientOptions, "retries"> = {},
): ServerClient {
  let asked = url;
  const client = createClient({
    ...options,
    url,
    ...token === undefined ? {} : { credential: token },
    fetch: (request) => {
      const { origin, pathname } = new URL(request.url);
      asked = `${request.method} ${origin}${pathname}`;
      return fetchFrom(request);
    },
  });
  return { client, explained: (error) => explanation(error, asked, source) };
}

function explanation(error: unknown, asked: string, source: string): unknown {
  if (!(error instanceof Failure)) return error;
  if (error.code === "unknown") {
    return new OperatorError(`${asked}: HTTP ${error.status}, which is no answer of Keydesk`, {
      cause: error,
    });
  }
  if (error.code !== "not_authorised") return error;
  return new OperatorError(
    `${asked}: Not authorised by the access token in ${source} (not_authorised)`,
    { cause: error },
  );
}
