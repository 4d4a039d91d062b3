/**
 * The console as its users feel it, in Chromium: `deno run -A bench/vitals.ts`. Largest contentful
 * paint (LCP), layout shift (CLS) and interaction to next paint (INP) by the browser's own entries,
 * for each main screen with an empty cache and a full one, on a slow machine (4 times slower CPU,
 * 1.6 Mbit/s, 150 ms), with that CPU alone, and as it is. Beside them what does not depend on load:
 * bytes, requests one after another before the LCP, and processor time. Prints tables in Markdown.
 * `node console/build.js` first. `--only name` measures one screen, `--machine "CPU × 4"` one
 * machine, `--shifts` tells what jumped; `--skip-loads`, `--skip-input` and `--skip-drawers` leave
 * a table out.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, CDPSession, Page } from "playwright-core";
import { startDemoServer } from "../system/console/browser.ts";
import { fillDesk } from "../system/console/busy-desk.ts";
import { SLOW, slowDown, type Vitals, vitalsOf, watchVitals } from "../system/console/vitals.ts";
import { startBrowser } from "../system/support/browser.ts";
import { countBytes, sumOf } from "../system/support/wire.ts";
import { keydesk, run, startServerProcess } from "../test/support/command.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    machine: { type: "string", default: "" },
    shifts: { type: "boolean", default: false },
    "skip-loads": { type: "boolean", default: false },
    "skip-input": { type: "boolean", default: false },
    "skip-drawers": { type: "boolean", default: false },
  },
});
const rounds = roundsOf(values.rounds);

/** A desk that is measured: where it is, and a link that signs in. */
interface Desk {
  readonly url: string;
  readonly link: () => Promise<string>;
}

/** A screen: where it is, and what stands there once it is whole. */
interface Screen {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  /** Nobody is signed in. */
  readonly isOutside?: boolean;
}

const ROW = ".row-link";

const MACHINES = [
  ["slow", SLOW],
  ["CPU × 4", { cpu: SLOW.cpu }],
  ["as it is", undefined],
] as const;

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const inMs = (numbers: readonly number[]) =>
  numbers.length === 0
    ? ""
    : `${Math.round(median(numbers))} (${Math.round(Math.max(...numbers))})`;

async function context(browser: Browser, desk: Desk, isOutside = false) {
  const made = await browser.newContext({
    viewport: { width: 1360, height: 820 },
    locale: "en-GB",
    timezoneId: "UTC",
  });
  made.setDefaultTimeout(60_000);
  const page = await made.newPage();
  await watchVitals(page);
  if (!isOutside) {
    await page.goto(await desk.link());
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
  }
  const cdp = await made.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, cdp, [Symbol.asyncDispose]: () => made.close() };
}

interface Load extends Vitals {
  readonly bytes: number;
  /** Processor time of the page's main thread, unthrottled, in milliseconds. */
  readonly work: number;
}

async function workOf(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
}

async function load(page: Page, cdp: CDPSession, url: string, content: string): Promise<Load> {
  await page.goto("about:blank");
  const counted = countBytes(page);
  const before = await workOf(cdp);
  // Nothing is asked of the page before it stands: that would be work of its own.
  await page.goto(url, { waitUntil: "networkidle" });
  await page.locator(content).first().waitFor();
  const vitals = await vitalsOf(page);
  const work = await workOf(cdp) - before;
  return { ...vitals, work, bytes: sumOf(await counted.ended().catch(() => [])) };
}

