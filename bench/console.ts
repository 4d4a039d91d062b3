/**
 * The console in Chromium: `deno run -A bench/console.ts --rows 100000`. Over a store with 50 requests and one with
 * many: time to first paint and to the first rows, unthrottled and on a slow machine (4 times slower CPU, 10 Mbit/s,
 * 40 ms), the calls of a first visit, the sizes of the build, and the memory after a thousand moves through the list.
 * Prints tables in Markdown. `node console/build.js` first.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { startBrowser, visit } from "../system/console/browser.ts";
import { timesOfPage, watchRows } from "../system/console/page-times.ts";
import { keydesk, run, startServerProcess } from "../test/support/command.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    rounds: { type: "string", default: "9" },
    moves: { type: "string", default: "1000" },
  },
});
const rounds = Number(values.rounds);
const rows = Number(values.rows);

/** A store with so many requests, all of the same fat. */
async function filledStore(count: number): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-console-" });
  await using _ = await startServerProcess({ KEYDESK_DATA_DIR: folder });
  const fill = ["run", "-A", "bench/fill.ts", "--data", folder, "--rows", String(count)];
  const { code, stderr } = await run([Deno.execPath(), ...fill]);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

interface Load {
  paint: number;
  rows: number;
  calls: number;
  bytes: number;
}

/** A first visit with an empty cache, by somebody who is signed in already. */
async function load(page: Page, cdp: CDPSession, url: string): Promise<Load> {
  await cdp.send("Network.clearBrowserCache");
  let calls = 0;
  let bytes = 0;
  const count = () => calls++;
  const add = (event: { encodedDataLength: number }) => bytes += event.encodedDataLength;
  page.on("request", count);
  cdp.on("Network.loadingFinished", add);
  await page.goto(`${url}/console/key-requests`, { waitUntil: "commit" });
  await page.locator(".row-link").first().waitFor();
  const times = await page.evaluate(timesOfPage);
  await page.waitForLoadState("networkidle");
  page.off("request", count);
  cdp.off("Network.loadingFinished", add);
  return { ...times, calls, bytes };
}

const median = (numbers: number[]) =>
  Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0);

async function measure(count: number): Promise<string[][]> {
  const folder = await filledStore(count);
  const table: string[][] = [];
  {
    await using server = await startServerProcess({ KEYDESK_DATA_DIR: folder });
    await using browser = await startBrowser();
    await using visitor = await visit(browser);
    const { page } = visitor;
    await page.addInitScript(watchRows);
    const settings = { KEYDESK_DATA_DIR: folder, KEYDESK_PORT: new URL(server.url).port };
    await page.goto((await keydesk(["console"], settings)).stdout.trim());
    await page.locator(".row-link").first().waitFor();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    for (const slow of [false, true]) {
      if (slow) await throttle(cdp);
      const loads: Load[] = [];
      for (let round = 0; round < rounds; round++) loads.push(await load(page, cdp, server.url));
      table.push([
        count.toLocaleString("en"),
        slow ? "slow" : "as it is",
        `${median(loads.map((one) => one.paint))} ms`,
        `${median(loads.map((one) => one.rows))} ms`,
        String(median(loads.map((one) => one.calls))),
        `${median(loads.map((one) => one.bytes / 1024))} KiB`,
      ]);
      if (slow) await unthrottle(cdp);
    }
    if (count > Number(values.moves)) await measureMoves(page, cdp);
  }
  await Deno.remove(folder, { recursive: true });
  return table;
}

async function throttle(cdp: CDPSession): Promise<void> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const throughput = 10_000_000 / 8;
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 40,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
}

async function unthrottle(cdp: CDPSession): Promise<void> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}

/** Moves down through the list, with the drawer closed and then open, and weighs the page before and after. */
async function measureMoves(page: Page, cdp: CDPSession): Promise<void> {
  const weigh = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    const { usedSize } = await cdp.send("Runtime.getHeapUsage");
    const nodes = await page.evaluate("document.querySelectorAll('*').length");
    return [`${(usedSize / 1024 / 1024).toFixed(1)} MiB`, String(nodes)];
  };
  const moves = Number(values.moves);
  const move = async () => {
    const started = performance.now();
    for (let turn = 0; turn < moves; turn++) await page.keyboard.press("j");
    return `${((performance.now() - started) / moves).toFixed(1)} ms`;
  };
  const table = [["", "heap", "elements", "a move"], ["---", "---", "---", "---"]];
  table.push(["first rows", ...await weigh(), ""]);
  const closed = await move();
  table.push([`${moves} moves`, ...await weigh(), closed]);
  await page.keyboard.press("Enter");
  await page.getByText("Request id").waitFor();
  const open = await move();
  await page.getByText("Request id").waitFor();
  table.push([`${moves} more with the drawer open`, ...await weigh(), open]);
  print(table);
}

async function printSizes(): Promise<void> {
  // as: console/build.js wrote it.
  const files = JSON.parse(await Deno.readTextFile(join("dist/console", "files.json"))) as Record<
    string,
    { sizes: Record<string, number> }
  >;
  const table = [["", "files", "raw", "gzip", "brotli"], ["---", "---", "---", "---", "---"]];
  for (const [name, suffix] of [["script", ".js"], ["styles", ".css"]] as const) {
    const own = Object.entries(files).filter(([file]) => file.endsWith(suffix));
    const sum = (edition: string) => {
      const bytes = own.reduce((all, [, { sizes }]) => all + (sizes[edition] ?? 0), 0);
      return `${(bytes / 1000).toFixed(1)} kB`;
    };
    table.push([name, String(own.length), sum("identity"), sum("gzip"), sum("br")]);
  }
  print(table);
}

function print(table: string[][]): void {
  console.log(table.map((row) => `| ${row.join(" | ")} |`).join("\n") + "\n");
}

await printSizes();
const head = ["requests", "machine", "first paint", "first rows", "calls", "over the wire"];
const few = await measure(50);
const many = await measure(rows);
print([head, head.map(() => "---"), ...few, ...many]);
