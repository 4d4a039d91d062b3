/**
 * Runs all tests, or those of the folders and files that are named:
 * `npm test -- test/features/keys`, or those that a change reaches: `npm test -- changed`, since a
 * commit `changed=main`. What needs system packages stands below system/. All run in one pool
 * (tools/pool.ts). With `--figures` what they cost is written into bench/suite.json. With
 * `--types` the types of everything are checked beside the tests; the run ends at the first that
 * is wrong.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { packed } from "../system/support/packed.ts";
import { RUN_FOLDER } from "../system/support/made-once.ts";
import { BUILT_PROGRAM } from "../test/support/program.ts";
import { changedTests } from "./changed.ts";
import { noteCosts } from "./costs.ts";
import { gathered, isOfSystem, type Module } from "./gathered.ts";
import { runPool } from "./pool.ts";
import { makePrograms } from "./programs.ts";

/** What fail-overs wrote: system/support/failover-load.ts. */
const TABLES = ".tmp/fail-over";
/** More than there are cores: tests wait for timers, processes, browsers and databases. */
const LANES = navigator.hardwareConcurrency + 3;

/** A run of so many processes builds the program once, which servers of tests then start from. */
const MANY = 40;
const PROGRAM = fileURLToPath(new URL("../dist/keydesk.js", import.meta.url));

const OPTIONS = ["--figures", "--types"];
const CHANGED = /^changed(?:=(.+))?$/;

const words = Deno.args.filter((word) => word.startsWith("--"));
const unknown = words.filter((word) => !OPTIONS.includes(word));
if (unknown.length > 0) throw new Error(`no such option: ${unknown.join(", ")}`);

const costs = await noteCosts(words.includes("--figures"));
const parts = await partsOf(Deno.args.filter((word) => !word.startsWith("--")));
const stop = new AbortController();
const running = new Set<Deno.ChildProcess>();
const failed: string[] = [];
const counts = { passed: 0, failed: 0 };
const began = performance.now();
// Ctrl-C reaches the tests as well; this process waits for their end.
Deno.addSignalListener("SIGINT", () => stop.abort());
Deno.addSignalListener("SIGTERM", () => stop.abort());
stop.signal.addEventListener("abort", () => {
  for (const tests of running) tests.kill("SIGTERM");
});

const types = words.includes("--types") ? areTypesRight() : true;
await runAll();
const isWrong = !await types;
if (existsSync(TABLES)) {
  for (const name of readdirSync(TABLES).filter((name) => name.endsWith(".txt"))) {
    console.log(readFileSync(`${TABLES}/${name}`, "utf8"));
  }
}
const above = await costs.tell();
for (const file of failed) console.error(`failed: ${file}`);
for (const file of above) console.error(`above its budget: ${file}`);
// What .ci/run looks for: no second run of a test mends that.
if (isWrong) console.error("types: wrong");
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
console.log(`all: ${counts.passed} passed, ${counts.failed} failed in ${minutes} minutes`);
Deno.exit(stop.signal.aborted || isWrong || failed.length + above.length > 0 ? 1 : 0);

/** The parts of the folders and files that are named; `changed` leaves what a change reaches. */
async function partsOf(named: readonly string[]): Promise<Module[]> {
  const words = named.filter((word) => !CHANGED.test(word));
  const paths = words.length > 0 ? words : ["test", "packages"];
  const changed = named.map((word) => CHANGED.exec(word)).find(Boolean);
  const reached = changed && new Set(await changedTests(changed[1]));
  const runs = (file: string) => !reached || reached.has(file);
  const modules = await gathered(paths, runs);
  if (modules.length === 0) throw new Error(`no test in ${named.join(" ")}`);
  return modules;
}

async function runAll(): Promise<void> {
  const isTest = ({ path }: Module) => !isOfSystem(path);
  // To pack builds dist/, which servers of other files serve.
  const packs = parts.some(({ files }) =>
    files.some((file) => /support\/packed\.ts/.test(readFileSync(file, "utf8")))
  );
  const folder = await Deno.makeTempDir({ prefix: "keydesk-run-" });
  Deno.env.set(RUN_FOLDER, folder);
  await using programs = parts.some(isTest) ? await makePrograms() : undefined;
  try {
    if (packs) await packed();
    else if (parts.length >= MANY) await build();
    if (packs || parts.length >= MANY) Deno.env.set(BUILT_PROGRAM, PROGRAM);
    await runPool(parts, {
      lanes: LANES,
      signal: stop.signal,
      run: (part) => runPart(part, folder, isTest(part) ? programs?.env ?? {} : {}),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Builds the program into dist/. */
async function build(): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "build.ts"],
  }).output();
  if (!success) throw new Error(`the program is not built: ${new TextDecoder().decode(stderr)}`);
}

/** Runs the tests of a part; what they say stands together, at their end. */
async function runPart(
  { path }: Module,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const report = `${folder}/${path.replaceAll("/", "-")}.xml`;
  const tests = new Deno.Command(Deno.execPath(), {
    // Types are checked beside: a module's would be for itself, and all that it imports with it.
    args: ["test", "-A", "--quiet", "--no-check", `--junit-path=${report}`, ...costs.words, path],
    env: { ...costs.env, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  running.add(tests);
  const { success, stdout, stderr } = await tests.output();
  running.delete(tests);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd();
  console.log(text(stdout));
  console.error(text(stderr));
  // Where none of its tests ran, such as by a mistake in its name, that is told too.
  // A test may stand where another file registers it: the file that was run is not always named.
  const told = existsSync(report) ? readFileSync(report, "utf8") : "";
  const [, all = "0", fails = "0", errors = "0"] =
    /<testsuites [^>]*tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(told) ?? [];
  const bad = Number(fails) + Number(errors);
  counts.passed += Number(all) - bad;
  counts.failed += bad;
  const hasRun = told.includes("<testcase ") || Deno.env.has("TEST_ENGINES");
  if (!success || !hasRun) failed.push(hasRun ? path : `${path}: no test ran`);
}

async function areTypesRight(): Promise<boolean> {
  const check = new Deno.Command("npm", { args: ["run", "--silent", "check:types"] }).spawn();
  const { success } = await check.status;
  if (!success) stop.abort();
  return success;
}
