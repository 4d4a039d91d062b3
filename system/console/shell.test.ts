/** The console's shell in Chromium: signing in, moving between screens, themes, narrow screens. */
import assert from "node:assert/strict";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, sizes, startDemoServer, visit } from "./browser.ts";

Deno.test("console: the link signs in once, and leaves neither address nor history", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const link = await server.link();
  await ada.page.goto(link);
  await ada.page.getByRole("button", { name: "Sign out" }).waitFor();
  await ada.page.waitForURL(`${server.url}/console/home`);
  assert.equal(await ada.page.evaluate(() => history.length), 2);
  await ada.show("key-requests/placeholder");
  await using bob = await visit(browser, { expected: /401/ });
  await bob.page.goto(link);
  await bob.page.getByText("This link does not sign in").waitFor();
  await bob.show("sign-in/used-link");
});

Deno.test("console: every screen opens by its key", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server);
  const screens = {
    k: "Keys",
    p: "APIs",
    d: "Developers",
    c: "Certificates",
    l: "Logs",
    g: "Gateways",
    a: "Audit log",
    s: "Settings",
    h: "Home",
    r: "Requests",
  };
  for (const [key, name] of Object.entries(screens)) {
    await ada.page.keyboard.press("g");
    await ada.page.keyboard.press(key);
    await ada.page.getByRole("heading", { level: 1, name }).waitFor();
  }
  await ada.page.keyboard.press("?");
  await ada.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await ada.show("shell/shortcuts");
  await ada.page.keyboard.press("Escape");
  assert.equal(await ada.page.getByRole("dialog").count(), 0);
});

Deno.test("console: a key that is pressed in a screen's first frame counts, there alone", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server);
  const { page } = ada;
  // Drawn, and before the frame is painted, when no screen's keys are registered yet.
  await page.addInitScript(() => {
    new MutationObserver((_, watching) => {
      if (document.querySelector("h1")?.textContent !== "Keys") return;
      watching.disconnect();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "3", bubbles: true }));
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await page.goto(`${server.url}/console/keys`);
  await page.waitForURL(/\/keys\?state=suspended$/);
  // What no screen knew is not kept for the next one.
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.locator(".is-waiting .home-link, .home-none").first().waitFor();
  await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "4", bubbles: true }))
  );
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await page.locator(".row-link").first().waitFor();
  assert.equal(new URL(page.url()).search, "");
  assert.deepEqual(ada.complaints, []);
});

Deno.test("console: on a phone the screens stand below, the others behind More", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { size: sizes.phone });
  await signIn(ada, server);
  await ada.page.locator(".row-link").first().waitFor();
  await ada.show("shell/phone");
  await ada.page.getByRole("button", { name: "More" }).click();
  await ada.show("shell/phone-more");
  await ada.page.getByRole("link", { name: "APIs", exact: true }).click();
  await ada.page.getByRole("heading", { level: 1, name: "APIs" }).waitFor();
});

Deno.test("console: the theme is the system's until somebody chooses, and stays chosen", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser, { theme: "dark" });
  await signIn(ada, server);
  const paper = () => ada.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await ada.page.getByTitle("Light").click();
  assert.notEqual(await paper(), dark);
  await ada.page.reload();
  await ada.page.getByRole("radio", { name: "Light" }).waitFor({ state: "attached" });
  assert.ok(await ada.page.getByRole("radio", { name: "Light" }).isChecked());
  assert.notEqual(await paper(), dark);
  await ada.page.getByTitle("As the system").click();
  assert.equal(await paper(), dark);
  assert.deepEqual(ada.complaints, []);
});

Deno.test("console: the first Tab leads past the screens to the content", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server);
  await ada.page.reload();
  await ada.page.locator(".row-link").first().waitFor();
  await ada.page.keyboard.press("Tab");
  await ada.page.keyboard.press("Enter");
  assert.equal(await ada.page.evaluate(() => document.activeElement?.id), "content");
  assert.equal(new URL(ada.page.url()).hash, "");
});

Deno.test("console: the second Tab leads to the list, where there is one", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  await signIn(ada, server);
  const { page } = ada;
  await page.goto(`${server.url}/console/keys`);
  await page.locator(".row-link").first().waitFor();
  for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
  assert.ok(await page.locator(".row-link").first().evaluate((row) => row.matches(":focus")));
  await page.goto(`${server.url}/console/settings?show=you`);
  await page.getByText("Where you are signed in").waitFor();
  assert.equal(await page.getByText("Skip to the list").isVisible(), false);
  assert.deepEqual(ada.complaints, []);
});

Deno.test("console: who may see little lands on what they see, and reads why the rest is not there", async () => {
  await using server = await startDemoServer();
  await using browser = await sharedBrowser();
  const landing = {
    "certs:read": /^Certificates$/,
    approve: /^Keydesk$/,
    verify: /^Keydesk$/,
    audit: /^Audit log$/,
  };
  for (const [permission, heading] of Object.entries(landing)) {
    const made = { name: permission, permissions: [permission] };
    // as: the contracts of createPerson and issueAccessToken.
    const { id } = await server.call("POST", "/v1/people", made) as { id: string };
    const token = await server.call("POST", `/v1/people/${id}/access-tokens`, { name: "t" }) as {
      id: string;
    };
    // The first list is asked for before it is known who asks.
    await using visitor = await visit(browser, { expected: /403|404/ });
    const { page } = visitor;
    await page.goto(await server.link(token.id));
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await visitor.show(`shell/lands-${permission.replace(":", "-")}`);
    // By the address of a screen that is not theirs too.
    await page.goto(`${server.url}/console/requests`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    const sentence = {
      approve: "You may approve key requests, but not see them",
      verify: "Your access token is valid for no screen",
    }[permission];
    if (sentence !== undefined) {
      await page.getByText(sentence).waitFor();
    } else {
      await page.goto(`${server.url}/console/requests/0123456789`);
      await page.getByText("Your access token does not show you this").waitFor();
      await visitor.check();
      await page.getByRole("link", { name: /^Go to / }).click();
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    }
    assert.equal(await page.getByText("There is nothing here").count(), 0);
    assert.deepEqual(visitor.complaints, []);
  }
});
