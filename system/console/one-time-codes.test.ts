/** One-time codes in Chromium: set up from the picture, asked for, recovered and taken away. */
import assert from "node:assert/strict";
import { correction, generate } from "lean-qr";
import { toSvgPath } from "lean-qr/extras/svg";
import type { Page } from "playwright-core";
import { codeOfStep, stepAt, uriOf } from "../../src/features/people/one-time-code.ts";
import { type DemoServer, sizes } from "./browser.ts";
import { desk } from "./desk.ts";
import { browserOf } from "./virtual-passkeys.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const codeOf = (secret: string, steps = 0) => codeOfStep(secret, stepAt(Date.now()) + steps);

/** Somebody with an access token alone. */
async function grace(server: DemoServer): Promise<{ id: string; token: string }> {
  const { id } = await server.call("POST", "/v1/people", {
    name: "Grace",
    permissions: ["portal:read", "approve"],
  }) as { id: string };
  const issued = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await server.call(
    "POST",
    `/v1/people/${id}/access-tokens`,
    issued,
  ) as {
    access_token: string;
  };
  return { id, token: credential };
}

async function enter(page: Page, server: DemoServer, token: string): Promise<void> {
  await page.goto(`${server.url}/console/settings`);
  await button(page, "Use an access token").click();
  await page.getByLabel("Your access token").fill(token);
  await page.keyboard.press("Enter");
}

/** What is shown once: read off the dialog, which is then done with. */
async function recoveryCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole("dialog", { name: "Your recovery codes" });
  const text = await dialog.locator(".copy-value").textContent() ?? "";
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  return text.split("\n");
}

Deno.test("one-time codes: set up by picture or text, asked for at the next sign-in, and removed", () =>
  desk(async (ada, _page, server) => {
    const { id, token } = await grace(server);
    const context = await browserOf(ada.page).newContext({ viewport: sizes.desk });
    const page = await context.newPage();
    try {
      await enter(page, server, token);
      await button(page, "Set up one-time codes").click();
      const form = page.getByRole("dialog", { name: "Set up one-time codes" });
      const secret = await form.locator(".copy-value").textContent() ?? "";
      assert.match(secret, /^[A-Z2-7]{32}$/);
      const picture = await form.locator("svg.qr-code path").getAttribute("d");
      const drawn = generate(uriOf("Grace", secret), { minCorrectionLevel: correction.L });
      assert.equal(picture, toSvgPath(drawn));
      const code = form.getByLabel("Code", { exact: true });
      await code.fill(codeOf(secret, 9));
      await page.keyboard.press("Enter");
      await form.getByText("This is not what the app shows").waitFor();
      await code.fill(codeOf(secret));
      await page.keyboard.press("Enter");
      const codes = await recoveryCodes(page);
      assert.equal(codes.length, 10);
      await page.getByText("10 recovery codes left").waitFor();
      const everywhere = await page.evaluate(() =>
        document.documentElement.outerHTML + JSON.stringify({ ...localStorage })
      );
      for (const one of [secret, ...codes]) assert.ok(!everywhere.includes(one));
      await button(page, "Sign out").last().click();
      await page.getByLabel("Your e-mail address").waitFor();

      await enter(page, server, token);
      const asked = page.getByLabel("One-time code");
      await asked.waitFor();
      assert.ok(await asked.evaluate((one) => one === document.activeElement), "it has the focus");
      assert.equal(await page.getByRole("navigation").count(), 0, "nobody is in yet");
      assert.deepEqual(await context.cookies(), []);
      await asked.fill("000000");
      await page.keyboard.press("Enter");
      await page.getByText("Wrong or used: wait for the next code").waitFor();
      await asked.fill(codeOf(secret, 1));
      await page.keyboard.press("Enter");
      await page.getByText("10 recovery codes left").waitFor();
      await button(page, "Sign out").last().click();
      await page.getByLabel("Your e-mail address").waitFor();
      await enter(page, server, token);
      await asked.fill(codes[0] ?? "");
      await page.keyboard.press("Enter");
      await page.getByText("9 recovery codes left").waitFor();
      await button(page, "New recovery codes").click();
      await button(page, "Make new ones").click();
      assert.equal((await recoveryCodes(page)).length, 10);

      // An administrator takes them away, which ends the sessions by the access token.
      await ada.page.goto(`${server.url}/console/settings/${id}`);
      await ada.page.getByText("access token and code").last().waitFor();
      await button(ada.page, "Remove Authenticator app").click();
      await ada.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await ada.page.getByText("Grace gives no code any more.").waitFor();
      await context.clearCookies();
      await enter(page, server, token);
      await button(page, "Set up one-time codes").waitFor();
    } finally {
      await context.close();
    }
  }));

Deno.test("one-time codes: the organisation asks for a second factor, once an administrator has one", () =>
  desk(async (ada, page, server) => {
    await page.goto(`${server.url}/console/settings?show=sign-in`);
    const second = page.getByRole("switch", { name: "A second factor beside it" });
    await second.click();
    await page.getByText("No administrator would be left").waitFor();
    assert.equal(await second.isChecked(), false);
    await page.goto(`${server.url}/console/settings?show=you`);
    await button(page, "Set up one-time codes").click();
    const secret = await page.getByRole("dialog").locator(".copy-value").textContent() ?? "";
    await ada.show("settings/one-time-codes");
    await page.getByLabel("Code", { exact: true }).fill(codeOf(secret));
    await page.keyboard.press("Enter");
    await recoveryCodes(page);
    await page.goto(`${server.url}/console/settings?show=sign-in`);
    await second.click();
    await page.getByText("Saved.").waitFor();
    assert.ok(await second.isChecked());
    const { token } = await grace(server);
    const context = await browserOf(page).newContext();
    const other = await context.newPage();
    try {
      await enter(other, server, token);
      await other.getByText("An access token alone is not enough to sign in here").waitFor();
      // The sign-in over an open page asks for a code, too.
      await enter(other, server, server.admin);
      await other.getByLabel("One-time code").fill(codeOf(secret, 1));
      await other.keyboard.press("Enter");
      await other.getByRole("navigation").first().waitFor();
    } finally {
      await context.close();
    }
  }, { expected: /Failed to load resource/ }));
