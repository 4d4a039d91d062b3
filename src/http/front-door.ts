import type { ReceivedRequest } from "../calls/received.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";
import type { AccessLog } from "./access-log.ts";
import { bodilessHeaders, securityHeaders } from "./answer.ts";
import { requestIdsOf } from "./request-id.ts";

/** What browsers ask a server for before they know it. */
const ICON_PATH = "/favicon.ico";

/**
 * Answers what a browser asks for by itself: `/` leads to the console, and `/favicon.ico` is its picture. Undefined for
 * everything else, a program's `GET /` among it: there is nothing at that path but for who wants HTML.
 */
export function answerBrowser(request: ReceivedRequest, path: string, log: AccessLog) {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const isIcon = path === ICON_PATH;
  if (!isIcon && !(path === "/" && wantsHtml(request.headers.get("accept")))) return undefined;
  const started = performance.now();
  const ids = requestIdsOf(request);
  const response = isIcon
    ? new Response(ICON, {
      headers: {
        ...securityHeaders,
        "content-type": "image/svg+xml",
        "content-length": String(ICON.length),
        "cache-control": "public, max-age=86400",
      },
    })
    : new Response(null, {
      status: 302,
      headers: { ...bodilessHeaders, location: "/console", vary: "accept" },
    });
  response.headers.set("x-request-id", ids.told);
  log.request(request.method, path, response.status, started, ids);
  return response;
}

function wantsHtml(accept: string | null): boolean {
  return accept !== null && accept.length <= LONGEST_HEADER && /\btext\/html\b/i.test(accept);
}

/** The console's own, which has another name in each build: console/icon.svg. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">
  <rect width="20" height="20" rx="5" fill="#4150d6" />
  <path d="M6.6 4.8h2.1v4.5l4-4.5h2.6l-4 4.4 4.3 6h-2.6l-3.2-4.6-1.1 1.2v3.4H6.6z" fill="#fff" />
</svg>
`;
