/**
 * What an approval costs: `deno run -A bench/approve.ts --engine sqlite --rounds 5 --requests 300`.
 * `--code FOLDER`: of another checkout, such as one of an earlier commit; where that knows no
 * approval policies, only requests of one approver are approved. Prints, for each way, the
 * processor time of an approval in this process, and its statements. PostgreSQL's own processes are
 * not in it.
 */
import { parseArgs } from "node:util";
import process from "node:process";
import { join, resolve } from "node:path";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "300" },
    code: { type: "string", default: join(import.meta.dirname ?? ".", "..") },
  },
});
const at = (path: string) => new URL(`file://${join(resolve(values.code), path)}`).href;
const { openTestDesk } = await import(at("test/support/desk.ts"));
const { SqliteConnection } = await import(at("src/storage/engines/sqlite-connection.ts"));
const { default: pg } = await import("pg");

let statements = 0;
for (const name of ["rows", "row", "change"]) {
  const original = SqliteConnection.prototype[name];
  SqliteConnection.prototype[name] = function (...args: unknown[]) {
    statements++;
    return original.apply(this, args);
  };
}
const query = pg.Client.prototype.query;
// as: whatever is asked is passed on.
pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
  statements++;
  return (query as (...args: unknown[]) => unknown).apply(this, args);
} as typeof query;

await using desk = await openTestDesk(values.engine);
const send = async (method: string, path: string, body?: unknown, credential = desk.admin) => {
  const answer = await desk.send(method, path, { body, credential });
  const told = await answer.json();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`);
  return told;
};
const people: string[] = [];
for (const name of ["ann", "bob", "cleo"]) {
  const permissions = ["portal:read", "portal:write", "approve"];
  const { id } = await send("POST", "/v1/people", { name, permissions });
  const body = { name: "bench", deliver: "answer" };
  people.push((await send("POST", `/v1/people/${id}/access-tokens`, body)).access_token);
}
for (const id of ["plan-one", "plan-three"]) {
  await send("POST", "/api/portal/policies", { _id: id, id, name: id, rate: 100, per: 1 });
  await send("POST", "/v1/developers", { id: `dev-${id}`, email: `${id}@example.org` });
}
const steps = ["Data", "Platform", "Security"].map((name) => ({ name, need: 1 }));
const path = "/v1/plans/plan-three/approval-policy";
const policy = await desk.send("PUT", path, { body: { outcome: "steps", steps } });
await policy.body?.cancel();
const knowsSteps = policy.status === 200;

const REQUESTS = "/api/portal/requests";
const count = Number(values.requests);

async function asked(plan: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = { by_user: `dev-${plan}`, for_plan: plan, fields: { n: String(n) } };
    ids.push((await send("POST", REQUESTS, body)).Message);
  }
  return ids;
}

/** The processor time of each call, in microseconds, and its statements. */
async function cost(ids: readonly string[], call: (id: string) => Promise<unknown>) {
  // What is still to be written of what was before is no cost of these.
  await new Promise((over) => setTimeout(over, 300));
  statements = 0;
  const before = process.cpuUsage();
  for (const id of ids) await call(id);
  const { user, system } = process.cpuUsage(before);
  return { us: (user + system) / ids.length, statements: statements / ids.length };
}

const approveV1 = (by: string) => (id: string) =>
  send("POST", `/v1/key-requests/${id}/approve`, { deliver: "answer" }, by);
const approveOlder = (by: string) => async (id: string) => {
  const answer = await desk.send("PUT", `${REQUESTS}/approve/${id}`, { credential: by });
  const { Message = "" } = await answer.json();
  if (answer.status !== 200 && !/counts/.test(Message)) throw new Error(Message);
};

const told = new Map<string, { us: number[]; statements: number }>();
function tell(name: string, one: { us: number; statements: number }) {
  const known = told.get(name) ?? { us: [], statements: 0 };
  told.set(name, { us: [...known.us, one.us], statements: one.statements });
}
const [ann = "", bob = "", cleo = ""] = people;
for (let round = -1; round < roundsOf(values.rounds); round++) {
  for (const [way, approve] of [["older", approveOlder], ["v1", approveV1]] as const) {
    const one = await cost(await asked("plan-one"), approve(ann));
    const three: { us: number; statements: number }[] = [];
    if (knowsSteps) {
      const ids = await asked("plan-three");
      for (const by of [ann, bob, cleo]) three.push(await cost(ids, approve(by)));
    }
    // The first one is for warmth.
    if (round < 0) continue;
    tell(`${way}, one approver`, one);
    for (const [n, step] of three.entries()) tell(`${way}, step ${n + 1} of 3`, step);
    if (three.length > 0) {
      const mean = (of: "us" | "statements") =>
        three.reduce((sum, step) => sum + step[of], 0) / three.length;
      tell(`${way}, mean of 3 steps`, { us: mean("us"), statements: mean("statements") });
    }
  }
}
const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
for (const [name, { us, statements }] of told) {
  console.log(
    `${values.engine} ${name.padEnd(24)} ${middle(us).toFixed(0).padStart(6)} µs ` +
      `(${Math.min(...us).toFixed(0)} to ${Math.max(...us).toFixed(0)}), ` +
      `${statements.toFixed(1)} statements`,
  );
}
Deno.exit(0);
