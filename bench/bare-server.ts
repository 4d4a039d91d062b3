/**
 * The bare server of the comparison: the same runtime answers the same bytes from memory, with the
 * headers that Keydesk sends. It reads a body where there is one, and does nothing with it.
 */
import { securityHeaders } from "../src/http/answer.ts";

const [bodyFile = "", headersFile] = Deno.args;
const body = await Deno.readTextFile(bodyFile);
const headers: Record<string, string> = headersFile
  ? JSON.parse(await Deno.readTextFile(headersFile))
  : { ...securityHeaders, "x-request-id": crypto.randomUUID() };

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })),
}, async (request) => {
  if (request.body) await request.bytes();
  return new Response(body === "" ? null : body, { headers });
});
