/**
 * Resident memory with many keys in use: `deno run -A bench/keys-in-use.ts`. `--programs
 * before=DIR,now=DIR` names folders with `bin/` and `dist/` or `src/`: clones, or packages as they
 * are installed. Each is started in turns on a copy of one store. Keys are presented in turn by 16
 * connections, and memory is read when the last answer has come and 32 seconds later.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { roundsOf } from "./machine.ts";
import { cpuOf, load, residentMiB, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: "now=." },
    keys: { type: "string", default: "100000" },
    seconds: { type: "string", default: "22" },
    rounds: { type: "string", default: "3" },
    // A clone that fills the store: the oldest, since no store is opened by older code.
    filler: { type: "string", default: "." },
    keep: { type: "string" },
  },
});
const LATER_MS = 32_000;
const programs = values.programs.split(",").map((text) => {
  const [name = "", tree = "."] = text.split("=");
  return { name, tree: resolve(tree) };
});
const folder = resolve(values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-keys-in-use-" }));
const store = join(folder, "store");
const list = join(folder, "keys");
const lines: string[][] = [];
try {
  await fill();
  for (let round = 1; round <= roundsOf(values.rounds); round++) {
    for (const program of programs) lines.push([program.name, ...await measure(program.tree)]);
  }
} finally {
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}
const head = ["program", "calls", "µs each", "at rest, MiB", "at once", "32 s later"];
console.log(table(head, lines).join("\n"));

/** The numbers of one start. */
async function measure(tree: string): Promise<string[]> {
  const dataDir = join(folder, "copy");
  await new Deno.Command("cp", { args: ["-a", store, dataDir] }).output();
  const server = await startKeydesk(dataDir, {}, tree);
  try {
    await pause(5000);
    const rest = await residentMiB(server.pid);
    const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
    const used = await cpuOf([server.pid]);
    const seen = await load(`${server.url}/v1/keys/verify`, Number(values.seconds), {
      connections: 16,
      script: "bench/wrk/keys.lua",
      env: { BENCH_KEYS: list, BENCH_ASKED: "verify", BENCH_CREDENTIAL: credential },
    });
    const micros = await used() / seen.requests;
    const atOnce = await residentMiB(server.pid);
    await pause(LATER_MS);
    const later = await residentMiB(server.pid);
    if (seen.failed > 0) throw new Error(`${seen.failed} calls failed`);
    return [seen.requests, micros, rest, atOnce, later].map((n) => n.toFixed(0));
  } finally {
    await server.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Starts once, so that the organisation is there, then adds its keys. */
async function fill(): Promise<void> {
  if (await Deno.stat(list).then(() => true, () => false)) return;
  await (await startKeydesk(store, {}, values.filler)).stop();
  const rows = ["--rows", values.keys, "--used", values.keys, "--keys", list];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "bench/fill-keys.ts", "--data", store, ...rows],
    cwd: values.filler,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