async function measureLoads(browser: Browser, desk: Desk, screen: Screen): Promise<string[][]> {
  await using opened = await context(browser, desk, screen.isOutside);
  const { page, cdp } = opened;
  const table: string[][] = [];
  for (const [machine, slow] of MACHINES.filter(([name]) => name.includes(values.machine))) {
    const cold: Load[] = [];
    const warm: Load[] = [];
    for (let round = 0; round < (slow ? rounds : Math.min(rounds, 3)); round++) {
      await slowDown(cdp, slow);
      for (const loads of [cold, warm]) {
        if (loads === cold) await cdp.send("Network.clearBrowserCache");
        loads.push(await load(page, cdp, desk.url + screen.path, screen.content));
      }
      await slowDown(cdp, undefined);
    }
    for (const [name, loads] of [["cold", cold], ["warm", warm]] as const) {
      const [first] = loads;
      const row = [
        screen.name,
        `${machine}, ${name}`,
        inMs(loads.map(({ fcp }) => fcp)),
        inMs(loads.map(({ lcp }) => lcp)),
        Math.max(...loads.map(({ cls }) => cls)).toFixed(3),
        `${(median(loads.map(({ bytes }) => bytes)) / 1000).toFixed(1)}`,
        String(median(loads.map(({ chain }) => chain.length))),
        `${Math.round(median(loads.map(({ work }) => work)))}`,
        first?.lcpOf ?? "",
      ];
      table.push(row);
      console.error(row.join(" | "));
      if (values.shifts) {
        const worst = loads.toSorted((a, b) => b.cls - a.cls)[0];
        console.error(screen.name, name, JSON.stringify(worst?.shifts, undefined, 1), first?.chain);
      }
    }
  }
  return table;
}

/**
 * What one does with the list of key requests, a key or a click each; measured from the input to
 * the next paint.
 */
const STEPS: readonly { name: string; act: (page: Page) => Promise<void>; settled: string }[] = [
  { name: "J, K in the list", act: keys("j", "j", "j", "k"), settled: ROW },
  { name: "Enter opens the drawer", act: keys("Enter"), settled: ".drawer .drawer-title" },
  { name: "J, K in the drawer", act: keys("j", "j", "k"), settled: ".drawer .drawer-title" },
  { name: "A: the approve dialog", act: keys("a"), settled: "dialog[open]" },
  { name: "Esc closes the dialog", act: keys("Escape"), settled: "body:not(:has(dialog[open]))" },
  { name: "Esc closes the drawer", act: keys("Escape"), settled: "body:not(:has(.drawer))" },
  { name: "X selects", act: keys("x", "x"), settled: ROW },
  { name: "click on a row", act: click(".row-link >> nth=3"), settled: ".drawer .drawer-title" },
  { name: "click on Close", act: click(".drawer-head button"), settled: "body:not(:has(.drawer))" },
  { name: "Ctrl K: the palette", act: keys("Control+k"), settled: "dialog[open]" },
  { name: "typing in the palette", act: keys("a", "n", "n"), settled: "dialog[open]" },
  {
    name: "Esc closes the palette",
    act: keys("Escape", "Escape"),
    settled: "body:not(:has(dialog[open]))",
  },
  { name: "another tab", act: keys("2"), settled: ROW },
  { name: "all", act: keys("4"), settled: ROW },
  { name: "back to pending", act: keys("1"), settled: ROW },
  { name: "typing in the search", act: keys("/", "a", "n"), settled: "body" },
  { name: "the search cleared", act: keys("Backspace", "Backspace", "Escape"), settled: "body" },
  { name: "?: the shortcuts", act: keys("?"), settled: "dialog[open]" },
  { name: "Esc closes them", act: keys("Escape"), settled: "body:not(:has(dialog[open]))" },
  { name: "G K: keys", act: keys("g", "k"), settled: ROW },
  { name: "G C: certificates", act: keys("g", "c"), settled: ROW },
  { name: "G A: audit log", act: keys("g", "a"), settled: ROW },
  { name: "G S: settings", act: keys("g", "s"), settled: 'h1:text("Settings")' },
  { name: "G H: Home", act: keys("g", "h"), settled: ".home-panel" },
  { name: "G R: key requests", act: keys("g", "r"), settled: ROW },
];

/** Lists whose rows open a drawer, below `/console`. */
const DRAWERS = [
  "requests",
  "keys",
  "certificates",
  "developers",
  "apis",
  "settings?show=deliveries",
  "audit-log",
];

