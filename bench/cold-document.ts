/**
 * What many first calls of one document cost everybody else: `deno run -A bench/cold-document.ts`;
 * `--calls 600`, `--path /openapi.json`, `--tree` another checkout. A fresh server gets all calls
 * at once, and beside them `/hello` one after another: its longest wait is printed, when the last
 * document was there, and the memory before and after.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentMiB, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "600" },
    path: { type: "string", default: "/openapi.json" },
    tree: { type: "string", default: "." },
  },
});

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-document-" });
const server = await startKeydesk(join(folder, "data"), {}, values.tree);
try {
  await hello();
  const before = await residentMiB(server.pid);
  const started = performance.now();
  let left = Number(values.calls);
  const documents = Array.from({ length: left }, async () => {
    const response = await fetch(`${server.url}${values.path}`);
    if (response.status !== 200) throw new Error(`${response.status}`);
    await response.arrayBuffer();
    left--;
  });
  let longest = 0;
  let others = 0;
  while (left > 0) {
    longest = Math.max(longest, await hello());
    others++;
  }
  await Promise.all(documents);
  const whole = performance.now() - started;
  const head = ["documents", "until all were there", "longest wait of others", "calls of others"];
  const row = [values.calls, `${whole.toFixed(0)} ms`, `${longest.toFixed(0)} ms`, String(others)];
  const after = await residentMiB(server.pid);
  const memory = [before, after].map((mib) => `${mib.toFixed(0)} MiB`);
  console.log(table([...head, "before", "after"], [[...row, ...memory]]).join("\n"));
} finally {
  await server.stop();
  await Deno.remove(folder, { recursive: true });
}

/** Milliseconds of a call that asks for next to nothing. */
async function hello(): Promise<number> {
  const started = performance.now();
  await (await fetch(`${server.url}/hello`)).body?.cancel();
  return performance.now() - started;
}
