/**
 * `deno run -A bench/waiting.ts`: what lists of key requests that wait cost as these become many,
 * and how long a sweep takes that ends all of them. In this process, the writer
 * without a thread. `--rows 3,100000`, `--engine sqlite,postgres`, `--no-sweep`: lists alone.
 * Prints tables in Markdown.
 */
import { parseArgs } from "node:util";
import { AlertEngine } from "../src/features/notifications/alerts/alert-engine.ts";
import { endWaitingRequests } from "../src/features/notifications/alerts/waiting-requests.transactions.ts";
import { draft, initially } from "../src/features/key-requests/draft-key-request.ts";
import { endsFrom } from "../src/features/key-requests/expiry.ts";
import { isAnyDue } from "../src/features/key-requests/expiry.store.ts";
import { keyRequestInput } from "../src/features/key-requests/key-requests.contract.ts";
import { insertRequest } from "../src/features/key-requests/key-requests.store.ts";
import { toTimestamp } from "../src/kernel/clock.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { one } from "../src/storage/statement-functions.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { succeed } from "../test/support/companions.ts";
import { openTestDesk, type TestDesk } from "../test/support/desk.ts";
import { registered } from "../test/support/developers.ts";
import { movableClock } from "../test/support/keys.ts";
import { newPerson } from "../test/support/people.ts";
import { planWith } from "../test/support/verification.ts";
import { middle } from "./compare.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "3,100000" },
    engine: { type: "string", default: "sqlite,postgres" },
    "no-sweep": { type: "boolean", default: false },
  },
});
const sizes = values.rows.split(",").map(Number);
const CHUNK = 1000;
const HOUR_MS = 3_600_000;
const START = Date.parse("2026-03-01T00:00:00Z");
const clock = movableClock("2026-03-01T00:00:00Z");

const findPolicy = one((db, p: { org_id: string; for_plan: string }) =>
  db.selectFrom("key_requests").select(["policy", "by_user"])
    .where("org_id", "=", p.org_id).where("for_plan", "=", p.for_plan)
);

/** Adds waiting requests as they are asked, five seconds apart, the last one now. */
const fillWaiting = defineTransaction(
  "bench.waiting",
  async (tx, { org_id, for_plan, from, to, rows }: {
    org_id: string;
    for_plan: string;
    from: number;
    to: number;
    rows: number;
  }) => {
    const { policy = null, by_user = "" } = await findPolicy(tx, { org_id, for_plan }) ?? {};
    for (let n = from; n < to; n++) {
      const input = keyRequestInput.parse({ by_user, for_plan, fields: { why: `reason ${n}` } });
      const id = sha256(`request ${n}`).slice(0, 24);
      const asked = initially(START - (rows - n) * 5000);
      const { columns } = draft(input, { org_id, id }, asked);
      await insertRequest(tx, {
        ...columns,
        state: "pending",
        secrets: null,
        asked_end: null,
        policy,
        ...endsFrom(policy, START),
      });
    }
    return null;
  },
);

for (const engine of values.engine.split(",")) {
  if (engine !== "sqlite" && engine !== "postgres") throw new Error(`no engine: ${engine}`);
  const lists = new Map<string, string[]>();
  const sweeps: string[][] = [];
  for (const rows of sizes) {
    clock.at = START;
    await using desk = await openTestDesk(engine, { extra: [fillWaiting], clock });
    for (const [name, ms] of await measureLists(desk, rows)) {
      lists.set(name, [...lists.get(name) ?? [], ms.toFixed(1)]);
    }
    if (values["no-sweep"]) continue;
    sweeps.push(await sweep(desk, rows, "ended", 31 * 24));
  }
  console.log(engine);
  const head = ["ms", ...sizes.map((size) => `${size.toLocaleString("en")} wait`)];
  console.log(table(head, [...lists].map(([name, all]) => [name, ...all])).join("\n"));
  if (sweeps.length === 0) continue;
  const columns = ["of", "sweep", "batches", "s in all", "ms of a batch", "ms of the longest"];
  console.log(table(columns, sweeps).join("\n"));
}
Deno.exit(0);

