/**
 * Runs the heavy suites with several times their usual work, one after another, and writes what came out to
 * bench/LONG.md: `npm run test:long -- 10`. Ends with 1 where a test failed.
 */

/** The suites, each with what it does more of. */
const SUITES: Readonly<Record<string, string>> = {
  "test/whole/crash/kill.test.ts": "kills of a server under load",
  "test/whole/history/faults.test.ts": "kills and cuts, each history checked",
  "test/whole/concurrency/races.test.ts": "races of decisions",
  "test/features/keys/races.test.ts": "races of keys",
  "test/whole/bad-input/fuzz.test.ts": "bodies that no client would send",
  "test/features/certificates/fuzz.test.ts": "damaged certificates, to the reader",
  "test/features/certificates/endpoint-fuzz.test.ts": "damaged certificates, to the endpoint",
  "test/http/json-error.test.ts": "malformed JSON against the engine's own places",
};

const effort = Deno.args[0] ?? "10";
const rows: string[] = [];
const told: string[] = [];
let isGood = true;
for (const [path, what] of Object.entries(SUITES)) {
  const began = performance.now();
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", path],
    env: { TEST_EFFORT: effort, NO_COLOR: "1" },
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  const [, passed = "0", failed = "0"] = /(\d+) passed.*? (\d+) failed/.exec(text) ?? [];
  const seconds = Math.round((performance.now() - began) / 1000);
  isGood &&= code === 0 && passed !== "0";
  rows.push(`| ${what} | \`${path}\` | ${passed} | ${failed} | ${seconds} s |`);
  told.push(...text.split("\n").filter((line) => /seed \d+: /.test(line)));
  console.log(rows.at(-1));
}
const revision = await lineOf("git", "rev-parse", "--short", "HEAD");
await Deno.writeTextFile(
  new URL("../bench/LONG.md", import.meta.url),
  `# The long forms of heavy suites

Written by \`npm run test:long -- ${effort}\`: ${effort} times the work of \`npm test\`. Revision ${revision},
${new Date().toISOString().slice(0, 10)}.

| what | suite | passed | failed | took |
| ---- | ----- | -----: | -----: | ---: |
${rows.join("\n")}
${told.length > 0 ? `\nWhat they told:\n\n\`\`\`\n${told.join("\n")}\n\`\`\`\n` : ""}`,
);
Deno.exit(isGood ? 0 : 1);

async function lineOf(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(command, { args }).output();
  return new TextDecoder().decode(stdout).trim();
}
