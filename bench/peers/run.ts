/**
 * `npm run bench:peers`: Keydesk and PocketBase side by side, each under the same load in turns;
 * see README.md beside this file. Prints a table in Markdown. `--rows 1000,100000`, `--rounds 3`,
 * `--seconds 2`, `--writes 50` a second beside some of the reads, `--go go`, `--keep FOLDER` keeps
 * the filled stores for another run, `--write` puts the figures of a quiet machine into RESULTS.md.
 * `--before FOLDER`, a checkout of the code before with its
 * node_modules, takes PocketBase's place, on the same store, which the code before has filled.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { middle } from "../compare.ts";
import { besideLastFigures, writeFigures } from "../last-figures.ts";
import { cpuOf, load, residentMiB, type Server, startKeydesk } from "../processes.ts";
import { table } from "../tables.ts";
import { writeSteadily } from "../writing.ts";
import { startPocketBase } from "./pocketbase.ts";
import { roundsOf } from "../machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,100000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
    writes: { type: "string", default: "50" },
    go: { type: "string", default: "go" },
    keep: { type: "string" },
    before: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const rounds = roundsOf(values.rounds);
const seconds = Number(values.seconds);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-peers-" });
const body = join(folder, "body.json");
const program = join(folder, "pocketbase");

/** Somebody who is asked: a server, how one presents oneself there, and its paths. */
interface Side {
  server: Server;
  authorization: string;
  /** The file of ids. */
  ids: string;
  one: string;
  list: (page: number, more?: string) => string;
  create: string;
  /** The rows of a page, and how many there are in all. */
  read: (answer: Answer) => { rows: unknown[]; pages: number };
}
/**
 * A page of the peer's takes so long that with 64 callers more would be under way than answered.
 */
const PAGE_CONNECTIONS = 16;

/** What both answer, as far as it is looked at. */
interface Answer {
  Data?: unknown[];
  Pages?: number;
  items?: unknown[];
  totalPages?: number;
}
/** What one side did in one round; microseconds of processor and bytes, of one call. */
interface Measured {
  perSecond: number;
  cpu: number;
  bytes: number;
}
interface Turn {
  name: string;
  ours: Measured[];
  theirs: Measured[];
}

const turns = new Map<string, Turn>();
const memory: string[] = [];
await prepare();
for (const rows of values.rows.split(",").map(Number)) await measureStore(rows);
if (!values.keep) await Deno.remove(folder, { recursive: true });
await print();

/** Rounds on copies of the filled stores, so that no round finds what another has written. */
async function measureStore(rows: number): Promise<void> {
  const name = rows.toLocaleString("en");
  const filled = await fill(rows);
  for (let round = 0; round < rounds; round++) {
    const copy = join(folder, "round");
    await Deno.remove(copy, { recursive: true }).catch(() => {});
    await run("cp", ["-r", filled, copy]);
    const [ours, normal, full] = await sidesOf(copy);
    const sides = new Set([ours, normal, full]);
    // What has just started is slow.
    for (const side of sides) await warm(side);
    await measureReads(name, rows, ours, normal);
    const [mine, theirs] = await Promise.all([ours, normal].map((s) => residentMiB(s.server.pid)));
    memory.push(`${name}, round ${round + 1}: ${mine?.toFixed(0)} and ${theirs?.toFixed(0)} MiB`);
    const created = { bytes: [1, 100_000] as const, script: "bench/wrk/post.lua" };
    await inTurns(`create into ${name}, as shipped`, ours, normal, (s) => s.create, created);
    if (full !== normal) {
      await inTurns(`create into ${name}, both durable`, ours, full, (s) => s.create, created);
    }
    for (const { server } of sides) await server.stop();
  }
}

/** Keydesk, and who stands beside it: as it ships, and durable. */
async function sidesOf(copy: string): Promise<[Side, Side, Side]> {
  if (values.before === undefined) {
    return await Promise.all([
      keydesk(copy),
      pocketBase(copy, "normal", "NORMAL"),
      pocketBase(copy, "full", "FULL"),
    ]);
  }
  const ours = await keydesk(copy);
  const before = await keydesk(copy, "before", values.before);
  return [ours, before, before];
}

async function measureReads(name: string, rows: number, ours: Side, theirs: Side): Promise<void> {
  const single = { script: "bench/wrk/from-list.lua" };
  const last = Math.ceil(rows / 10);
  await inTurns(`read one of ${name}`, ours, theirs, (s) => s.one, single);
  for (const page of [1, Math.ceil(last / 2), last]) {
    await checkPage(page, last, ours, theirs);
    const what = `page ${page.toLocaleString("en")} of ${name}`;
    await inTurns(what, ours, theirs, (s) => s.list(page));
    if (page > 1 && page < last) continue;
    if (values.before !== undefined) continue;
    await inTurns(`${what}, theirs uncounted`, ours, theirs, (s) => s.list(page, "&skipTotal=1"));
  }
  const beside = `beside ${values.writes} creates a second`;
  await inTurns(`read one of ${name}, ${beside}`, ours, theirs, (s) => s.one, {
    ...single,
    writes: true,
  });
  await inTurns(`page 1 of ${name}, ${beside}`, ours, theirs, (s) => s.list(1), { writes: true });
}

