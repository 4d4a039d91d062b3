/**
 * Tokens of OAuth clients beside a bare server that answers one of the same answers, in turns:
 * `deno run -A bench/oauth.ts`. A server on SQLite as README starts it, 5,000 clients in turn, 64
 * connections; each token is stored before it is answered. `--rounds 5`, `--seconds 3`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { begin, endAll, inTurns, type Measuring, median, ratio, spread } from "./compare.ts";
import { startKeydesk } from "./processes.ts";
import { importKeys, planOf } from "./small-desk.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
  },
});
const CLIENTS = 5000;

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-oauth-" });
const dataDir = join(folder, "data");
const measuring: Measuring = {
  rounds: roundsOf(values.rounds),
  seconds: Number(values.seconds),
  folder,
  failures: [],
  used: new Map(),
};
try {
  const server = await begin(startKeydesk(dataDir));
  await planOf(server, dataDir, { id: "clients", name: "Clients", auth_type: "oauth" });
  await importKeys(
    dataDir,
    Array.from({ length: CLIENTS }, (_, n) => ({
      key: `client-${n}`,
      password: "secret",
      developer: `developer-${n}`,
      plans: ["clients"],
    })),
  );
  const body = join(folder, "body");
  const form = (n: string) =>
    `grant_type=client_credentials&client_id=client-${n}&client_secret=secret`;
  await Deno.writeTextFile(body, form("{n}"));
  const type = "application/x-www-form-urlencoded";
  const call = {
    name: "/oauth/token",
    path: "/oauth/token",
    script: "bench/wrk/post.lua",
    env: { BENCH_BODY: body },
    headers: [`Content-Type: ${type}`],
    ask: { method: "POST", headers: { "content-type": type }, body: form("0") },
  };
  const [bare, ours = []] = await inTurns(call, [{ name: "Keydesk", nodes: [server] }], measuring);
  const row = [
    call.name,
    median(ours, "perSecond").toFixed(0),
    median(bare, "perSecond").toFixed(0),
    ratio(ours, bare, "perSecond").toFixed(2),
    spread(ours, bare, "perSecond"),
    median(ours, "node").toFixed(1),
    median(ours, "p50").toFixed(1),
    median(ours, "p99").toFixed(1),
  ];
  const head = ["what", "a second", "bare", "ratio", "rounds", "µs", "p50, ms", "p99, ms"];
  console.log(table(head, [row]).join("\n"));
  for (const failure of measuring.failures) console.log(failure);
} finally {
  await endAll();
  await Deno.remove(folder, { recursive: true });
}
