/**
 * A declaration of ten thousand objects: `deno run -A bench/config.ts`. How long it takes over HTTP
 * to apply it, to read it again, and to compare it, where nothing and where everything changes.
 * Prints a table in Markdown, with the median of the rounds. `--objects`, `--rounds`.
 */
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/support/command.ts";
import { startServerProcess } from "../test/support/processes.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "10000" },
    rounds: { type: "string", default: "5" },
  },
});
const objects = Number(values.objects);
const rounds = Number(values.rounds);

/** A tenth each are rules and policies of plans; the rest are plans, and a hundred APIs. */
function declared(rate: number) {
  const plans = Math.floor(objects * 0.79);
  const named = (n: number) => `Plan ${n}`;
  const tenth = Array.from({ length: Math.floor(objects / 10) }, (_, n) => named(n));
  return {
    plans: Array.from({ length: plans }, (_, n) => ({ name: named(n), rate, per: 1 })),
    apis: Array.from({ length: Math.floor(objects / 100) }, (_, n) => ({
      id: `api-${n}`,
      name: `API ${n}`,
      plans: [named(n)],
    })),
    approval_policies: tenth.map((plan) => ({ plan, outcome: "one" })),
    unused_key_rules: tenth.map((plan) => ({ plan, action: "warn", after_days: 100 + rate })),
  };
}

await using folder = await temporaryFolder();
const server = await startServerProcess({ dataDir: folder.path });
const source = "bench.yaml";

async function timed(path: string, body?: unknown): Promise<number> {
  const begun = performance.now();
  const { status, body: answer } = await server.send(body === undefined ? "GET" : "POST", path, {
    body,
  });
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  return performance.now() - begun;
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
async function row(name: string, path: string, body?: unknown) {
  const all: number[] = [];
  for (let n = 0; n < rounds; n++) all.push(await timed(path, body));
  console.log(
    `| ${name} | ${median(all).toFixed(0)} | ${all.map((ms) => ms.toFixed(0)).join(" ")} |`,
  );
}

console.log(`${objects} objects\n\n| | ms | Rounds |\n| --- | ---: | --- |`);
const config = declared(1);
const applied = await timed("/v1/config/apply", { config, source });
console.log(`| Apply to an empty organisation | ${applied.toFixed(0)} | once |`);
await row("Read all", "/v1/config");
await row("What files manage, with drift", "/v1/config/managed");
await row("Compare, nothing changes", "/v1/config/diff", { config, source });
await row("Compare, every plan changes", "/v1/config/diff", { config: declared(2), source });
const nothing = { config: {}, source, prune: true };
await row("Compare, all is to be removed", "/v1/config/diff", nothing);
await server[Symbol.asyncDispose]();
