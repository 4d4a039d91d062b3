/** What the pictures show. A screen that is not among them fails `test/console/pictures.test.ts`. */
import type { Page } from "playwright-core";

/** One picture, of each size in both themes. */
export interface Scene {
  /** The file's name. */
  readonly name: string;
  /** The part of the list of all that it stands in. */
  readonly of: string;
  /** What it shows, in a few words. */
  readonly shows: string;
  /** Below the server's address. */
  readonly path: string;
  /** Which desk: at work (unless said), the same without trouble, or empty. */
  readonly desk?: "calm" | "empty";
  /** Taken on a phone, too. */
  readonly phone?: true;
  /** Whoever looks is not signed in. */
  readonly stranger?: true;
  /** What is done before it is taken; resolves once all of it is there. */
  readonly open: (page: Page, desk: SceneDesk) => Promise<unknown>;
}

/** What scenes ask of the desk. */
export interface SceneDesk {
  // deno-lint-ignore no-explicit-any -- any answer
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** A key that was issued once, for whoever finds one. */
  readonly key: string;
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();
const title = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 2, name }).first().waitFor();
const title1 = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name }).waitFor();
const rows = (page: Page) => page.locator(".row-link").first().waitFor();
const row = (page: Page, name: string | RegExp) =>
  page.getByRole("row").filter({ hasText: name }).locator(".row-link").first().click();
const dialog = (page: Page) => page.getByRole("dialog");
const drawer = (page: Page) => page.getByRole("complementary", { name: "Details" });

function scene(
  of: string,
  name: string,
  shows: string,
  path: string,
  open: Scene["open"],
  more: Pick<Scene, "desk" | "phone" | "stranger"> = {},
): Scene {
  return { of, name, shows, path, open, ...more };
}