function keys(...names: string[]): (page: Page) => Promise<void> {
  return async (page) => {
    for (const name of names) {
      await page.keyboard.press(name);
      await page.waitForTimeout(60);
    }
  };
}

function click(selector: string): (page: Page) => Promise<void> {
  return (page) => page.locator(selector).first().click();
}

/** Each drawer opened and closed, once to read its program and then `rounds` times. */
async function measureDrawers(browser: Browser, desk: Desk): Promise<string[][]> {
  const table: string[][] = [];
  for (const name of DRAWERS.filter((name) => isWanted({ name }))) {
    await using opened = await context(browser, desk);
    const { page, cdp } = opened;
    await page.goto(`${desk.url}/console/${name}`);
    await page.locator(ROW).first().waitFor();
    await page.waitForLoadState("networkidle");
    const measured = async (act: () => Promise<void>, settled: string) => {
      const before = await workOf(cdp);
      await vitalsOf(page);
      await act();
      await page.locator(settled).first().waitFor({ state: "attached" });
      await page.waitForTimeout(400);
      const { interactions } = await vitalsOf(page);
      return {
        ms: Math.max(0, ...interactions.map(({ ms }) => ms)),
        work: await workOf(cdp) - before,
      };
    };
    const shown = Math.min(4, await page.locator(ROW).count());
    const opening: { ms: number; work: number }[] = [];
    const closing: typeof opening = [];
    for (let round = 0; round <= rounds; round++) {
      if (round === 1) await slowDown(cdp, SLOW);
      const row = page.locator(ROW).nth(round % shown);
      const open = await measured(() => row.click(), ".drawer .facts, .drawer-body > *");
      const close = await measured(() => page.keyboard.press("Escape"), "body:not(:has(.drawer))");
      if (round === 0) continue;
      opening.push(open);
      closing.push(close);
    }
    const [opens, closes] = [opening, closing].map((all) => [
      inMs(all.map(({ ms }) => ms)),
      `${Math.round(median(all.map(({ work }) => work)))}`,
    ]);
    table.push([name, ...opens ?? [], ...closes ?? []]);
  }
  return table;
}

async function measureInput(browser: Browser, desk: Desk): Promise<string[][]> {
  await using opened = await context(browser, desk);
  const { page, cdp } = opened;
  const found = new Map(STEPS.map(({ name }) => [name, { slow: [], plain: [], work: [] } as {
    slow: number[];
    plain: number[];
    work: number[];
  }]));
  for (const slow of [undefined, SLOW]) {
    for (let round = 0; round < (slow ? rounds : Math.min(rounds, 3)); round++) {
      await page.goto(`${desk.url}/console/requests`);
      await page.locator(ROW).first().waitFor();
      await page.waitForLoadState("networkidle");
      await slowDown(cdp, slow);
      await vitalsOf(page);
      for (const { name, act, settled } of STEPS) {
        const before = await workOf(cdp);
        await act(page);
        await page.locator(settled).first().waitFor({ state: "attached", timeout: 10_000 })
          .catch((error) => {
            throw new Error(name, { cause: error });
          });
        await page.waitForTimeout(slow ? 350 : 80);
        const { interactions } = await vitalsOf(page);
        const worst = Math.max(0, ...interactions.map(({ ms }) => ms));
        found.get(name)?.[slow ? "slow" : "plain"].push(worst);
        found.get(name)?.work.push(await workOf(cdp) - before);
      }
      await slowDown(cdp, undefined);
    }
  }
  return [...found].map((
    [name, { slow, plain, work }],
  ) => [name, inMs(slow), inMs(plain), `${Math.round(median(work))}`]);
}

