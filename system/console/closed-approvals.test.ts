/** Approvals that were to be signed by a passkey, in Chromium: closed, and set anew. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openSession } from "../../src/storage/open-session.ts";
import type { DemoServer } from "./browser.ts";
import { desk } from "./desk.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Has approvals closed, as a store of an earlier release has them. */
async function close(server: DemoServer): Promise<void> {
  const path = join(server.settings.KEYDESK_DATA_DIR ?? "", "keydesk.db");
  const session = await openSession({ path });
  try {
    await session.exec(
      "insert into sign_in_rules (org_id, tokens, signatures) select id, 1, 1 from organisations",
    );
  } finally {
    await session.close();
  }
}

Deno.test("closed: who approves is told what is the matter, and an administrator opens it", () =>
  desk(async (_ada, page, server) => {
    await close(server);
    await page.goto(`${server.url}/console/`);
    const line = page.getByRole("listitem").filter({ hasText: "Approvals are closed" });
    await line.getByRole("link", { name: /^Show/ }).waitFor();
    await page.goto(`${server.url}/console/requests`);
    await page.locator(".row-link").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Approve this request?" });
    await dialog.getByText(/^Approvals are closed: .* in Settings → Access → Sign-in/).waitFor();
    await dialog.getByRole("button", { name: /^Approve/ }).click();
    await dialog.getByText(/^Approvals are closed here: /).waitFor();
    await page.keyboard.press("Escape");
    for (const key of ["x", "j", "x"]) await page.keyboard.press(key);
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("a");
    await page.getByRole("dialog", { name: "Approvals are closed" }).waitFor();
    await page.goto(`${server.url}/console/settings?show=sign-in`);
    const unsigned = page.getByRole("switch", { name: "Approvals go through unsigned" });
    await unsigned.click();
    await unsigned.waitFor({ state: "detached" });
    await page.goto(`${server.url}/console/requests`);
    await page.locator(".row-link").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await button(page, "Approve & issue key").click();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).waitFor();
  }, { expected: /400/ }));
