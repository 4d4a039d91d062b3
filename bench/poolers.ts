/**
 * What it costs that a pooler keeps no prepared statements: the same calls through one PgBouncer in
 * its transaction mode that keeps 200 for each connection, and through one that keeps none, in
 * turns. `deno run -A bench/poolers.ts [rounds]`.
 */
import { newSealingKey } from "../src/kernel/sealing/sealing-keys.ts";
import { builtPgbouncer, startPooler } from "../system/support/pgbouncer.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { startServerHere } from "../test/support/server-here.ts";
import "./machine.ts";

const ADMINISTRATOR = "administrator-of-the-pooler-bench";
const CLIENTS = 8;
const TURN_MS = 2000;
const rounds = Number(Deno.args[0] ?? 9);

const program = await builtPgbouncer();
await using postgres = await startPostgres();

async function serverWith(max_prepared_statements: number) {
  const url = await postgres.createDatabase();
  const settings = { max_prepared_statements };
  const pooler = await startPooler(url, { mode: "transaction", program, settings });
  const folder = await Deno.makeTempDir();
  const server = await startServerHere({
    KEYDESK_ADMIN_TOKEN: ADMINISTRATOR,
    KEYDESK_DATABASE_URL: pooler.through(url),
    KEYDESK_DATA_DIR: folder,
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  });
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: ADMINISTRATOR },
      ...body ? { body: JSON.stringify(body) } : {},
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return await response.json();
  };
  const plan = { _id: "weather", id: "weather", name: "Weather", active: true };
  await send("POST", "/api/portal/policies", plan);
  return { server, pooler, send };
}

/** Files, approves and lists for a while; gives calls a second. */
async function turn({ send }: Awaited<ReturnType<typeof serverWith>>): Promise<number> {
  let calls = 0;
  const until = performance.now() + TURN_MS;
  await Promise.all(Array.from({ length: CLIENTS }, async (_, n) => {
    while (performance.now() < until) {
      const body = { by_user: `dev-${n}`, for_plan: "weather" };
      const { Message } = await send("POST", "/api/portal/requests", body);
      await send("PUT", `/api/portal/requests/approve/${Message}`);
      await send("GET", "/api/portal/requests?p=1");
      calls += 3;
    }
  }));
  return calls / (TURN_MS / 1000);
}

const [kept, none] = [await serverWith(200), await serverWith(0)];
const ratios: number[] = [];
await turn(kept);
await turn(none);
for (let round = 0; round < rounds; round++) {
  const [with200, without] = [await turn(kept), await turn(none)];
  ratios.push(without / with200);
  console.log(`round ${round + 1}: ${with200.toFixed(0)} and ${without.toFixed(0)} calls a second`);
}
ratios.sort((a, b) => a - b);
const at = (share: number) => ratios[Math.floor(share * (ratios.length - 1))]?.toFixed(2);
console.log(`unnamed to named: median ${at(0.5)}, from ${at(0)} to ${at(1)}`);
for (const { server, pooler } of [kept, none]) {
  await server.stop();
  await pooler[Symbol.asyncDispose]();
}
Deno.exit(0);
