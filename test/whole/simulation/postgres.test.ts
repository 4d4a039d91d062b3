/**
 * Histories on PostgreSQL: a real server behind a network of ours, two nodes that are started anew,
 * and clocks that jump. A seed gives the same decisions, not the same history:
 * docs/contributing/simulation.md. SIMULATION_SEED: the first seed.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { effort } from "../../support/effort.ts";
import { chosenEngines } from "../../support/engines.ts";
import { offerTokens } from "../../support/granted-keys.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { Random } from "../../support/random.ts";
import { check } from "../history/check.ts";
import { Crowd, type Node } from "../history/clients.ts";
import { checkCommittee } from "../history/committee-check.ts";
import { ordersOf } from "../history/committee-orders.ts";
import { setTable, type Table } from "../history/committee-table.ts";
import { Committee } from "../history/committee.ts";
import { History } from "../history/history.ts";
import { booksOf } from "./books.ts";
import { type Forecast, network, type Weather } from "./network.ts";

const FIRST = Number(Deno.env.get("SIMULATION_SEED") ?? "1");
const HISTORIES = 4 * effort;
const COMMITTEES = 2 * effort;
const FOUND_WITHIN = 12;
const NODES = 2;
const ADMIN = "administrator-of-the-simulated-network";
const SEALING_KEY = newSealingKey().trim();
const options = { sanitizeOps: false, sanitizeResources: false };

/** What became of one history. */
interface Told {
  broken: string[];
  acknowledged: number;
  unknown: number;
  looks: number;
  /** Of a committee; see ordersOf. */
  orders: string[];
  weather: Map<Weather["kind"], number>;
}

/** The store with which every history begins. */
let template: Promise<string> | undefined;
/** The one of a committee, and where that sits. */
let committeeTemplate: Promise<{ url: string; table: Table; org_id: string }> | undefined;

async function makeCommitteeTemplate() {
  const url = await createMigrated();
  const environment = environmentOf(url);
  await using desk = await openTestDesk("postgres", { environment });
  const table = await setTable(async (method, path, body) => {
    const answer = await desk.send(method, path, { body });
    return { status: answer.status, body: await answer.json() };
  });
  return { url, table, org_id: desk.org_id };
}

const environmentOf = (url: string) => ({
  KEYDESK_ADMIN_TOKEN: ADMIN,
  KEYDESK_DATABASE_URL: url,
  KEYDESK_SEALING_KEY: SEALING_KEY,
  KEYDESK_OFFER_DAYS: "1",
});

async function makeTemplate(): Promise<string> {
  const url = await createMigrated();
  const environment = environmentOf(url);
  await using desk = await openTestDesk("postgres", { environment });
  const crowd = new Crowd(new History(), [
    async (method, path, body) => {
      const answer = await desk.send(method, path, { body });
      return { status: answer.status, body: await answer.json() };
    },
  ]);
  await crowd.addPlan();
  const body = { id: "dev-history", email: "dev@example.org" };
  await desk.send("POST", "/api/portal/developers", { body });
  return url;
}

async function runHistory(
  seed: number,
  prepare = (_: pg.Client) => Promise.resolve(),
  isOfCommittee = false,
): Promise<Told> {
  const random = new Random(seed);
  const postgres = await sharedPostgres();
  const seats = isOfCommittee ? await (committeeTemplate ??= makeCommitteeTemplate()) : undefined;
  const url = await postgres.createDatabase(
    seats?.url ?? await (template ??= makeTemplate()),
  );
  let isCalm = true;
  const weatherOf = forecastOf(new Random(seed ^ 0x5eed));
  await using net = network(url, (...piece) => isCalm ? { kind: "pass" } : weatherOf(...piece));
  const environment = environmentOf(net.through(url));
  const history = new History();
  /** Each node's clock shows so much more than the machine's. */
  const ahead = Array.from({ length: NODES }, () => 0);
  const desks: (TestDesk | undefined)[] = [];
  const start = async (n: number) => {
    const clock = { now: () => Date.now() + (ahead[n] ?? 0) };
    // As a supervisor does: a start that the network fails says so and ends.
    for (let attempt = 1;; attempt++) {
      try {
        desks[n] = await openTestDesk("postgres", { environment, clock, storeClock: null });
        return;
      } catch (error) {
        if (attempt === 20) throw error;
      }
    }
  };
  for (let n = 0; n < NODES; n++) await start(n);
  await withClient(url, prepare);
  const nodes = desks.map((_, n): Node => async (method, path, body, headers = {}) => {
    const desk = desks[n];
    if (!desk) throw new Error("the node is down");
    const answer = await desk.send(method, path, { body, headers });
    const text = await answer.json();
    if (desks[n] !== desk) throw new Error("the node has ended");
    return { status: answer.status, body: text };
  });
  const crowd = new Crowd(history, nodes, { everything: true, newest: 4 });
  const committee = seats &&
    new Committee(seats.table, nodes, offerTokens(SEALING_KEY, seats.org_id));
  const clients = committee ?? crowd;
  const broken: string[] = [];
  const ending: Promise<void>[] = [];
  try {
    isCalm = false;
    let isOver = false;
    const working = Promise.all(Array.from({ length: 2 + random.below(3) }, (_, n) => {
      let left = (8 + random.below(10)) * (committee ? 3 : 1);
      return clients.work(new Random(seed * 31 + n), () => left-- <= 0);
    })).finally(() => isOver = true);
    const disturbing = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 30 + random.below(300)));
        const n = random.below(NODES);
        if (random.chance(0.5)) {
          ahead[n] = random.pick([0, 1000, 61_000, 3_600_000, -1000, -3_600_000]);
        } else if (random.chance(0.4) && !isOver) {
          const desk = desks[n];
          desks[n] = undefined;
          net.cutAll();
          if (desk) ending.push(Promise.resolve(desk[Symbol.asyncDispose]()).catch(() => {}));
          await start(n);
        }
      }
    })();
    await Promise.all([working, disturbing]);
    isCalm = true;
    net.cutAll();
    // What those that were stopped had accepted is made, or given up.
    await Promise.allSettled(ending);
    for (const desk of desks) if (desk) await answersAgain(desk);
    await clients.lookAtEverything();
    const reader = desks[0]?.app.ctx.storage.reader ?? assert.fail();
    broken.push(...await booksOf(reader));
    if (seats && committee) broken.push(...await checkCommittee(reader, seats.table, committee));
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    broken.push(error.message);
  } finally {
    isCalm = true;
    for (const desk of desks) await desk?.[Symbol.asyncDispose]();
  }
  broken.push(...check(history));
  await postgres.dropDatabase(url);
  return {
    broken,
    acknowledged: clients.acknowledged,
    unknown: (committee?.decisions ?? history.changes)
      .filter(({ outcome }) => outcome === "unknown").length,
    orders: seats && committee ? ordersOf(seats.table, committee.decisions) : [],
    looks: history.sights.length + history.verdicts.length,
    weather: net.had,
  };
}

