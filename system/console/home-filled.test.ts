/**
 * Home of a desk that has been at work: what the plots show is said, and their figures lead to what
 * they count.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sharedBrowser } from "../support/shared-browser.ts";
import { signIn, sizes, startDemoServer, visit } from "./browser.ts";
import { fillDesk } from "./busy-desk.ts";

/** Everything that loads beside the others is there. */
async function whole(page: Page): Promise<void> {
  await page.locator(".is-waiting .home-link").first().waitFor();
  await page.locator(".home-lane").nth(1).waitFor();
  await page.locator(".home-problems .button").nth(2).waitFor();
}

const textsOf = (page: Page, selector: string) => page.locator(selector).allInnerTexts();

Deno.test("home: with two months of use, its figures are right, and lead to the lists that they count", async () => {
  await using server = await startDemoServer();
  await fillDesk(server);
  await using browser = await sharedBrowser();
  await using ada = await visit(browser);
  const { page } = ada;
  await signIn(ada, server, "/home");
  await whole(page);
  await ada.show("home/filled");

  // The worst first; each leads to what is to be done.
  assert.deepEqual(await textsOf(page, ".home-problems b"), [
    "The certificate edge-1.citylines.example expires in 2 days",
    "A certificate has expired",
    "1 delivery was given up",
    "The certificate partner-2.citylines.example expires in 12 days",
  ]);
  await page.getByRole("button", { name: "Show 1 more" }).click();
  await page.locator(".home-problems b", {
    hasText: "hooks-3.citylines.example expires in 27 days",
  })
    .waitFor();
  // The side bar counts what Home tells.
  await page.getByRole("link", { name: "Certificates 4 to renew within 30 days" }).waitFor();
  assert.equal(await page.getByRole("status").locator(".home-problems").count(), 1);

  // The table says what the dots show.
  const rows = page.getByRole("table", { name: "How many expire when" }).getByRole("row");
  assert.deepEqual(
    await rows.evaluateAll((all) =>
      all.slice(1).map((row) => [...row.children].map((cell) => cell.textContent).join(" "))
    ),
    ["Keys 2 1 3 3 3 3", "Certificates 1 1 2 3 5 3"],
  );
  const dots = await page.locator(".home-lane .home-plot").evaluateAll((plots) =>
    plots.map((plot) =>
      [...plot.querySelectorAll("circle")].reduce((sum, dot) => sum + Number(dot.textContent), 0)
    )
  );
  assert.deepEqual(dots, [15, 15]);

  const cut = await page.locator(".home-bands span").evaluateAll((all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)
  );
  assert.deepEqual(cut, []);

  // Each figure leads to a list of as many.
  const figures = await page.locator(".home-bands a").evaluateAll((all) =>
    all.map((one) => ({ href: one.getAttribute("href") ?? "", n: Number(one.textContent) }))
  );
  assert.deepEqual(figures.map(({ n }) => n), [2, 1, 1, 2, 3]);
  for (const { href, n } of figures) {
    await page.goto(`${server.url}/console/home`);
    await page.locator(`.home-bands a[href="${href}"]`).click();
    await page.locator(".row-link").nth(n - 1).waitFor();
    await page.locator(".row-link").nth(n).waitFor({ state: "detached" });
  }

  // What is done about an end asks first.
  for (
    const [name, title] of [[/^Extend /, "When does this key expire?"], [
      /^Renew /,
      /^Renew /,
    ]] as const
  ) {
    await page.goto(`${server.url}/console/home`);
    await page.getByRole("button", { name }).first().click();
    await page.getByRole("dialog", { name: title }).waitFor();
  }

  for (
    const [name, size] of [["phone", sizes.phone], ["low", { width: 844, height: 390 }]] as const
  ) {
    await page.setViewportSize(size);
    await page.goto(`${server.url}/console/home`);
    await whole(page);
    assert.ok(
      await page.locator(".page-scroll").evaluate((one) => one.scrollWidth <= one.clientWidth),
    );
    await ada.show(`home/filled-${name}`);
  }
});
