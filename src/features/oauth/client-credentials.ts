import { Buffer } from "node:buffer";
import { Failure } from "../../kernel/failure.ts";
import { LONGEST_CREDENTIAL_HEADER } from "../../kernel/input-limits.ts";

/** What an OAuth client presents. */
export interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

/**
 * The client's credentials, out of the `Authorization` header or the body (RFC 6749, 2.3.1). Throws
 * `oauth_invalid_client` where there are none, `invalid_input` where both stand there.
 */
export function presentedClient(
  authorization: string | null,
  body: { client_id?: string | undefined; client_secret?: string | undefined },
): ClientCredentials {
  if (authorization === null) {
    const { client_id, client_secret } = body;
    if (client_id === undefined || client_secret === undefined) {
      throw new Failure("oauth_invalid_client");
    }
    return { client_id, client_secret };
  }
  const presented = basicCredentials(authorization);
  if (!presented) throw new Failure("oauth_invalid_client");
  if (body.client_secret !== undefined) {
    throw refused("client_secret: must not stand in the body beside the Authorization header");
  }
  if (body.client_id !== undefined && body.client_id !== presented.client_id) {
    throw refused("client_id: is not the one of the Authorization header");
  }
  return presented;
}

/** RFC 7617, with both parts form-encoded before, as RFC 6749 wants. */
function basicCredentials(authorization: string): ClientCredentials | undefined {
  if (authorization.length > LONGEST_CREDENTIAL_HEADER) return undefined;
  const [, encoded] = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1) return undefined;
  const client_id = formDecoded(text.slice(0, colon));
  const client_secret = formDecoded(text.slice(colon + 1));
  return client_id && client_secret ? { client_id, client_secret } : undefined;
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
