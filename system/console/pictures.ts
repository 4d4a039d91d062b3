/**
 * The pictures of the console in the README: `npm run pictures`, after `node console/build.js`. Over a fresh demo, the list of
 * key requests with one of them open, in both themes, into `docs/pictures`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../test/support/command.ts";
import { startBrowser } from "../support/browser.ts";
import { signIn, startDemoServer, visit } from "./browser.ts";
import { palettePng } from "./palette-png.ts";

const FOLDER = join(repository, "docs/pictures");
const SIZE = { width: 1440, height: 810 };
/** A README is read over slow lines, too. */
const MOST_BYTES = 150_000;
/** The row that is open. The demo makes the same people each time; ids and the hour are what differs. */
const OPEN = 2;

await using server = await startDemoServer();
await using browser = await startBrowser(["--disable-lcd-text"]);
await using visitor = await visit(browser, { size: SIZE });
const { page } = visitor;
await signIn(visitor, server);
await page.locator(".row-link").nth(OPEN).click();
await page.getByRole("button", { name: "Approve" }).waitFor();
await page.waitForLoadState("networkidle");
// Nobody's pointer stands on a row.
await page.mouse.move(100, SIZE.height / 2);
await Deno.mkdir(FOLDER, { recursive: true });
for (const colorScheme of ["light", "dark"] as const) {
  await page.emulateMedia({ colorScheme });
  const path = join(FOLDER, `console-${colorScheme}.png`);
  const png = await palettePng(page, await page.screenshot({ animations: "disabled" }));
  await Deno.writeFile(path, png);
  const { length } = png;
  assert.ok(length <= MOST_BYTES, `${path}: ${length} bytes of ${MOST_BYTES}`);
  console.log(`${path}: ${length} bytes`);
}
assert.deepEqual(visitor.complaints, []);
