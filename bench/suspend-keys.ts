/**
 * How long a job takes to suspend keys, and verification beside it:
 * `deno run -A bench/suspend-keys.ts`. One server on SQLite with `--keys 10000` of one plan, that
 * are suspended in one job, and 1,000 of another plan, that are verified one after another; at rest
 * for 15 s before. `--rounds 3`: between them the job is taken back.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startKeydesk } from "./processes.ts";
import { asAdministrator, importKeys, planOf } from "./small-desk.ts";
import { table } from "./tables.ts";
import { cells, verifyFor, verifyUntil } from "./verifying.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "10000" },
    rounds: { type: "string", default: "3" },
  },
});
const KEYS = Number(values.keys);
const VERIFIED = 1000;

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-suspend-" });
const dataDir = join(folder, "data");
try {
  const server = await startKeydesk(dataDir);
  try {
    const token = await Deno.readTextFile(join(dataDir, "administrator-credential"));
    const authorization = token.trim();
    const send = (method: string, path: string, body?: object) =>
      asAdministrator(server, dataDir, method, path, body);
    for (const id of ["course", "others"]) await planOf(server, dataDir, { id, name: id });
    const keys = Array.from({ length: VERIFIED }, (_, n) => `verified-${n}`);
    const named = [
      ...Array.from({ length: KEYS }, (_, n) => ({ key: `course-${n}`, plan: "course" })),
      ...keys.map((key) => ({ key, plan: "others" })),
    ];
    const developerOf = (n: number) => `developer-${Math.floor(n / 20)}`;
    await importKeys(
      dataDir,
      named.map(({ key, plan }, n) => ({ key, developer: developerOf(n), plans: [plan] })),
    );
    const verifying = { url: server.url, authorization, keys };
    await verifyFor(verifying, 5);
    /** Runs a job to its end; gives it, with the seconds that it took. */
    const done = async (body: object) => {
      const from = performance.now();
      const { id } = await send("POST", "/v1/jobs", body);
      for (;;) {
        const job = await send("GET", `/v1/jobs/${id}`);
        if (job.ended_at !== null) return { job, seconds: (performance.now() - from) / 1000 };
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    const lines: string[][] = [];
    for (let round = 0; round < roundsOf(values.rounds); round++) {
      const idle = await verifyFor(verifying, 15);
      let isOver = false;
      const body = { kind: "suspend_keys", filter: { plan: "course" }, reason: "Over" };
      const working = done(body).finally(() => isOver = true);
      const beside = await verifyUntil(verifying, () => isOver);
      const { job, seconds } = await working;
      const rows = `${job.done} of ${job.total}`;
      lines.push([rows, seconds.toFixed(1), ...cells(idle), ...cells(beside)]);
      await done({ kind: "undo", of_job: job.id });
    }
    const times = ["p50, ms", "p99", "worst"];
    const head = ["suspended", "s", ...times.map((one) => `at rest: ${one}`), ...times];
    console.log(table(head, lines).join("\n"));
  } finally {
    await server.stop();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
