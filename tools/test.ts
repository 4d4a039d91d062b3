/** Runs all tests, or those of the folders and files that are named: `npm test -- test/features/keys`. */
import { runTests } from "./programs.ts";

// Their types are checked before: `npm run check`.
Deno.exit(
  await runTests(["--parallel", "--no-check", ...Deno.args.length > 0 ? Deno.args : ["test"]]),
);
