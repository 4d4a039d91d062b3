/**
 * The reference page in a real browser, over a server that was started as people start it. The long
 * form (`npm run test:long`) has axe look at every operation, each opened.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { repository, startServerProcess, temporaryFolder } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import { COLOURS, cutOff, lostFocus, violationsOf } from "../console/look.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { countBytes, sumOf } from "../support/wire.ts";

const CREDENTIAL = "reference-administrator-0123456789abcdef";

/** A window of a desk. */
const DESK = { width: 1280, height: 900 };

/** A page 1280 pixels wide at 400 % (WCAG 1.4.10). */
const ENLARGED = { width: 320, height: 640 };

/**
 * What is opened for axe, and the words that leave few others beside it: every kind of parameter,
 * body, answer and sample.
 */
const SHOWN: readonly [words: string, operationId: string][] = [
  ["replace a key request", "updateKeyRequest"],
  ["uploadCertificates", "uploadCertificates"],
  ["issueToken", "issueToken"],
  ["listKeys", "listKeys"],
];

/** A page of the reference, and whatever a page should not do. */
interface Opened extends AsyncDisposable {
  readonly page: Page;
  readonly problems: string[];
}

Deno.test("reference: the page in a browser", async (t) => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: CREDENTIAL };
  const program = ["node", join(repository, "bin/keydesk.js")];
  await using server = await startServerProcess(settings, { program });
  await using browser = await sharedBrowser();
  const { url } = server;
  const told = await (await fetch(`${url}/openapi.json`)).json();

  await t.step(
    "the first load is 25 kB of code at most over the wire, and the document",
    async () => {
      await using opened = await openReference(browser, url, { isCold: true });
      const { page } = opened;
      const counted = countBytes(page);
      await page.goto(`${url}/reference`);
      await page.locator(".operation").first().waitFor();
      const all = await counted.ended();
      const table = all.map(({ path, bytes }) => `${bytes} ${path}`).join("\n");
      if (Deno.env.get("KEYDESK_SHOW_SIZES")) console.log(`${table}\n${sumOf(all)} in all`);
      // The document grows with the interface, which is told apart from what shows it.
      const isDocument = ({ path }: { path: string }) => path === "/openapi.json";
      const code = sumOf(all.filter((one) => !isDocument(one)));
      assert.ok(code <= 25_000, `${code} bytes of code:\n${table}`);
      const documents = all.filter(isDocument);
      assert.equal(documents.length, 1, "asked for once");
      assert.ok(sumOf(documents) <= 120_000, table);
      for (const part of [/^\/reference$/, /\.css$/, /\.js$/, /^\/openapi\.json$/]) {
        assert.ok(all.some(({ path, bytes }) => part.test(path) && bytes > 0), `${part}\n${table}`);
      }
      assert.equal(await page.locator("script").count(), 1);
    },
  );

  await t.step("every operation and every message of the document is on the page", async () => {
    await using opened = await openReference(browser, url);
    const { page } = opened;
    const items: Record<string, Record<string, { operationId: string }>>[] = [
      ...Object.values<Record<string, Record<string, { operationId: string }>>>(told.paths),
      ...Object.values<Record<string, Record<string, { operationId: string }>>>(told.webhooks),
    ];
    const ids = items.flatMap(({ additionalOperations = {}, ...item }) =>
      Object.values({ ...item, ...additionalOperations }).map((one) =>
        // as: an operation, of either kind of member.
        (one as unknown as { operationId: string }).operationId
      )
    );
    await page.locator(".operation").nth(ids.length - 1).waitFor();
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>(".operation")]
        .map(({ dataset }) => dataset.id ?? "")
    );
    assert.deepEqual(shown.toSorted(), ids.toSorted());
    await page.getByRole("searchbox").fill("decline request");
    await page.getByRole("status").filter({ hasText: /^\d+ operations$/ }).waitFor();
    const found = await page.locator(".operation .path").allInnerTexts();
    assert.ok(found.length > 0 && found.length < 20, `${found.length} found`);
    assert.ok(found.some((path) => path.includes("decline")), found.join("\n"));
    await page.getByRole("searchbox").fill("nothing has these words");
    await page.getByText("No operation has all these words.").waitFor();
  });

  await t.step("a read and an UPDATE are sent with the access token that is typed in", async () => {
    await using opened = await openReference(browser, url);
    const { page, problems } = opened;
    const created = await fetch(`${url}/api/portal/requests`, {
      method: "POST",
      headers: { authorization: CREDENTIAL },
      body: '{"by_user":"dev-ada","for_plan":"plan-weather"}',
    });
    const id = (await created.json()).Message;

    await page.getByLabel("Access token").fill(CREDENTIAL);
    await page.getByText("Calls are sent with the access token that was typed in.").waitFor();
    const list = await executed(page, "listClassicKeyRequests", {});
    assert.equal(list.status, "200");
    assert.equal(list.request, "GET /api/portal/requests");
    assert.ok(list.body.includes(id) && list.body.includes("plan-weather"), list.body);

    const body = '{"by_user":"dev-ada","for_plan":"plan-climate"}';
    const update = await executed(page, "updateKeyRequest", { id, body });
    assert.equal(update.status, "200");
    assert.equal(update.request, `UPDATE /api/portal/requests/${id}`);
    const after = await executed(page, "getClassicKeyRequest", { id });
    assert.ok(after.body.includes("plan-climate"), after.body);
    // Samples say what was typed, and no credential.
    const sample = operationOf(page, "updateKeyRequest").locator(".sample");
    assert.match(await sample.innerText(), new RegExp(`^curl -X UPDATE "\\$DESK/.*${id}"`));
    assert.match(await sample.innerText(), /plan-climate/);
    assert.ok(!(await page.content()).includes(CREDENTIAL));

    await assertNothingKept(page);
    assert.deepEqual(await page.context().cookies(), []);
    assert.deepEqual(problems, []);
  });

  await t.step(
    "by session one calls as oneself, a token goes before, and the console is a link away",
    async () => {
      await using opened = await openReference(browser, url, { isSignedIn: true });
      const { page, problems } = opened;
      await page.getByText(/^Signed in as .+ \(.+\)\./).waitFor();
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
      assert.deepEqual(problems, []);

      await page.getByLabel("Access token").fill("wrong-access-token-0123456789abcdef");
      assert.equal((await executed(page, "getCaller", {})).status, "401");
      await page.getByRole("link", { name: "Console", exact: true }).click();
      await page.waitForURL((at) => at.href.startsWith(`${url}/console`));
    },
  );

  await t.step("the page follows who signs in and out beside it", async () => {
    await using opened = await openReference(browser, url, { isSignedIn: true });
    const { page } = opened;
    await page.getByText("Signed in as").waitFor();
    const session = `${url}/v1/session`;
    const { request } = page.context();
    const { csrf_token } = await (await request.get(session)).json();
    await request.delete(session, { headers: { "x-csrf-token": csrf_token } });
    assert.equal((await executed(page, "getCaller", {})).status, "401");
    await page.getByText("No one is signed in").waitFor();
    const link = page.getByRole("link", { name: "Sign in to the console" });
    assert.equal(await link.getAttribute("href"), `${url}/console`);
    await signIn(page, url);
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.getByText("Signed in as").waitFor();
  });

  await t.step("what one person filled in is not sent as another", async () => {
    await using opened = await openReference(browser, url, { isSignedIn: true });
    const { page } = opened;
    const post = async (path: string, data: unknown) => {
      const headers = { authorization: CREDENTIAL };
      return await (await page.context().request.post(`${url}/v1/${path}`, { headers, data }))
        .json();
    };
    const { id } = await post("people", { name: "Dora", permissions: ["verify"] });
    const { access_token: credential } = await post(`people/${id}/access-tokens`, {
      name: "Dora's",
      deliver: "answer",
    });
    await page.getByText("Signed in as").waitFor();
    const operation = await openedOne(page, "createPerson");
    await operation.locator("textarea").fill('{"name":"Cleo"}');
    await signIn(page, url, credential);
    const changes: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") changes.push(request.url());
    });
    const loadedAnew = page.waitForEvent("load");
    await operation.getByRole("button", { name: "Send" }).click();
    await loadedAnew;
    await page.getByText("Signed in as Dora").waitFor();
    assert.deepEqual(changes, []);
  });

  await t.step("by keyboard alone: search, open, fill in, send", async () => {
    await using opened = await openReference(browser, url, { isSignedIn: true });
    const { page } = opened;
    await page.getByText("Signed in as").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("getCaller");
    await page.getByText(/^1 operation$/).waitFor();
    await tabTo(page, ".operation-head");
    await page.keyboard.press("Enter");
    await tabTo(page, "button[type=submit]");
    await page.keyboard.press("Enter");
    await operationOf(page, "getCaller").locator(".outcome").waitFor();
  });

  await t.step(
    "an address leads to an operation and to a chapter, and follows what is opened",
    async () => {
      await using opened = await openReference(browser, url, {
        hash: "#/Key%20requests/listKeyRequests",
      });
      const { page } = opened;
      const head = page.locator("#listKeyRequests");
      await page.waitForFunction(() => document.activeElement?.id === "listKeyRequests");
      assert.equal(await head.getAttribute("aria-expanded"), "true");
      assert.ok(await head.evaluate((one) => one.getBoundingClientRect().top < innerHeight));
      await page.getByRole("navigation", { name: "Chapters" }).getByText("OAuth").click();
      await page.waitForFunction(() => document.activeElement?.textContent === "OAuth");
      await page.locator("#issueToken").click();
      assert.match(page.url(), /#\/OAuth\/issueToken$/);
    },
  );

  for (const colorScheme of ["light", "dark"] as const) {
    await t.step(
      `axe finds nothing in the ${colorScheme} theme, nor at 400 %, and nothing is cut off`,
      async () => {
        await using opened = await openReference(browser, url, { colorScheme });
        const { page } = opened;
        const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(colour, colorScheme === "dark" ? "rgb(13, 14, 18)" : "rgb(252, 252, 253)");
        const isLong = effort > 1;
        for (const [words, id] of isLong ? await everyOperation(page) : SHOWN) {
          await page.getByRole("searchbox").fill(words);
          await open(page, id);
          await unfold(page);
          if (id === "listKeys") await executed(page, id, {});
          if (colorScheme === "dark") {
            assert.deepEqual(await violationsOf(page, COLOURS), [], id);
            continue;
          }
          await page.setViewportSize(DESK);
          assert.deepEqual(await violationsOf(page), [], id);
          if (!isLong) assert.deepEqual(await lostFocus(page), [], id);
          await page.setViewportSize(ENLARGED);
          assert.deepEqual(await cutOff(page), [], id);
        }
        if (colorScheme === "light") {
          assert.deepEqual(await violationsOf(page), []);
          await page.emulateMedia({ forcedColors: "active" });
          assert.deepEqual(await violationsOf(page), []);
        }
        const folder = Deno.env.get("KEYDESK_SCREENSHOTS");
        if (folder) await page.screenshot({ path: join(folder, `reference-${colorScheme}.png`) });
      },
    );
  }

  await t.step("the theme that was chosen at the console is the page's", async () => {
    await using opened = await openReference(browser, url, { theme: "dark" });
    const colour = await opened.page.evaluate(() =>
      getComputedStyle(document.body).backgroundColor
    );
    assert.equal(colour, "rgb(13, 14, 18)");
  });
});

