import type { Page } from "playwright-core";
import { NOW } from "../picture-desk.ts";
import { type Scene, scene, type SceneDesk } from "../scene.ts";

const OF = "Developer pages";

/** What developers see at their own pages. */
export const portalScenes: readonly Scene[] = [
  scene(OF, "portal-sign-in", "signing in", "/portal", async (page, desk) => {
    await switchOn(desk);
    await page.context().clearCookies();
    await page.goto(new URL("/portal/sign-in", page.url()).href);
    await headed(page, "Sign in");
  }, { phone: true, stranger: true }),
  scene(OF, "portal-sign-up", "signing up", "/portal", async (page, desk) => {
    await switchOn(desk);
    await page.context().clearCookies();
    await page.goto(new URL("/portal/sign-up", page.url()).href);
    await page.locator("main form").first().waitFor();
  }, { phone: true, stranger: true }),
  scene(OF, "portal-first", "the first visit", "/portal", async (page, desk) => {
    await enterNew(page, desk);
  }, { phone: true, stranger: true }),
  scene(OF, "portal-new-key", "a new key, displayed once", "/portal", async (page, desk) => {
    await enterNew(page, desk);
    await page.getByText("Get a key now").click();
    await headed(page, /^(Request|Your new key)/);
    for (const field of await page.locator("main textarea").all()) await field.fill("A timetable");
    const send = page.getByRole("button", { name: "Get the key" });
    if (await send.count() > 0) await send.click();
    const show = page.getByRole("button", { name: "Show the key" });
    await page.locator("#key").or(show).first().waitFor();
    if (await show.count() > 0) await show.click();
    await page.locator("#key").waitFor();
  }, { phone: true, stranger: true }),
  scene(OF, "portal-apis", "the catalogue, and own keys", "/portal", async (page, desk) => {
    await enter(page, desk, "/portal");
    await headed(page, "APIs");
  }, { phone: true, stranger: true }),
  scene(OF, "portal-api", "one API, its documentation and plans", "/portal", async (page, desk) => {
    await enter(page, desk, "/portal");
    await page.locator("main h2 a").first().click();
    await page.locator(".compare").first().waitFor();
  }, { phone: true, stranger: true }),
  scene(OF, "portal-ask", "requesting access", "/portal", async (page, desk) => {
    await enter(page, desk, "/portal");
    await page.getByRole("link", { name: /^Request / }).first().click();
    await headed(page, /^Request /);
  }, { phone: true, stranger: true }),
  scene(OF, "portal-requests", "requests and their state", "/portal", async (page, desk) => {
    await enter(page, desk, "/portal/requests");
    await headed(page, "Requests");
  }, { phone: true, stranger: true }),
  scene(OF, "portal-keys", "keys", "/portal", async (page, desk) => {
    await enter(page, desk, "/portal/keys");
    await headed(page, "Keys");
  }, { stranger: true }),
  scene(OF, "portal-key", "one key, its quota and its calls", "/portal", async (page, desk) => {
    const id = await developerOf(desk);
    const { data } = await desk.call("GET", `/v1/keys?developer=${id}&state=active`);
    const used = data.find((one: { last_used_at: string | null }) => one.last_used_at !== null);
    await enter(page, desk, `/portal/keys/${used.key_id}`);
    await headed(page, "Calls of the last 30 days");
  }, { phone: true, stranger: true }),
  scene(OF, "portal-later-end", "requesting a later expiry", "/portal", async (page, desk) => {
    const id = await developerOf(desk);
    const { data } = await desk.call("GET", `/v1/keys?developer=${id}&state=active`);
    const [{ key_id }] = data;
    const { expires_at } = await desk.call("GET", `/v1/keys/${key_id}`);
    await desk.call("PUT", `/v1/keys/${key_id}/expiry`, { expires_at: SOON });
    await enter(page, desk, `/portal/keys/${key_id}`);
    await page.getByText("Request a later expiry").first().click();
    const back = expires_at === null ? {} : { expires_at };
    await desk.call("PUT", `/v1/keys/${key_id}/expiry`, back);
  }, { stranger: true }),
  scene(OF, "portal-account", "the account", "/portal", async (page, desk) => {
    await enter(page, desk, "/portal/account");
    await headed(page, "Account");
  }, { stranger: true }),
  scene(OF, "portal-seen", "seen by an administrator", "/portal", async (page, desk) => {
    const { token } = await desk.call("POST", `/v1/developers/${await developerOf(desk)}/views`);
    await enterBy(page, token, "/portal/keys");
    await page.getByRole("note").waitFor();
  }, { stranger: true }),
];

const SOON = new Date(NOW + 10 * 86_400_000).toISOString();

const headed = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name }).first().waitFor();

async function switchOn(desk: SceneDesk): Promise<void> {
  const settings = { enabled: true, sign_up: "open", back_end_access: "all" };
  await desk.call("PUT", "/v1/developer-pages", settings);
}

async function developerOf(desk: SceneDesk): Promise<string> {
  await switchOn(desk);
  const { data: [developer] } = await desk.call("GET", "/v1/developers?q=elif");
  return developer.id;
}

/** Signs a developer in with keys and requests, and goes to a page. */
async function enter(page: Page, desk: SceneDesk, path: string): Promise<void> {
  const id = await developerOf(desk);
  const { token } = await desk.call("POST", `/v1/developers/${id}/sign-in-links`);
  await enterBy(page, token, path);
}

let newcomers = 0;

/** Signs a developer in who has nothing yet. */
async function enterNew(page: Page, desk: SceneDesk): Promise<void> {
  await switchOn(desk);
  const id = `newcomer-${++newcomers}`;
  await desk.call("POST", "/v1/developers", { id, email: `${id}@example.org` });
  const { token } = await desk.call("POST", `/v1/developers/${id}/sign-in-links`);
  await enterBy(page, token, "/portal");
  await headed(page, "You have no key yet");
}

async function enterBy(page: Page, token: string, path: string): Promise<void> {
  const { origin } = new URL(page.url());
  // Over another developer's session a press would be needed.
  await page.context().clearCookies();
  await page.goto(`${origin}/portal/enter#${token}`);
  await page.locator("nav.main").waitFor();
  await page.goto(`${origin}${path}`);
}
