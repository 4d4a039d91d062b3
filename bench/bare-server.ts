/**
 * The bare server of the comparison: the same runtime answers the same bytes from memory, with the headers that
 * Keydesk sends. It reads a body where there is one, and does nothing with it.
 */
import { securityHeaders } from "../src/http/answer.ts";

const [bodyFile = "", given] = Deno.args;
const body = await Deno.readTextFile(bodyFile) || null;
const headers: Record<string, string> = given
  ? JSON.parse(given)
  : { ...securityHeaders, "x-request-id": crypto.randomUUID() };

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })),
}, async (request) => {
  if (request.body) await request.bytes();
  return new Response(body, { headers });
});