interface Options {
  colorScheme?: "light" | "dark";
  theme?: string;
  isSignedIn?: boolean;
  hash?: string;
  isCold?: boolean;
}

/** The page, in a context of its own. */
async function openReference(
  browser: Browser,
  url: string,
  { colorScheme = "light", theme, isSignedIn = false, hash = "", isCold = false }: Options = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: DESK,
    colorScheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (said) => {
    // Where nobody is signed in the browser tells of that answer.
    if (said.location().url.endsWith("/v1/session")) return;
    if (["error", "warning"].includes(said.type())) problems.push(said.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && protocol !== "data:") problems.push(request.url());
  });
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (e) => console.error(e.violatedDirective))',
  );
  if (theme) {
    await page.addInitScript((one) => localStorage.setItem("keydesk.theme", one), theme);
  }
  if (isSignedIn) await signIn(page, url);
  if (!isCold) {
    await page.goto(`${url}/reference${hash}`);
    await page.locator(".operation").first().waitFor();
  }
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** As at the console: the cookie is the browser's from then on. */
async function signIn(page: Page, url: string, credential = CREDENTIAL): Promise<void> {
  const answer = await page.context().request.post(`${url}/v1/session`, {
    data: { access_token: credential },
  });
  assert.equal(answer.status(), 200);
}

