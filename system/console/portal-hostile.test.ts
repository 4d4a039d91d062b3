/**
 * Texts that were written to do harm, in Chromium: what a developer writes, before an administrator
 * in the console, and what administrators and portals write, at the developer's pages.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type DemoServer, signIn, startDemoServer, visit, type Visitor } from "./browser.ts";
import { cutOff } from "./look.ts";
import { send } from "./portal-desk.ts";

/** Scripts in each way that HTML runs them, and what turns the direction of what comes after. */
const PLAIN = `"'></textarea><img src=x onerror=alert(1)><script>alert(2)</script>`;
const EVIL = `${PLAIN}\u202egnp`;
/** What of it stands in a page that shows it. */
const SHOWN = "<img src=x onerror=alert(1)>";

/** Calls as the administrator. */
const caller = (server: DemoServer) => (method: string, path: string, body?: unknown) =>
  // as: each caller below knows what its call answers.
  server.call(method, path, body) as Promise<Record<string, string>>;

/** A person whose dialogs are complaints: none of these pages opens one. */
async function watched(visitor: Visitor): Promise<Page> {
  visitor.page.on("dialog", (dialog) => {
    visitor.complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await visitor.page.setViewportSize({ width: 1360, height: 820 });
  return visitor.page;
}

/** Fails unless a page shows the text as one, and made no element of it. */
async function assertText(page: Page, where: string): Promise<void> {
  await page.waitForFunction(
    (shown) =>
      document.body.innerText.includes(shown) ||
      [...document.querySelectorAll("input, textarea")].some((one) =>
        // as: the selector's own.
        (one as HTMLInputElement).value.includes(shown)
      ),
    SHOWN,
  );
  const made = await page.locator("img[src=x], main script, [onerror]").count();
  assert.equal(made, 0, where);
  // Of what a row shortens, the whole stands in its drawer.
  const wide = (await cutOff(page)).filter((line) => line.startsWith("page: "));
  assert.deepEqual(wide, [], where);
}

/** A desk with a plan and an API, whose texts are `text`, and the pages on. */
async function openDesk(text: string, fields: readonly string[]) {
  const server = await startDemoServer(false);
  const call = caller(server);
  const { Message: plan = "" } = await call("POST", "/api/portal/policies", {
    name: `Plan ${text}`,
    active: true,
    quota_max: 1000,
    quota_renewal_rate: 86_400,
    access_rights: { api: { api_id: "api", api_name: `API ${text}` } },
  });
  const document = {
    openapi: "3.0.0",
    info: { title: text, version: text, description: text },
    paths: {
      [`/x${text}`]: {
        get: {
          summary: text,
          description: text,
          parameters: [{ name: text, in: "query", description: text, schema: { type: text } }],
          responses: { 200: { description: text } },
        },
      },
    },
  };
  const { Message: documentation } = await call("POST", "/api/portal/documentation", {
    documentation: JSON.stringify(document),
  });
  const key_request_fields = fields.map((name) => ({ name, required: false }));
  const entry = {
    show: true,
    name: `API ${text}`,
    short_description: text,
    long_description: `${text}\n\n[link](javascript:alert(5)) ![image](https://x.example/x)`,
    version: "v2",
    config: { override: true, require_key_approval: true, key_request_fields },
  };
  const written = { ...entry, api_id: "written", documentation: "" };
  await call("POST", "/api/portal/catalogue", {
    apis: [{ ...entry, api_id: "api", policy_id: plan, documentation }, {
      ...written,
      policy_id: plan,
      documentation: (await call("POST", "/api/portal/documentation", {
        documentation: `# ${text}\n\n<script>alert(6)</script>`,
      })).Message,
    }],
  });
  await call("PUT", "/v1/developer-pages", { enabled: true, back_end_access: "all" });
  return { server, call, plan };
}

/** Enters as a developer. */
async function enter(page: Page, server: DemoServer, id: string): Promise<void> {
  const { token } = await caller(server)("POST", `/v1/developers/${id}/sign-in-links`);
  await page.goto(`${server.url}/portal/enter#${token}`);
  await page.locator("nav.main").waitFor();
}

Deno.test("hostile texts: what a developer writes is text wherever an administrator reads it", async () => {
  const { server, call, plan } = await openDesk("", ["What for"]);
  await using _server = server;
  const { key_id } = await (async () => {
    await call("PUT", "/v1/developer-pages/fields", {
      sign_up_fields: [{ name: "company", required: false }],
      key_request_fields: [],
    });
    await call("POST", "/v1/developers", { id: "eve", email: "eve@example.org" });
    return await call("POST", "/v1/developers/eve/keys", { plans: [plan] });
  })();
  await using browser = await sharedBrowser();
  await using eve = await visit(browser, { base: server.url });
  const theirs = await watched(eve);
  await enter(theirs, server, "eve");
  await theirs.goto("/portal/account");
  await send(theirs, "/portal/account/profile", { "field-0": PLAIN, "field-1": PLAIN });
  await assertText(theirs, "account");
  await theirs.goto(`/portal/ask/${plan}`);
  await send(theirs, `/portal/ask/${plan}`, { "field-0": EVIL });
  // as: the answer of the list.
  const { data: [{ id = "" } = {}] } = await server.call("GET", "/v1/key-requests") as {
    data: { id?: string }[];
  };
  await call("POST", `/v1/key-requests/${id}/offer`, {
    conditions: { quota: { calls: 10, seconds: 86_400 } },
  });
  await theirs.goto("/portal/requests");
  await send(theirs, `/portal/requests/${id}/answer`, { words: EVIL });
  await assertText(theirs, "requests");
  assert.deepEqual(eve.complaints, []);

  await using ada = await visit(browser, { base: server.url });
  const page = await watched(ada);
  await signIn(ada, server, "/requests");
  await assertText(page, "key requests");
  const paths = [
    `/requests/${id}`,
    "/developers",
    "/developers/eve",
    "/keys",
    `/keys/${key_id}`,
    "/audit-log",
  ];
  for (const path of paths) {
    await page.goto(`/console${path}`);
    await assertText(page, path);
  }
  assert.deepEqual(ada.complaints, []);
});

Deno.test("hostile texts: what administrators and portals write is text at the developer's pages", async () => {
  const { server, call, plan } = await openDesk(EVIL, [EVIL, "Other"]);
  await using _server = server;
  await call("PUT", "/v1/branding", { name: PLAIN });
  await call("POST", "/v1/developers", { id: "eve", email: "eve@example.org" });
  // What the older interface brings is never refused for its name.
  await call("PUT", "/api/portal/developers/eve", {
    email: "eve@example.org",
    fields: { name: EVIL },
  });
  const { key_id } = await call("POST", "/v1/developers/eve/keys", {
    plans: [plan],
    name: PLAIN,
    environment: SHOWN,
  });
  const ask = async (path: string, body: unknown) => {
    const { id } = await call("POST", "/v1/key-requests", {
      by_user: "eve",
      for_plan: plan,
      fields: { [EVIL]: EVIL },
    });
    await call("POST", `/v1/key-requests/${id}/${path}`, body);
  };
  await ask("decline", { reason: EVIL });
  await ask("approve", { message: EVIL, deliver: "one_time_link" });
  await ask("offer", { message: EVIL, conditions: { quota: { calls: 10, seconds: 86_400 } } });
  await using browser = await sharedBrowser();
  await using eve = await visit(browser, { base: server.url });
  const page = await watched(eve);
  await page.goto("/portal/sign-in");
  await assertText(page, "sign-in");
  await enter(page, server, "eve");
  const places = [
    "/portal",
    "/portal/apis/api",
    "/portal/apis/written",
    `/portal/ask/${plan}`,
    "/portal/requests",
    "/portal/keys",
    `/portal/keys/${key_id}`,
    "/portal/account",
  ];
  for (const path of places) {
    await page.goto(path);
    await assertText(page, path);
    assert.equal(await page.locator("a[href^='javascript:']").count(), 0, path);
  }
  assert.deepEqual(eve.complaints, []);
});
