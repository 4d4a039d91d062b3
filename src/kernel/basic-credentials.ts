import { Buffer } from "node:buffer";
import { LONGEST_CREDENTIAL_HEADER } from "./input-limits.ts";

/** The credentials of an OAuth client; either may be empty. */
export interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

/**
 * The credentials of an `Authorization` header after `Basic`: RFC 7617, with both parts
 * form-encoded before, as RFC 6749, 2.3.1 requires. Undefined if it can't be read.
 */
export function basicCredentials(authorization: string): ClientCredentials | undefined {
  if (authorization.length > LONGEST_CREDENTIAL_HEADER) return undefined;
  const [, encoded] = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1) return undefined;
  const client_id = formDecoded(text.slice(0, colon));
  const client_secret = formDecoded(text.slice(colon + 1));
  return client_id === undefined || client_secret === undefined
    ? undefined
    : { client_id, client_secret };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
