/**
 * The reference page in a real browser, over a server that was started as people start it. The long
 * form (`npm run test:long`) has axe look at every operation.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { repository, startServerProcess, temporaryFolder } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { countBytes, type Loaded, sumOf } from "../support/wire.ts";

const CREDENTIAL = "reference-administrator-0123456789abcdef";

/** A window of a desk. */
const DESK = { width: 1280, height: 900 };

/**
 * Swagger UI draws what is in sight, of more than some hundred operations: here all of them are.
 */
const TALL = { width: 1280, height: 24_000 };

/** Of every kind of operation some: what axe looks at is the same for all but for their words. */
const SHORT = { width: 1280, height: 3000 };

/** What axe looks at, which takes a minute for all operations: the long form does. */
const LOOKED_AT = effort === 1 ? SHORT : TALL;

/** A page 1280 pixels wide at 400 % (WCAG 1.4.10). */
const ENLARGED = { width: 320, height: LOOKED_AT.height / 2 };

/** A page of the reference with what it loaded, and whatever a page should not do. */
interface Opened {
  readonly url: string;
  readonly troubles: string[];
  loaded(): Promise<Loaded>;
}

interface Options {
  colorScheme?: "light" | "dark";
  viewport?: { width: number; height: number };
  isSignedIn?: boolean;
}

/** A server in the launcher's grants, and a page of it. */
async function openReference(
  test: (page: Page, opened: Opened) => Promise<void>,
  { isSignedIn = false, ...options }: Options = {},
): Promise<void> {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: CREDENTIAL };
  const program = ["node", join(repository, "bin/keydesk.js")];
  await using server = await startServerProcess(settings, { program });
  await using browser = await sharedBrowser();
  const page = await browser.newPage({ viewport: DESK, ...options });
  page.setDefaultTimeout(60_000);
  const troubles: string[] = [];
  page.on("console", (said) => {
    // Where nobody is signed in the browser tells of that answer.
    if (said.location().url.endsWith("/v1/session")) return;
    if (["error", "warning"].includes(said.type())) troubles.push(said.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== server.url && protocol !== "data:") troubles.push(request.url());
  });
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (e) => console.error(e.violatedDirective))',
  );
  if (isSignedIn) await signIn(page.context(), server.url);
  const counted = countBytes(page);
  await page.goto(`${server.url}/reference`);
  await page.locator(".opblock").first().waitFor();
  await page.locator("#caller:not([hidden])").waitFor();
  await test(page, { url: server.url, troubles, loaded: () => counted.ended() });
}

/** As at the console: the cookie is the browser's from then on. */
async function signIn(context: BrowserContext, url: string, credential = CREDENTIAL) {
  const answer = await context.request.post(`${url}/v1/session`, { data: { credential } });
  assert.equal(answer.status(), 200);
}

/** Types an access token into the page's dialog. */
async function authorize(page: Page, token: string): Promise<void> {
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Access token" });
  await dialog.getByRole("textbox").fill(token);
  await dialog.getByRole("button", { name: "Authorize" }).click();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

/** What is typed in lives in the page's memory. */
async function assertNothingKept(page: Page): Promise<void> {
  const kept = await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
  );
  assert.equal(kept, '[{},{},""]');
}

Deno.test("reference: the first load is 200 kB of code at most over the wire, and the document", async () => {
  await openReference(async (page, { loaded }) => {
    const all = await loaded();
    const table = all.map(({ path, bytes }) => `${bytes} ${path}`).join("\n");
    if (Deno.env.get("KEYDESK_SHOW_SIZES")) console.log(`${table}\n${sumOf(all)} in all`);
    // The document grows with the interface, which is told apart from what shows it.
    const isDocument = ({ path }: { path: string }) => path === "/openapi.json";
    const code = sumOf(all.filter((one) => !isDocument(one)));
    assert.ok(code <= 200_000, `${code} bytes of code:\n${table}`);
    const document = sumOf(all.filter(isDocument));
    assert.ok(document <= 65_000, `${document} bytes of the document:\n${table}`);
    for (const part of [/^\/reference$/, /\.css$/, /\.js$/, /^\/openapi\.json$/]) {
      assert.ok(all.some(({ path, bytes }) => part.test(path) && bytes > 0), `${part}\n${table}`);
    }
    assert.equal(await page.locator("script").count(), 1);
  });
});

