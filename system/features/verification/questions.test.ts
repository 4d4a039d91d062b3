/**
 * What the proxies of docs/gateways ask, and what they make of the answers, before a desk that is a
 * plaything.
 */
import assert from "node:assert/strict";
import { withFolder } from "../../../test/support/processes.ts";
import { proxies, startApi, startGateway } from "../../support/proxies.ts";

/** Calls at once: more than the proxies keep open by themselves. */
const AT_ONCE = 100;
const ROUNDS = 5;
const PATIENCE_MS = 1000;

for (const kind of proxies) {
  Deno.test(`${kind}: asks about each call anew, with nothing of it but the key`, async () => {
    await withFolder(async (folder) => {
      const asked: Headers[] = [];
      await using desk = startDesk((request) => {
        asked.push(new Headers(request.headers));
        return allowed({ "cache-control": "public, max-age=3600", etag: '"1"' });
      });
      await using api = startApi();
      await using door = await startGateway(kind, settings(api.address, desk.address), folder);
      const call = (authorization: string) =>
        fetch(`${door.url}/forecast`, {
          method: "POST",
          headers: { authorization, cookie: "session=visitor" },
          body: "the visitor's words",
        });
      asked.splice(0);
      api.reached.splice(0);
      for (let n = 0; n < 3; n++) {
        const answer = await call("Bearer a-key");
        assert.deepEqual([answer.status, await answer.text()], [200, "served by the API"]);
      }
      assert.equal(asked.length, 3);
      for (const headers of asked) {
        assert.equal(headers.get("authorization"), "Bearer a-key");
        assert.equal(headers.get("x-keydesk-authorization"), "Bearer own-token");
        assert.equal(headers.get("cookie"), null);
        assert.equal(headers.get("content-length") ?? "0", "0");
        assert.equal(headers.get("transfer-encoding"), null);
      }
      assert.deepEqual(api.reached.map(({ body }) => body), Array(3).fill("the visitor's words"));
    });
  });

  Deno.test(`${kind}: lets nobody in on an answer that is no verdict, nor without one`, async () => {
    await withFolder(async (folder) => {
      let answer: () => Response | Promise<Response> = () => allowed();
      await using desk = startDesk(() => answer());
      await using api = startApi();
      await using door = await startGateway(kind, settings(api.address, desk.address), folder);
      api.reached.splice(0);
      const status = async () => {
        const response = await fetch(`${door.url}/forecast`, { redirect: "manual" });
        await response.body?.cancel();
        return response.status;
      };
      for (const wrong of [302, 400, 404, 500, 503]) {
        answer = () => new Response(null, { status: wrong, headers: { location: "/elsewhere" } });
        assert.notEqual(Math.floor(await status() / 100), 2, String(wrong));
      }
      // Longer than any proxy's patience.
      const hanging = Promise.withResolvers<Response>();
      answer = () => hanging.promise;
      assert.ok(await status() >= 500);
      hanging.resolve(allowed());
      assert.deepEqual(api.reached, []);
      answer = () => allowed();
      assert.equal(await status(), 200);
    });
  });

  Deno.test(`${kind}: keeps its connections to the desk open for ${AT_ONCE} calls at once`, async () => {
    await withFolder(async (folder) => {
      const ports = new Set<number>();
      const waiting: (() => void)[] = [];
      let limit: ReturnType<typeof setTimeout> | undefined;
      let wanted = 1;
      await using desk = startDesk(async (_request, port) => {
        ports.add(port);
        // All of a round are under way before the first is answered; a question that came twice
        // holds nobody up.
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          const goOn = () => {
            clearTimeout(limit);
            for (const go of waiting.splice(0)) go();
          };
          if (waiting.length >= wanted) goOn();
          else if (waiting.length === 1) limit = setTimeout(goOn, PATIENCE_MS);
        });
        return allowed();
      });
      await using api = startApi();
      await using door = await startGateway(kind, settings(api.address, desk.address), folder);
      ports.clear();
      wanted = AT_ONCE;
      for (let round = 0; round < ROUNDS; round++) {
        const calls = Array.from({ length: AT_ONCE }, async () => {
          const answer = await fetch(`${door.url}/forecast`);
          await answer.body?.cancel();
          return answer.status;
        });
        assert.deepEqual(await Promise.all(calls), Array(AT_ONCE).fill(200));
      }
      assert.ok(ports.size < 2 * AT_ONCE, `${ports.size} connections for ${ROUNDS} rounds`);
    });
  });
}

function settings(api: string, desk: string) {
  return {
    API_ADDRESS: api,
    API_ID: "weather",
    DESK_ADDRESS: desk,
    DESK_CREDENTIAL: "own-token",
    GATEWAY_NAME: "edge-1",
  };
}

function allowed(headers: Record<string, string> = {}): Response {
  const verdict = { "x-keydesk-key-id": "1", "x-keydesk-kind": "token" };
  return new Response(null, {
    headers: { ...verdict, "x-keydesk-developer": "ada", "x-keydesk-plans": "all", ...headers },
  });
}

/** Answers every question as it is told; `port` is the proxy's end of the connection. */
function startDesk(answer: (request: Request, port: number) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (r, info) => {
    return answer(r, info.remoteAddr.port);
  });
  return {
    address: `127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
