/**
 * What a flood of keys that nobody knows costs: `deno run -A bench/denied-calls.ts`. `--calls
 * 1000000` refusals of `--keys 100000` made-up keys, as an hour may bring them: how much more
 * memory the server has, how much its store grew, how many lines it logged, and how many refusals
 * one can read. The calls come as fast as they are answered, which is harder than an hour's pace
 * but for what is kept of each second.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentMiB, startKeydesk } from "./processes.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000000" },
    keys: { type: "string", default: "100000" },
    together: { type: "string", default: "32" },
  },
});
const [calls, keys] = [Number(values.calls), Number(values.keys)];
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-refusals-" });
try {
  const node = await startKeydesk(folder);
  const authorization = (await Deno.readTextFile(join(folder, "administrator-credential"))).trim();
  const ask = async (n: number) => {
    const answer = await fetch(`${node.url}/v1/keys/verify`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", "x-keydesk-gateway": "edge-1" },
      body: JSON.stringify({ key: `nobody-knows-this-key-${n % keys}-${"x".repeat(24)}` }),
    });
    const { reason } = await answer.json();
    if (reason !== "unknown") throw new Error(`${answer.status}: ${reason}`);
  };
  for (let n = 0; n < 2000; n++) await ask(n);
  await settle();
  const [memory, store] = [await residentMiB(node.pid), await sizeMiB(folder)];
  const began = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: Number(values.together) }, async () => {
    while (next < calls) await ask(next++);
  }));
  const seconds = (performance.now() - began) / 1000;
  await settle();
  const counted = await fetch(`${node.url}/v1/usage?gateway=all`, { headers: { authorization } });
  const { total: { reasons } } = await counted.json();
  console.log(
    `${calls} refusals of ${keys} unknown keys in ${seconds.toFixed(0)} s: ` +
      `${((await residentMiB(node.pid)) - memory).toFixed(1)} MiB more memory, ` +
      `${((await sizeMiB(folder)) - store).toFixed(1)} MiB more store; ` +
      `counted: ${JSON.stringify(reasons)}`,
  );
  const lines = await node.stop();
  const told = lines.filter((line) => !line.includes('"path"'));
  console.log(`${lines.length} lines were logged, ${told.length} of them no calls.`);
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Counts are written five seconds after the call. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 8000));
}

async function sizeMiB(path: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isFile } of Deno.readDir(path)) {
    if (isFile) bytes += (await Deno.stat(join(path, name))).size;
  }
  return bytes / 2 ** 20;
}
