/**
 * The pictures of every screen: `npm run pictures`, after `node console/build.js`. Each is taken in
 * both themes, at the size of a desk and the main ones of a phone, over a desk with a fixed clock
 * and fixed chance, so that a picture changes only when its screen does. They go to
 * `docs/pictures`, with a page that shows them all. With `-- --only gateways,key` those alone are
 * taken that are named, by their own names or by those of the page's parts.
 */
import { emptyDesk, filledDesk } from "./pictures/filled-desk.ts";
import { drawAgain, NOW, type PictureDesk, URL_SHOWN } from "./pictures/picture-desk.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { repository } from "../../test/support/command.ts";
import { screenshotFolder } from "./browser.ts";
import { startBrowser } from "../support/browser.ts";
import { palettePng } from "./palette-png.ts";
import { filesOf, overview } from "./pictures/overview.ts";
import type { Scene } from "./pictures/scene.ts";
import { scenes } from "./pictures/scenes.ts";

const FOLDER = join(repository, "docs/pictures");
const WHOLE = join(screenshotFolder, "all");
const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
/** The one that README.md shows, as PNG too. */
const IN_README = "key-request";
/** All together: who clones the repository reads them, too. */
const MOST_BYTES = 4_300_000;

const wanted = chosen(Deno.args);
for (const folder of [join(FOLDER, "screens"), WHOLE]) {
  await Deno.mkdir(folder, { recursive: true });
}
const desks = [["calm", () => filledDesk("calm")], ["busy", () => filledDesk("busy")], [
  "empty",
  emptyDesk,
]] as const;
for (const [name, open] of desks) {
  const those = wanted.filter(({ desk = "busy" }) => desk === name);
  if (those.length === 0) continue;
  await using desk = await open();
  await using browser = await startBrowser([
    "--disable-lcd-text",
    "--ignore-certificate-errors",
    `--host-resolver-rules=MAP keys.riverline.example:443 127.0.0.1:${desk.port}`,
  ]);
  // What strangers do stands in the audit log.
  for (const isStranger of [false, true]) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const all = those.filter(({ stranger = false, phone }) =>
        stranger === isStranger && (size === "desk" || phone)
      );
      if (all.length > 0) await take(browser, desk, all, { size, viewport, isStranger });
    }
  }
}
await finish();

/** The scenes that are named behind `--only`, or all. Throws where nothing is called so. */
function chosen(words: readonly string[]): readonly Scene[] {
  const [only, list, ...rest] = words;
  if (only === undefined) return scenes;
  assert.ok(only === "--only" && list !== undefined && rest.length === 0, "only: --only NAME,NAME");
  const nameOf = ({ of }: Scene) => of.toLowerCase().replaceAll(" ", "-");
  return list.split(",").flatMap((word) => {
    const those = scenes.filter((scene) => scene.name === word || nameOf(scene) === word);
    assert.ok(those.length > 0, `no picture and no part is called ${word}`);
    return those;
  });
}

async function take(
  browser: Browser,
  desk: PictureDesk,
  all: readonly Scene[],
  { size, viewport, isStranger }: {
    size: string;
    viewport: { width: number; height: number };
    isStranger: boolean;
  },
): Promise<void> {
  const context = await browser.newContext({
    viewport,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    ignoreHTTPSErrors: true,
  });
  await context.clock.setFixedTime(NOW);
  if (!isStranger) {
    const page = await context.newPage();
    await page.goto(await desk.link());
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.close();
  }
  for (const scene of all) {
    // What an earlier one left, such as a blocked call, is none of the next one's.
    const page = await context.newPage();
    drawAgain(`${scene.name} ${size}`);
    await page.goto(`${URL_SHOWN}${scene.path}`);
    try {
      await scene.open(page, desk);
      await quiet(page);
      await inBothThemes(page, scene, size === "phone");
    } catch (error) {
      console.error(
        `${scene.name}, ${size}: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
      );
      Deno.exitCode = 1;
    }
    await page.close();
  }
  await context.close();
}

/** Waits until nothing is read any more and nothing moves; nobody's pointer stands on anything. */
async function quiet(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  // A refused link's page never comes to rest by Chromium's count.
  await page.waitForLoadState("networkidle", { timeout: 5000 }).catch(() => {});
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
  });
}

/**
 * Whole ones of both themes beside the tests' pictures, for whoever works on a screen; smaller ones
 * for the documents.
 */
async function inBothThemes(page: Page, scene: Scene, isPhone: boolean): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const png = await page.screenshot({ animations: "disabled" });
    const name = `${scene.name}${isPhone ? "-phone" : ""}-${colorScheme}`;
    await Deno.writeFile(join(WHOLE, `${name}.png`), png);
    const file = `screens/${name}.webp`;
    if (filesOf(scene).includes(file)) {
      await Deno.writeFile(join(FOLDER, file), await small(page, png));
    }
    if (name === `${IN_README}-${colorScheme}`) {
      const path = join(FOLDER, `console-${colorScheme}.png`);
      await Deno.writeFile(path, await palettePng(page, png));
    }
  }
}

/** Three quarters as wide and high, as WebP. */
async function small(page: Page, png: Uint8Array): Promise<Uint8Array> {
  const base64 = await page.evaluate(async ([base64, scale, quality]) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width * scale, image.height * scale);
    const context = canvas.getContext("2d");
    if (context) {
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
    }
    const blob = await canvas.convertToBlob({ type: "image/webp", quality });
    const small = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(small, (byte) => String.fromCharCode(byte)).join(""));
  }, [Buffer.from(png).toString("base64"), 0.75, 0.27] as const);
  return Buffer.from(base64, "base64");
}

/**
 * What no scene makes any more goes; the page of all is written; all together are not too large.
 */
async function finish(): Promise<void> {
  await Deno.writeTextFile(join(FOLDER, "README.md"), overview(scenes));
  const text = await Deno.readTextFile(join(FOLDER, "README.md"));
  let bytes = 0;
  for await (const { name } of Deno.readDir(join(FOLDER, "screens"))) {
    const path = join(FOLDER, "screens", name);
    if (!text.includes(`screens/${name}`)) await Deno.remove(path);
    else bytes += (await Deno.stat(path)).size;
  }
  console.log(`${bytes} bytes in all`);
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes of ${MOST_BYTES}`);
}