function print(table: string[][]): void {
  const [head = [], ...rows] = table;
  console.log(
    [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n") + "\n",
  );
}

const isWanted = ({ name }: { name: string }) =>
  values.only.split(",").some((part) => name.includes(part));

const loads = [[
  "screen",
  "machine, cache",
  "FCP, ms",
  "LCP, ms",
  "CLS",
  "kB",
  "in a row",
  "work, ms",
  "largest",
]];
let input: string[][] = [];
let drawers: string[][] = [];
{
  await using browser = await startBrowser();
  await using server = await startDemoServer(true, {}, startServerProcess);
  await fillDesk(server);
  const { data: [first] } = await server.call("GET", "/v1/key-requests?state=pending&limit=1") as {
    data: { id: string }[];
  };
  const { one_time_link } = await server.call("POST", `/v1/key-requests/${first?.id}/approve`, {
    deliver: "one_time_link",
  }) as { one_time_link: { link: string } };
  const { data: [open] } = await server.call("GET", "/v1/key-requests?state=pending&limit=1") as {
    data: { id: string }[];
  };
  const { data: [plan] } = await server.call("GET", "/v1/plans?state=active&limit=1") as {
    data: { id: string }[];
  };
  const handedOver = new URL(one_time_link.link, server.url);
  const screens: Screen[] = [
    { name: "Home", path: "/console/home", content: ".is-waiting .home-link, .home-none" },
    { name: "key requests", path: "/console/requests", content: ROW },
    {
      name: "a request's drawer",
      path: `/console/requests/${open?.id}`,
      content: ".drawer .facts",
    },
    { name: "keys", path: "/console/keys", content: ROW },
    { name: "certificates", path: "/console/certificates", content: ROW },
    { name: "developers", path: "/console/developers", content: ROW },
    { name: "APIs", path: "/console/apis", content: ROW },
    { name: "plan", path: `/console/apis/plans/${plan?.id}`, content: "h1" },
    { name: "deliveries", path: "/console/settings?show=deliveries", content: ROW },
    { name: "logs", path: "/console/logs", content: "h1" },
    { name: "gateways", path: "/console/gateways", content: "h1" },
    { name: "leaks", path: "/console/keys?leaked=reports", content: "h1" },
    { name: "audit log", path: "/console/audit-log", content: ROW },
    { name: "settings", path: "/console/settings", content: "h1" },
    {
      name: "page of a one-time link",
      path: handedOver.pathname + handedOver.search + handedOver.hash,
      content: "#open",
      isOutside: true,
    },
    { name: "sign-in", path: "/console", content: "input", isOutside: true },
    { name: "reference", path: "/reference", content: ".operation", isOutside: true },
  ];
  const desk = { url: server.url, link: () => server.link() };
  if (!values["skip-loads"]) {
    for (const screen of screens.filter(isWanted)) {
      loads.push(...await measureLoads(browser, desk, screen));
    }
  }
  if (!values["skip-input"]) input = await measureInput(browser, desk);
  if (!values["skip-drawers"]) drawers = await measureDrawers(browser, desk);
}
const many = {
  name: `${Number(values.rows).toLocaleString("en")} key requests`,
  path: "/console/requests",
  content: ROW,
};
if (isWanted(many) && Number(values.rows) > 0 && !values["skip-loads"]) {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-vitals-" });
  await (await startServerProcess({ KEYDESK_DATA_DIR: folder })).stop();
  const { code, stderr } = await run([
    Deno.execPath(),
    "run",
    "-A",
    "bench/fill.ts",
    "--data",
    folder,
    "--rows",
    values.rows,
  ]);
  if (code !== 0) throw new Error(stderr);
  {
    await using server = await startServerProcess({ KEYDESK_DATA_DIR: join(folder) });
    await using browser = await startBrowser();
    const settings = { KEYDESK_DATA_DIR: folder, KEYDESK_PORT: new URL(server.url).port };
    const link = async () => (await keydesk(["console"], settings)).stdout.trim();
    loads.push(...await measureLoads(browser, { url: server.url, link }, many));
  }
  await Deno.remove(folder, { recursive: true });
}
if (loads.length > 1) print(loads);
if (input.length > 0) {
  print([["input", "slow, ms", "as it is, ms", "work, ms"], ...input]);
}
if (drawers.length > 0) {
  print([["drawer", "opens, slow, ms", "work, ms", "closes, slow, ms", "work, ms"], ...drawers]);
}
