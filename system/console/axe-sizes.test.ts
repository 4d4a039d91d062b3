/**
 * Accessibility (WCAG 2.2 AA) of the console's sixteen screens and the portal's pages in every
 * combination of three widths, both themes, empty and full. `axe.test.ts` and `portal-axe.test.ts`
 * look at every state of them, each in fewer combinations.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";
import { COLOURS, settled, violationsOf } from "./look.ts";
import { fillPortal, openPortalDesk } from "./portal-desk.ts";
import { fillWholeDesk, type Ids } from "./whole-desk.ts";

const WIDTHS = [1440, 1024, 390] as const;

/** The screens that need no id, below `/console`. */
const SCREENS = [
  "home",
  "requests",
  "keys",
  "keys?leaked=reports",
  "certificates",
  "developers",
  "apis",
  "logs",
  "gateways",
  "audit-log",
  "settings",
  "settings?show=deliveries",
];

/** Those of one thing. */
const screensOf = ({ hintedRequest, plan }: Ids) => [
  `requests/${hintedRequest}`,
  `apis/plans/${plan}`,
];

/**
 * Violations of each page in each width and theme. Everything is asked in light; dark changes
 * colours alone.
 */
async function lookAt(page: Page, base: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await page.goto("about:blank");
    await page.goto(new URL(path, base).href, { waitUntil: "networkidle" });
    await page.locator("h1").first().waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width === 390 ? 780 : 900 });
      for (const [theme, rules] of [["light", undefined], ["dark", COLOURS]] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await settled(page);
        const lines = await violationsOf(page, rules);
        found.push(...lines.map((line) => `${path}, ${width} px, ${theme}: ${line}`));
      }
    }
  }
  return found;
}

Deno.test("axe: sixteen screens at 1440, 1024 and 390 pixels, light and dark, full", async () => {
  await using server = await startDemoServer(true, { KEYDESK_LEAK_REPORTS: "on" });
  const ids = await fillWholeDesk(server);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server, "/nowhere");
  const screens = [...SCREENS, ...screensOf(ids)];
  const found = await lookAt(ada.page, `${server.url}/console/`, screens);
  await using stranger = await visit(browser);
  const outside = [ids.oneTimeLink ?? "", "/console"];
  found.push(...await lookAt(stranger.page, server.url, outside));
  assert.equal(screens.length + outside.length, 16);
  assert.deepEqual(found, []);
});

Deno.test("axe: the screens of an empty server in the same sizes and themes", async () => {
  await using server = await startDemoServer(false);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server, "/nowhere");
  assert.deepEqual(await lookAt(ada.page, `${server.url}/console/`, SCREENS), []);
});

Deno.test("axe: the portal's pages at 1440, 1024 and 390 pixels, light and dark, full and empty", async () => {
  await using desk = await openPortalDesk();
  const { server, ids } = desk;
  await server.call("PUT", "/v1/apis/Tides", { visibility: "public" });
  const keys = await fillPortal(desk, "dev-ada");
  await server.call("POST", "/v1/developers", { id: "dev-new", email: "new@example.org" });
  await using browser = await sharedBrowser();
  const lookAs = async (id: string, paths: readonly string[]) => {
    // as: the contract of signInLinks.
    const { token } = await server.call("POST", `/v1/developers/${id}/sign-in-links`) as {
      token: string;
    };
    await using developer = await visit(browser);
    await developer.page.goto(`${server.url}/portal/enter#${token}`);
    await developer.page.locator("nav.main").waitFor();
    return await lookAt(developer.page, server.url, paths);
  };
  const lists = ["/portal", "/portal/keys", "/portal/requests", "/portal/account"];
  const ofOne = [
    "/portal/apis/Tides",
    `/portal/ask/${ids.Partners}`,
    `/portal/keys/${keys.Used}`,
  ];
  await using stranger = await visit(browser);
  const open = ["/portal", "/portal/apis/Tides", "/portal/sign-in", "/portal/sign-up"];
  const found = [
    ...await lookAt(stranger.page, server.url, open),
    ...await lookAs("dev-ada", [...lists, ...ofOne]),
    ...await lookAs("dev-new", lists),
  ];
  assert.deepEqual(found, []);
});