Deno.test("reference: a read and an UPDATE are sent from the page with the pasted credential", async () => {
  await openReference(async (page, { url, troubles }) => {
    const created = await fetch(`${url}/api/portal/requests`, {
      method: "POST",
      headers: { authorization: CREDENTIAL },
      body: '{"by_user":"dev-ada","for_plan":"plan-weather"}',
    });
    const id = (await created.json()).Message;

    await authorize(page, CREDENTIAL);
    const list = await executed(page, "listKeyRequests", {});
    assert.equal(list.status, "200");
    assert.equal(list.request, "GET /api/portal/requests");
    assert.ok(list.body.includes(id) && list.body.includes("plan-weather"), list.body);

    const body = '{"by_user":"dev-ada","for_plan":"plan-climate"}';
    const update = await executed(page, "updateKeyRequest", { id, body });
    assert.equal(update.status, "200");
    assert.equal(update.request, `UPDATE /api/portal/requests/${id}`);
    assert.ok(update.body.includes(id), update.body);
    const after = await executed(page, "getKeyRequest", { id });
    assert.ok(after.body.includes("plan-climate"), after.body);

    await assertNothingKept(page);
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(troubles, []);
  });
});

Deno.test("reference: whoever is signed in calls as themselves, and gets back to the console", async () => {
  await openReference(async (page, { url, troubles }) => {
    const caller = page.locator("#caller");
    assert.match(await caller.innerText(), /^Signed in as .+ \(.+\)\./);
    assert.equal(await caller.getByRole("link").count(), 0);
    assert.equal((await executed(page, "getCaller", {})).status, "200");
    // A change carries the token against forged calls, which is shown nowhere.
    const sent = page.waitForRequest((request) => request.method() === "POST");
    const body = '{"name":"Ben","permissions":["verify"]}';
    const created = await executed(page, "createPerson", { body });
    assert.equal(created.status, "200", created.body);
    const token = (await sent).headers()["x-csrf-token"] ?? "";
    assert.ok(token.length > 20);
    assert.ok(!(await page.content()).includes(token));
    await assertNothingKept(page);
    assert.deepEqual(troubles, []);

    await page.getByRole("link", { name: "Console", exact: true }).click();
    await page.waitForURL((at) => at.href.startsWith(`${url}/console`));
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
  }, { isSignedIn: true });
});

Deno.test("reference: an access token goes before whoever is signed in, even one that opens nothing", async () => {
  await openReference(async (page) => {
    await authorize(page, "wrong-access-token-0123456789abcdef");
    assert.equal(
      await page.locator("#caller").innerText(),
      "Calls are sent with the access token that was typed in.",
    );
    assert.equal((await executed(page, "getCaller", {})).status, "401");
  }, { isSignedIn: true });
});

Deno.test("reference: the page follows who signs in and out beside it", async () => {
  await openReference(async (page, { url }) => {
    const session = `${url}/v1/session`;
    const { request } = page.context();
    const { csrf_token } = await (await request.get(session)).json();
    await request.delete(session, { headers: { "x-csrf-token": csrf_token } });
    assert.equal((await executed(page, "getCaller", {})).status, "401");
    await page.getByText("Nobody is signed in").waitFor();
    const link = page.getByRole("link", { name: "sign in to the console" });
    assert.equal(await link.getAttribute("href"), `${url}/console`);
    await signIn(page.context(), url);
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.getByText("Signed in as").waitFor();
  }, { isSignedIn: true });
});

Deno.test("reference: what one person filled in is not sent as another", async () => {
  await openReference(async (page, { url }) => {
    const { request } = page.context();
    const post = async (path: string, data: unknown) => {
      const headers = { authorization: CREDENTIAL };
      return await (await request.post(`${url}/v1/${path}`, { headers, data })).json();
    };
    const { id } = await post("people", { name: "Ben", permissions: ["verify"] });
    const { credential } = await post(`people/${id}/credentials`, {
      name: "Ben's",
      deliver: "answer",
    });
    const changes: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") changes.push(request.url());
    });
    const operation = await opened(page, "createPerson");
    await operation.locator("textarea.body-param__text").fill('{"name":"Cleo"}');
    await signIn(page.context(), url, credential);
    const loadedAnew = page.waitForEvent("load");
    await operation.getByRole("button", { name: "Execute" }).click();
    await loadedAnew;
    await page.getByText("Signed in as Ben").waitFor();
    assert.deepEqual(changes, []);
  }, { isSignedIn: true });
});

