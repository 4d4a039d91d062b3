/**
 * `deno run -A bench/whole-lists.ts`: processor time of the lists that go out whole (`p=-1`,
 * exports), in turns with another checkout where one is named. `--rows 100000`, `--rounds 3`,
 * `--keep FOLDER` with the stores that `bench/certificates.ts --fill` made, `--than FOLDER` another
 * checkout. "Made anew": each call names another page below 0, so that nothing is kept in memory.
 * Prints a table in Markdown; ratios are those of two turns side by side: median, least and most.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cpuOf, load, residentMiB, type Server, startKeydesk } from "./processes.ts";
import { roundsOf } from "./machine.ts";

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
/** Connections that ask again and again, for so many seconds a turn. */
const CONNECTIONS = 4;
const SECONDS = 1;
const ORIGINAL = { KEYDESK_CERTS_ANSWER: "original" };
const shapes: [name: string, path: string, settings?: Record<string, string>][] = [
  ["certs?p=-1", "/api/certs?p=-1"],
  ["certs?p=-1, made anew", "/api/certs?p=-"],
  ["certs?p=-1, detailed", "/api/certs?p=-1&mode=detailed"],
  ["certs?p=-1, detailed, made anew", "/api/certs?mode=detailed&p=-"],
  ["certs?p=-1, original", "/api/certs?p=-1", ORIGINAL],
  ["certs?p=-1, original, detailed", "/api/certs?p=-1&mode=detailed", ORIGINAL],
  ["certs/details?p=-1", "/api/certs/details?p=-1"],
  ["export, csv", "/api/certs/export?format=csv"],
  ["export, jsonl", "/api/certs/export?format=jsonl"],
  ["export, pem", "/api/certs/export?format=pem"],
];

console.log("| List | bytes | ms an answer | µs for 100 bytes | before | before ÷ now | MiB |");
console.log("|---|--:|--:|--:|--:|--:|--:|");
for (const [name, path, settings] of shapes) {
  const server = await startKeydesk(data, settings);
  const other = values.than ? await startElsewhere(values.than, settings) : undefined;
  const bytes = await sizeOf(server, path);
  if (other) await sizeOf(other, path);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < roundsOf(values.rounds); round++) {
    if (other) theirs.push(await measured(other, path));
    ours.push(await measured(server, path));
  }
  const ratios = theirs.map((ms, i) => ms / (ours[i] ?? NaN)).toSorted((a, b) => a - b);
  const [least, most] = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2));
  const cells = [
    name,
    bytes,
    median(ours).toFixed(2),
    per100(median(ours), bytes),
    ...other
      ? [per100(median(theirs), bytes), `${median(ratios).toFixed(2)} (${least}–${most})`]
      : ["", ""],
    (await residentMiB(server.pid)).toFixed(0),
  ];
  console.log(`| ${cells.join(" | ")} |`);
  await server.stop();
  await other?.stop();
}

async function startElsewhere(folder: string, settings?: Record<string, string>): Promise<Server> {
  const here = Deno.cwd();
  Deno.chdir(folder);
  try {
    return await startKeydesk(data, settings);
  } finally {
    Deno.chdir(here);
  }
}

async function callerOf(): Promise<string> {
  return (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
}

async function sizeOf(server: Server, path: string): Promise<number> {
  const whole = path.endsWith("-") ? `${path}1` : path;
  const answer = await fetch(server.url + whole, { headers: { authorization: await callerOf() } });
  const { byteLength } = await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return byteLength;
}

/** Milliseconds of processor an answer. */
async function measured(server: Server, path: string): Promise<number> {
  const headers = [`authorization: ${await callerOf()}`];
  const used = await cpuOf([server.pid]);
  const { requests } = await load(server.url + path, SECONDS, {
    connections: CONNECTIONS,
    headers,
    ...path.endsWith("-") && { script: "bench/wrk/counted.lua" },
  });
  return await used() / 1000 / requests;
}

function per100(ms: number, bytes: number): string {
  return (ms * 1000 / (bytes / 100)).toFixed(3);
}

function median(of: number[]): number {
  return of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
}
