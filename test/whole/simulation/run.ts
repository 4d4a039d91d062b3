/**
 * Runs histories, in a process where time and chance come out of a seed:
 *
 *     node_modules/.bin/deno run -A --import-map=test/whole/simulation/import-map.json \
 *       test/whole/simulation/run.ts FROM [TO] [--variant NAME]... [--committee] [--json]
 *
 * Prints each history in which a promise was broken, in its shortest form, and ends with 1 where
 * there was one. Of a single seed the whole history is printed. With variants, or `--variant all`,
 * each ends at the first that is found. With `--committee` people decide in steps and by offers
 * instead of a crowd that does everything, and the interleavings of their calls are counted.
 */
import { parseArgs } from "node:util";
import { install, virtual } from "./virtual.ts";

virtual.begin(0, 0);
install();
// Only now: what is loaded takes its time and its random numbers from here.
const { makeBase } = await import("./simulated-desk.ts");
const { runHistory } = await import("./world.ts");
const { asItIs, variants: ofCrowds } = await import("./variants.ts");
const { committeeVariants } = await import("./committee-variants.ts");
const { SqliteConnection } = await import("../../../src/storage/engines/sqlite-connection.ts");
const { blake3 } = await import("../../../src/kernel/blake3.ts");
// What is loaded at its first use would take real time in one history and none in the next.
await blake3();
type Told = Awaited<ReturnType<typeof runHistory>>;

/** What a run found, as `--json` prints it: a line for each variant. */
export interface Found {
  variant: string;
  histories: number;
  /** Seed and digest of the last history. */
  last: { seed: number; digest: string };
  figures: Record<string, number>;
  /** Whole texts, for people. */
  broken: { seed: number; text: string }[];
}

// Every statement waits for its turn, so that those of several callers come in any order.
for (const name of ["rows", "row", "change"] as const) {
  const original = SqliteConnection.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  Object.defineProperty(SqliteConnection.prototype, name, {
    value: async function (...args: unknown[]) {
      await virtual.turn();
      return await original.apply(this, args);
    },
  });
}

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    variant: { type: "string", multiple: true, default: [asItIs] },
    json: { type: "boolean" },
    committee: { type: "boolean" },
  },
});
// Who starts it so holds the other end of standard input.
if (values.json) void Deno.stdin.read(new Uint8Array(1)).then(() => Deno.exit(2));
const clients = values.committee ? "committee" : "crowd";
const variants = values.committee ? committeeVariants : ofCrowds;
const [from = 1, to = from] = positionals.map(Number);
const names = values.variant.includes("all")
  ? Object.keys(variants).filter((name) => name !== asItIs)
  : values.variant;
const folder = await Deno.makeTempDir({ prefix: "keydesk-simulation-" });
let isGood = true;
try {
  const base = await makeBase(folder, clients);
  for (const name of names) {
    const variant = variants[name];
    if (!variant) throw new Error(`no variant: ${name}`);
    const found: Found = {
      variant: name,
      histories: 0,
      last: { seed: 0, digest: "" },
      figures: {},
      broken: [],
    };
    const distinct = new Set<string>();
    for (let seed = from; seed <= to; seed++) {
      const told = await runHistory(base, seed, variant);
      add(found, told);
      for (const one of told.orders) distinct.add(one);
      if (values.committee) found.figures.distinct = distinct.size;
      if (told.broken.length > 0) {
        isGood = false;
        found.broken.push({ seed, text: await textOf(told, name) });
        if (!values.json) console.log(found.broken.at(-1)?.text);
        if (name !== asItIs || found.broken.length === 3) break;
      } else if (from === to && !values.json) {
        console.log(told.lines.join("\n"));
      }
    }
    console.log(values.json ? JSON.stringify(found) : summaryOf(found));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(isGood ? 0 : 1);

function add(found: Found, told: Told): void {
  found.histories++;
  found.last = { seed: told.seed, digest: told.digest };
  for (const [name, n] of Object.entries(told.figures)) {
    found.figures[name] = (found.figures[name] ?? 0) + n;
  }
  if (values.committee) {
    found.figures.interleavings = (found.figures.interleavings ?? 0) + told.orders.length;
  }
}

/**
 * The history that was found, or a shorter one of the same seed in which something is wrong too.
 */
async function textOf(told: Told, name: string): Promise<string> {
  // Of a variant that a test runs nobody reads it.
  const isRead = name === asItIs || !values.json;
  const shortest = isRead ? await shorter(told, name) ?? told : told;
  const variant = (name === asItIs ? "" : ` --variant ${JSON.stringify(name)}`) +
    (values.committee ? " --committee" : "");
  return [
    `seed ${told.seed}: ${told.broken.length} promises broken. Again:`,
    `  node_modules/.bin/deno run -A --import-map=test/whole/simulation/import-map.json ` +
    `test/whole/simulation/run.ts ${told.seed}${variant}`,
    ...shortest.broken.slice(0, 5).map((one) => `  ${one}`),
    ...shortest === told ? [] : ["with fewer callers and calls:"],
    ...shortest.lines,
  ].join("\n");
}

async function shorter(told: Told, name: string): Promise<Told | undefined> {
  const base = await makeBase(folder, clients);
  for (const calls of [1, 2, 3, 4, 6, 9]) {
    for (const callers of [1, 2, 3, 5]) {
      const one = await runHistory(base, told.seed, variants[name] ?? {}, { callers, calls });
      if (one.broken.length > 0) return one;
    }
  }
  return undefined;
}

function summaryOf({ variant, histories, figures, last, broken }: Found): string {
  const counts = Object.entries(figures).map(([name, n]) => `${n} ${name}`).join(", ");
  return `${variant}: ${histories} histories to seed ${last.seed}: ${counts}; ` +
    `${broken.length} with broken promises`;
}
