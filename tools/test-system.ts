/**
 * Runs what needs system packages, one file after the other: every test file below system/, or those of the folders and
 * files that are named (`npm run test:system -- system/console`).
 */
import { existsSync, statSync } from "node:fs";

/** What fail-overs wrote: system/support/failover-load.ts. */
const TABLES = ".tmp/fail-over";

const files = (Deno.args.length > 0 ? Deno.args : ["system"]).flatMap(testsOf).toSorted();
if (files.length === 0) throw new Error(`no test in ${Deno.args.join(" ")}`);
const report = await Deno.makeTempFile({ prefix: "keydesk-tests-" });
const { code } = await new Deno.Command(Deno.execPath(), {
  // Their types are checked by `npm run check`.
  args: ["test", "-A", "--quiet", "--no-check", `--junit-path=${report}`, ...files],
}).spawn().status;
if (existsSync(TABLES)) {
  for (const { name } of Deno.readDirSync(TABLES)) {
    if (name.endsWith(".txt")) console.log(Deno.readTextFileSync(`${TABLES}/${name}`));
  }
}
// Where a folder is named Deno leaves out what stands beside a member of the workspace: none may be missing.
const told = await Deno.readTextFile(report);
await Deno.remove(report);
const leftOut = files.filter((file) => !told.includes(`"./${file}"`));
for (const file of leftOut) console.error(`not run: ${file}`);
Deno.exit(leftOut.length > 0 ? 1 : code);

/** The test files at or below a path. */
function testsOf(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) => {
    const one = `${path}/${name}`.replaceAll(/\/+/g, "/");
    if (isDirectory) return name === "node_modules" ? [] : testsOf(one);
    return name.endsWith(".test.ts") ? [one] : [];
  });
}
