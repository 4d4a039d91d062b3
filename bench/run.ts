/**
 * `npm run bench`: Keydesk beside a bare server of the same runtime that answers the same bytes,
 * both under the same load in turns, so that the ratio holds on a noisy machine. Prints a table in
 * Markdown. Reads are measured first while somebody creates `--writes 200` requests a second and
 * approves `--approvals 50` others, then while nobody writes. `--rows 1000000` sets the size of the
 * large store, `--rounds 3`, `--seconds 4`; `--keep DIR` keeps the stores for another run,
 * `--skip-stream` leaves out streaming everything, `--skip-quiet` all but the reads beside writes.
 * Names each row that is more than 5 % below the last figures, which are of `--rows 100000`.
 * `--check` measures that many, once more if a row fell, and ends with 1 if one fell in both runs;
 * with 2 and without a verdict if the machine is loaded, before or meanwhile, or if a row has no
 * last figures. `--write` puts the figures of a quiet machine into RESULTS.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fullKeyRequest } from "../src/features/key-requests/key-requests.example.ts";
import {
  besideLastFigures,
  type Figure,
  ratioText,
  slowerThanLast,
  unknownToLast,
  verdictOf,
  writeFigures,
} from "./last-figures.ts";
import { type Load, load, residentMiB, startBare, startKeydesk } from "./processes.ts";
import { quietness, quietnessFor, roundsOf, wordsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    writes: { type: "string", default: "200" },
    approvals: { type: "string", default: "50" },
    keep: { type: "string" },
    "skip-stream": { type: "boolean", default: false },
    "skip-quiet": { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
/** How long the machine is looked at before a check. */
const LOOK_MS = 5000;
if (values.check) {
  const before = await quietnessFor(LOOK_MS);
  if (!before.isQuiet) {
    console.error(`no check: ${wordsOf(before, 0)}`);
    Deno.exit(2);
  }
}
const large = Number(values.rows ?? (values.check ? "100000" : "1000000"));
const rounds = roundsOf(values.rounds);
const seconds = Number(values.seconds);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-" });
const body = join(folder, "body.json");
await Deno.mkdir(folder, { recursive: true });
await Deno.writeTextFile(body, requestOf("developer-{n}"));

/** One table for reads beside steady writes, one for everything while nothing else happens. */
const steady: string[][] = [];
const quiet: string[][] = [];
const memory: string[][] = [];

/** The tables with ratios, by their section of RESULTS.md. */
const tables = { "While somebody writes": steady, "Beside a bare server": quiet };
const HEAD = ["what", "Keydesk, calls/s", "bare", "ratio", "rounds"];

const runs = [await measureAll(folder)];
if (values.check && runs[0]?.fell.length) {
  for (const rows of [steady, quiet, memory]) rows.length = 0;
  const again = join(folder, "again");
  await Deno.mkdir(again, { recursive: true });
  runs.push(await measureAll(again));
}
if (values.check) {
  const { code, words } = verdictOf(runs, quietness());
  console.error(words);
  Deno.exitCode = code;
}
if (!values.keep) await Deno.remove(folder, { recursive: true });
if (values.write) {
  for (const [section, rows] of Object.entries(tables)) await writeFigures(section, HEAD, rows);
}

/** Fills and prints the tables. Gives the rows that fell, and the unknown ones, by sections. */
async function measureAll(folder: string): Promise<{ fell: string[]; unknown: string[] }> {
  await measureStore("1,000", join(folder, "small"), 1000);
  await measureStore(large.toLocaleString("en"), join(folder, "large"), large);
  if (!values["skip-quiet"]) await measureWrites(join(folder, "writes"));
  await print();
  const found = { fell: [] as string[], unknown: [] as string[] };
  for (const [section, rows] of Object.entries(tables)) {
    const named = (row: string) => `${section}: ${row}`;
    found.fell.push(...(await slowerThanLast(section, figuresOf(rows))).map(named));
    found.unknown.push(...(await unknownToLast(section, figuresOf(rows))).map(named));
  }
  return found;
}

