/**
 * A real Chromium before a whole server in this process, and what every test of the console asks of
 * both.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { keydesk, repository } from "../../test/support/command.ts";
import { clearAround } from "../../test/support/plain-demo.ts";
import { type Served, startServerHere } from "../../test/support/server-here.ts";
import { madeOnce } from "../support/made-once.ts";
import { COLOURS, violationsOf } from "./look.ts";
import { shownTwice } from "./shown-twice.ts";

/** Where screenshots go: `KEYDESK_SCREENSHOTS`, else `.tmp/screenshots`. */
export const screenshotFolder = Deno.env.get("KEYDESK_SCREENSHOTS") ??
  join(repository, ".tmp/screenshots");
/** Whether those of the tests are kept. */
const keepsScreenshots = Deno.env.has("KEYDESK_SCREENSHOTS");

/** The sizes that screens are looked at in. */
export const sizes = { desk: { width: 1360, height: 820 }, phone: { width: 390, height: 780 } };

/** A server with the demo, and how to get in. */
export interface DemoServer extends AsyncDisposable {
  readonly url: string;
  /** Whether it was filled. */
  readonly isDemo: boolean;
  readonly settings: Readonly<Record<string, string>>;
  /** The first administrator's access token. */
  readonly admin: string;
  /** Ends the server and starts it again at the same address. */
  restart(whileAway?: () => Promise<void>): Promise<void>;
  /** Calls the API with the administrator's access token. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** A link that signs in once: the first administrator, or by the access token of an id. */
  link(as?: string): Promise<string>;
}

/**
 * Starts one over a folder of its own. `demo` false: with an empty store. `more`: further settings.
 * `start`: how it is started; `startServerProcess` where what is measured must not share a thread.
 */
