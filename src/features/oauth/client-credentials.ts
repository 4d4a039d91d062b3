import { basicCredentials, type ClientCredentials } from "../../kernel/basic-credentials.ts";
import { Failure } from "../../kernel/failure.ts";

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
  if (!presented?.client_id || !presented.client_secret) throw new Failure("oauth_invalid_client");
  if (body.client_secret !== undefined) {
    throw refused("client_secret: must not stand in the body beside the Authorization header");
  }
  if (body.client_id !== undefined && body.client_id !== presented.client_id) {
    throw refused("client_id: is not the one of the Authorization header");
  }
  return presented;
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
