/**
 * What a job costs, and what it costs others: `deno run -A bench/jobs.ts [requests]`. A server of
 * its own, on SQLite. Latency of a read and of an approval beside the job and without it in turns,
 * the server's memory, and rows a second.
 */
import { join } from "node:path";
import { type Server, startKeydesk } from "./processes.ts";
import { roundsOf } from "./machine.ts";

const REQUESTS = Number(Deno.args[0] ?? 3000);
const AT_ONCE = 16;
const ROUNDS = roundsOf(3);
const CALLS = 60;

const dataDir = await Deno.makeTempDir();
const server = await startKeydesk(dataDir);
try {
  const file = await Deno.readTextFile(join(dataDir, "administrator-credential"));
  const authorization = file.trim();
  const send = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization },
      body: text,
    });
    if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
    return await answer.json();
  };
  const ask = async (count: number, plan: string) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - n) }, async (_, i) => {
        const body = { by_user: `d-${n + i}`, for_plan: plan };
        ids.push((await send("POST", "/api/portal/requests", body)).Message);
      });
      await Promise.all(some);
    }
    return ids;
  };
  for (let round = 1; round <= ROUNDS; round++) {
    await ask(REQUESTS, `many-${round}`);
    const alone = await beside(await ask(CALLS, "few"), send);
    const before = memoryOf(server);
    const others = await ask(CALLS, "few");
    const started = performance.now();
    const body = { kind: "approve", filter: { plan: `many-${round}` } };
    const { id } = await send("POST", "/v1/jobs", body);
    let most = before;
    const with_ = await beside(others, send, () => most = Math.max(most, memoryOf(server)));
    let job = await send("GET", `/v1/jobs/${id}`);
    while (job.ended_at === null) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      job = await send("GET", `/v1/jobs/${id}`);
      most = Math.max(most, memoryOf(server));
    }
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `round ${round}: ${job.done} of ${job.total} in ${seconds.toFixed(1)} s, ` +
        `${(job.total / seconds).toFixed(0)} rows/s; ` +
        `ms p50/p95 alone: read ${alone.read}, approve ${alone.approve}; ` +
        `beside: read ${with_.read}, approve ${with_.approve}; ` +
        `MB ${before.toFixed(0)}, at most ${most.toFixed(0)}`,
    );
  }
} finally {
  await server.stop();
  await Deno.remove(dataDir, { recursive: true });
}

/** Milliseconds of calls one after another. */
async function beside(
  ids: readonly string[],
  send: (method: string, path: string, body?: unknown) => Promise<unknown>,
  each = () => {},
) {
  const times = { read: [] as number[], approve: [] as number[] };
  const timed = async (of: number[], work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    of.push(performance.now() - from);
  };
  for (const id of ids) {
    await timed(times.read, () => send("GET", `/v1/key-requests/${id}`));
    await timed(times.approve, () => send("POST", `/v1/key-requests/${id}/approve`, {}));
    each();
  }
  return { read: spread(times.read), approve: spread(times.approve) };
}

function spread(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
  return `${at(0.5)}/${at(0.95)}`;
}

/** Megabytes that the server holds. */
function memoryOf({ pid }: Server): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
