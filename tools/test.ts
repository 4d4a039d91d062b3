/**
 * Runs all tests, or those of the folders and files that are named:
 * `npm test -- test/features/keys`. With `--figures` what they cost is written into
 * bench/suite.json. With `--types` the types of everything are checked beside the tests, which wait
 * often enough; the run ends at the first that is wrong.
 */
import { lastCosts, noteCosts } from "./costs.ts";
import { gathered } from "./gathered.ts";
import { runTests } from "./programs.ts";

const paths = Deno.args.filter((word) => word !== "--figures" && word !== "--types");
const costs = await noteCosts("npm test", Deno.args.includes("--figures"));
// A module's types would be checked for itself, and all that it imports with it.
const words = ["--parallel", "--no-check", ...costs.words];
// Two more than there are cores: tests wait for timers, processes and databases.
const jobs = { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(navigator.hardwareConcurrency + 2) };
const modules = await gathered(paths.length > 0 ? paths : ["test", "packages"], {
  costs: lastCosts("npm test"),
});
const wrong = new AbortController();
const types = Deno.args.includes("--types") ? areTypesRight() : true;
const code = await runTests([...words, ...modules], { ...jobs, ...costs.env }, wrong.signal);
const isWrong = !await types;
await costs.tell();
// What .ci/run looks for: no second run of a test mends that.
if (isWrong) console.error("types: wrong");
Deno.exit(isWrong ? 1 : code);

async function areTypesRight(): Promise<boolean> {
  const check = new Deno.Command("npm", { args: ["run", "--silent", "check:types"] }).spawn();
  const { success } = await check.status;
  if (!success) wrong.abort();
  return success;
}
