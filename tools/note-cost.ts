/**
 * Loaded before each module of tests (`deno test --preload`): notes what processor time its process
 * and those that have ended below it had taken when a file began, and when it ended, and when that
 * was. Linux alone tells.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The variable of the environment that names the file of the notes; without it nothing is noted.
 */
export const COST_NOTES = "TEST_COST_NOTES";

const HOOKS = ["beforeAll", "beforeEach", "afterEach", "afterAll"] as const;

/** Of a second: what Linux counts a process's time in. */
const TICKS = 100;

const notes = Deno.env.get(COST_NOTES);
/** The clock as it was before a test put its own in its place. */
const { now } = Date;
// Neither a worker of a test nor a program that it runs is one.
const isTest = Deno.mainModule.endsWith(".test.ts") && !("WorkerGlobalScope" in globalThis);
const isNoted = notes !== undefined && isTest && existsSync("/proc/self/stat");
const gathering = fileURLToPath(Deno.mainModule);
/** The file whose time runs: the module itself, or a part of it. */
let running = gathering;
if (isNoted) {
  note("begins");
  globalThis.addEventListener("unload", () => note("ends"));
}

/**
 * The file of each test of this module, in the order of their registration, which is that of their
 * running.
 */
const files: string[] = [];
let ran = 0;

/**
 * Loads a file, by its URL, as a part of a module of several: what its tests take is noted as the
 * file's own.
 */
export async function part(url: string, load: () => Promise<unknown>): Promise<void> {
  if (!isNoted) return void await load();
  if (files.length === 0) {
    Deno.test.beforeEach(() => goOnWith(files[ran++] ?? running));
    // What they share, such as a browser, ends with none of them.
    Deno.test.afterEach(() => {
      if (ran === files.length) goOnWith(gathering);
    });
  }
  const path = fileURLToPath(url);
  goOnWith(path);
  const { test } = Deno;
  // Each use of `Deno.test` registers one; wrapping it would take the place of each test from it.
  Object.defineProperty(Deno, "test", { configurable: true, get: () => (files.push(path), test) });
  const hooks = HOOKS.map((name) => [name, test[name]] as const);
  // A hook is no test.
  for (const [name, hook] of hooks) {
    Object.defineProperty(test, name, { configurable: true, get: () => (files.pop(), hook) });
  }
  await load();
  for (const [name, value] of hooks) {
    Object.defineProperty(test, name, { configurable: true, writable: true, value });
  }
  Object.defineProperty(Deno, "test", { configurable: true, writable: true, value: test });
}

function goOnWith(path: string): void {
  if (path === running) return;
  note("ends");
  running = path;
  note("begins");
}

function note(what: "begins" | "ends"): void {
  // Behind the name, which may hold blanks: utime, stime, and both of the children that were waited
  // for.
  const [, behind = ""] = Deno.readTextFileSync("/proc/self/stat").split(/\) (?!.*\) )/);
  const times = behind.split(" ").slice(11, 15).map(Number);
  const seconds = times.reduce((sum, ticks) => sum + ticks) / TICKS;
  const line = [Deno.pid, what, seconds, now() / 1000, running].join(" ");
  if (notes !== undefined) Deno.writeTextFileSync(notes, `${line}\n`, { append: true });
}
