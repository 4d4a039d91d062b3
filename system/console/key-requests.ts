/** What tests of key requests look for on the page, and what the server counts. */
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";

export const rows = (page: Page) => page.locator("tr[data-row]");
export const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
export const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Answers the question that D and Decline ask, with this reason or none. */
export async function sayWhy(page: Page, reason = ""): Promise<void> {
  const question = dialog(page, /^Decline (this request|\d+ requests)\?/);
  await question.getByLabel("Reason").waitFor();
  if (reason !== "") await page.keyboard.insertText(reason);
  await page.keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
}

/** What stands in the tab Pending, when it does. */
export async function pendingIs(page: Page, count: number): Promise<void> {
  await page.locator(".tab-count").first().getByText(String(count), { exact: true }).waitFor();
}

export async function counts(server: DemoServer) {
  // as: the contract of countKeyRequests.
  return await server.call("GET", "/v1/key-requests/counts") as Record<string, number>;
}
