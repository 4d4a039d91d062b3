/**
 * Runs all tests, or those of the folders and files that are named:
 * `npm test -- test/features/keys`. With `--figures` what they cost is written into
 * bench/suite.json.
 */
import { lastCosts, noteCosts } from "./costs.ts";
import { gathered } from "./gathered.ts";
import { runTests } from "./programs.ts";

const paths = Deno.args.filter((word) => word !== "--figures");
const costs = await noteCosts("npm test", Deno.args.includes("--figures"));
// Their types are checked before: `npm run check`.
const words = ["--parallel", "--no-check", ...costs.words];
// One more than there are cores: tests wait for timers, processes and databases.
const jobs = { DENO_JOBS: String(navigator.hardwareConcurrency + 1) };
const modules = await gathered(paths.length > 0 ? paths : ["test"], {
  costs: lastCosts("npm test"),
});
const code = await runTests([...words, ...modules], { ...jobs, ...costs.env });
await costs.tell();
Deno.exit(code);