/** A desk that knows its server to be away looks for it again by itself. */
async function answersAgain({ app: { ctx } }: TestDesk): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await ctx.storage.ping();
    } catch (error) {
      if (attempt === 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Mostly fair; the ends of transactions see the worst of it. */
function forecastOf(random: Random): Forecast {
  return (side, isCommit) => {
    const dice = random.next();
    if (isCommit && dice < 0.3) {
      return { kind: random.pick(["cut", "cutAfter", "cutAfter", "tear"] as const) };
    }
    if (dice < 0.9) return { kind: "pass" };
    if (dice < 0.985) return { kind: "delay", ms: random.below(20) };
    if (dice < 0.998) return { kind: side === "client" ? "cut" : "tear" };
    return { kind: "silence", ms: random.pick([50, 300, 2500]) };
  };
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client);
  await client.end();
}

for (const engine of chosenEngines(["postgres"])) {
  Deno.test({
    name:
      `${engine}: simulation: over a network that delays, tears and falls silent, every promise is kept`,
    ...options,
    fn: async () => {
      const began = performance.now();
      const all: Told[] = [];
      for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
        const told = await runHistory(seed);
        assert.deepEqual(told.broken, [], `SIMULATION_SEED=${seed}`);
        all.push(told);
      }
      const sum = (of: (told: Told) => number) => all.reduce((n, told) => n + of(told), 0);
      const weather = (...kinds: Weather["kind"][]) =>
        sum((told) => kinds.reduce((n, kind) => n + (told.weather.get(kind) ?? 0), 0));
      assert.ok(sum((told) => told.acknowledged) > HISTORIES);
      assert.ok(weather("cut", "cutAfter", "tear") > HISTORIES);
      console.log(
        `postgres, seed ${FIRST}: ${HISTORIES} histories to seed ${FIRST + HISTORIES - 1}, ${
          sum((told) => told.acknowledged)
        } acknowledged, ${sum((told) => told.unknown)} unknown, ${
          sum((told) => told.looks)
        } looks, ${weather("cut", "cutAfter", "tear")} connections cut, ${
          weather("silence")
        } fell silent, ${weather("delay")} delays; ${
          Math.round((performance.now() - began) / 1000)
        } s`,
      );
    },
  });

  Deno.test({
    name: `${engine}: simulation: a committee decides once over such a network`,
    ...options,
    fn: async () => {
      const began = performance.now();
      const all: Told[] = [];
      for (let seed = FIRST; seed < FIRST + COMMITTEES; seed++) {
        const told = await runHistory(seed, undefined, true);
        assert.deepEqual(told.broken, [], `SIMULATION_SEED=${seed}`);
        all.push(told);
      }
      const sum = (of: (told: Told) => number) => all.reduce((n, told) => n + of(told), 0);
      const orders = all.flatMap((told) => told.orders);
      assert.ok(orders.length >= COMMITTEES, `${orders.length} interleavings`);
      console.log(
        `postgres committee, seed ${FIRST}: ${COMMITTEES} histories to seed ${
          FIRST + COMMITTEES - 1
        }, ${orders.length} interleavings, ${new Set(orders).size} of them distinct, ${
          sum((told) => told.acknowledged)
        } acknowledged, ${sum((told) => told.unknown)} unknown; ${
          Math.round((performance.now() - began) / 1000)
        } s`,
      );
    },
  });

  Deno.test({
    name: `${engine}: simulation: a store that forgets which commits were kept is found`,
    ...options,
    fn: async () => {
      /**
       * No transaction leaves its mark: what was committed without an answer looks as if it never
       * was.
       */
      const forget = async (client: pg.Client) => {
        await client.query(
          `create function forget() returns trigger language plpgsql as
            $$ begin if new.kept = 1 then return null; end if; return new; end $$`,
        );
        await client.query(
          "create trigger forget before insert on commits for each row execute function forget()",
        );
      };
      for (let seed = 1; seed <= FOUND_WITHIN; seed++) {
        if ((await runHistory(seed, forget)).broken.length > 0) return;
      }
      assert.fail("the simulation noticed nothing");
    },
  });
}
