/**
 * Runs what needs system packages, one file after the other, each in a process of its own: every test file below
 * system/, or those of the folders and files that are named (`npm run test:system -- system/console`). With `--figures`
 * what they cost is written into bench/suite.json.
 */
import { existsSync, statSync } from "node:fs";
import { RUN_FOLDER } from "../system/support/made-once.ts";
import { noteCosts } from "./costs.ts";

/** What fail-overs wrote: system/support/failover-load.ts. */
const TABLES = ".tmp/fail-over";

const paths = Deno.args.filter((word) => word !== "--figures");
const files = (paths.length > 0 ? paths : ["system"]).flatMap(testsOf).toSorted();
if (files.length === 0) throw new Error(`no test in ${paths.join(" ")}`);
const costs = await noteCosts("npm run test:system", Deno.args.includes("--figures"));
const folder = await Deno.makeTempDir({ prefix: "keydesk-run-" });
const report = `${folder}/report.xml`;
const failed: string[] = [];
let isStopped = false;
// Ctrl-C reaches the tests as well; this process waits for their end.
Deno.addSignalListener("SIGINT", () => isStopped = true);
for (const file of files) {
  if (isStopped) break;
  const tests = new Deno.Command(Deno.execPath(), {
    // Their types are checked by `npm run check`.
    args: ["test", "-A", "--quiet", "--no-check", `--junit-path=${report}`, ...costs.words, file],
    env: { ...costs.env, [RUN_FOLDER]: folder },
  }).spawn();
  const stop = () => {
    isStopped = true;
    tests.kill("SIGTERM");
  };
  Deno.addSignalListener("SIGTERM", stop);
  const { success } = await tests.status;
  // Where none of its tests ran, such as by a mistake in its name, that is told too.
  const hasRun = existsSync(report) && Deno.readTextFileSync(report).includes(`"./${file}"`);
  if (!success || !hasRun) failed.push(hasRun ? file : `${file}: no test ran`);
  Deno.removeSignalListener("SIGTERM", stop);
}
await Deno.remove(folder, { recursive: true });
if (existsSync(TABLES)) {
  for (const { name } of Deno.readDirSync(TABLES)) {
    if (name.endsWith(".txt")) console.log(Deno.readTextFileSync(`${TABLES}/${name}`));
  }
}
await costs.tell();
for (const file of failed) console.error(`failed: ${file}`);
Deno.exit(isStopped || failed.length > 0 ? 1 : 0);

/** The test files at or below a path. */
function testsOf(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) => {
    const one = `${path}/${name}`.replaceAll(/\/+/g, "/");
    if (isDirectory) return name === "node_modules" ? [] : testsOf(one);
    return name.endsWith(".test.ts") ? [one] : [];
  });
}