/** All of them, in the order of the side bar. */
export const scenes: readonly Scene[] = [
  scene(
    "Home",
    "home",
    "what waits, what ends, what is used",
    "/console/home",
    (page) => page.locator(".home-calls tfoot").waitFor(),
    { desk: "calm", phone: true },
  ),
  scene(
    "Home",
    "home-trouble",
    "something is wrong",
    "/console/home",
    (page) => page.locator(".home-troubles .button").first().waitFor(),
    { phone: true },
  ),
  scene("Home", "home-failed", "a panel that can’t be read", "/console/home", async (page) => {
    await page.route("**/v1/insight/ends", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.reload();
    await page.locator(".home-failed").waitFor();
    await page.locator(".home-calls tfoot").waitFor();
  }, { desk: "calm" }),
  scene(
    "First run",
    "first-run",
    "the way to the first key",
    "/console/home",
    (page) => text(page, "0 of 4 done"),
    { desk: "empty", phone: true },
  ),
  scene("First run", "first-run-api", "an API and its plan", "/console/home", async (page) => {
    await button(page, "Add an API").click();
    await dialog(page).waitFor();
  }, { desk: "empty" }),
  scene(
    "Key requests",
    "key-requests",
    "what waits for a decision",
    "/console/key-requests",
    rows,
    { phone: true },
  ),
  scene("Key requests", "key-request", "one of them", "/console/key-requests", async (page) => {
    await page.locator(".row-link").nth(2).click();
    await button(page, /^Approve/).first().waitFor();
    await text(page, "Request id");
  }, { phone: true }),
  scene(
    "Key requests",
    "key-request-approve",
    "what will be issued",
    "/console/key-requests",
    async (page) => {
      await page.locator(".row-link").nth(2).click();
      await button(page, /^Approve/).first().click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Key requests",
    "key-requests-several",
    "several at once",
    "/console/key-requests",
    async (page) => {
      for (const n of [1, 2, 4]) await page.locator(".row-pick").nth(n).click();
      await text(page, "3 selected");
    },
  ),
  scene(
    "Key requests",
    "key-requests-approved",
    "by whom, and when",
    "/console/key-requests?state=issued",
    rows,
  ),
  scene(
    "Key requests",
    "key-requests-declined",
    "what was declined",
    "/console/key-requests?state=declined",
    rows,
  ),
  scene(
    "Key requests",
    "key-requests-no-match",
    "a search that finds nothing",
    "/console/key-requests?q=tram+depot",
    (page) => text(page, "Nothing matches"),
  ),
  scene(
    "Key requests",
    "key-requests-empty",
    "nothing was asked for yet",
    "/console/key-requests",
    (page) => page.locator(".state").first().waitFor(),
    { desk: "empty" },
  ),
  scene("Keys", "keys", "all that were issued", "/console/keys", rows, { phone: true }),
  scene("Keys", "key", "one of them, with its use", "/console/keys", async (page) => {
    await rows(page);
    await page.locator(".row-link").nth(2).click();
    await text(page, "History");
  }, { phone: true }),
  scene("Keys", "keys-view", "a saved view, sorted", "/console/keys", async (page) => {
    await openView(page, "Ends soon");
  }, { phone: true }),
  scene("Keys", "keys-views", "views of the list", "/console/keys", async (page) => {
    await openView(page, "Ends soon");
    await button(page, /^View: /).click();
    await button(page, "Rename…").waitFor();
  }, { phone: true }),
  scene("Keys", "keys-columns", "which columns it shows", "/console/keys", async (page) => {
    await button(page, "Columns").click();
    await page.getByRole("checkbox", { name: "Last used" }).waitFor();
  }),
  scene("Keys", "key-labels", "name, environment, tags, note", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(2).click();
    await button(page, "Change name and tags").click();
    await dialog(page).waitFor();
  }),
  scene("Keys", "key-issue", "a key without a request", "/console/keys", async (page) => {
    await button(page, /^Issue key/).click();
    await dialog(page).getByLabel("Developer", { exact: true }).fill("elif");
    await dialog(page).getByRole("option").first().click();
    await dialog(page).getByRole("checkbox").first().check();
  }),
  scene("Keys", "key-rotate", "a new key beside the old one", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(1).click();
    await button(page, /^Rotate/).click();
    await dialog(page).waitFor();
  }),
  scene("Keys", "key-suspend", "a reason is asked for", "/console/keys", async (page) => {
    await page.locator(".row-link").nth(1).click();
    await button(page, /^Suspend/).click();
    await dialog(page).waitFor();
  }),
  scene(
    "Certificates",
    "certificates",
    "what ends next, and whose it is",
    "/console/certificates",
    rows,
    { phone: true },
  ),
  scene(
    "Certificates",
    "certificate",
    "one of them, with its chain",
    "/console/certificates",
    async (page) => {
      await row(page, "kettlequay.partners");
      await text(page, "SHA-256 fingerprint");
    },
    { phone: true },
  ),
  scene(
    "Certificates",
    "certificate-add",
    "by drop, file or paste",
    "/console/certificates",
    async (page) => {
      await button(page, /^Add/).first().click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Certificates",
    "certificates-empty",
    "none yet",
    "/console/certificates",
    (page) => text(page, "No certificates yet"),
    { desk: "empty" },
  ),
  scene("Developers", "developers", "who asks for keys", "/console/developers", rows, {
    phone: true,
  }),
  scene(
    "Developers",
    "developer",
    "one of them, with keys and requests",
    "/console/developers",
    async (page) => {
      await row(page, "Elif");
      await page.locator(".drawer .mini-list a").first().waitFor();
    },
  ),
  scene(
    "Developers",
    "developer-change",
    "name, address, fields",
    "/console/developers",
    async (page) => {
      await row(page, "Elif");
      await button(page, /^Change/).first().click();
      await dialog(page).waitFor();
    },
  ),
  scene("Catalogue", "catalogue", "what is offered, on which terms", "/console/catalogue", rows, {
    phone: true,
  }),
  scene("Catalogue", "api", "an API with its plans", "/console/catalogue", async (page) => {
    await row(page, "Departures");
    await title(page, "Departures");
  }),
  scene("Plans", "plans", "what keys may do", "/console/plans", rows),
  scene("Plans", "plan", "one of them, with its use", "/console/plans", async (page) => {
    await row(page, "Departures, professional");
    await title(page, "Departures, professional");
    await page.locator(".usage-total").waitFor();
  }),
  scene("Plans", "plan-change", "its limits", "/console/plans", async (page) => {
    await row(page, "Departures, professional");
    await button(page, "Change").first().click();
    await dialog(page).waitFor();
  }),
  scene("Deliveries", "deliveries", "what arrived, and what did not", "/console/deliveries", rows, {
    phone: true,
  }),
  scene(
    "Deliveries",
    "delivery",
    "what was sent, and what they answered",
    "/console/deliveries?state=dead",
    async (page, desk) => {
      const { data } = await desk.call("GET", "/v1/deliveries?limit=100&topic=credential.revoked");
      const failed = data.find((one: { attempts: number }) => one.attempts > 1);
      await page.goto(new URL(`/console/deliveries/${failed.id}`, page.url()).href);
      await text(page, /upstream connect error/);
    },
  ),
  scene("Activity", "activity", "who did what, from where", "/console/activity", rows, {
    phone: true,
  }),
  scene(
    "Activity",
    "activity-event",
    "one of them, with what changed",
    "/console/activity",
    async (page) => {
      await page.locator(".row-link").nth(3).click();
      await drawer(page).waitFor();
    },
  ),
  scene("Activity", "activity-proof", "its proof, checked", "/console/activity", async (page) => {
    await page.locator(".row-link").nth(3).click();
    await button(page, "Check the proof").click();
    await page.locator(".event-proof .notice").filter({ hasText: "This row is as it was written" })
      .waitFor();
    await page.locator(".event-proof").filter({ hasText: "The signature was checked here" })
      .waitFor();
    await page.locator(".event-proof").scrollIntoViewIfNeeded();
  }),
  scene("Settings", "settings", "people and what they may do", "/console/settings", rows, {
    phone: true,
  }),
  scene(
    "Settings",
    "settings-person",
    "one of them, with access tokens",
    "/console/settings",
    async (page) => {
      await row(page, "Tomás");
      await title(page, "Tomás Ferreira");
    },
  ),
  scene(
    "Settings",
    "settings-add-person",
    "roles and permissions",
    "/console/settings",
    async (page) => {
      await button(page, /^Add a person/).click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-token",
    "an access token is issued",
    "/console/settings",
    async (page) => {
      await row(page, "Tomás");
      await button(page, "Issue an access token").click();
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-organisations",
    "whom this server serves",
    "/console/settings?show=organisations",
    (page) => text(page, "Yours is the only one"),
  ),
  scene(
    "Settings",
    "settings-targets",
    "who is told of changes",
    "/console/settings?show=targets",
    rows,
  ),
  scene(
    "Settings",
    "settings-target",
    "one that fails",
    "/console/settings?show=targets",
    async (page) => {
      await row(page, "Gateway cache");
      await title(page, "Gateway cache");
    },
  ),
  scene(
    "Settings",
    "settings-mail",
    "which mails are sent",
    "/console/settings?show=targets",
    async (page) => {
      await row(page, "Mail");
      await button(page, /^A request waits/).waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-mail-words",
    "the words of a mail, and how it looks",
    "/console/settings?show=targets",
    async (page) => {
      await row(page, "Mail");
      await button(page, /^A request waits/).click();
      await page.frameLocator("iframe.mail-frame").getByRole("link").first().waitFor();
    },
  ),
  scene(
    "Settings",
    "settings-alerts",
    "when somebody is told of ends",
    "/console/settings?show=alerts",
    (page) => text(page, "60, 30, 14, 7, 3, 1 days"),
  ),
  scene(
    "Settings",
    "settings-you",
    "one’s own session and choices",
    "/console/settings?show=you",
    (page) => page.getByRole("heading", { name: "This session" }).waitFor(),
  ),
  scene(
    "Settings",
    "settings-brand",
    "name, colour and addresses",
    "/console/settings?show=brand",
    (page) => text(page, "https://api.riverline.example"),
  ),
  scene(
    "Settings",
    "settings-server",
    "versions, store, health",
    "/console/settings?show=server",
    (page) => text(page, "SQLite"),
  ),
  scene(
    "Everywhere",
    "palette",
    "Ctrl K finds people, keys, plans, screens",
    "/console/key-requests",
    async (page) => {
      await rows(page);
      await page.keyboard.press("Control+k");
      await dialog(page).waitFor();
      await page.keyboard.type("dep");
      await dialog(page).getByRole("option", { name: /professional/ }).first().waitFor();
    },
    { phone: true },
  ),
  scene(
    "Everywhere",
    "palette-key",
    "a pasted key finds its owner",
    "/console/key-requests",
    async (page, { key }) => {
      await rows(page);
      await page.keyboard.press("Control+k");
      await dialog(page).waitFor();
      await page.evaluate(`navigator.clipboard.writeText("${key}")`);
      await page.keyboard.press("Control+v");
      await text(page, "This key belongs to");
    },
  ),
  scene(
    "Everywhere",
    "shortcuts",
    "all keys of a screen",
    "/console/key-requests",
    async (page) => {
      await rows(page);
      await page.keyboard.press("?");
      await dialog(page).waitFor();
    },
  ),
  scene(
    "Everywhere",
    "offline",
    "the server does not answer",
    "/console/key-requests",
    async (page) => {
      await rows(page);
      await page.route("**/v1/**", (route) => route.abort());
      await page.keyboard.press("g");
      await page.keyboard.press("d");
      await text(page, "The server does not answer");
    },
  ),
  scene(
    "Everywhere",
    "not-found",
    "an address that leads nowhere",
    "/console/nowhere",
    (page) => text(page, "There is nothing here"),
  ),
  scene(
    "Sign-in",
    "sign-in",
    "by an access token or a link",
    "/console",
    (page) => page.getByLabel("Your access token").waitFor(),
    { phone: true, stranger: true },
  ),
  scene(
    "Sign-in",
    "sign-in-refused",
    "an access token that opens nothing",
    "/console",
    async (page) => {
      await page.getByLabel("Your access token").fill("kd_wrong");
      await button(page, "Sign in").click();
      await page.getByRole("alert").first().waitFor();
    },
    { stranger: true },
  ),
  scene("Claim page", "claim", "before the key is shown", "/claim", async (page, desk) => {
    await page.goto(await claimLink(desk));
    await button(page, /^Show/).waitFor();
  }, { phone: true, stranger: true }),
  scene("Claim page", "claim-shown", "the key, once", "/claim", async (page, desk) => {
    await page.goto(await claimLink(desk));
    await button(page, /^Show/).click();
    await page.getByRole("checkbox").waitFor();
  }, { phone: true, stranger: true }),
  scene("Claim page", "claim-over", "a link that was used or has ended", "/claim", async (page) => {
    const { origin } = new URL(page.url());
    await page.goto("about:blank");
    await page.goto(`${origin}/claim#${"x".repeat(43)}`);
    await text(page, "This link opens nothing");
  }, { stranger: true }),
  scene("Reference", "reference", "every endpoint", "/reference", (page) => text(page, "Approve"), {
    phone: true,
    stranger: true,
  }),
];

/** Chooses a view in the list's menu. */
async function openView(page: Page, name: string): Promise<void> {
  await rows(page);
  await button(page, "Views").click();
  await page.getByRole("link", { name, exact: true }).click();
  await title1(page, `Keys: ${name}`);
  await rows(page);
}

/** A claim link of a fresh key. */
async function claimLink(desk: SceneDesk): Promise<string> {
  const { data: developers } = await desk.call("GET", "/v1/developers?limit=20");
  const { data: plans } = await desk.call("GET", "/v1/plans?limit=20");
  // deno-lint-ignore no-explicit-any -- any answer
  const named = (list: any[], name: string) =>
    list.find((one) => JSON.stringify(one).includes(name));
  const issued = await desk.call("POST", `/v1/developers/${named(developers, "Elif").id}/keys`, {
    ...{ plans: [named(plans, "Departures, professional")._id], deliver: "claim" },
  });
  return issued.claim.link;
}
