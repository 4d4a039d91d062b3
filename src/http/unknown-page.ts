import type { ReceivedRequest } from "../calls/received.ts";
import { isOAuthPath, isV1Path } from "../contract/envelope.ts";
import { securityHeaders, wholeResponse } from "./answer.ts";

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
 * What a person's browser reads at a path that leads nowhere; undefined for programs, and below the
 * interfaces.
 */
export function unknownPage(
  request: ReceivedRequest,
  path: string,
  told: string,
): Response | undefined {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isCalled = isV1Path(path) || isOAuthPath(path) || path.startsWith("/api/");
  if (!isRead || isCalled || !isBrowser(request)) return undefined;
  return wholeResponse(PAGE, {
    status: 404,
    headers: {
      ...securityHeaders,
      "content-type": "text/html; charset=utf-8",
      "content-length": String(PAGE.length),
      "x-request-id": told,
      "x-keydesk-error": "unknown_path",
    },
  });
}

/** Programs that would take a page take anything, and say no more than that. */
function isBrowser(request: ReceivedRequest): boolean {
  return (request.headers.get("accept") ?? "").includes("text/html");
}