/** What is typed in lives in the page's memory. */
async function assertNothingKept(page: Page): Promise<void> {
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])
  );
  assert.equal(kept, '[{},{},""]');
}

function operationOf(page: Page, operationId: string): Locator {
  return page.locator(`.operation[data-id="${operationId}"]`);
}

/** Opens an operation where it is closed. */
async function open(page: Page, operationId: string): Promise<void> {
  const head = page.locator(`[id="${operationId}"]`);
  if (await head.getAttribute("aria-expanded") === "false") await head.click();
}

async function openedOne(page: Page, operationId: string): Promise<Locator> {
  await open(page, operationId);
  return operationOf(page, operationId);
}

/** Opens what is folded in bodies and in the first answer, one storey deep. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const folded = ".operation-body .body > details, .answers > li:first-child > details";
    for (const one of document.querySelectorAll(folded)) one.toggleAttribute("open", true);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  });
}

/** Moves the focus on until it stands on what is meant. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let at = 0; at < 60; at++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((one) => document.activeElement?.matches(one), selector)) {
      return;
    }
  }
  assert.fail(`${selector} is out of the keyboard's reach`);
}

/** Every operation, each found by its own name. */
async function everyOperation(page: Page): Promise<[string, string][]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".operation")]
      .map(({ dataset }) => [dataset.id ?? "", dataset.id ?? ""] as [string, string])
  );
}

/** Opens an operation, fills it in, sends it, and gives what the page shows of it. */
async function executed(
  page: Page,
  operationId: string,
  { id, body }: { id?: string; body?: string },
): Promise<{ request: string; status: string; body: string }> {
  const operation = await openedOne(page, operationId);
  if (id !== undefined) await operation.getByLabel("id (required)").fill(id);
  if (body !== undefined) await operation.locator("textarea").fill(body);
  const asked = page.waitForRequest((request) =>
    /\/(api|v1)\//.test(request.url()) && !request.url().endsWith("/v1/session")
  );
  await operation.getByRole("button", { name: "Send" }).click();
  const request = await asked;
  const outcome = operation.locator(".outcome");
  await outcome.waitFor();
  return {
    request: `${request.method()} ${new URL(request.url()).pathname}`,
    status: (await outcome.innerText()).trim().split(/\s/)[0] ?? "",
    body: await operation.locator(".answer").innerText(),
  };
}
