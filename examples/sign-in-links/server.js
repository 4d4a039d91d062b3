/**
 * A site of your own that sends its signed-in developer on to the developer's pages of Keydesk, by
 * a link: Node alone, nothing to install. `node server.js`, then http://localhost:8000.
 *
 *   KEYDESK_URL     where Keydesk's interface is, such as https://keys.example.org
 *   KEYDESK_PAGES   where its developer's pages are (KEYDESK_PORTAL_URL); else KEYDESK_URL
 *   KEYDESK_TOKEN   an access token with the permission act:developer, and no other
 *   PORT            8000
 */
import { createServer } from "node:http";
import process from "node:process";

const { KEYDESK_URL = "", KEYDESK_PAGES = KEYDESK_URL, KEYDESK_TOKEN = "", PORT = "8000" } =
  process.env;

/** Who is signed in at this site: here by its own cookie; put your own way in its place. */
function developerOf(request) {
  return /(?:^|; )member=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1];
}

/** A link that signs this developer in at their pages, once within a minute. */
async function linkFor(developer) {
  const path = `/v1/developers/${encodeURIComponent(developer)}/sign-in-links`;
  const answer = await fetch(new URL(path, KEYDESK_URL), {
    method: "POST",
    headers: { authorization: KEYDESK_TOKEN },
  });
  if (!answer.ok) throw new Error(`Keydesk answered ${answer.status}`);
  const { token } = await answer.json();
  // Behind "#": it is sent to no server, and stands in no log.
  return `${new URL("/portal/enter", KEYDESK_PAGES).href}#${token}`;
}

const PAGE = `<!doctype html>
<html lang="en">
<title>Our site</title>
<h1>Our site</h1>
<form method="post" action="/api-keys"><button>My API keys</button></form>
</html>
`;

const server = createServer(async (request, response) => {
  const developer = developerOf(request);
  if (request.method === "GET" && request.url === "/") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
    return;
  }
  if (request.method !== "POST" || request.url !== "/api-keys") {
    response.writeHead(404).end();
    return;
  }
  // A POST from this site alone: a link makes a session, and nobody else may have one made.
  if (request.headers["sec-fetch-site"] !== "same-origin" || developer === undefined) {
    response.writeHead(403).end("Sign in here first.\n");
    return;
  }
  try {
    response.writeHead(303, {
      location: await linkFor(developer),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    }).end();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    response.writeHead(502).end("The keys can't be shown now. Try again in a moment.\n");
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
