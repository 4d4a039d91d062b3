/**
 * A gateway beside nodes that are killed, cut off from it, which loses answers and its whole Redis:
 * at the end no key opens there that does not open here, and none is lost that can be made. The
 * gateway has the session cache of the real one, faster, and at no time is a revoked key called
 * shut there while it opens. `HISTORY_CHANGES=5000` makes so many changes.
 */
import assert from "node:assert/strict";
import { atGateway } from "../../../examples/moving/gateway-interface.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { testEachEngine } from "../../support/desk.ts";
import { shortOr } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { type StandIn, standIn } from "../../support/gateway.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { Random } from "../../support/random.ts";
import { fetchInPerson } from "../../support/sign-in.ts";

const NODES = 2;
const CLIENTS = 6;
const CHANGES = Number(Deno.env.get("HISTORY_CHANGES") ?? shortOr(120, 1000));
/** So long its cache remembers a session: ten seconds of the real one. */
const CACHED_MS = 300;
/** Changes behind which a node is killed, and behind which the gateway's Redis is emptied. */
const KILLED_AFTER = 60;
const WIPED_AFTER = 50;
const SEED = Number(Deno.env.get("HISTORY_SEED") ?? "20260341");
const PLANS = ["plan-free", "plan-quota"];
const DEVELOPER = "dev-history";

/** What clients know of a key: what opens it. What it is, the desk says. */
type Keys = Map<string, string>;

testEachEngine(
  "history: with a gateway nodes are killed, answers lost and its Redis wiped, and none is open",
  (engine) =>
    withFolder(async (dataDir) => {
      const url = engine === "postgres" ? await createMigrated() : undefined;
      const environment: Record<string, string> = {
        KEYDESK_ADMIN_TOKEN: "administrator-of-the-history-test",
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
        ...url ? { KEYDESK_DATABASE_URL: url } : {},
      };
      await using door = standIn(await prepared({ dataDir, environment }));
      Object.assign(door.gateway, { cachesSessions: true, cachedMs: CACHED_MS });
      environment.KEYDESK_OUTBOUND = door.host;
      const nodes: (ServerProcess | undefined)[] = [];
      const start = () => startServerProcess({ dataDir, environment });
      for (let n = 0; n < NODES; n++) nodes.push(await start());
      const first = () => nodes.find((one) => one !== undefined) as ServerProcess;
      try {
        const { url: address, secret } = door;
        const { url: node } = first();
        const gateway = { name: "City", connection: "synced", url: address, secret };
        const admin = environment.KEYDESK_ADMIN_TOKEN ?? "";
        const { id } = await fetchInPerson(node, admin, "/v1/gateways", gateway);
        const faults = new Faults(door, new Random(SEED));
        const keys: Keys = new Map();
        let made = 0;
        const work = async (random: Random) => {
          const mine: string[] = [];
          while (made < CHANGES) {
            const node = nodes[random.below(NODES)];
            const did = await changeOne(node, random, mine, keys).catch(() => false);
            if (!did) continue;
            const count = ++made;
            if (count % WIPED_AFTER === 0) faults.wipe();
            // The gateway is brought some of it meanwhile.
            await new Promise((resolve) => setTimeout(resolve, random.below(500)));
            if (count % KILLED_AFTER !== 0) continue;
            const victim = random.below(NODES);
            const killed = nodes[victim];
            if (!killed || nodes.includes(undefined)) continue;
            nodes[victim] = undefined;
            await killed[Symbol.asyncDispose]();
            nodes[victim] = await start();
          }
        };
        const working = Array.from({ length: CLIENTS }, (_, n) => work(new Random(SEED + n)));
        const used = faults.useKeys(keys);
        const told = faults.readKeys(keys, () => nodes[0] ?? nodes[1]);
        await Promise.all(working);
        faults.end();
        await used;
        const { shut, wrong } = await told;
        assert.deepEqual(wrong, [], "revoked, open, and called shut");
        // What failed too often waits for its minute, unless it is told.
        assert.equal((await first().send("POST", `/v1/gateways/${id}/now`)).status, 200);
        let problems = ["not compared"];
        await eventually("all is at the gateway as it is here", async () => {
          problems = await compare(first(), door, faults.wipes > 0);
          return problems.length === 0;
        }, 250).catch(() => {});
        assert.deepEqual(problems, []);
        console.log(
          `${engine}, seed ${SEED}: ${made} changes, ${keys.size} keys, ${faults.wipes} wipes, ` +
            `${faults.lost} answers lost, ${shut} revoked keys called with that are called shut, ` +
            `${door.calls.length} calls of the gateway`,
        );
      } finally {
        for (const node of nodes) await node?.[Symbol.asyncDispose]();
      }
    }),
);

/** Makes plans and a developer; gives the organisation's id, which every key names. */
async function prepared(
  options: Parameters<typeof startServerProcess>[0],
): Promise<string> {
  await using node = await startServerProcess(options);
  for (const id of PLANS) {
    await node.send("POST", "/api/portal/policies", { body: { id, name: id } });
  }
  const body = { id: DEVELOPER, email: "history@example.org" };
  assert.equal((await node.send("POST", "/v1/developers", { body })).status, 200);
  const made = await issueAt(node, "plan-free");
  return JSON.parse(atob(made.RawKey)).org;
}

