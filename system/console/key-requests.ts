/** What tests of key requests look for on the page, and what the server counts. */
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";

export const rows = (page: Page) => page.locator("tr[data-row]");
export const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
export const details = (page: Page) => page.getByRole("complementary", { name: "Details" });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** What stands in the tab Pending, when it does. */
export async function pendingIs(page: Page, count: number): Promise<void> {
  await page.locator(".tab-count").first().getByText(String(count), { exact: true }).waitFor();
}

export async function counts(server: DemoServer) {
  // as: the contract of countKeyRequests.
  return await server.call("GET", "/v1/key-requests/counts") as Record<string, number>;
}
