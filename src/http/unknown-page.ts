import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { isOAuthPath, isV1Path } from "../contract/envelope.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";
import { securityHeaders } from "./answer.ts";
import { wholeResponse } from "../../packages/http-listener/written-response.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Nothing is here</title>
</head>
<body>
<main>
<h1>Nothing is here</h1>
<p>This address leads nowhere. A part of a link may be missing: open it again from where it came, whole.</p>
<p><a href="/console">To the console</a></p>
</main>
</body>
</html>
`;

/**
 * The page for a person's browser at a path that does not exist; undefined for programs, and below
 * the interfaces.
 */
export function unknownPage(
  request: ReceivedRequest,
  path: string,
  requestId: string,
): Response | undefined {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isCalled = isV1Path(path) || isOAuthPath(path) || path.startsWith("/api/");
  if (!isRead || isCalled || !wantsHtml(request.headers.get("accept"))) return undefined;
  return wholeResponse(PAGE, {
    status: 404,
    headers: {
      ...securityHeaders,
      "content-type": "text/html; charset=utf-8",
      "content-length": String(PAGE.length),
      "x-request-id": requestId,
      "x-keydesk-error": "unknown_path",
    },
  });
}

/** Whether a person's browser asks: programs that would take a page take anything, and say so. */
export function wantsHtml(accept: string | null): boolean {
  return accept !== null && accept.length <= LONGEST_HEADER && /\btext\/html\b/i.test(accept);
}