async function issueAt(node: ServerProcess, plan: string) {
  const { status, body } = await node.send("POST", `/v1/developers/${DEVELOPER}/keys`, {
    body: { plans: [plan] },
    signal: AbortSignal.timeout(60_000),
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body as { RawKey: string; key_id: string };
}

/** Issues a key, or suspends, resumes or revokes one; false: nobody knows, or it can't be done. */
async function changeOne(
  node: ServerProcess | undefined,
  random: Random,
  mine: string[],
  keys: Keys,
): Promise<boolean> {
  if (!node) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  }
  if (mine.length === 0 || random.chance(0.4)) {
    const { key_id, RawKey } = await issueAt(node, random.pick(PLANS));
    mine.push(key_id);
    keys.set(key_id, RawKey);
    return true;
  }
  const move = random.pick(["suspend", "resume", "revoke"]);
  const { status } = await node.send("POST", `/v1/keys/${random.pick(mine)}/${move}`, {
    body: { reason: "so" },
    signal: AbortSignal.timeout(60_000),
  });
  return status === 200;
}

/** What goes wrong at the gateway, until it ends. */
class Faults {
  wipes = 0;
  lost = 0;
  #isOver = false;

  constructor(private readonly door: StandIn, private readonly random: Random) {
    door.instead = (request) => this.#instead(request);
  }

  wipe(): void {
    this.wipes++;
    this.door.gateway.loseRecords();
  }

  end(): void {
    this.#isOver = true;
    this.door.gateway.redisIsAway = false;
  }

  /** Calls in flight, each for some moments, which write back what they took along. */
  async useKeys(keys: Keys): Promise<void> {
    while (!this.#isOver) {
      const texts = [...keys.values()];
      const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
      if (texts.length > 0) await this.door.open(this.random.pick(texts), pause);
      // One that is refused is so at once.
      await pause();
    }
  }

  /** Calls with revoked keys that a node says open no more; gives how many, and those that do. */
  async readKeys(
    keys: Keys,
    node: () => ServerProcess | undefined,
  ): Promise<{ shut: number; wrong: string[] }> {
    const told = { shut: 0, wrong: [] as string[] };
    while (!this.#isOver) {
      await new Promise<void>((resolve) => setTimeout(resolve, 10));
      const [key_id, text] = this.random.pick([...keys, ["", ""]]);
      const read = async (path: string) => (await node()?.send("GET", path))?.body;
      // A node that is killed meanwhile says nothing.
      const key = await read(`/v1/keys/${key_id}`).catch(() => undefined);
      if (key?.state !== "revoked") continue;
      const there = await read(`/v1/keys/${key_id}/gateways`).catch(() => undefined);
      const row = there?.data?.[0];
      if (row === undefined || row.valid) continue;
      told.shut++;
      if (await this.door.open(text) === 200) told.wrong.push(`${key_id} ${JSON.stringify(row)}`);
    }
    return told;
  }

  async #instead(request: Request): Promise<Response | undefined> {
    const { gateway } = this.door;
    if (this.#isOver || !request.url.includes("/tyk/")) return undefined;
    if (gateway.redisIsAway) gateway.redisIsAway = this.random.chance(0.5);
    if (!this.random.chance(0.08)) return undefined;
    if (this.random.chance(0.3)) {
      gateway.redisIsAway = true;
      return undefined;
    }
    if (this.random.chance(0.5)) return new Response("", { status: 502 });
    this.lost++;
    await (await atGateway(gateway, request)).body?.cancel();
    return new Response("", { status: 504 });
  }
}

/** What of all keys is not there as it is here. */
async function compare(
  node: ServerProcess,
  { gateway }: StandIn,
  wasWiped: boolean,
): Promise<string[]> {
  const problems: string[] = [];
  const states = new Map<string, string>();
  for (let cursor = "";;) {
    const { body } = await node.send("GET", `/v1/keys?limit=100${cursor}`);
    for (const { key_id, state } of body.data) states.set(key_id, state);
    if (body.next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  for (const [key_id, state] of states) {
    const { body } = await node.send("GET", `/v1/keys/${key_id}/gateways`);
    const { state: there = "none", reason = "", delivered_at = null } = body.data[0] ?? {};
    const session = gateway.session(key_id);
    const isOpen = session !== undefined && session.expires !== 1;
    const told = `${key_id} is ${state} here, ${there} ${reason} there, ${
      isOpen ? "open" : "shut"
    }`;
    if (isOpen !== (state === "active")) {
      // Nobody has what would make it: it was issued before the gateway, or its Redis was wiped.
      const isGone = state === "active" && there === "stuck" && reason === "secret_gone";
      if (!isGone || !wasWiped) problems.push(told);
    } else if (there !== (state === "revoked" ? "gone" : "delivered")) problems.push(told);
    else if (delivered_at === null) problems.push(`${told}, never read back`);
  }
  return problems;
}
