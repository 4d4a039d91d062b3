/**
 * Runs the tests that catch most mistakes in about a minute: in process, on SQLite. `npm test` runs
 * all.
 */
import { existsSync } from "node:fs";
import { gathered } from "./gathered.ts";
import { runTests } from "./programs.ts";

/**
 * What is left out: processes, load and fuzzing, PostgreSQL by itself, and what derives keys or
 * reads much.
 */
const LEFT_OUT = [
  "cli",
  "client",
  "maintenance",
  "storage/postgres",
  "support",
  "whole/bad-input",
  "whole/concurrency",
  "whole/crash",
  "whole/history",
  "whole/simulation",
  "calls/abuse/passwords.test.ts",
  "features/accounts/passwords.test.ts",
  "features/certificates/endpoint-fuzz.test.ts",
  "features/certificates/list-endpoint.test.ts",
  ...["certificates", "key-requests", "usage"].map((name) =>
    `features/${name}/query-plans-postgres.test.ts`
  ),
  "http/streaming.test.ts",
  "kernel/sha256.test.ts",
  "storage/migrations.test.ts",
  "whole/access-to-every-endpoint.test.ts",
].map((path) => `test/${path}`).concat(
  ["fuzz", "kept-keystores", "key-derivation", "pem", "pkcs12", "private-key"].map((name) =>
    `packages/x509/test/${name}.test.ts`
  ),
);

const gone = LEFT_OUT.filter((path) => !existsSync(path));
if (gone.length > 0) throw new Error(`there is no ${gone.join(", ")}`);
const modules = await gathered(["test", "packages"], { leftOut: LEFT_OUT });
Deno.exit(await runTests(["--parallel", ...modules], { TEST_ENGINES: "sqlite" }));
