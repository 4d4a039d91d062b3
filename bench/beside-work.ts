/**
 * How long verification takes beside what the desk does with a whole store:
 * `deno run -A bench/beside-work.ts`. One server on SQLite, as filled by beside-exports.ts
 * (`--keep`, the same here, names its folder; a copy of it is used): a job of all its key requests,
 * `keydesk check`, `keydesk audit verify` and `keydesk keys import`, each behind a time of the same
 * length at rest. `--seconds 60`: the longest that each is measured; `--only job`; `--tree FOLDER`,
 * another checkout.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sha256 } from "../src/kernel/sha256.ts";
import { cpuOf, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { cells, verifyFor, type Verifying, verifyUntil } from "./verifying.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    seconds: { type: "string", default: "60" },
    keep: { type: "string" },
    only: { type: "string" },
    tree: { type: "string", default: "." },
  },
});
if (values.keep === undefined) throw new Error("--keep: the folder of beside-exports.ts");
const seconds = Number(values.seconds);
const filled = join(values.keep, `exports-${values.rows}`);
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-work-" });
const dataDir = join(folder, "data");
const tree = resolve(values.tree);

/** Something that goes on: whether it is over, and how it is ended; what it did is told. */
interface Work {
  over: Promise<string>;
  end(): Promise<void>;
}

try {
  const { success } = await new Deno.Command("cp", { args: ["-r", filled, dataDir] }).output();
  if (!success) throw new Error("the store could not be copied");
  const server = await startKeydesk(dataDir, {}, tree);
  const token = await Deno.readTextFile(join(dataDir, "administrator-credential"));
  const keys = (await Deno.readTextFile(`${filled}.keys`)).trim().split("\n");
  const verifying = { url: server.url, authorization: token.trim(), keys };
  const works: Record<string, () => Promise<Work>> = {
    job: () => job(verifying, server.pid),
    check: () => command("check"),
    "audit verify": () => command("audit", "verify"),
    "keys import": async () => command("keys", "import", await keysFile()),
  };
  try {
    const lines: string[][] = [];
    await verifyFor(verifying, 5);
    for (const [name, start] of Object.entries(works)) {
      if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
      const idle = await verifyFor(verifying, Math.min(seconds, 15));
      const began = performance.now();
      const work = await start();
      let isOver = false;
      let told = "";
      const done = work.over.then((text) => {
        isOver = true;
        told = text;
      });
      const timer = setTimeout(() => void work.end(), seconds * 1000);
      const beside = await verifyUntil(verifying, () => isOver);
      await done;
      clearTimeout(timer);
      const took = (performance.now() - began) / 1000;
      lines.push([name, `${took.toFixed(0)}`, ...cells(idle), ...cells(beside), told]);
    }
    const times = ["p50, ms", "p99", "worst"];
    const head = ["beside", "s", ...times.map((one) => `at rest: ${one}`), ...times, "it did"];
    console.log(table(head, lines).join("\n"));
  } finally {
    await server.stop();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Approves all that wait, until it is stopped. */
async function job({ url, authorization }: Verifying, pid: number): Promise<Work> {
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization, "content-type": "application/json" };
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(url + path, { method, headers, body: text });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return await answer.json();
  };
  const used = await cpuOf([pid]);
  const { id } = await send("POST", "/v1/jobs", { kind: "approve", filter: { plan: "plan-0" } });
  let running = performance.now();
  const over = (async () => {
    for (;;) {
      const told = await send("GET", `/v1/jobs/${id}`);
      if (told.state === "preparing") running = performance.now();
      if (told.ended_at !== null) {
        const rows = told.done + told.failed + told.left_alone;
        const ms = performance.now() - running;
        const cpu = await used() / 1000;
        return `${rows} of ${told.total} rows (${told.failed} failed), ` +
          `${(rows / ms * 1000).toFixed(0)} a second once all were found, ` +
          `${(cpu / rows).toFixed(2)} ms of processor time a row, verifying included`;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return { over, end: async () => void await send("POST", `/v1/jobs/${id}/stop`, {}) };
}

/** A command over the same store, beside the server. */
function command(...words: string[]): Promise<Work> {
  const child = new Deno.Command("node", {
    args: [`${tree}/bin/keydesk.js`, ...words],
    env: { KEYDESK_DATA_DIR: dataDir },
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isEnded = false;
  const over = child.status.then(({ code }) => isEnded ? "ended by the bench" : `code ${code}`);
  const end = () => {
    isEnded = true;
    child.kill("SIGTERM");
    return Promise.resolve();
  };
  return Promise.resolve({ over, end });
}

/** As many keys as there are, none of them known. */
async function keysFile(): Promise<string> {
  const file = join(folder, "keys.jsonl");
  const lines = Array.from({ length: Number(values.rows) }, (_, n) =>
    JSON.stringify({
      hash: sha256(`imported-${n}`),
      developer: `imported-${Math.floor(n / 20)}`,
      plans: [`plan-${n % 10}`],
      created: "2025-01-01T00:00:00.000Z",
    }));
  await Deno.writeTextFile(file, lines.join("\n") + "\n");
  return file;
}
