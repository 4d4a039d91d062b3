/** Servers under the same load in turns: how much each does, and what that costs the machine. */
import { join } from "node:path";
import { cpuOf, load, type Server, startBare } from "./processes.ts";

/** Who is asked: one server, or several at once. */
export interface Target {
  name: string;
  nodes: Server[];
  /** Their database's first process, where it is not part of them. */
  database?: number;
}

/** What is asked, by wrk. */
export interface Call {
  name: string;
  path: string;
  script?: string;
  env?: Record<string, string>;
  headers?: string[];
  /** What the bare server answers; without it, what the first target does to this request. */
  answer?: string;
  ask?: RequestInit;
  /** Each id of the list may be asked for once. */
  once?: boolean;
  connections?: number;
  /** What is asked otherwise of the target of a name, such as one with a store of its own. */
  of?: Record<string, Partial<Call>>;
}

/** What a target did in one round; the processor times are microseconds a request. */
export interface Measured {
  perSecond: number;
  node: number;
  database: number;
  /** Milliseconds: the median, and the 99th of a hundred. */
  p50: number;
  p99: number;
}

/** How long to measure, and where to put what servers are started with. */
export interface Measuring {
  readonly rounds: number;
  readonly seconds: number;
  readonly folder: string;
  /** Answers that were no 200, and why where that is known. */
  readonly failures: string[];
  /** How many ids of the list each engine has used up. */
  readonly used: Map<string, number>;
}

/** What has been started and not ended. */
const running = new Set<Server>();

/** A server that `endAll` ends too. */
export async function begin(server: Promise<Server>): Promise<Server> {
  const one = await server;
  running.add(one);
  return one;
}

/** Ends it with SIGTERM and gives what it wrote. */
export async function end(server: Server): Promise<string[]> {
  running.delete(server);
  return await server.stop();
}

/** Ends every server that is still running. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map(end));
}

/** A bare server and then each target, round by round, after a round that does not count. */
export async function inTurns(
  call: Call,
  targets: Target[],
  measuring: Measuring,
): Promise<[bare: Measured[], ...ours: Measured[][]]> {
  const first = { ...call, ...call.of?.[targets[0]?.name ?? ""] };
  const bare = await bareFor(first, targets, measuring.folder);
  const results: [Measured[], ...Measured[][]] = [[], ...targets.map(() => [])];
  for (let round = 0; round <= measuring.rounds; round++) {
    for (const [n, target] of [{ name: "bare", nodes: [bare] }, ...targets].entries()) {
      const measured = await measure({ ...call, ...call.of?.[target.name] }, target, measuring);
      if (round > 0) results[n]?.push(measured);
    }
  }
  await end(bare);
  return results;
}

async function measure(call: Call, target: Target, measuring: Measuring): Promise<Measured> {
  const { nodes, database } = target;
  const engine = database === undefined ? target.name : "PostgreSQL";
  const skip = call.once ? measuring.used.get(engine) ?? 0 : 0;
  const nodeCpu = await cpuOf(nodes.map(({ pid }) => pid));
  const databaseCpu = await cpuOf(database === undefined ? [] : [database], { children: true });
  const results = await Promise.all(
    nodes.map((node, n) =>
      load(`${node.url}${call.path}`, measuring.seconds, {
        ...call,
        connections: call.connections ?? 64 / nodes.length,
        env: { ...call.env, BENCH_SKIP: String(skip + n), BENCH_STEP: String(nodes.length) },
      })
    ),
  );
  const spent = { node: await nodeCpu(), database: await databaseCpu() };
  const refused = results.reduce((sum, { refused }) => sum + refused, 0);
  const broken = results.reduce((sum, { failed }) => sum + failed, 0) - refused;
  if (refused + broken > 0) {
    measuring.failures.push(
      `${call.name}, ${target.name}: ${refused} answers other than 200, ${broken} broken or too late`,
    );
  }
  // Those under way when the time ran out count too.
  const most = Math.max(...results.map(({ requests }) => requests)) + 128;
  if (call.once) measuring.used.set(engine, skip + nodes.length * most);
  const requests = results.reduce((sum, { requests }) => sum + requests, 0);
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    node: spent.node / requests,
    database: spent.database / requests,
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

async function bareFor(call: Call, targets: Target[], folder: string): Promise<Server> {
  const body = join(folder, "answer");
  if (call.answer !== undefined) {
    await Deno.writeTextFile(body, call.answer);
    return await begin(startBare(body));
  }
  const answer = await fetch(`${targets[0]?.nodes[0]?.url}${call.path}`, call.ask);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${call.name}: ${answer.status} ${text}`);
  await Deno.writeTextFile(body, text);
  const headers = join(folder, "headers.json");
  const own = [...answer.headers].filter(([name]) => !/^(date|vary|content-length)$/.test(name));
  await Deno.writeTextFile(headers, JSON.stringify(Object.fromEntries(own)));
  return await begin(startBare(body, headers));
}

/** The median of all rounds. */
export function median(results: Measured[], what: keyof Measured): number {
  return middle(results.map((result) => result[what]));
}

/** The median, and in brackets the median of its ratios to what another did in the same round. */
export function withRatio(
  ours: Measured[],
  other: Measured[],
  what: keyof Measured,
  digits = 0,
): string {
  return `${median(ours, what).toFixed(digits)} (${ratio(ours, other, what).toFixed(2)})`;
}

/** The median of the ratios to what another did in the same round. */
export function ratio(ours: Measured[], other: Measured[], what: keyof Measured): number {
  return middle(ours.map((result, round) => result[what] / (other[round]?.[what] ?? NaN)));
}

/** The least and the greatest of these ratios. */
export function spread(ours: Measured[], other: Measured[], what: keyof Measured): string {
  const ratios = ours.map((result, round) => result[what] / (other[round]?.[what] ?? NaN));
  return `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
}

/** The median. */
export function middle(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = NaN, high = NaN] = [(sorted.length - 1) / 2, sorted.length / 2]
    .map((at) => sorted[Math.floor(at)]);
  return (low + high) / 2;
}
