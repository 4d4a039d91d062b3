/**
 * What a gateway adds to an approval: `deno run -A bench/gateway-approvals.ts --engine sqlite`. Two
 * desks in this process, one with a gateway that is brought nothing meanwhile, approve in turns:
 * `--rounds 11` of `--requests 200` each. Prints the time of an approval until its answer, and its
 * processor time in this process; PostgreSQL's own processes are not in it.
 */
import { parseArgs } from "node:util";
import process from "node:process";
import { openTestDesk, type TestDesk } from "../test/support/desk.ts";
import { middle } from "./compare.ts";
import { table } from "./tables.ts";
import { callInPerson } from "../test/support/sign-in.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    rounds: { type: "string", default: "11" },
    requests: { type: "string", default: "200" },
  },
});
const REQUESTS = "/api/portal/requests";
/** A developer's row grows with each of their keys. */
const DEVELOPERS = 50;
const engine = values.engine === "postgres" ? "postgres" : "sqlite";

async function send(desk: TestDesk, method: string, path: string, body?: unknown) {
  const answer = await desk.send(method, path, { body });
  const told = await answer.json();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`);
  return told;
}

async function opened(hasGateway: boolean): Promise<TestDesk> {
  const desk = await openTestDesk(engine);
  await send(desk, "POST", "/api/portal/policies", { id: "plan-free", name: "Free" });
  for (let n = 0; n < DEVELOPERS; n++) {
    await send(desk, "POST", "/v1/developers", { id: `dev-${n}`, email: `dev-${n}@example.org` });
  }
  const body = {
    name: "City",
    connection: "synced",
    url: "https://gateway.example.org",
    secret: "what-opens-it",
  };
  if (hasGateway) await callInPerson(desk, "POST", "/v1/gateways", body);
  return desk;
}

/** Wall and processor time of an approval, in microseconds. */
async function approved(desk: TestDesk): Promise<{ wall: number; processor: number }> {
  const ids: string[] = [];
  const count = Number(values.requests);
  for (let n = 0; n < count; n++) {
    const body = {
      by_user: `dev-${n % DEVELOPERS}`,
      for_plan: "plan-free",
      fields: { n: String(n) },
    };
    ids.push((await send(desk, "POST", REQUESTS, body)).Message);
  }
  await new Promise((over) => setTimeout(over, 200));
  const before = process.cpuUsage();
  const from = performance.now();
  for (const id of ids) await send(desk, "PUT", `${REQUESTS}/approve/${id}`);
  const wall = (performance.now() - from) * 1000 / count;
  const { user, system } = process.cpuUsage(before);
  return { wall, processor: (user + system) / count };
}

await using without = await opened(false);
await using with_ = await opened(true);
const told: { wall: number[]; processor: number[] }[] = [];
for (let round = -1; round < roundsOf(values.rounds); round++) {
  const first = round % 2 === 0 ? [with_, without] : [without, with_];
  const costs = new Map<TestDesk, { wall: number; processor: number }>();
  for (const desk of first) costs.set(desk, await approved(desk));
  const [on, off] = [costs.get(with_), costs.get(without)];
  // The first one is for warmth.
  if (round < 0 || !on || !off) continue;
  told.push({ wall: [off.wall, on.wall], processor: [off.processor, on.processor] });
}
const row = (name: string, of: "wall" | "processor") => {
  const ratios = told.map((one) => (one[of][1] ?? 0) / (one[of][0] ?? 1));
  const [off, on] = [0, 1].map((n) => middle(told.map((one) => one[of][n] ?? 0)).toFixed(0));
  const least = Math.min(...ratios).toFixed(2);
  return [
    name,
    off ?? "",
    on ?? "",
    `${middle(ratios).toFixed(3)} (${least} to ${Math.max(...ratios).toFixed(2)})`,
  ];
};
console.log(
  table([`µs of an approval, ${engine}`, "without", "with a gateway", "with by without"], [
    row("until its answer", "wall"),
    row("processor", "processor"),
  ]).join("\n"),
);
console.log(`${told.length} rounds of ${values.requests}`);
Deno.exit(0);
