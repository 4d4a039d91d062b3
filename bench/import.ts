/**
 * How fast `keydesk import tyk` moves in from export files, and how much memory that takes:
 * `deno run -A bench/import.ts --developers 100000 --requests 10`. On SQLite, in a store of its own. A record is a
 * developer, their key, or a request.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { openDesk } from "../src/desk.ts";
import { ensureFirstAccessToken } from "../src/features/access/first-access-token.ts";
import { transactions } from "../src/transactions.ts";
import { makeExports } from "../test/support/original-exports.ts";

const { values } = parseArgs({
  options: {
    developers: { type: "string", default: "10000" },
    requests: { type: "string", default: "10" },
  },
});
const developers = Number(values.developers);
const each = Number(values.requests);
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-" });
const org_id = "5e9d9544a1dcd60001d0ed20";
const env = { KEYDESK_DATA_DIR: join(folder, "data"), KEYDESK_ORG_ID: org_id };
const main = new URL("../src/cli/main.ts", import.meta.url).pathname;

try {
  await makeStore();
  const exports = join(folder, "export");
  await Deno.mkdir(exports);
  await writeLarge(exports);
  const records = developers * (2 + each);
  console.log(
    `| ${records} records | s | records/s | processor s | records/processor s | most memory |`,
  );
  for (const verb of ["plan", "run", "run", "verify"]) {
    const { seconds, processor, mebibytes } = await run("import", "tyk", verb, "--files", exports);
    const rates = [seconds, processor].map((one) => [one.toFixed(1), Math.round(records / one)]);
    console.log(`| ${[verb, ...rates.flat(), `${mebibytes.toFixed(0)} MiB`].join(" | ")} |`);
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** An empty store, as a first start makes it. */
async function makeStore(): Promise<void> {
  const desk = await openDesk(readConfig(env), { writer: { thread: false, transactions } });
  await ensureFirstAccessToken(desk, { org_id }, join(folder, "credential"));
  await desk.storage.close();
}

/** The exports of the tests, with more developers and requests than are held in memory. */
async function writeLarge(path: string): Promise<void> {
  const few = makeExports(org_id, 1);
  for (const name of ["tyk_policies", "portal_catalogue", "portal_configurations"]) {
    await write(join(path, `${name}.json`), few.collections[name] ?? []);
  }
  const people = join(path, "portal_developers.json");
  const requests = join(path, "portal_key_requests.json");
  for (let from = 0; from < developers; from += 1000) {
    const part = makeExports(org_id, Math.min(1000, developers - from), from);
    await write(people, part.collections.portal_developers ?? []);
    for (let turn = 0; turn < each; turn++) {
      const half = (part.collections.portal_key_requests ?? []).filter((_, i) =>
        i % 2 === turn % 2
      );
      await write(requests, half.map((one) => withNewId(one, turn)));
    }
  }
}

function withNewId(request: unknown, turn: number): unknown {
  // as: the exports of the tests have this form.
  const one = request as { _id: { $oid: string } };
  const $oid = `${turn.toString(16).padStart(4, "0")}${one._id.$oid.slice(4)}`;
  return { ...one, _id: { $oid } };
}

async function write(path: string, documents: readonly unknown[]): Promise<void> {
  const text = documents.map((one) => `${JSON.stringify(one)}\n`).join("");
  await Deno.writeTextFile(path, text, { append: true });
}

/** Runs a command under the settings; its peak memory as the kernel counted it. */
async function run(
  ...args: string[]
): Promise<{ seconds: number; processor: number; mebibytes: number }> {
  const started = performance.now();
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, ...args],
    env,
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let most = 0;
  let ticks = 0;
  const watch = setInterval(() => {
    try {
      const status = Deno.readTextFileSync(`/proc/${command.pid}/status`);
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      const [, rest = ""] = Deno.readTextFileSync(`/proc/${command.pid}/stat`).split(") ");
      const fields = rest.split(" ");
      ticks = Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended.
    }
  }, 100);
  const { success } = await command.status;
  clearInterval(watch);
  if (!success) throw new Error(`${args.join(" ")} failed`);
  const seconds = (performance.now() - started) / 1000;
  // A hundred ticks are a second; what the last tenth took is not seen.
  return { seconds, processor: ticks / 100, mebibytes: most / 1024 };
}
