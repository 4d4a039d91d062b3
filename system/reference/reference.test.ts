/** The reference page in a real browser, over a server that was started as people start it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repository, startServerProcess, temporaryFolder } from "../../test/support/command.ts";
import { startBrowser } from "../support/browser.ts";

const CREDENTIAL = "reference-administrator-0123456789abcdef";

/** Swagger UI draws what is in sight, of more than some hundred operations: here all of them are. */
const TALL = { width: 1280, height: 24_000 };

/** A server in the launcher's grants, a page of it, and whatever a page should not do. */
async function openReference(
  test: (page: Page, server: { url: string; troubles: string[] }) => Promise<void>,
  options: { colorScheme?: "light" | "dark"; viewport?: { width: number; height: number } } = {},
): Promise<void> {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: CREDENTIAL };
  const program = ["node", join(repository, "bin/keydesk.js")];
  await using server = await startServerProcess(settings, { program });
  await using browser = await startBrowser();
  const page = await browser.newPage({ viewport: TALL, ...options });
  const troubles: string[] = [];
  page.on("console", (said) => {
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
  await page.goto(`${server.url}/reference`);
  await page.locator(".opblock").first().waitFor();
  await test(page, { url: server.url, troubles });
}

Deno.test("reference: a read and an UPDATE are sent from the page with the pasted credential", async () => {
  await openReference(async (page, { url, troubles }) => {
    const created = await fetch(`${url}/api/portal/requests`, {
      method: "POST",
      headers: { authorization: CREDENTIAL },
      body: '{"by_user":"dev-ada","for_plan":"plan-weather"}',
    });
    const id = (await created.json()).Message;

    await page.getByRole("button", { name: "Authorize" }).first().click();
    const dialog = page.locator(".modal-ux");
    const own = dialog.locator(".auth-container").filter({ hasText: "credential" }).first();
    await own.getByRole("textbox").fill(CREDENTIAL);
    await own.getByRole("button", { name: "Apply credentials" }).click();
    await dialog.getByRole("button", { name: "Close" }).last().click();

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

    // Typed once, kept nowhere.
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
    );
    assert.equal(kept, '[{},{},""]');
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(troubles, []);
  });
});

Deno.test("reference: without an access token a call is refused, whoever is signed in beside it", async () => {
  await openReference(async (page, { url }) => {
    const status = await page.evaluate(async (credential) => {
      const body = JSON.stringify({ credential });
      const answer = await fetch("/v1/session", { method: "POST", body });
      return answer.status;
    }, CREDENTIAL);
    assert.equal(status, 200);
    assert.equal((await page.context().cookies(url)).length, 1);
    // Swagger UI shows the refusal, and the browser's console tells of it.
    assert.equal((await executed(page, "getCaller", {})).status, "401");
  });
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
  });
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

/** What Swagger UI breaks by itself: each operation's head is a button with buttons inside. */
const KNOWN = ["nested-interactive"];

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`reference: axe finds nothing in the ${colorScheme} theme but what is known of Swagger UI`, async () => {
    await openReference(async (page, { troubles }) => {
      await executed(page, "getServerInfo", {});
      await executed(page, "listNativeKeyRequests", {});
      assert.equal(troubles.length, 2, "two refusals");
      await settled(page);
      const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
      await page.evaluate(await readFile(axe, "utf8"));
      const found: { id: string; help: string; nodes: { html: string }[] }[] = await page
        .evaluate("axe.run().then(({ violations }) => violations)");
      const others = found.filter(({ id }) => !KNOWN.includes(id));
      assert.deepEqual(
        others.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 300))]),
        [],
      );
      assert.deepEqual(found.map(({ id }) => id), KNOWN);
    }, { colorScheme });
  });
}

/** Waits until nothing moves: a button that was disabled while its call ran fades in again. */
async function settled(page: Page): Promise<void> {
  await page.locator(".btn.execute:disabled").waitFor({ state: "detached" });
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().map(({ finished }) => finished))",
  );
}

/** Opens an operation, fills it in, executes it, and gives what the page shows of it. */
async function executed(
  page: Page,
  operationId: string,
  { id, body }: { id?: string; body?: string },
): Promise<{ request: string; status: string; body: string }> {
  const operation = page.locator(`.opblock[id$="-${operationId}"]`);
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  if (id !== undefined) await operation.getByPlaceholder("id", { exact: true }).fill(id);
  if (body !== undefined) await operation.locator("textarea.body-param__text").fill(body);
  const asked = page.waitForRequest((request) =>
    request.url().includes("/api/") || request.url().includes("/v1/")
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
