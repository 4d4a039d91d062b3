/**
 * `deno run -A bench/whole-lists.ts`: processor time of the lists that go out whole (`p=-1`, exports), in turns with
 * another checkout where one is named. `--rows 100000`, `--rounds 3`, `--keep FOLDER` with the stores
 * that `bench/certificates.ts --fill` made, `--than FOLDER` another checkout. Prints a table in Markdown.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cpuOf, residentMiB, type Server, startKeydesk } from "./processes.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    keep: { type: "string" },
    than: { type: "string" },
  },
});
if (!values.keep) throw new Error("--keep: the folder with the stores is missing");
const data = join(values.keep, `certificates-${values.rows}`);
/** Calls one after another whose processor time is taken together, and how often. */
const CALLS = 10;
const BURSTS = 20;
const ORIGINAL = { KEYDESK_CERTS_ANSWER: "original" };
const shapes: [name: string, path: string, settings?: Record<string, string>][] = [
  ["certs?p=-1", "/api/certs?p=-1"],
  ["certs?p=-1, detailed", "/api/certs?p=-1&mode=detailed"],
  ["certs?p=-1, original", "/api/certs?p=-1", ORIGINAL],
  ["certs?p=-1, original, detailed", "/api/certs?p=-1&mode=detailed", ORIGINAL],
  ["certs/details?p=-1", "/api/certs/details?p=-1"],
  ["export, csv", "/api/certs/export?format=csv"],
  ["export, jsonl", "/api/certs/export?format=jsonl"],
  ["export, pem", "/api/certs/export?format=pem"],
];

console.log("| List | bytes | ms an answer | µs for 100 bytes | before | MiB after |");
console.log("|---|--:|--:|--:|--:|--:|");
for (const [name, path, settings] of shapes) {
  const ours: number[] = [];
  const theirs: number[] = [];
  let bytes = 0;
  let memory = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    if (values.than) {
      const here = Deno.cwd();
      Deno.chdir(values.than);
      const server = await startKeydesk(data, settings);
      Deno.chdir(here);
      theirs.push((await measured(server, path)).ms);
      await server.stop();
    }
    const server = await startKeydesk(data, settings);
    const result = await measured(server, path);
    ours.push(result.ms);
    bytes = result.bytes;
    memory = Math.max(memory, await residentMiB(server.pid));
    await server.stop();
  }
  const ms = median(ours);
  const before = theirs.length > 0 ? per100(median(theirs), bytes) : "";
  console.log(
    `| ${name} | ${bytes} | ${ms.toFixed(2)} | ${per100(ms, bytes)} | ${before} | ${
      memory.toFixed(0)
    } |`,
  );
}

/** The least milliseconds of processor an answer, of bursts: what else runs on the machine only adds to it. */
async function measured(server: Server, path: string): Promise<{ ms: number; bytes: number }> {
  const authorization = (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
  const answer = await fetch(server.url + path, { headers: { authorization } });
  const { byteLength: bytes } = await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  let ms = Infinity;
  for (let burst = 0; burst < BURSTS; burst++) {
    const used = await cpuOf([server.pid]);
    for (let call = 0; call < CALLS; call++) {
      await (await fetch(server.url + path, { headers: { authorization } })).arrayBuffer();
    }
    ms = Math.min(ms, await used() / 1000 / CALLS);
  }
  return { ms, bytes };
}

function per100(ms: number, bytes: number): string {
  return (ms * 1000 / (bytes / 100)).toFixed(3);
}

function median(of: number[]): number {
  return of.sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
}
