/** Runs all tests, or those of the folders and files that are named: `npm test -- test/features/keys`. */
import { runTests } from "./programs.ts";

Deno.exit(await runTests(["--parallel", ...Deno.args.length > 0 ? Deno.args : ["test"]]));
