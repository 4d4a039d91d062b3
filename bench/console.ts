/**
 * The console in Chromium: `deno run -A bench/console.ts --rows 100000`. Key requests and
 * certificates over an empty store, one with a few and one with many: time to first paint and to
 * the first content, unthrottled and on a slow machine (4 times slower CPU, 10 Mbit/s, 40 ms), the
 * calls of a first visit, the sizes of the build, and the memory after a thousand moves through the
 * list. Prints tables in Markdown. `node console/build.js` first.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { visit } from "../system/console/browser.ts";
import { CONTENT, timesOfPage, watchContent } from "../system/console/page-times.ts";
import { startBrowser } from "../system/support/browser.ts";
import { keydesk, run, startServerProcess } from "../test/support/command.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    rounds: { type: "string", default: "9" },
    moves: { type: "string", default: "1000" },
  },
});
const rounds = roundsOf(values.rounds);
const rows = Number(values.rows);

/** A screen, and the store behind it. */
interface Case {
  screen: "key-requests" | "certificates";
  count: number;
}

/** A store with so many of what the screen shows; requests are all of the same fat. */
async function filledStore({ screen, count }: Case, folder: string): Promise<string> {
  if (screen === "certificates" && count > 0) {
    await fill(["bench/certificates.ts", "--fill", "--keep", folder, "--rows", String(count)]);
    return join(folder, `certificates-${count}`);
  }
  await using _ = await startServerProcess({ KEYDESK_DATA_DIR: folder });
  if (count > 0) await fill(["bench/fill.ts", "--data", folder, "--rows", String(count)]);
  return folder;
}

async function fill(script: string[]): Promise<void> {
  const { code, stderr } = await run([Deno.execPath(), "run", "-A", ...script]);
  if (code !== 0) throw new Error(stderr);
}

interface Load {
  paint: number;
  content: number;
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
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(CONTENT).first().waitFor();
  const times = await page.evaluate(timesOfPage);
  await page.waitForLoadState("networkidle");
  page.off("request", count);
  cdp.off("Network.loadingFinished", add);
  return { ...times, calls, bytes };
}

const median = (numbers: number[]) =>
  Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0);

async function measure(one: Case): Promise<string[][]> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-console-" });
  const data = await filledStore(one, folder);
  const table: string[][] = [];
  {
    await using server = await startServerProcess({ KEYDESK_DATA_DIR: data });
    await using browser = await startBrowser();
    await using visitor = await visit(browser);
    const { page } = visitor;
    await page.addInitScript(watchContent, CONTENT);
    const settings = { KEYDESK_DATA_DIR: data, KEYDESK_PORT: new URL(server.url).port };
    await page.goto((await keydesk(["console"], settings)).stdout.trim());
    await page.locator(CONTENT).first().waitFor();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    for (const slow of [false, true]) {
      if (slow) await throttle(cdp);
      const loads: Load[] = [];
      for (let round = 0; round < rounds; round++) {
        loads.push(await load(page, cdp, `${server.url}/console/${one.screen}`));
      }
      table.push([
        `${one.count.toLocaleString("en")} ${one.screen.replace("-", " ")}`,
        slow ? "slow" : "as it is",
        `${median(loads.map(({ paint }) => paint))} ms`,
        `${median(loads.map(({ content }) => content))} ms`,
        String(median(loads.map(({ calls }) => calls))),
        `${median(loads.map(({ bytes }) => bytes / 1024))} KiB`,
      ]);
      if (slow) await unthrottle(cdp);
    }
    if (one.screen === "key-requests" && one.count > Number(values.moves)) {
      await measureMoves(page, cdp);
    }
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

/**
 * Moves down through the list, with the drawer closed and then open, and weighs the page before and
 * after.
 */
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
const head = ["store", "machine", "first paint", "first content", "calls", "over the wire"];
const table = [head, head.map(() => "---")];
for (const screen of ["key-requests", "certificates"] as const) {
  for (const count of [0, 50, rows]) table.push(...await measure({ screen, count }));
}
print(table);
