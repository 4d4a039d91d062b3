/**
 * A browser's question before a call (CORS preflight): refused at the documented files as they are,
 * answered by the API with their lines for it; and a page of another origin calls by its key.
 */
import assert from "node:assert/strict";
import { keydesk } from "../../../test/support/command.ts";
import { startServerProcess, withFolder } from "../../../test/support/processes.ts";
import { type DoorSettings, proxies, type Reached, startGateway } from "../../support/proxies.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const API = "weather";
const QUESTION = {
  origin: "https://app.example.org",
  "access-control-request-method": "GET",
  "access-control-request-headers": "authorization",
};
/** What of a question never reaches the API. */
const OWN = {
  authorization: "Bearer of-the-visitor",
  cookie: "session=of-the-visitor",
  "x-keydesk-developer": "of-the-visitor",
  x_keydesk_developer: "of-the-visitor",
};

/** An API that lets pages of other origins call, and remembers what reached it. */
function startOpenApi() {
  const reached: Reached[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { method, headers, url } = request;
    reached.push({ method, headers, path: new URL(url).pathname, body: "" });
    const allowed = {
      "access-control-allow-origin": headers.get("origin") ?? "",
      "access-control-allow-headers": "authorization",
    };
    return method === "OPTIONS"
      ? new Response(null, { status: 204, headers: allowed })
      : new Response("served by the API", { headers: allowed });
  });
  const [address, shutdown] = [`127.0.0.1:${server.addr.port}`, () => server.shutdown()];
  return { address, reached, [Symbol.asyncDispose]: shutdown };
}

/** What a page of another origin gets by its own `fetch`. */
async function fetchedInBrowser(url: string, key: string): Promise<string> {
  await using page = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response("<!doctype html><title>App</title>", {
        headers: { "content-type": "text/html" },
      }),
  );
  await using browser = await sharedBrowser();
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`http://127.0.0.1:${page.addr.port}/`);
    return await tab.evaluate(async ([url = "", key = ""]) => {
      try {
        return await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).text();
      } catch (error) {
        return String(error);
      }
    }, [`${url}/forecast`, key]);
  } finally {
    await context.close();
  }
}

/** The lines of a documented file that let the API answer the questions of browsers. */
const allowCors = (text: string) => text.replaceAll("#cors ", "");

for (const kind of proxies) {
  Deno.test(`${kind}: a browser's question passes by the lines for it, and by nothing less`, async () => {
    await withFolder(async (dataDir) => {
      await using api = startOpenApi();
      await using server = await startServerProcess({ dataDir });
      const words = ["token", "create", "gateway", "--allow", "verify"];
      const token = await keydesk(words, { KEYDESK_DATA_DIR: dataDir });
      const settings: DoorSettings = {
        API_ADDRESS: api.address,
        API_ID: API,
        DESK_ADDRESS: `${server.hostname}:${server.port}`,
        DESK_CREDENTIAL: token.stdout.trim(),
        GATEWAY_NAME: "",
      };
      const access_rights = { [API]: { api_id: API } };
      const plan = await server.send("POST", "/v1/plans", { body: { name: "W", access_rights } });
      const developer = { id: "ada", email: "ada@example.org" };
      await server.send("POST", "/v1/developers", { body: developer });
      const issued = await server.send("POST", "/v1/developers/ada/keys", {
        body: { plans: [plan.body.id] },
      });
      const key: string = issued.body.RawKey;
      const ask = async (url: string, method: string, headers: Record<string, string>) => {
        const answer = await fetch(`${url}/forecast`, { method, headers });
        await answer.body?.cancel();
        return answer.status;
      };
      {
        await using door = await startGateway(kind, settings, dataDir);
        assert.equal(await ask(door.url, "OPTIONS", QUESTION), 401);
        assert.match(await fetchedInBrowser(door.url, key), /Failed to fetch/);
        assert.equal(api.reached.length, 0);
      }
      await using door = await startGateway(kind, settings, dataDir, allowCors);
      assert.equal(await ask(door.url, "OPTIONS", { ...QUESTION, ...OWN }), 204);
      const [reached] = api.reached.splice(0);
      assert.equal(reached?.headers.get("origin"), QUESTION.origin);
      assert.equal(reached?.headers.get("access-control-request-headers"), "authorization");
      const seen = JSON.stringify([...reached?.headers ?? []]);
      assert.ok(!seen.includes("of-the-visitor"), seen);
      // Nothing less than the whole question, and no other method.
      const { origin, "access-control-request-method": asked } = QUESTION;
      const parts: Record<string, string>[] = [
        {},
        { origin },
        { "access-control-request-method": asked },
        { origin, "access-control-request-method": "" },
      ];
      for (const less of parts) {
        assert.equal(await ask(door.url, "OPTIONS", less), 401, JSON.stringify(less));
      }
      for (const method of ["GET", "POST", "HEAD", "OPTIONSX"]) {
        assert.notEqual(await ask(door.url, method, QUESTION), 204, method);
      }
      assert.equal(api.reached.length, 0);
      assert.equal(await fetchedInBrowser(door.url, key), "served by the API");
      assert.deepEqual(api.reached.splice(0).map(({ method }) => method), ["OPTIONS", "GET"]);
    });
  });
}