async function measureStore(name: string, dataDir: string, rows: number): Promise<void> {
  const ids = await fill(dataDir, rows);
  // A million wait already, and more are created beside the reads.
  const server = await startKeydesk(dataDir, { KEYDESK_PENDING_PER_ORGANISATION: "0" });
  const credential = await authorization(dataDir);
  const base = `${server.url}/api/portal/requests`;
  memory.push([`ready after start, ${name} requests`, `${server.readyMs.toFixed(0)} ms`]);
  // The server gives back what starting took after half a second.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  memory.push([`at rest, ${name} requests`, `${(await residentMiB(server.pid)).toFixed(0)} MiB`]);

  const measureReads = async (table: string[][]) => {
    const env = { BENCH_IDS: ids, BENCH_PREFIX: "/api/portal/requests/" };
    const first = (await Deno.readTextFile(ids)).slice(0, 24);
    await compare(table, `read one of ${name}`, `${base}/${first}`, credential, {
      script: "bench/wrk/from-list.lua",
      env,
    });
    const last = Math.ceil(rows / 10);
    for (const p of [1, Math.ceil(last / 2), last]) {
      const page = `page ${p.toLocaleString("en")} of ${name}`;
      await compare(table, page, `${base}?p=${p}`, credential);
    }
    await compare(table, `certificates beside ${name}`, `${server.url}/api/certs?p=1`, credential);
  };
  const writing = writeSteadily(base, credential);
  await measureReads(steady);
  const { created, approved } = await writing.stop();
  memory.push([
    `creates and approvals a second beside the reads of ${name}`,
    `${created.toFixed(0)}, ${approved.toFixed(0)}`,
  ]);
  if (!values["skip-quiet"]) await measureReads(quiet);
  await server.stop();
  if (rows > 10_000 && !values["skip-stream"]) await measureStream(name, dataDir);
}

/**
 * A request of this developer, as of the moment in which it is sent. Were all of one developer and
 * one moment, each approval would make each of them longer, and a page of them a megabyte.
 */
function requestOf(developer: string): string {
  const { date_created: _, ...full } = fullKeyRequest;
  const portal_developer = { ...full.portal_developer, id: developer, email: "" };
  return JSON.stringify({ ...full, by_user: developer, portal_developer });
}

/** What one kind of writing comes to. */
interface Writing {
  done: number;
  working: Promise<void>;
}

/**
 * Creates requests and approves what it has created, `--writes` and `--approvals` a second, until
 * it is stopped; that says how many a second there really were.
 */
