import assert from "node:assert/strict";
import { startServerProcess, withFolder } from "../../test/support/processes.ts";
import { parseTrace, straceOf, type TracedCall } from "../support/trace.ts";

const PATH = "/api/portal/requests";
const FLUSHES = ["fsync", "fdatasync"];
const RECEIVES = ["read", "readv", "recvfrom", "recvmsg"];
const SENDS = ["write", "writev", "sendto", "sendmsg"];
const WRITES = ["pwrite64", "pwritev"];

const isFlush = (call: TracedCall) =>
  FLUSHES.includes(call.name) && call.target.endsWith("-wal") && call.result === 0;
const isLogWrite = (call: TracedCall) =>
  WRITES.includes(call.name) && call.target.endsWith("-wal") && call.result > 0;

/** Runs creates against a traced server: `connections` at a time, `each` one after the other. */
async function traceCreates(
  names: readonly string[],
  connections: number,
  each: number,
): Promise<TracedCall[]> {
  let calls: TracedCall[] = [];
  await withFolder(async (dataDir) => {
    const file = `${dataDir}/trace`;
    await using server = await startServerProcess({ dataDir, under: straceOf(names, file) });
    await Promise.all(Array.from({ length: connections }, async (_, c) => {
      for (let n = 0; n < each; n++) {
        const body = { by_user: `dev-${c}`, for_plan: "plan", fields: { text: "x".repeat(2500) } };
        const answer = await server.send("POST", PATH, { body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      }
    }));
    server.kill("SIGTERM");
    await server.ended;
    calls = parseTrace(await Deno.readTextFile(file));
  });
  return calls;
}

/** Each create's request, fully received, and the beginning of its answer, by connection. */
function exchanges(calls: readonly TracedCall[]): { received: number; answered: number }[] {
  const found: { received: number; answered: number }[] = [];
  const receiving = new Map<string, number>();
  for (const call of calls) {
    if (!call.target.startsWith("socket:") || call.result <= 0) continue;
    if (RECEIVES.includes(call.name)) {
      const begins = call.text.includes(`"POST ${PATH} `);
      if (begins || receiving.has(call.target)) receiving.set(call.target, call.end);
    } else if (SENDS.includes(call.name) && call.text.includes(`"HTTP/1.1 200 `)) {
      const received = receiving.get(call.target);
      if (received !== undefined) found.push({ received, answered: call.start });
      receiving.delete(call.target);
    }
  }
  return found;
}

/**
 * Between a request and its answer: something written to the log, and after that a whole flush of
 * it.
 */
function assertFlushedBeforeAnswered(calls: readonly TracedCall[], expected: number): void {
  const writes = calls.filter(isLogWrite);
  const flushes = calls.filter(isFlush);
  const all = exchanges(calls);
  assert.equal(all.length, expected);
  for (const { received, answered } of all) {
    const write = writes.find((call) => call.start > received);
    assert.ok(write && write.end < answered, `no write between ${received} and ${answered}`);
    const flush = flushes.find((call) => call.start > write.end);
    assert.ok(flush && flush.end < answered, `no flush between ${write.end} and ${answered}`);
  }
}

const everything = [...FLUSHES, ...RECEIVES, ...SENDS, ...WRITES];

Deno.test("single creates: each answer leaves after its own flush of the log", async () => {
  const calls = await traceCreates(everything, 1, 40);
  assertFlushedBeforeAnswered(calls, 40);
});

Deno.test("concurrent creates: each answer leaves after a flush that followed its request", async () => {
  const calls = await traceCreates(everything, 32, 12);
  assertFlushedBeforeAnswered(calls, 32 * 12);
});

Deno.test("64 connections share their flushes", async () => {
  const [connections, each] = [64, 40];
  const calls = await traceCreates(FLUSHES, connections, each);
  const flushes = calls.filter(isFlush).length;
  const share = flushes / (connections * each);
  console.log(
    `${connections * each} creates on ${connections} connections: ${flushes} flushes of the log, ` +
      `${share.toFixed(3)} for each acknowledged create`,
  );
  assert.ok(flushes > 0 && share <= 0.1, `${share}`);
});
