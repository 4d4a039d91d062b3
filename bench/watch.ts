/**
 * What watching costs: processor time of one read, of the server's whole process, without figures,
 * with them, and with traces; and of a list in each encoding against the same list as it is.
 * `deno run -A bench/watch.ts`: in turns, on real servers over SQLite; medians of the ratios of
 * neighbouring turns, and their quartiles. `--rounds 9`, `--seconds 2`. Needs wrk.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cpuMicros, load, type Server, startKeydesk } from "./processes.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "2" },
  },
});
const [rounds, seconds] = [roundsOf(values.rounds), Number(values.seconds)];

Deno.chdir(fileURLToPath(new URL("..", import.meta.url)));
const folder = await Deno.makeTempDir({ prefix: "keydesk-watch-" });
/** Takes spans and throws them away. */
const collector = Deno.serve({ port: 0, onListen: () => {} }, () => new Response());

const settings = {
  off: { KEYDESK_METRICS: "off" },
  figures: { KEYDESK_METRICS: "on" },
  traces: {
    KEYDESK_METRICS: "on",
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
  },
} as const;

/** A store of its own for each server, with the same demo in it. */
async function started(name: keyof typeof settings): Promise<{ server: Server; token: string }> {
  const dataDir = join(folder, name);
  const env = { KEYDESK_DATA_DIR: dataDir };
  await new Deno.Command("node", { args: ["bin/keydesk.js", "seed"], env }).output();
  const server = await startKeydesk(dataDir, { ...settings[name], KEYDESK_PAGE_SIZE: "50" });
  const made = await new Deno.Command("node", {
    args: ["bin/keydesk.js", "token", "create", "bench", "--allow", "portal:read"],
    env,
  }).output();
  return { server, token: new TextDecoder().decode(made.stdout).trim() };
}

const [off, figures, traces] = [
  await started("off"),
  await started("figures"),
  await started("traces"),
];

/** Microseconds of processor time of one call. */
async function cost(
  { server, token }: { server: Server; token: string },
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const before = await cpuMicros(server.pid);
  const { requests, failed } = await load(`${server.url}${path}`, seconds, {
    connections: 8,
    headers: Object.entries({ authorization: token, ...headers }).map((pair) => pair.join(": ")),
  });
  if (failed > 0) throw new Error(`${failed} calls of ${path} failed`);
  return (await cpuMicros(server.pid) - before) / requests;
}

/**
 * Each way in turns; then the median of each one's ratio to the first in the same round, and its
 * quartiles.
 */
async function inTurns(what: string, ways: Record<string, () => Promise<number>>): Promise<void> {
  const names = Object.keys(ways);
  const seen = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const micros = await ways[name]?.() ?? 0;
      // The first round warms up.
      if (round > 0) seen.get(name)?.push(micros);
    }
  }
  const [first = ""] = names;
  for (const name of names) {
    const all = seen.get(name) ?? [];
    const ratios = all.map((micros, i) => micros / (seen.get(first)?.[i] ?? 1) * 100 - 100);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, at).toFixed(1));
    console.log(
      `${what}, ${name}: ${quantile(all, 0.5).toFixed(0)} µs` +
        (name === first ? "" : `, ${middle} % (quartiles ${low} to ${high})`),
    );
  }
}

function quantile(numbers: readonly number[], at: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * at)] ?? 0;
}

try {
  const ids = await Promise.all([off, figures, traces].map(async ({ server, token }) => {
    const answer = await fetch(`${server.url}/v1/key-requests?limit=1`, {
      headers: { authorization: token },
    });
    return (await answer.json()).data[0].id as string;
  }));
  const read = (at: typeof off, i: number) => () => cost(at, `/api/portal/requests/${ids[i]}`);
  await inTurns("one key request", {
    off: read(off, 0),
    figures: read(figures, 1),
    traces: read(traces, 2),
  });
  const list = (accepted?: string) => () =>
    cost(off, "/api/portal/requests?p=1", accepted ? { "accept-encoding": accepted } : {});
  await inTurns("a list of 50", {
    plain: list(),
    zstd: list("zstd"),
    br: list("br"),
    gzip: list("gzip"),
  });
} finally {
  for (const { server } of [off, figures, traces]) await server.stop();
  await collector.shutdown();
  await Deno.remove(folder, { recursive: true });
}
