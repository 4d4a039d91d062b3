import type { Locator, Page } from "playwright-core";
import { type Scene, scene, type SceneDesk } from "../scene.ts";
import { button, dialog, rows, screenTitle, text } from "../sights.ts";

/** Keys. */
export const keyScenes: readonly Scene[] = [
  scene("Keys", "keys", "all keys", "/console/keys", rows, { phone: true }),
  scene("Keys", "key", "one key, with its use", "/console/keys", async (page) => {
    await rows(page);
    await page.locator(".row-link").nth(2).click();
    await text(page, "History");
  }, { phone: true }),
  scene(
    "Keys",
    "key-gateways",
    "a key that its gateway does not have yet",
    "/console/keys",
    async (page, desk) => {
      await onItsWay(page, desk);
      await rows(page);
      await page.locator(".row-link").nth(2).click();
      await text(page, "At the gateways");
    },
  ),
  scene("Keys", "keys-view", "a saved view, sorted", "/console/keys", async (page) => {
    await openView(page, "Ends soon");
  }, { phone: true }),
  scene("Keys", "keys-views", "the views of the list", "/console/keys", async (page) => {
    await openView(page, "Ends soon");
    await unfold(page);
    await button(page, /^View: /).click();
    await button(page, "Rename…").waitFor();
  }, { phone: true }),
  scene("Keys", "keys-columns", "choosing columns", "/console/keys", async (page) => {
    await button(page, "Columns").click();
    await page.getByRole("checkbox", { name: "Last used" }).waitFor();
  }),
  scene("Keys", "key-labels", "name, environment, tags, note", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(2).click();
    await button(page, "Change name and tags").click();
    await dialog(page).waitFor();
  }),
  scene("Keys", "key-issue", "issuing a key without a request", "/console/keys", async (page) => {
    await button(page, /^Issue key/).click();
    await dialog(page).getByLabel("Developer", { exact: true }).fill("elif");
    await dialog(page).getByRole("option").first().click();
    await dialog(page).getByRole("checkbox").first().check();
  }),
  scene("Keys", "key-rotate", "rotating a key", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(1).click();
    await button(page, /^Rotate/).click();
    await dialog(page).waitFor();
  }),
  scene("Keys", "key-suspend", "suspending a key, with a reason", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(1).click();
    await button(page, /^Suspend/).click();
    await dialog(page).waitFor();
  }),
  scene("Logs", "logs", "denied calls and their reasons", "/console/logs", async (page, desk) => {
    await desk.call("POST", "/v1/keys/verify", { key: "a-key-that-nobody-knows" });
    // It is written some seconds later.
    do await page.reload(); while (!await isThere(page.locator(".log-bars")));
    await rows(page);
  }, { phone: true }),
  scene(
    "Gateways",
    "gateway-add-checking",
    "adding one that checks calls",
    "/console/gateways",
    async (page) => {
      await button(page, /^Add a gateway/).first().click();
      await dialog(page).getByRole("button", { name: "Next" }).click();
      await dialog(page).getByLabel("Name", { exact: true }).fill("edge-1");
    },
  ),
  // The last of these: from here on a key stands in the side bar's count of leaks.
  scene(
    "Leaks",
    "leaks",
    "keys found in public",
    "/console/keys?leaked=reports",
    async (page, desk) => {
      const url = "https://code.example/cityhopper/display/config.json";
      await desk.call("POST", "/v1/leaks", { keys: [desk.key], url });
      await desk.settle();
      await page.reload();
      await rows(page);
    },
    { phone: true },
  ),
];

/** Chooses a view in the list's menu. */
async function openView(page: Page, name: string): Promise<void> {
  await rows(page);
  await unfold(page);
  await button(page, "Views").click();
  await page.getByRole("link", { name, exact: true }).click();
  await screenTitle(page, `Keys: ${name}`);
  await rows(page);
}

/** On a phone the views lie behind the filters' button. */
async function unfold(page: Page): Promise<void> {
  const filters = button(page, "Filters");
  if (await filters.isVisible() && await filters.getAttribute("aria-expanded") !== "true") {
    await filters.click();
  }
}

/** Whether it comes within a second. */
function isThere(what: Locator): Promise<boolean> {
  return what.waitFor({ timeout: 1000 }).then(() => true, () => false);
}

/** No desk has a gateway: what the third key's three would say stands here. */
async function onItsWay(page: Page, desk: SceneDesk): Promise<void> {
  const at = (time: string) => `2026-03-12T${time}.000Z`;
  const there = [
    { gateway: "City gateway", state: "stuck", reason: "no_policy Disruptions", tries: 14 },
    { gateway: "Harbour gateway", state: "delivered", reason: "", tries: 0 },
    { gateway: "Partner edge", state: "waiting", reason: "", tries: 0 },
  ].map((one, n) => ({
    ...one,
    gateway_id: `69b28a60a1b2c3d4e5f6071${n}`,
    key_id: "",
    object: "key",
    valid: one.state === "delivered",
    since: at(n === 0 ? "08:58:00" : "09:39:57"),
    remote_id: "",
    delivered_at: null,
  }));
  const at_gateways = there.filter(({ valid }) => !valid);
  const list = await desk.call("GET", "/v1/keys?limit=25");
  const third = { ...list.data[2], state: "active", at_gateways };
  list.data[2] = third;
  await page.route("**/v1/keys?*", (route) => route.fulfill({ json: list }));
  await page.route(`**/v1/keys/${third.key_id}`, (route) => route.fulfill({ json: third }));
  await page.route("**/v1/keys/*/gateways", (route) => route.fulfill({ json: { data: there } }));
  await page.reload();
}
