/**
 * Runs the heavy suites with several times their usual work, one after another, and writes what
 * came out to bench/LONG.md: `npm run test:long -- 10`, or with the files of some suites behind it,
 * whose rows alone are new then. Ends with 1 where a test failed.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The suites, each with what it does more of. */
const SUITES: Readonly<Record<string, string>> = {
  "test/whole/crash/kill.test.ts": "kills of a server under load",
  "test/whole/crash/deliveries.test.ts": "kills amid changes and deliveries",
  "test/maintenance/audit-stream/kill.test.ts": "kills between a row and the audit log stream",
  "test/whole/crash/jobs.test.ts": "kills amid jobs",
  "test/whole/crash/declared.test.ts": "kills while a file that declares plans is applied",
  "test/features/config/generated.test.ts":
    "generated organisations, one declaration applied over another, and exported",
  "test/whole/crash/bulk.test.ts": "kills amid jobs over certificates and developers",
  "test/whole/crash/alerts.test.ts": "kills amid alerts",
  "test/whole/crash/mails.test.ts": "kills amid mails",
  "test/whole/crash/learning.test.ts": "kills amid learning and observed calls, connections cut",
  "test/whole/crash/repeat.test.ts": "kills amid calls that are repeated",
  "test/whole/history/faults.test.ts": "kills and cuts, each history checked",
  "test/whole/history/gateways.test.ts": "kills, cuts and wipes with a gateway, each key read back",
  "test/whole/history/learned-week.test.ts": "a week of a move, each key learned from its gateway",
  "test/maintenance/move-store/kills.test.ts": "kills of move-store, each carried to its end",
  "test/maintenance/import/kills.test.ts": "kills of import, each carried to its end",
  "test/maintenance/import/rehearsal.test.ts": "a move rehearsed, with callers and a portal",
  "system/storage/full-disk.test.ts": "starts on a disk that is full, within their seconds",
  "system/storage/litestream.test.ts": "kills of server and Litestream, and restores",
  "system/storage/failover.test.ts":
    "kills of a primary with a synchronous standby, and a partition",
  "system/storage/patroni.test.ts": "kills of primaries under Patroni, which fails over by itself",
  "system/storage/postgres-versions.long.ts":
    "PostgreSQL 13 to 18: the life of keys on two nodes, a crash beneath them",
  "system/storage/poolers.long.ts": "two nodes behind a PgBouncer that keeps statements",
  "system/storage/witnesses.long.ts":
    "history written anew, with machine and keys, found by three real witnesses",
  "system/features/gateways/hashes.test.ts": "minutes without a desk at a door that goes by hashes",
  "test/whole/simulation/sqlite.test.ts": "histories from seeds, on a disk that fails",
  "test/whole/simulation/committee.test.ts":
    "people who decide in steps, on a disk that fails, each interleaving checked",
  "test/whole/interleavings/interleavings.test.ts":
    "calls that meet on one request, in every order, each checked",
  "test/whole/simulation/postgres.test.ts": "histories from seeds, over a network that fails",
  "test/whole/concurrency/races.test.ts": "races of decisions",
  "test/features/keys/races.test.ts": "races of keys",
  "test/whole/bad-input/fuzz.test.ts": "bodies that no client would send",
  "test/whole/bad-input/worst-shapes.test.ts":
    "texts on which parsers work longest, at every place",
  "packages/x509/test/fuzz.test.ts": "damaged certificates, to the reader",
  "test/features/certificates/endpoint-fuzz.test.ts": "damaged certificates, to the endpoint",
  "system/features/certificates/post-quantum.long.ts":
    "post-quantum keys of three writers, each form held against three readers",
  "system/generators/generators.test.ts": "clients of all generators, compiled and called",
  "system/generators/further/further.long.ts":
    "clients of further generators, compiled and called; linters and Schemathesis over the document",
  "system/storage/rolling-restart.test.ts": "rolling restarts under load, behind three proxies",
  "system/readme.test.ts": "README, with an installation of its own",
  "system/deploy/kubernetes.test.ts": "kustomize and Helm built, their renderings compared",
  "system/deploy/release.test.ts": "a release made twice, in two clones",
  "system/deploy/container.test.ts": "the image, installed and built in its container",
  "system/console/hydra.long.ts": "people by Ory Hydra, whose logout tokens have no end",
  "system/console/keycloak.long.ts": "people and developers by Keycloak, a second real provider",
  "system/console/firefox.test.ts": "all main jobs of the console, in Firefox",
  "system/console/axe.test.ts": "views of the console, in every window, theme and spacing of text",
  "system/console/portal-axe.test.ts":
    "states of the developer's pages, in every width, theme and language",
  "system/reference/samples.test.ts": "samples of the reference page, each run in Go too",
  "system/reference/reference.test.ts": "every operation of the reference page, looked at by axe",
  "test/storage/postgres/deadline.test.ts": "calls over a database whose answers come seconds late",
  "test/storage/migrations.test.ts": "processes that migrate one store at once",
  "test/http/unread.test.ts": "answers that nobody reads",
  "packages/http-listener/test/differential.test.ts":
    "heads and bodies, beside two other servers' readers",
  "test/http/json-error.test.ts": "malformed JSON against the engine's own places",
};

