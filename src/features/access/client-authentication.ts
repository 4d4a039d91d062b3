import type { ReceivedHeaders } from "../../calls/received.ts";
import { contentTypeOf, parseFormBody } from "../../http/decode-body.ts";
import { basicCredentials } from "../../kernel/basic-credentials.ts";
import { Failure } from "../../kernel/failure.ts";

/**
 * The access token that a caller presents as an OAuth client its secret: after `Basic`, or as `client_secret` in the
 * form; empty where it can't be read. Undefined: the caller presents none so. Throws `invalid_input` where there is an
 * `Authorization` header and a `client_secret` (RFC 6749, 2.3: no more than one method).
 */
export function presentedAsClient(headers: ReceivedHeaders, body: Uint8Array): string | undefined {
  const authorization = headers.get("authorization");
  const inBody = secretIn(headers, body);
  if (authorization === null) return inBody;
  if (inBody !== undefined) {
    const message = "client_secret: must not stand in the body beside the Authorization header";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  if (!BASIC.test(authorization)) return undefined;
  return basicCredentials(authorization)?.client_secret ?? "";
}

const BASIC = /^\s*basic(\s|$)/i;

/** What is wrong with the form is said to those who may call. */
function secretIn(headers: ReceivedHeaders, body: Uint8Array): string | undefined {
  try {
    return parseFormBody(body, contentTypeOf(headers)).client_secret;
  } catch {
    return undefined;
  }
}
