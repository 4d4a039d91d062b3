import { parse, serialize } from "hono/utils/cookie";
import { SESSION_MS } from "../access/session.ts";

const NAME = "keydesk_session";

/** The secret in the request's session cookie; undefined where it has none. */
export function sessionSecretOf(headers: Headers): string | undefined {
  const header = headers.get("cookie");
  return header === null ? undefined : parse(header, NAME)[NAME];
}

/** The `Set-Cookie` that gives a browser its session: no script reads it, no other site sends it along. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return serialize(NAME, secret, { ...attributes(isSecure), maxAge: SESSION_MS / 1000 });
}

/** The `Set-Cookie` that takes it away. */
export function endedSessionCookie(isSecure: boolean): string {
  return serialize(NAME, "", { ...attributes(isSecure), maxAge: 0 });
}

/**
 * True where the browser reached us by https. What a client claims of itself here changes its own cookie alone, so
 * the header needs no trusted proxy.
 */
export function isSecureCall(headers: Headers, publicUrl: string): boolean {
  return publicUrl.startsWith("https:") || headers.get("x-forwarded-proto") === "https";
}

function attributes(secure: boolean) {
  return { httpOnly: true, sameSite: "Strict", path: "/", secure } as const;
}