function writeSteadily(
  url: string,
  credential: string,
): { stop(): Promise<{ created: number; approved: number }> } {
  const headers = { authorization: credential };
  const began = performance.now();
  const waiting: string[] = [];
  let isOver = false;
  const send = async (method: string, path: string, body?: string) => {
    const answer = await fetch(url + path, { method, headers, body: body ?? null });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} beside the reads: ${answer.status}`);
    return text;
  };
  const steadily = (perSecond: number, write: () => Promise<unknown>): Writing => {
    const writing: Writing = { done: 0, working: Promise.resolve() };
    writing.working = (async () => {
      for (let n = 1; perSecond > 0 && !isOver; n++) {
        if (await write() !== undefined) writing.done++;
        const due = began + n * 1000 / perSecond - performance.now();
        if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
      }
    })();
    return writing;
  };
  let n = 0;
  const create = async () => {
    const sent = requestOf(`developer-of-${n++}`);
    return waiting.push(JSON.parse(await send("POST", "", sent)).Message);
  };
  const approve = async () => {
    const id = waiting.shift();
    return id === undefined ? undefined : await send("PUT", `/approve/${id}`);
  };
  // Several at once: a busy machine answers one in more than 5 ms.
  const creators = 4;
  const creating = Array.from(
    { length: creators },
    () => steadily(Number(values.writes) / creators, create),
  );
  const approving = steadily(Number(values.approvals), approve);
  return {
    stop: async () => {
      isOver = true;
      await Promise.all([...creating, approving].map(({ working }) => working));
      const seconds = (performance.now() - began) / 1000;
      const created = creating.reduce((sum, { done }) => sum + done, 0);
      return { created: created / seconds, approved: approving.done / seconds };
    },
  };
}

/** Both servers in turns; the ratio is the median of the rounds. */
async function compare(
  table: string[][],
  name: string,
  url: string,
  credential: string,
  options: { script?: string; env?: Record<string, string> } = {},
): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: credential } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
  const headers = [`Authorization: ${credential}`];
  await inTurns(
    table,
    name,
    text,
    (target) => load(target ?? url, seconds, { ...options, headers }),
  );
}

/**
 * Runs `run` against Keydesk (no target) and against a bare server that answers `text`, round by
 * round.
 */
async function inTurns(
  table: string[][],
  name: string,
  text: string,
  run: (bareUrl?: string) => Promise<Load>,
): Promise<void> {
  const file = join(folder, "answer.json");
  await Deno.writeTextFile(file, text);
  const bare = await startBare(file);
  await run();
  await run(bare.url);
  const results: { bare: number; keydesk: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const reference = await run(bare.url);
    const ours = await run();
    if (ours.failed > 0) throw new Error(`${name}: ${ours.failed} failed answers`);
    results.push({ bare: reference.perSecond, keydesk: ours.perSecond });
  }
  await bare.stop();
  results.sort((a, b) => a.keydesk / a.bare - b.keydesk / b.bare);
  const median = results[Math.floor(results.length / 2)];
  if (!median) return;
  const ratio = ratioText(median.keydesk / median.bare);
  const spread = results.map((r) => ratioText(r.keydesk / r.bare));
  const row = [name, Math.round(median.keydesk), Math.round(median.bare), ratio].map(String);
  table.push([...row, `${spread.at(0)}–${spread.at(-1)}`]);
  console.error(table.at(-1)?.join("\t"));
}

/** On a fresh server: what others asked before would still stand in its memory. */
async function measureStream(name: string, dataDir: string): Promise<void> {
  const server = await startKeydesk(dataDir);
  const headers = { authorization: await authorization(dataDir) };
  const answer = await fetch(`${server.url}/api/portal/requests`, { headers });
  let bytes = 0;
  let peak = 0;
  let sampled = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes - sampled > 16 * 1024 * 1024) {
      sampled = bytes;
      peak = Math.max(peak, await residentMiB(server.pid));
    }
  }
  memory.push([
    `peak while ${name} requests stream out (${(bytes / 1e9).toFixed(1)} GB)`,
    `${peak.toFixed(0)} MiB`,
  ]);
  await server.stop();
}

/** On a store of its own each time: what was approved once can't be approved again. */
async function measureWrites(dataDir: string): Promise<void> {
  for (const made of [dataDir, `${dataDir}.ids`]) {
    await Deno.remove(made, { recursive: true }).catch(() => {});
  }
  const ids = await fill(dataDir, 200_000);
  const server = await startKeydesk(dataDir);
  const credential = await authorization(dataDir);
  const base = `${server.url}/api/portal/requests`;
  const headers = [`Authorization: ${credential}`];
  const ok = JSON.stringify({ Status: "OK", Message: "0".repeat(24), Meta: null });
  await inTurns(
    quiet,
    "create (full body)",
    ok,
    (bare) =>
      load(bare ?? base, seconds, {
        headers,
        script: "bench/wrk/post.lua",
        env: { BENCH_BODY: body },
      }),
  );
  const lines = await server.stop();
  const stopped = JSON.parse(lines.at(-1) ?? "{}");
  const flushes = stopped.flushes / stopped.commits;
  memory.push(["flushes for each acknowledged create, 64 connections", flushes.toFixed(3)]);

  const again = await startKeydesk(dataDir);
  const approve = `${again.url}/api/portal/requests/approve/`;
  const answer = JSON.stringify({ RawKey: "x".repeat(136), Password: "" });
  let used = 0;
  await inTurns(quiet, "approve", answer, async (bare) => {
    const env = {
      BENCH_IDS: ids,
      BENCH_PREFIX: "/api/portal/requests/approve/",
      BENCH_METHOD: "PUT",
      BENCH_SKIP: String(used),
    };
    const result = await load(bare ?? approve, seconds, {
      headers,
      script: "bench/wrk/from-list.lua",
      env,
    });
    // Those under way when the time ran out were approved too.
    if (!bare) used += result.requests + 128;
    return result;
  });
  memory.push(["after the writes", `${(await residentMiB(again.pid)).toFixed(0)} MiB`]);
  await again.stop();
}

/** Starts once, so that the organisation is there, then fills. Gives the file of ids. */
async function fill(dataDir: string, rows: number): Promise<string> {
  const ids = `${dataDir}.ids`;
  try {
    await Deno.stat(ids);
    return ids;
  } catch {
    await (await startKeydesk(dataDir)).stop();
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/fill.ts", "--data", dataDir, "--rows", String(rows), "--ids", ids],
    }).output();
    if (!success) throw new Error("filling the store failed");
    return ids;
  }
}

async function authorization(dataDir: string): Promise<string> {
  return (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
}

async function print(): Promise<void> {
  const tableOf = (rows: readonly string[][]) => [
    `| ${HEAD.join(" | ")} |`,
    "|---|---|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
  ];
  const lines = [
    `Beside ${values.writes} creates and ${values.approvals} approvals a second:`,
    "",
    ...tableOf(steady),
    "While nobody else asks for anything:",
    "",
    ...tableOf(quiet),
    "| memory and flushes | |",
    "|---|---|",
    ...memory.map((row) => `| ${row.join(" | ")} |`),
    "",
  ];
  for (const [section, rows] of Object.entries(tables)) {
    const found = await besideLastFigures(section, figuresOf(rows));
    lines.push(...found.map((line) => `${section}: ${line}`));
  }
  console.log(lines.join("\n"));
}

function figuresOf(rows: readonly string[][]): Figure[] {
  return rows.map(([name = "", , , ratio = ""]) => ({ name, ratio }));
}
