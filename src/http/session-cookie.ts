import { LONGEST_CREDENTIAL_HEADER } from "../kernel/input-limits.ts";

const NAME = "keydesk_session";

/** The secret in the request's session cookie, the first of that name; undefined where it has none, or too much else. */
export function sessionSecretOf(headers: Headers): string | undefined {
  const header = headers.get("cookie");
  if (header === null || header.length > LONGEST_CREDENTIAL_HEADER) return undefined;
  const pairs = header.split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1).trim();
  // RFC 6265, 4.1.1. A secret is letters and digits, so that nothing in it is ever encoded.
  return value?.replace(/^"(.*)"$/, "$1");
}

/** The `Set-Cookie` that gives a browser its session for `lifeMs`: no script reads it, no other site sends it along. */
export function sessionCookie(secret: string, lifeMs: number, isSecure: boolean): string {
  return cookie(secret, Math.floor(lifeMs / 1000), isSecure);
}

/** The `Set-Cookie` that takes it away. */
export function endedSessionCookie(isSecure: boolean): string {
  return cookie("", 0, isSecure);
}

/**
 * True where the browser reached us by https. What a client claims of itself here changes its own cookie alone, so
 * the header needs no trusted proxy.
 */
export function isSecureCall(headers: Headers, publicUrl: string): boolean {
  return publicUrl.startsWith("https:") || headers.get("x-forwarded-proto") === "https";
}

function cookie(value: string, maxAge: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${NAME}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Strict`;
}
