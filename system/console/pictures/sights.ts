/** What is looked for in a screen before its picture is taken, by the words that people see. */
import type { Page } from "playwright-core";

/** A button by its whole name, or by a pattern. */
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });

/** The dialog that stands open. */
export const dialog = (page: Page) => page.getByRole("dialog");

/** The drawer beside a list. */
export const drawer = (page: Page) => page.getByRole("complementary", { name: "Details" });

/** Waits for the title of a screen. */
export const screenTitle = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name }).waitFor();

/** Waits for the title of a drawer. */
export const title = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 2, name }).first().waitFor();

/** Waits for words, wherever they stand. */
export const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

/** Waits for the rows of a list. */
export const rows = (page: Page) => page.locator(".row-link").first().waitFor();

/** Opens the first row that has these words. */
export const openRow = (page: Page, name: string | RegExp) =>
  page.getByRole("row").filter({ hasText: name }).locator(".row-link").first().click();
