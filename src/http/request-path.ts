import type { ReceivedRequest } from "../calls/received.ts";
import { pathOf } from "./received-path.ts";

/**
 * The path by which a request is routed, percent-encoding taken off, except for `%25` and what would be a part of the
 * path's form, such as `%2F`; a slash at its end makes no other path. A path that is no percent-encoded UTF-8 is taken
 * letter by letter, since looking for the parts of it that are costs far more than sending them. So what is left of
 * percent-encoding always decodes.
 */
export function requestPath(request: ReceivedRequest): string {
  if (!hasPlainHost(request)) return NOWHERE;
  const received = pathOf(request.url);
  const path = received.includes("%") ? decoded(received) : received;
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** A path that no endpoint has. */
const NOWHERE = "//";

/**
 * False when the Host header would become part of the path: the runtime puts header and path together to one URL,
 * so that `Host: a/api?` could lead where a proxy, which looks at the path alone, has never looked.
 */
function hasPlainHost({ headers }: ReceivedRequest): boolean {
  // `has` comes first: the runtime then reads all headers at once, and each further one costs less.
  const host = headers.has("host") ? headers.get("host") : null;
  return host === null || !/[/?#\\]/.test(host);
}

function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path.replaceAll("%", "%25");
  }
}