async function warm(side: Side): Promise<void> {
  const env = { BENCH_IDS: side.ids, BENCH_PREFIX: side.one };
  const script = "bench/wrk/from-list.lua";
  await load(side.server.url + side.one, 1, { ...asking(side), env, script });
  await load(side.server.url + side.list(1), 1, asking(side));
}

/** Both show ten whole requests, and the same number of pages. */
async function checkPage(page: number, last: number, ...sides: Side[]): Promise<void> {
  for (const side of sides) {
    const answer: Answer = JSON.parse(await get(side, side.list(page)));
    const { rows, pages } = side.read(answer);
    const sizes = rows.map((row) => JSON.stringify(row).length);
    if (rows.length !== 10 || pages !== last || Math.min(...sizes) < 2500) {
      throw new Error(`${side.list(page)}: ${rows.length} rows, ${pages} pages, sizes ${sizes}`);
    }
  }
}

/**
 * Each side once. Every answer must be 200, and as long on the average as one that was looked at.
 */
async function inTurns(
  name: string,
  ours: Side,
  theirs: Side,
  path: (side: Side) => string,
  options: { script?: string; writes?: boolean; bytes?: readonly [number, number] } = {},
): Promise<void> {
  const turn = turns.get(name) ?? { name, ours: [], theirs: [] };
  turns.set(name, turn);
  for (const side of [ours, theirs]) {
    const asked = path(side);
    const [first] = (await Deno.readTextFile(side.ids)).split("\n", 1);
    const isOne = asked === side.one;
    const isPage = !isOne && !options.bytes;
    const began = performance.now();
    const length = options.bytes ? 0 : (await get(side, isOne ? asked + first : asked)).length;
    const alone = (performance.now() - began) / 1000;
    // So long that those under way at the end are few beside those answered.
    const connections = isPage ? PAGE_CONNECTIONS : 64;
    const duration = Math.ceil(Math.min(10, Math.max(seconds, isPage ? 80 * alone : 0)));
    const writing = options.writes ? await writingTo(side) : undefined;
    const cpu = await cpuOf([side.server.pid]);
    const result = await load(side.server.url + (isOne ? asked + first : asked), duration, {
      ...asking(side),
      connections,
      script: options.script,
      env: { BENCH_IDS: side.ids, BENCH_PREFIX: side.one, BENCH_BODY: body },
    });
    const spent = await cpu();
    await writing?.stop();
    await settled(side.server);
    if (result.failed > 0) throw new Error(`${name}: ${result.failed} failed at ${asked}`);
    // Headers come on top, and parts of those answers that were under way when the time ran out.
    const cut = (result.requests + connections) / result.requests;
    const [least, most] = options.bytes ?? [0.98 * length, (1.02 * length + 1500) * cut];
    if (result.bytesEach < least || result.bytesEach > most) {
      throw new Error(`${name}: ${result.bytesEach} bytes an answer at ${asked}, not ${length}`);
    }
    (side === ours ? turn.ours : turn.theirs).push({
      perSecond: result.perSecond,
      cpu: spent / result.requests,
      bytes: result.bytesEach,
    });
  }
  console.error(name, turn.ours.at(-1)?.perSecond, turn.theirs.at(-1)?.perSecond);
}

function asking(side: Side): { headers: string[] } {
  return { headers: [`Authorization: ${side.authorization}`, "Content-Type: application/json"] };
}

async function writingTo(side: Side) {
  const headers = { authorization: side.authorization, "content-type": "application/json" };
  const init = { headers, body: await Deno.readTextFile(body) };
  return writeSteadily(side.server.url + side.create, init, Number(values.writes));
}

