import type { ReceivedHeaders } from "../calls/received.ts";
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { Failure } from "../kernel/failure.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";

/**
 * Throws `csrf_refused` where a browser says that the call comes from a page of another origin. Browsers that do
 * not say it by `Sec-Fetch-Site` (plain http) say it by `Origin`; what says neither is no page.
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

/** Throws `csrf_refused` unless the call carries the token of its session, and comes from our own page. */
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
