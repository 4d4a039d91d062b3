/**
 * Runs all tests, or those of the folders and files that are named:
 * `npm test -- test/features/keys`. With `--figures` what they cost is written into
 * bench/suite.json.
 */
import { noteCosts } from "./costs.ts";
import { gathered } from "./gathered.ts";
import { runTests } from "./programs.ts";

const paths = Deno.args.filter((word) => word !== "--figures");
const costs = await noteCosts("npm test", Deno.args.includes("--figures"));
// Their types are checked before: `npm run check`.
const words = ["--parallel", "--no-check", ...costs.words];
const modules = await gathered(paths.length > 0 ? paths : ["test"]);
const code = await runTests([...words, ...modules], costs.env);
await costs.tell();
Deno.exit(code);
