import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { ClientAddresses } from "../calls/abuse/client-addresses.ts";
import type { Peer, ReceivedHeaders } from "../../packages/http-listener/request.ts";
import { Failure } from "../kernel/failure.ts";
import { LONGEST_CREDENTIAL_HEADER, LONGEST_HEADER } from "../kernel/input-limits.ts";

/**
 * The kind of session: one of the console, or a developer's; or the ticket of a sign-in that has
 * begun.
 */
type SessionKind = "console" | "developer" | "passkey" | "provider" | "developer-provider";

/** On plain http. Any site of the same host can plant a cookie of these names. */
const PLAIN_NAMES = {
  console: "keydesk_session",
  developer: "keydesk_developer",
  passkey: "keydesk_passkey",
  provider: "keydesk_provider",
  "developer-provider": "keydesk_developer_provider",
};
/**
 * Over https: browsers take a cookie of this prefix from the host itself alone, over https and for
 * all its paths.
 */
const SECURE_NAMES = {
  console: "__Host-keydesk",
  developer: "__Host-keydesk-developer",
  passkey: "__Host-keydesk-passkey",
  provider: "__Host-keydesk-provider",
  "developer-provider": "__Host-keydesk-developer-provider",
};

/**
 * The secret in the request's session cookie, the first of the name that belongs to how the browser
 * came; undefined where it has none, or too much else.
 */
export function sessionSecretOf(
  headers: ReceivedHeaders,
  isSecure: boolean,
  kind: SessionKind = "console",
): string | undefined {
  const header = headers.get("cookie");
  if (header === null || header.length > LONGEST_CREDENTIAL_HEADER) return undefined;
  const name = nameFor(kind, isSecure);
  const pairs = header.split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1).trim();
  // RFC 6265, 4.1.1. A secret is letters, digits and a dot, so that nothing in it is encoded.
  return value?.replace(/^"(.*)"$/, "$1");
}

/**
 * The `Set-Cookie` that gives a browser its session for `lifeMs`: no script reads it, no other site
 * sends it along.
 */
export function sessionCookie(
  secret: string,
  lifeMs: number,
  isSecure: boolean,
  kind: SessionKind = "console",
): string {
  return cookie(kind, secret, Math.floor(lifeMs / 1000), isSecure);
}

/**
 * The headers that take it away, with what the browser keeps of this site. Not all cookies: the
 * browser would drop those of the whole domain.
 */
export function endedSessionHeaders(
  isSecure: boolean,
  kind: SessionKind = "console",
): Record<string, string> {
  return {
    "set-cookie": cookie(kind, "", 0, isSecure),
    "clear-site-data": '"cache", "storage"',
  };
}

/**
 * True where the browser reached us by https: by how people reach this server, or as a trusted
 * proxy says.
 */
export function isSecureCall(
  ctx: {
    readonly settings: { readonly publicUrl: string };
    readonly clientAddresses: ClientAddresses;
  },
  call: { readonly peer: Peer | undefined; readonly headers: ReceivedHeaders },
): boolean {
  return ctx.settings.publicUrl.startsWith("https:") || ctx.clientAddresses.saysHttps(call);
}

function nameFor(kind: SessionKind, isSecure: boolean): string {
  return (isSecure ? SECURE_NAMES : PLAIN_NAMES)[kind];
}

function cookie(kind: SessionKind, value: string, maxAge: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${
    nameFor(kind, isSecure)
  }=${value}; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Strict`;
}

/**
 * Throws `csrf_refused` where a browser says that the call comes from a page of another origin.
 * Browsers that do not say it by `Sec-Fetch-Site` (plain http) say it by `Origin`; what says
 * neither is no page.
 */
export function requireSameOrigin(headers: ReceivedHeaders, publicUrl: string): void {
  const site = headers.get("sec-fetch-site");
  if (site !== null) {
    if (site === "same-origin" || site === "none") return;
    throw new Failure("csrf_refused");
  }
  const origin = headers.get("origin");
  if (origin === null) return;
  const isReadable = origin.length <= LONGEST_HEADER && URL.canParse(origin);
  const host = isReadable ? new URL(origin).host : "";
  const own = publicUrl === "" ? undefined : new URL(publicUrl).host;
  if (host === "" || (host !== headers.get("host") && host !== own)) {
    throw new Failure("csrf_refused");
  }
}

/** Throws `csrf_refused` unless the call has its session's token, and comes from our own page. */
export function requireCsrfToken(
  headers: ReceivedHeaders,
  token: string,
  publicUrl: string,
): void {
  requireSameOrigin(headers, publicUrl);
  const sent = Buffer.from(headers.get("x-csrf-token") ?? "");
  const wanted = Buffer.from(token);
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) {
    throw new Failure("csrf_refused");
  }
}