async function get(side: Side, path: string): Promise<string> {
  const headers = { authorization: side.authorization };
  const answer = await fetch(side.server.url + path, { headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** Waits until a server no longer works on what it was asked: less than a tenth of a processor. */
async function settled(server: Server): Promise<void> {
  for (let tried = 0; tried < 100; tried++) {
    const cpu = await cpuOf([server.pid]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (await cpu() < 10_000) return;
  }
}

async function keydesk(copy: string, name = "keydesk", checkout = "."): Promise<Side> {
  const data = join(copy, name);
  const requests = "/api/portal/requests";
  return {
    server: await startKeydesk(data, {}, checkout),
    authorization: (await Deno.readTextFile(join(data, "administrator-credential"))).trim(),
    ids: join(copy, "keydesk.ids"),
    one: `${requests}/`,
    list: (page) => `${requests}?p=${page}`,
    create: requests,
    read: ({ Data = [], Pages = 0 }) => ({ rows: Data, pages: Pages }),
  };
}

async function pocketBase(
  copy: string,
  store: string,
  synchronous: "NORMAL" | "FULL",
): Promise<Side> {
  const records = "/api/collections/key_requests/records";
  const data = join(copy, "pocketbase", store);
  return {
    server: await startPocketBase(program, data, synchronous),
    authorization: await Deno.readTextFile(join(copy, "pocketbase.token")),
    ids: join(copy, "pocketbase.ids"),
    one: `${records}/`,
    list: (page, more = "") => `${records}?page=${page}&perPage=10&sort=date_created,id${more}`,
    create: records,
    read: ({ items = [], totalPages = 0 }) => ({ rows: items, pages: totalPages }),
  };
}

/** The body that is sent, and PocketBase's program. */
async function prepare(): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const { date_created: _, ...request } = fullKeyRequest;
  const sent = { ...request, by_user: "developer-{n}" };
  await Deno.writeTextFile(body, JSON.stringify(sent));
  if (values.before !== undefined) return;
  await run(values.go, ["build", "-buildvcs=false", "-o", program, "."], "bench/peers/pocketbase");
}

/** The same number of the same requests in each store; kept where it stands already. */
async function fill(rows: number): Promise<string> {
  const filled = resolve(folder, `filled-${rows}`);
  if (await Deno.stat(join(filled, "whole")).then(() => true, () => false)) return filled;
  await Deno.remove(filled, { recursive: true }).catch(() => {});
  const [data, base] = [join(filled, "keydesk"), join(filled, "pocketbase")];
  await Deno.mkdir(base, { recursive: true });
  const count = ["--rows", String(rows)];
  const ids = join(filled, "keydesk.ids");
  await (await startKeydesk(data, {}, values.before)).stop();
  const script = ["run", "-A", "bench/fill.ts", "--data", data, ...count, "--ids", ids];
  await run(Deno.execPath(), script, values.before);
  if (values.before !== undefined) {
    await run("cp", ["-r", data, join(filled, "before")]);
    await Deno.writeTextFile(join(filled, "whole"), "");
    return filled;
  }
  const files = ["--ids", join(filled, "pocketbase.ids"), "--token", `${base}.token`];
  await run(program, [
    "fill",
    "--dir",
    join(base, "normal"),
    ...count,
    "--body",
    body,
    ...files,
  ]);
  await run("cp", ["-r", join(base, "normal"), join(base, "full")]);
  await Deno.writeTextFile(join(filled, "whole"), "");
  return filled;
}

async function run(command: string, args: string[], cwd = "."): Promise<void> {
  const ended = new Deno.Command(command, { args, cwd }).output();
  const { success, stderr } = await ended.catch((error) => {
    throw new Error(`${command} is needed: ${error.message}`);
  });
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
}

async function print(): Promise<void> {
  const digits = values.before === undefined ? 1 : 2;
  const rows = [...turns.values()].map(({ name, ours, theirs }) => {
    const of = (side: Measured[], what: keyof Measured) => middle(side.map((one) => one[what]));
    const ratios = ours.map((one, round) => one.perSecond / (theirs[round]?.perSecond ?? NaN));
    const work = middle(theirs.map((one, round) => one.cpu / (ours[round]?.cpu ?? NaN)));
    return [
      name,
      ...[ours, theirs].map((side) => of(side, "perSecond").toFixed(0)),
      `**${middle(ratios).toFixed(digits)}**`,
      [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(digits)).join("–"),
      ...[ours, theirs].map((side) => of(side, "cpu").toFixed(0)),
      work.toFixed(digits),
      [ours, theirs].map((side) => of(side, "bytes").toFixed(0)).join(" and "),
    ];
  });
  const peer = values.before === undefined ? "PocketBase" : "before";
  const speed = ["what", "Keydesk, calls/s", peer, "ratio", "rounds"];
  const head = [...speed, "µs of CPU", "theirs", "ratio", "bytes"];
  console.log(table(head, rows).join("\n"));
  console.log(`Resident after the reads, Keydesk and ${peer}: ${memory.join("; ")}.`);
  if (values.before !== undefined) return;
  const figures = rows.map(([name = "", , , ratio = ""]) => ({ name, ratio }));
  for (const line of await besideLastFigures("Beside peers", figures)) console.log(line);
  if (values.write) await writeFigures("Beside peers", head, rows);
}