/** The lines of a suite's output that tell what it did. */
const TOLD =
  /seed \d+: |^all orders of |^Steps and offers: |^moving(?: in)?: .* kills|^(?:week )?rehearsal: |^learned (?:week|under kills): |^litestream: \d|^\d+ restarts, |^deadline: |^rewritten: |^(Fail-over|Partition|Patroni), kills/;

const LONG = new URL("../bench/LONG.md", import.meta.url);
const [effort = "10", ...wanted] = Deno.args;
const unknown = wanted.filter((path) => !(path in SUITES));
if (unknown.length > 0) throw new Error(`no long suite: ${unknown.join(", ")}`);

/**
 * The rows of the last run and what its suites told, by suite; those of others were written by
 * hand, and stay.
 */
const known = new Map<string, { row: string; told: string[] }>();
const byHand: { rows: string[]; told: string[] } = { rows: [], told: [] };
if (existsSync(LONG)) {
  const lines = (await Deno.readTextFile(LONG)).split("\n");
  const isOurs = (path = "") => path in SUITES;
  byHand.rows = lines.filter((line) => line.startsWith("|"))
    .filter((line) => /`/.test(line) && !isOurs(/`([^`]+)`/.exec(line)?.[1]));
  byHand.told = lines.filter((line) => /^(test|system)\//.test(line))
    .filter((line) => !isOurs(/^[^:]+/.exec(line)?.[0]));
  for (const path of Object.keys(SUITES)) {
    const row = lines.find((line) => line.startsWith("|") && line.includes(path));
    const told = lines.filter((line) => line.startsWith(`${path}: `));
    if (row) known.set(path, { row, told });
  }
}
let isGood = true;
for (const [path, what] of Object.entries(SUITES)) {
  if (wanted.length > 0 && !wanted.includes(path)) continue;
  const began = performance.now();
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", path],
    env: { TEST_EFFORT: effort, NO_COLOR: "1" },
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  const [, passed = "0", failed = "0"] = /(\d+) passed.*? (\d+) failed/.exec(text) ?? [];
  const seconds = Math.round((performance.now() - began) / 1000);
  const isWhole = code === 0 && passed !== "0";
  isGood &&= isWhole;
  if (!isWhole) console.log(text);
  const when = new Date().toISOString().slice(0, 10);
  const cells = [what, `\`${path}\``, `${effort} times`, passed, failed, `${seconds} s`, when];
  const told = text.split("\n").filter((line) => TOLD.test(line));
  known.set(path, { row: `| ${cells.join(" | ")} |`, told: told.map((one) => `${path}: ${one}`) });
  console.log(known.get(path)?.row);
}
const results = Object.keys(SUITES).flatMap((path) => known.get(path) ?? []);
const told = [...results.flatMap((result) => result.told), ...byHand.told];
await Deno.writeTextFile(
  LONG,
  `# The long forms of heavy suites

Written by \`npm run test:long -- 10\`; "10 times": with ten times the work of a suite,
of which \`npm test\` does the whole or a short form (\`test/support/effort.ts\`).
Each row is of the day that it names, and of the code that stood then.

| what | suite | work | passed | failed | took | when |
| ---- | ----- | ---: | -----: | -----: | ---: | ---- |
${[...results.map(({ row }) => row), ...byHand.rows].join("\n")}
${told.length > 0 ? `\nWhat they told:\n\n\`\`\`\n${told.join("\n")}\n\`\`\`\n` : ""}`,
);
await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", fileURLToPath(LONG)] }).output();
Deno.exit(isGood ? 0 : 1);