export async function startDemoServer(
  demo = true,
  more: Record<string, string> = {},
  start: (settings: Record<string, string>) => Promise<Served> = startServerHere,
): Promise<DemoServer> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-console-" });
  let settings: Record<string, string> = { KEYDESK_DATA_DIR: folder, ...more };
  if (demo) await copyDemo(folder);
  let server = await start(settings);
  // Known from now on, so that a restart is at the same place.
  settings = { ...settings, KEYDESK_PORT: new URL(server.url).port };
  const admin = (await Deno.readTextFile(join(folder, "administrator-credential"))).trim();
  return {
    url: server.url,
    isDemo: demo,
    settings,
    admin,
    restart: async (whileAway) => {
      await server.stop();
      await whileAway?.();
      server = await start(settings);
    },
    call: async (method, path, body) => {
      const response = await fetch(new URL(path, server.url), {
        method,
        headers: { authorization: admin },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const answer = await response.json();
      assert.ok(response.ok, JSON.stringify(answer));
      return answer;
    },
    link: async (as) => {
      const words = as === undefined ? [] : ["--as", as];
      const { stdout, stderr, code } = await keydesk(["console", ...words], settings);
      assert.equal(code, 0, stderr);
      // The tests stay at one address; by its name they come in passkeys.test.ts.
      return stdout.trim().replace("//localhost:", "//127.0.0.1:");
    },
    [Symbol.asyncDispose]: async () => {
      // A test that failed while the server was away has ended it.
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Puts a store with the demo into an empty folder: seeded once, with all files that `keydesk seed`
 * leaves.
 */
async function copyDemo(folder: string): Promise<void> {
  // Its moments are counted from the seeding: those of this hour.
  const hour = new Date().toISOString().slice(0, 13);
  const demo = await madeOnce(`demo-${hour}`, async (made) => {
    const { code, stderr } = await keydesk(["seed"], { KEYDESK_DATA_DIR: made });
    assert.equal(code, 0, stderr);
    await clearAround(made);
  });
  for await (const { name } of Deno.readDir(demo)) {
    await Deno.copyFile(join(demo, name), join(folder, name));
  }
}

/** A person before the console: a context of their own, with everything that went wrong in it. */
export interface Visitor extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * What the page complained of: violations of its policy, errors in the console, failed scripts.
   */
  readonly complaints: string[];
  /** Fails when there are any, or when axe finds a violation in what is shown now. */
  check(): Promise<void>;
  /**
   * Checks. With `KEYDESK_SCREENSHOTS` it checks in both themes, and keeps `<name>-light.png` and
   * `<name>-dark.png`; without, axe.test.ts has the other theme (its long form, of all), and all
   * that axe would find where it looks at the same (shown-twice.ts).
   */
  show(name: string): Promise<void>;
}

/**
 * Options of a visit. `expected`: complaints that the test brings about itself, such as a refused
 * call.
 */
export interface VisitOptions {
  size?: { width: number; height: number };
  theme?: "light" | "dark";
  /** The name of the time zone; UTC unless it is said. */
  zone?: string;
  reducedMotion?: boolean;
  clipboard?: boolean;
  /** What addresses without a server are of. */
  base?: string;
  /** How this person handed credentials over the last time. */
  delivery?: "one_time_link" | "answer";
  expected?: RegExp;
  /** Takes certificates of authorities that no browser knows. */
  takesAnyTls?: boolean;
}

/** Opens a page for a person who is not signed in. */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: options.size ?? sizes.desk,
    colorScheme: options.theme ?? "light",
    reducedMotion: options.reducedMotion === false ? "no-preference" : "reduce",
    locale: "en-GB",
    timezoneId: options.zone ?? "UTC",
    ...options.base === undefined ? {} : { baseURL: options.base },
    ignoreHTTPSErrors: options.takesAnyTls === true,
    permissions: options.clipboard === false ? [] : ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (!options.expected?.test(text)) complaints.push(text);
  };
  page.on("console", (message) => {
    // By its 401 a page learns that nobody is signed in.
    const isAsked = message.location().url.endsWith("/v1/session");
    if (["error", "warning"].includes(message.type()) && !isAsked) complain(message.text());
  });
  page.on("pageerror", (error) => complain(`${error}`));
  if (options.delivery) {
    await page.addInitScript(
      (one) => localStorage.setItem("keydesk.deliver", one),
      options.delivery,
    );
  }
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  const isQuiet = () => assert.deepEqual(complaints, []);
  const check = async (rules?: readonly string[]) => {
    isQuiet();
    assert.deepEqual(await violationsOf(page, rules), []);
  };
  return {
    page,
    context,
    complaints,
    check: () => check(),
    show: async (name) => {
      if (!keepsScreenshots) return name in shownTwice ? isQuiet() : await check();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        // What the document is made of is the same in both.
        await check(colorScheme === "light" ? undefined : COLOURS);
        await Deno.mkdir(dirname(join(screenshotFolder, name)), { recursive: true });
        await page.screenshot({ path: join(screenshotFolder, `${name}-${colorScheme}.png`) });
      }
      await page.emulateMedia({ colorScheme: options.theme ?? "light" });
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/**
 * What is exported by the button of this name, as it lies on the disk; `isMarked`: for a
 * spreadsheet.
 */
export async function exported(page: Page, name: string, isMarked = false): Promise<string> {
  await page.getByRole("button", { name, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Export as CSV" });
  await dialog.getByLabel("For Excel").setChecked(isMarked);
  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Download" }).click();
  const bytes = await Deno.readFile(await (await download).path());
  await dialog.waitFor({ state: "detached" });
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Opens a session (`openSession`), goes to `path` and waits for the screen. */
export async function signIn(
  visitor: Visitor,
  server: DemoServer,
  path = server.isDemo ? "/requests" : "",
  as?: string,
): Promise<void> {
  await openSession(visitor, server, as);
  await visitor.page.goto(`${server.url}/console${path}`);
  // Before that nobody listens to keys.
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
}

/**
 * Gives a visitor a session without a page: as the first administrator by their access token, or by
 * the code of a link as whoever the access token with the id `as` belongs to.
 */
export async function openSession(
  { context }: Visitor,
  server: DemoServer,
  as?: string,
): Promise<void> {
  const presented = as === undefined
    ? { access_token: server.admin }
    : { code: new URL(await server.link(as)).hash.slice("#code=".length) };
  // By the context's own way to call, which keeps the cookie and names itself as the browser does.
  const response = await context.request.post(`${server.url}/v1/session`, { data: presented });
  assert.ok(response.ok(), await response.text());
}

/** Signs in by a fresh link, as people do, and waits for the screen to which it leads. */
export async function signInByLink({ page }: Visitor, server: DemoServer): Promise<void> {
  const link = await server.link();
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith("/v1/session") && response.ok()),
    page.goto(link),
  ]);
  await page.getByRole("heading", { level: 1 }).waitFor();
}
