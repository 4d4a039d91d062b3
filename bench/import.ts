/**
 * How fast `keydesk import tyk` moves in from export files, and how much memory that takes:
 * `deno run -A bench/import.ts --full` with 100,000 developers, a key of each with its session,
 * 1,000,000 requests and 10,000 certificates; less by
 * `--developers 10000 --requests 10 --certificates 1000`. On SQLite, in a store of its own. A
 * record is a developer, a key, a request or a certificate. Ends with 1 where a run brings fewer
 * than 5,000 records a second.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { openServer } from "../src/open-server.ts";
import { ensureFirstAccessToken } from "../src/features/people/first-access-token.ts";
import { newPair } from "../src/maintenance/archive/age.ts";
import { transactions } from "../src/transactions.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { made } from "../test/support/certificates.ts";
import { ids, makeExports, originalKey } from "../test/support/original-exports.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    developers: { type: "string", default: "10000" },
    requests: { type: "string", default: "10" },
    certificates: { type: "string", default: "1000" },
  },
});
const developers = values.full ? 100_000 : Number(values.developers);
const each = values.full ? 10 : Number(values.requests);
const certificates = values.full ? 10_000 : Number(values.certificates);
/** Records of a second that a run must bring. */
const PROMISED = 5000;
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-" });
const org_id = "5e9d9544a1dcd60001d0ed20";
const env = { KEYDESK_DATA_DIR: join(folder, "data"), KEYDESK_ORG_ID: org_id };
const main = new URL("../src/cli/main.ts", import.meta.url).pathname;

try {
  await makeStore(env);
  const exports = join(folder, "export");
  await Deno.mkdir(exports);
  await writeLarge(exports);
  const records = developers * (2 + each) + certificates;
  let slowest = Infinity;
  console.log(
    `| ${records} records | s | records/s | processor s | records/processor s | most memory |`,
  );
  const measure = async (name: string, settings: typeof env, ...words: string[]) => {
    // What was exported, and what the run before wrote, is not flushed in the middle of the next
    // one.
    await new Deno.Command("sync").output();
    const { seconds, processor, mebibytes } = await run(settings, ...words);
    const rates = [seconds, processor].map((one) => [one.toFixed(1), Math.round(records / one)]);
    console.log(`| ${[name, ...rates.flat(), `${mebibytes.toFixed(0)} MiB`].join(" | ")} |`);
    return records / seconds;
  };
  for (const verb of ["plan", "run", "run", "verify"]) {
    const rate = await measure(verb, env, "import", "tyk", verb, "--files", exports);
    if (verb === "run") slowest = Math.min(slowest, rate);
  }
  if (slowest < PROMISED) Deno.exitCode = 1;
  const out = join(folder, "out");
  const { identity, recipient } = await newPair();
  const identityFile = join(folder, "identity");
  await Deno.writeTextFile(identityFile, identity);
  const secretly = ["--with-secrets", "--recipient", recipient];
  await measure("export", env, "export", "tyk", join(folder, "plain"));
  await measure("export with secrets", env, "export", "tyk", out, ...secretly);
  await measure("digest", env, "export", "tyk", "--digest");
  const other = { ...env, KEYDESK_DATA_DIR: join(folder, "other") };
  await makeStore(other);
  const source = ["--files", out, "--identity-file", identityFile];
  await measure("run of the export", other, "import", "tyk", "run", ...source);
  await measure("digest", other, "export", "tyk", "--digest");
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** An empty store, as a first start makes it. */
async function makeStore(env: Record<string, string>): Promise<void> {
  const desk = await openServer(readConfig(env), { writer: { thread: false, transactions } });
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
  const redis = join(path, "redis.jsonl");
  for (let from = 0; from < certificates; from += 1000) {
    const many = Math.min(1000, certificates - from);
    await write(redis, Array.from({ length: many }, (_, i) => certificateOf(from + i)));
  }
  for (let from = 0; from < developers; from += 1000) {
    const part = makeExports(org_id, Math.min(1000, developers - from), from);
    await write(people, part.collections.portal_developers ?? []);
    await write(redis, (part.collections.portal_developers ?? []).map((_, i) => keyOf(from + i)));
    for (let turn = 0; turn < each; turn++) {
      const half = (part.collections.portal_key_requests ?? []).filter((_, i) =>
        i % 2 === turn % 2
      );
      await write(requests, half.map((one) => withNewId(one, turn)));
    }
  }
}

/** A record of Redis: the session of a developer's key. */
function keyOf(n: number): unknown {
  const quota_renews = Math.floor(Date.now() / 1000) + 1800;
  const session = {
    org_id,
    apply_policies: [ids.plan(1)],
    expires: 0,
    meta_data: {},
    is_inactive: false,
    quota_max: 10,
    quota_renewal_rate: 3600,
    quota_remaining: 3,
    quota_renews,
    basic_auth_data: { password: "", hash_type: "" },
  };
  return { key: `apikey-${sha256(originalKey(org_id, n))}`, value: JSON.stringify(session) };
}

function certificateOf(n: number): unknown {
  const pem = made({ cn: `c-${n}.example.org`, serial: (n + 1).toString(16).padStart(8, "0") });
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  return { key: `cert-raw-${org_id}${createHash("sha256").update(der).digest("hex")}`, value: pem };
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
  env: Record<string, string>,
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
