/** Operations are tried from an API's page in Chromium, before an API on this machine. */
import assert from "node:assert/strict";
import { type DemoServer, visit } from "./browser.ts";
import { openPortalDesk } from "./portal-desk.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

/** An API that says what it was asked; `allows`: the pages of this origin may call it. */
function startApi(allows: () => string) {
  const calls: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const cors = {
      "access-control-allow-origin": allows(),
      "access-control-allow-headers": "authorization, content-type, x-trace",
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-expose-headers": "x-left",
    };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    calls.push(`${request.method} ${pathname}${search} ${request.headers.get("authorization")}`);
    const text = `<b>${await request.text()}</b>`;
    return new Response(text, { status: 201, headers: { ...cors, "x-left": "7" } });
  });
  return { server, calls, url: `http://127.0.0.1:${server.addr.port}/tides` };
}

const DOCUMENT = {
  openapi: "3.0.0",
  info: { title: "Tides", version: "2" },
  servers: [{ url: "https://elsewhere.example.org" }],
  paths: {
    "/stations/{station}": {
      post: {
        summary: "A reading",
        parameters: [
          { name: "station", in: "path", required: true, schema: { type: "string" } },
          { name: "days", in: "query", schema: { type: "integer" } },
        ],
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      },
    },
    "/../../outside": { get: { summary: "Outside" } },
  },
};

/** Puts the base URL where only a client of the older interface may name this machine. */
async function callAt(server: DemoServer, base_url: string): Promise<void> {
  // as: the answer of the catalogue.
  const { apis } = await server.call("GET", "/api/portal/catalogue") as {
    apis: { api_id: string }[];
  };
  const documentation = JSON.stringify(DOCUMENT);
  await server.call("PUT", "/api/portal/catalogue", {
    apis: apis.map((one) => one.api_id === "Tides" ? { ...one, base_url, documentation } : one),
  });
}

/** Registers a developer with a key for a plan; gives what signs them in. */
async function withKey(server: DemoServer, id: string, plan: string): Promise<string> {
  await server.call("POST", "/v1/developers", { id, email: `${id}@example.org` });
  await server.call("POST", `/v1/developers/${id}/keys`, { plans: [plan] });
  await server.call("PUT", "/v1/developer-pages", { enabled: true, back_end_access: "all" });
  // as: the answer of createSignInLink.
  const { token } = await server.call("POST", `/v1/developers/${id}/sign-in-links`) as {
    token: string;
  };
  return token;
}

Deno.test("try: an operation is called with a key for the page, or says why not", async () => {
  await using desk = await openPortalDesk();
  const { server, ids } = desk;
  let allowed = server.url;
  const api = startApi(() => allowed);
  await using _api = api.server;
  await callAt(server, api.url);
  const token = await withKey(server, "ada", ids.Free ?? "");
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, {
    base: server.url,
    expected: /CORS|Failed to load|ERR_/,
  });
  const { page } = ada;
  await page.goto(`/portal/enter#${token}`);
  await page.getByRole("heading", { name: "APIs" }).waitFor();
  await page.goto("/portal/apis/Tides");
  await ada.show("portal/try-offered");
  await page.getByRole("button", { name: "Make a key for this page" }).click();
  await page.getByText("Each operation has a form now").waitFor();
  assert.match(page.url(), /\/portal\/apis\/Tides$/);
  const first = page.locator("details.operation").first();
  await first.locator("summary").click();
  await first.getByRole("textbox", { name: "station" }).fill("a/../b?c");
  await first.getByLabel("days").fill("3");
  await first.getByLabel("application/json").fill(`{"height": 2}`);
  await first.getByRole("button", { name: "Send" }).click();
  await first.getByText(/^201 Created · \d+ ms$/).waitFor();
  const shown = await first.locator("pre").textContent() ?? "";
  assert.match(shown, /x-left: 7/);
  assert.match(shown, /<b>\{"height": 2\}<\/b>$/);
  await ada.show("portal/try-answered");
  await page.setViewportSize({ width: 390, height: 780 });
  await ada.show("portal/try-answered-phone");
  const [call = ""] = api.calls;
  assert.match(call, /^POST \/tides\/stations\/a%2F\.\.%2Fb%3Fc\?days=3 \S+$/);
  const [, , key = ""] = call.split(" ");
  const body = { key, api_id: "Tides" };
  const verified = await server.call("POST", "/v1/keys/verify", body) as { valid: boolean };
  assert.equal(verified.valid, true);
  // No path leads out of the base URL.
  const outside = page.locator("details.operation").nth(1);
  await outside.locator("summary").click();
  await outside.getByRole("button", { name: "Send" }).click();
  await outside.getByText("would leave the base URL").waitFor();
  // An API that does not allow the page is no dead end.
  allowed = "https://another.example.org";
  await first.getByRole("button", { name: "Send" }).click();
  await first.getByText("does not allow calls from this page (CORS)").waitFor();
  assert.equal(api.calls.length, 1);
  await page.goto("/portal/keys");
  await page.getByText("Test: Tides").waitFor();
  assert.deepEqual(ada.complaints, []);
});

Deno.test("try: a user name and an OAuth client call with credentials for the page", async () => {
  await using desk = await openPortalDesk();
  const { server, ids } = desk;
  const plan = ids.Free ?? "";
  const api = startApi(() => server.url);
  await using _api = api.server;
  await callAt(server, api.url);
  await using browser = await sharedBrowser();
  for (const [kind, id] of [["basic", "grace"], ["oauth", "joan"]] as const) {
    await server.call("PUT", `/v1/plans/${plan}`, { auth_type: kind });
    const token = await withKey(server, id, plan);
    await using developer = await visit(browser, { base: server.url });
    const { page } = developer;
    await page.goto(`/portal/enter#${token}`);
    await page.getByRole("heading", { name: "APIs" }).waitFor();
    await page.goto("/portal/apis/Tides");
    await page.getByRole("button", { name: "Make a key for this page" }).click();
    const first = page.locator("details.operation").first();
    await first.locator("summary").click();
    await first.getByRole("textbox", { name: "station" }).fill("a");
    await first.getByRole("button", { name: "Send" }).click();
    await first.getByText(/^201 Created/).waitFor();
    const [, , scheme = "", value = ""] = api.calls.at(-1)?.split(" ") ?? [];
    assert.equal(scheme, kind === "basic" ? "Basic" : "Bearer");
    const [username, password] = kind === "basic" ? atob(value).split(":") : [];
    const asked = kind === "basic" ? { username, password } : { key: value };
    const { valid, kind: found } = await server.call("POST", "/v1/keys/verify", {
      ...asked,
      api_id: "Tides",
      // as: the answer of verifyKey.
    }) as { valid: boolean; kind: string };
    assert.deepEqual({ valid, found }, { valid: true, found: kind });
    assert.deepEqual(developer.complaints, []);
  }
});