Deno.test("reference: every operation of the document is on the page", async () => {
  await openReference(async (page, { url }) => {
    const { paths, webhooks } = await (await fetch(`${url}/openapi.json`)).json();
    const items: Record<string, Record<string, unknown>>[] = [
      ...Object.values<Record<string, Record<string, unknown>>>(paths),
      ...Object.values<Record<string, Record<string, unknown>>>(webhooks),
    ];
    const count = items.reduce(
      (sum, { additionalOperations = {}, ...item }) =>
        sum + Object.keys(item).length + Object.keys(additionalOperations).length,
      0,
    );
    await page.locator(".opblock").nth(count - 1).waitFor();
    assert.equal(await page.locator(".opblock").count(), count);
  }, { viewport: TALL });
});

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`reference: the ${colorScheme} theme follows the system, and fits a narrow screen`, async () => {
    await openReference(async (page, { troubles }) => {
      const colour = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      assert.equal(colour, colorScheme === "dark" ? "rgb(28, 32, 34)" : "rgb(255, 255, 255)");
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
      const folder = Deno.env.get("KEYDESK_SCREENSHOTS");
      if (folder) await page.screenshot({ path: join(folder, `reference-${colorScheme}.png`) });
      assert.deepEqual(troubles, []);
    }, { colorScheme, viewport: { width: 390, height: 844 } });
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`reference: axe finds nothing in the ${colorScheme} theme, in forced colours and at 400 % neither`, async () => {
    await openReference(async (page, { troubles }) => {
      // A refusal, an answer, and the dialog.
      await executed(page, "listKeyRequests", {});
      await executed(page, "getServerInfo", {});
      assert.equal(troubles.length, 1, "one refusal");
      const assertNone = async (forcedColors: "none" | "active", viewport = LOOKED_AT) => {
        await page.emulateMedia({ forcedColors });
        await page.setViewportSize(viewport);
        await settled(page);
        assert.deepEqual(await violations(page), [], `${forcedColors} ${viewport.width}`);
        assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
      };
      await assertNone("none");
      await filter(page, "");
      await page.locator('[id$="-listKeyRequests"] .live-responses-table').waitFor();
      await assertNone("none");
      await assertNone("none", ENLARGED);
      await page.getByRole("button", { name: "Authorize" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Access token" });
      await dialog.waitFor();
      await assertNone("none", ENLARGED);
      await assertNone("active", SHORT);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.equal(await page.evaluate("document.activeElement.textContent"), "Authorize");
      await assertNone("active", SHORT);
    }, { colorScheme, isSignedIn: true });
  });
}

/** What axe finds in the page as it stands. */
async function violations(page: Page): Promise<[string, string[]][]> {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(axe, "utf8"));
  const found: { id: string; nodes: { html: string }[] }[] = await page
    .evaluate("axe.run().then(({ violations }) => violations)");
  return found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 300))]);
}

/** Waits until nothing moves: a button that was disabled while its call ran fades in again. */
async function settled(page: Page): Promise<void> {
  await page.locator(".btn.execute:disabled").waitFor({ state: "detached" });
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().map(({ finished }) => finished))",
  );
}

/** Finds an operation as people do, by its chapter, and opens it, ready to be filled in. */
async function opened(page: Page, operationId: string): Promise<Locator> {
  await filter(page, await chapterOf(page, operationId));
  const operation = page.locator(`.opblock[id$="-${operationId}"]`);
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  return operation;
}

/** Shows the chapters that have these words in their names; without words, all. */
async function filter(page: Page, words: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Filter operations" });
  await box.fill(words);
  // Else it is applied a moment later, or when the box loses the focus: amid the next click.
  await box.press("Enter");
}

async function chapterOf(page: Page, operationId: string): Promise<string> {
  const { paths } = await (await fetch(new URL("/openapi.json", page.url()))).json();
  const items: Record<string, unknown>[] = Object.values(paths);
  const operations = items.flatMap(({ additionalOperations, ...item }) =>
    // as: what the document says of a path, which test/reference holds.
    Object.values({ ...item, ...additionalOperations as object }) as {
      operationId?: string;
      tags?: string[];
    }[]
  );
  const [chapter] = operations.find((one) => one.operationId === operationId)?.tags ?? [];
  assert.ok(chapter, operationId);
  return chapter;
}

/** Opens an operation, fills it in, executes it, and gives what the page shows of it. */
async function executed(
  page: Page,
  operationId: string,
  { id, body }: { id?: string; body?: string },
): Promise<{ request: string; status: string; body: string }> {
  const operation = await opened(page, operationId);
  if (id !== undefined) await operation.getByPlaceholder("id", { exact: true }).fill(id);
  if (body !== undefined) await operation.locator("textarea.body-param__text").fill(body);
  const asked = page.waitForRequest((request) =>
    /\/(api|v1)\//.test(request.url()) && !request.url().endsWith("/v1/session")
  );
  await operation.getByRole("button", { name: "Execute" }).click();
  const request = await asked;
  const answer = operation.locator(".live-responses-table .response");
  await answer.waitFor();
  return {
    request: `${request.method()} ${new URL(request.url()).pathname}`,
    status: (await answer.locator(".response-col_status").innerText()).trim().split(/\s/)[0] ?? "",
    body: await answer.locator(".response-col_description").innerText(),
  };
}
