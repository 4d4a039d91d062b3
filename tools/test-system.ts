/**
 * Runs what needs system packages, each file in a process of its own: every test file below
 * system/, or those of the folders and files that are named
 * (`npm run test:system -- system/console`). Three run at a time. With `--figures` what all cost is
 * written into bench/suite.json.
 */
import { existsSync, statSync } from "node:fs";
import { RUN_FOLDER } from "../system/support/made-once.ts";
import { packed } from "../system/support/packed.ts";
import { lastCosts, noteCosts } from "./costs.ts";

const COMMAND = "npm run test:system";
/** What fail-overs wrote: system/support/failover-load.ts. */
const TABLES = ".tmp/fail-over";

const words = Deno.args.filter((word) => word.startsWith("--"));
const paths = Deno.args.filter((word) => !word.startsWith("--"));
const files = (paths.length > 0 ? paths : ["system"]).flatMap(testsOf).toSorted();
if (files.length === 0) throw new Error(`no test in ${paths.join(" ")}`);
const costs = await noteCosts(COMMAND, words.includes("--figures"));
const folder = await Deno.makeTempDir({ prefix: "keydesk-run-" });
Deno.env.set(RUN_FOLDER, folder);
const failed: string[] = [];
const running = new Set<Deno.ChildProcess>();
let isStopped = false;
// Ctrl-C reaches the tests as well; this process waits for their end.
Deno.addSignalListener("SIGINT", () => isStopped = true);
Deno.addSignalListener("SIGTERM", () => {
  isStopped = true;
  for (const tests of running) tests.kill("SIGTERM");
});
try {
  await runInLanes();
} finally {
  await Deno.remove(folder, { recursive: true });
}
if (existsSync(TABLES)) {
  for (const { name } of Deno.readDirSync(TABLES)) {
    if (name.endsWith(".txt")) console.log(Deno.readTextFileSync(`${TABLES}/${name}`));
  }
}
await costs.tell();
for (const file of failed) console.error(`failed: ${file}`);
Deno.exit(isStopped || failed.length > 0 ? 1 : 0);

/**
 * Runs the files in three lanes, since tests wait often: those of browsers in two, the others one
 * after the other in the third, which takes files of browsers too when it has no more of its own.
 * What a file says stands together, at its end.
 */
async function runInLanes(): Promise<void> {
  const has = (file: string, words: RegExp) => words.test(Deno.readTextFileSync(file));
  // To pack builds dist/, which servers of the other lane serve.
  if (files.some((file) => has(file, /support\/packed\.ts/))) await packed();
  // A browser breaks off its calls when the machine's network changes, so who changes it runs
  // before any.
  const changers = files.filter((file) => has(file, /network-cut\.ts/));
  const ofBrowsers = files.filter((file) =>
    !changers.includes(file) &&
    (file.startsWith("system/console/") || has(file, /shared-browser\.ts/))
  );
  const others = files.filter((file) => !changers.includes(file) && !ofBrowsers.includes(file));
  const before = lastCosts(COMMAND);
  // What runs last runs beside nothing.
  const browsers = ofBrowsers.toSorted((a, b) => (before[b] ?? 0) - (before[a] ?? 0)).values();
  const changed = runEach(changers);
  await Promise.all([
    changed.then(() => runEach(browsers)),
    changed.then(() => runEach(browsers)),
    runEach(others).then(() => changed).then(() => runEach(browsers)),
  ]);
}

/** Runs what is left of these, one after the other. */
async function runEach(left: Iterable<string>): Promise<void> {
  for (const file of left) await runFile(file);
}

async function runFile(file: string): Promise<void> {
  if (isStopped) return;
  const report = `${folder}/${file.replaceAll("/", "-")}.xml`;
  const tests = new Deno.Command(Deno.execPath(), {
    // Their types are checked by `npm run check`.
    args: ["test", "-A", "--quiet", "--no-check", `--junit-path=${report}`, ...costs.words, file],
    env: { ...costs.env },
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
  const hasRun = existsSync(report) && Deno.readTextFileSync(report).includes("<testcase ");
  if (!success || !hasRun) failed.push(hasRun ? file : `${file}: no test ran`);
}

/** The test files at or below a path. */
function testsOf(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) => {
    const one = `${path}/${name}`.replaceAll(/\/+/g, "/");
    if (isDirectory) return name === "node_modules" ? [] : testsOf(one);
    return name.endsWith(".test.ts") ? [one] : [];
  });
}
