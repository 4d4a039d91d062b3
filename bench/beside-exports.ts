/**
 * How long verification takes beside whoever reads everything:
 * `deno run -A bench/beside-exports.ts`. One server on SQLite; each export is read by one and by
 * three clients as fast as they can, plain and compressed, while keys are verified one after the
 * other. `--rows 100000`: of keys, key requests, developers and the audit log each; `--seconds 10`
 * for each, behind as many at rest; `--only keys,audit log`; `--before FOLDER`, a checkout of the
 * code before with its node_modules, on a copy of the same store; `--keep DIR` keeps the store for
 * another run.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { cells, verifyFor } from "./verifying.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    seconds: { type: "string", default: "10" },
    only: { type: "string" },
    before: { type: "string" },
    keep: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-exports-" });
const dataDir = join(folder, `exports-${values.rows}`);

const exported: Readonly<Record<string, string>> = {
  keys: "/v1/keys/export",
  "key requests": "/v1/key-requests/export",
  developers: "/v1/developers/export",
  auditLog: "/v1/audit-log/export",
};

try {
  await fill();
  const rows = await measure(resolve("."), dataDir);
  const before = values.before === undefined
    ? undefined
    : await measure(resolve(values.before), dataDir);
  const times = ["p50, ms", "p99", "worst"];
  const names = ["read", "clients", ...times.map((one) => `at rest: ${one}`), ...times];
  const lines = rows.map((row, i) => [
    ...row,
    ...before === undefined ? [] : (before[i] ?? []).slice(5, 8),
  ]);
  const ofBefore = before === undefined ? [] : ["before: p50", "p99", "worst"];
  console.log(table([...names, "read", ...ofBefore], lines).join("\n"));
} finally {
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}

async function fill(): Promise<void> {
  if (await Deno.stat(`${dataDir}.filled`).catch(() => undefined)) return;
  await (await startKeydesk(dataDir)).stop();
  for (const script of ["bench/fill-keys.ts", "bench/fill-exports.ts"]) {
    const args = ["run", "-A", script, "--data", dataDir, "--rows", values.rows];
    const keys = script === "bench/fill-keys.ts" ? ["--keys", `${dataDir}.keys`] : [];
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: [...args, ...keys],
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    if (!success) throw new Error(`${script} failed`);
  }
  await Deno.writeTextFile(`${dataDir}.filled`, "");
}

async function measure(tree: string, data: string): Promise<string[][]> {
  const server = await startKeydesk(data, {}, tree);
  const authorization = (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
  const keys = (await Deno.readTextFile(`${data}.keys`)).trim().split("\n");
  const lines: string[][] = [];
  try {
    const verifying = { url: server.url, authorization, keys };
    await verifyFor(verifying, 5);
    for (const [name, path] of Object.entries(exported)) {
      if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
      for (const encoding of ["identity", "gzip"]) {
        for (const clients of [1, 3]) {
          const asked = { url: server.url + path, authorization, encoding };
          // In turns: what else the machine does changes by the minute.
          const rest = await verifyFor(verifying, seconds);
          const readers = startReaders(asked, clients);
          const told = await verifyFor(verifying, seconds);
          const read = `${(await readers.bytes() / 1e6).toFixed(0)} MB`;
          await readers.stop();
          const name_ = `${name}, ${encoding}`;
          lines.push([name_, String(clients), ...cells(rest), ...cells(told), read]);
        }
      }
    }
  } finally {
    await server.stop();
  }
  return lines;
}

/**
 * Processes of their own, so that what they do with the rows is not taken from whoever measures.
 */
function startReaders(
  { url, authorization, encoding }: { url: string; authorization: string; encoding: string },
  clients: number,
) {
  const children = Array.from({ length: clients }, () =>
    new Deno.Command("curl", {
      args: [
        "-s",
        "-H",
        `Authorization: ${authorization}`,
        "-H",
        `Accept-Encoding: ${encoding}`,
        // Again and again.
        `${url}#[1-1000000]`,
        "-o",
        "/dev/null",
      ],
      stdout: "null",
    }).spawn());
  return {
    /** What they have read so far: what they threw away. */
    bytes: async () => {
      let sum = 0;
      for (const { pid } of children) {
        const io = await Deno.readTextFile(`/proc/${pid}/io`);
        sum += Number(/^wchar: (\d+)$/m.exec(io)?.[1]);
      }
      return sum;
    },
    stop: async () => {
      for (const child of children) {
        child.kill("SIGKILL");
        await child.status;
      }
    },
  };
}
