/**
 * How fast `keydesk keys import` is, how much memory it takes, and whether a page of the list stays
 * flat: `deno run -A bench/keys-import.ts --keys 100000`. On SQLite, in a store of its own.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { permissions } from "../src/contract/permissions.ts";
import { openServer } from "../src/open-server.ts";
import { findFirstOrganisation } from "../src/features/people/organisations.store.ts";
import { listKeys, type ListQuery } from "../src/features/keys/list-keys.service.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { transactions } from "../src/transactions.ts";
import "./machine.ts";

const { values } = parseArgs({ options: { keys: { type: "string", default: "100000" } } });
const total = Number(values.keys);
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-" });
const env = { KEYDESK_DATA_DIR: join(folder, "data") };
const main = new URL("../src/cli/main.ts", import.meta.url).pathname;

try {
  await run("seed");
  const file = join(folder, "keys.jsonl");
  await writeKeys(file);
  console.log(`| import of ${total} keys | s | lines/s | most memory |`);
  for (
    const [name, words] of [["dry run", ["--dry-run"]], ["import", []], ["again", []]] as const
  ) {
    const { seconds, mebibytes } = await run("keys", "import", file, ...words);
    const rate = Math.round(total / seconds);
    console.log(`| ${name} | ${seconds.toFixed(1)} | ${rate} | ${mebibytes.toFixed(0)} MiB |`);
  }
  await listPages();
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Twenty keys a developer, six plans, one key in a thousand suspended, spread over a year. */
async function writeKeys(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  const encoder = new TextEncoder();
  for (let from = 0; from < total; from += 1000) {
    let text = "";
    for (let n = from; n < Math.min(total, from + 1000); n++) {
      text += `${
        JSON.stringify({
          hash: sha256(`key-${n}`),
          developer: `developer-${Math.floor(n / 20)}`,
          plans: [`plan-${n % 6}`],
          created: new Date(Date.UTC(2025, 0, 1) + Math.floor(n / total * 3.15e10)).toISOString(),
          state: n % 1000 === 0 ? "suspended" : "active",
        })
      }\n`;
    }
    const bytes = encoder.encode(text);
    for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
  }
}

/** Runs a command under the settings; its peak memory as the kernel counted it. */
async function run(...words: string[]): Promise<{ seconds: number; mebibytes: number }> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, ...words],
    env,
    stdout: "null",
    stderr: "null",
  }).spawn();
  let peak = 0;
  const watch = setInterval(async () => {
    const status = await Deno.readTextFile(`/proc/${child.pid}/status`).catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 100);
  const { success } = await child.status;
  clearInterval(watch);
  if (!success) throw new Error(`keydesk ${words.join(" ")} failed`);
  return { seconds: (performance.now() - started) / 1000, mebibytes: peak / 1024 };
}

/** Pages of twenty: the first, one after the middle, and by each filter. */
async function listPages(): Promise<void> {
  const desk = await openServer(readConfig(env), { writer: { thread: false, transactions } });
  try {
    const org_id = (await findFirstOrganisation(desk.storage.reader))?.id ?? "";
    const principal = { org_id, user_id: "bench", token_id: "bench", permissions };
    const ctx = { ...desk, principal };
    const middle = btoa(JSON.stringify(["newest", "2025-07-01T00:00:00.000Z", ""]));
    const queries: [string, ListQuery][] = [
      ["first page", {}],
      ["page in the middle", { cursor: middle }],
      ["of a plan", { plan: "plan-3" }],
      ["of a developer", { developer: "developer-7" }],
      ["suspended", { state: "suspended" }],
      ["expired", { state: "expired" }],
    ];
    for (const [name, query] of queries) {
      const times: number[] = [];
      for (let i = 0; i < 300; i++) {
        const started = performance.now();
        await listKeys(ctx, query);
        times.push(performance.now() - started);
      }
      const median = times.sort((a, b) => a - b)[150] ?? 0;
      console.log(`| ${name} of ${total} | ${Math.round(median * 1000)} µs |`);
    }
  } finally {
    await desk.storage.close();
  }
}