/** Milliseconds of each question, the middle of several. */
async function measureLists(desk: TestDesk, rows: number): Promise<[string, number][]> {
  const { org_id, app: { ctx } } = desk;
  const allow = ["portal:read", "portal:write", "approve"] as const;
  const ann = await newPerson(desk, [...allow], { name: "Ann" });
  const bob = await newPerson(desk, [...allow], { name: "Bob" });
  const planOf = async (person: string) => {
    const plan = await planWith(desk, { rate: 100, per: 1 });
    const steps = [{ name: "Data", need: 1, people: [person] }];
    const body = { outcome: "steps", steps, expires_after_days: 30 };
    await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
    return plan;
  };
  const ask = async (by_user: string, for_plan: string) => {
    await registered(desk, by_user);
    await succeed(desk, "POST", "/v1/key-requests", { body: { by_user, for_plan } });
  };
  const [for_plan, ofBob] = [await planOf(ann.id), await planOf(bob.id)];
  await ask("dev", for_plan);
  for (let from = 1; from < rows; from += CHUNK) {
    const part = { org_id, for_plan, from, to: Math.min(from + CHUNK, rows), rows };
    await ctx.storage.commit(fillWaiting, part);
  }
  for (const name of ["a", "b", "c"]) await ask(name, ofBob);
  const list = (query: string, credential: string) => async () => {
    const answer = await desk.send("GET", `/v1/key-requests?${query}&limit=25`, { credential });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
  };
  const { reader } = ctx.storage;
  const now = toTimestamp(START);
  const alerts = new AlertEngine(ctx);
  const asked: [string, () => Promise<unknown>][] = [
    ["`state=pending`", list("state=pending", ann.credential)],
    ["`waits_for=me`, all", list("waits_for=me", ann.credential)],
    ["`waits_for=me`, the three newest", list("waits_for=me", bob.credential)],
    ["`mine=true`, all", list("mine=true", ann.credential)],
    ["`mine=true`, the three newest", list("mine=true", bob.credential)],
    ["`waits_for=nobody`, none", list("waits_for=nobody", ann.credential)],
    ["is any due?", () => isAnyDue(reader, { org_id, now })],
    ["a sweep, nothing due", () => alerts.turn()],
  ];
  const told: [string, number][] = [];
  for (const [name, question] of asked) told.push([name, await timeOf(question)]);
  await alerts.giveBack();
  return told;
}

async function timeOf(question: () => Promise<unknown>): Promise<number> {
  await question();
  const all: number[] = [];
  for (let n = 0; n < 9; n++) {
    const began = performance.now();
    await question();
    all.push(performance.now() - began);
  }
  return middle(all);
}

/** One sweep so many hours later, when the same is due of all. */
async function sweep(desk: TestDesk, rows: number, what: string, hours: number) {
  clock.at = START + hours * HOUR_MS;
  const { ctx } = desk.app;
  const batches: number[] = [];
  const counted: readonly unknown[] = [endWaitingRequests];
  const commit: typeof ctx.storage.commit = async (transaction, params) => {
    const began = performance.now();
    const done = await ctx.storage.commit(transaction, params);
    if (counted.includes(transaction)) batches.push(performance.now() - began);
    return done;
  };
  const storage: typeof ctx.storage = Object.create(ctx.storage, { commit: { value: commit } });
  const alerts = new AlertEngine({ ...ctx, storage });
  const began = performance.now();
  const told = await alerts.turn();
  const seconds = (performance.now() - began) / 1000;
  await alerts.giveBack();
  if (told < rows) throw new Error(`${told} of ${rows} were ${what}`);
  return [
    rows.toLocaleString("en"),
    what,
    String(batches.length),
    seconds.toFixed(1),
    middle(batches).toFixed(0),
    Math.max(...batches).toFixed(0),
  ];
}
