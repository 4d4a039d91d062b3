/**
 * Nodes that are killed, one or both, while they learn keys and are asked about observed calls, and
 * connections to the database that are cut: no key is learned twice or lost, none that was revoked
 * at either side opens, each switch of a plan is one row of the audit log. The meter counts no call
 * that was not asked. It loses those that were not written yet by a node that is killed, which
 * writes every five seconds, and those of a batch whose connection was cut.
 */
import assert from "node:assert/strict";
import { legacyKey } from "../../../examples/moving/keys.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { shortOr } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { API, type Place, placeForGateway, type StandIn, standIn } from "../../support/gateway.ts";
import { keep, textOf } from "../../support/learning.ts";
import { Random } from "../../support/random.ts";
import { PAST, testTwoNodes, type TwoNodes } from "./support/two-nodes.ts";
import { fetchInPerson } from "../../support/sign-in.ts";

const ORG = "5e9d9544a1dcd60001d0ed20";
const KEYS = shortOr(60, 12);
/** One ends one node, the next one both. */
const ROUNDS = shortOr(1, 2);
const CALLERS = 6;
const SEED = Number(Deno.env.get("CRASH_SEED") ?? "20261129");
/** Calls before what was counted must be written, and at the most until somebody is killed. */
const CALLS = 120;
/** A question to the gateway is over by then, also on a busy machine. */
const STAYS_MS = 1500;
/** What the switcher switches; keys that call have another plan. */
const SWITCHED = "plan-basic";

let place: Place | undefined;

testTwoNodes(
  "learning and the meter lose, double and open nothing by kills",
  () => {
    place = placeForGateway();
    return { KEYDESK_ORG_ID: ORG, KEYDESK_OUTBOUND: place.host };
  },
  async (two) => {
    await using door = standIn(ORG, "murmur32", place);
    const week = new Week(two, door, new Random(SEED));
    await week.begin();
    for (let round = 1; round <= ROUNDS; round++) {
      await week.work(CALLS);
      await week.isWritten();
      await week.workAndKill((round % 2 === 0) === (two.engine === "sqlite"));
    }
    await week.isWritten();
    await week.assertCounts();
    await week.assertKeys();
    await week.assertAuditLog();
    console.log(`learned under kills: ${two.engine}, seed ${SEED}: ${week.told()}`);
  },
);

/** What becomes of a call to a node that is killed meanwhile: nobody knows. */
type Answer = { status: number; body: Record<string, unknown> } | undefined;

class Week {
  readonly #keys = Array.from({ length: KEYS }, (_, n) => legacyKey(ORG, textOf(n)));
  /** What each is called at the gateway. */
  readonly #names: string[] = [];
  readonly #here = new Set<number>();
  readonly #there = new Set<number>();
  readonly #unsure = new Set<number>();
  /** Observed calls of a good key: sent, told, of these since a node's counts were last written. */
  #sent = 0;
  #told = 0;
  readonly #sinceWritten = [0, 0];
  #reports = 0;
  /** Of those that were told, so many may be missing in the meter. */
  #mayBeLost = 0;
  #lost = 0;
  #isCut = false;
  #awayUntil = 0;
  #staysUntil = 0;
  #switches = 0;
  #kills = 0;
  #cuts = 0;
  #marks = 0;
  #marksSent = 0;
  #learning = "";

  constructor(
    private readonly two: TwoNodes,
    private readonly door: StandIn,
    private readonly random: Random,
  ) {}

  async begin(): Promise<void> {
    const { two, door } = this;
    for (const id of ["plan-free", SWITCHED]) {
      await two.sent("POST", "/api/portal/policies", { id, name: id });
    }
    for (const [n, key] of this.#keys.entries()) {
      this.#names.push(await keep(door, key, { meta_data: { tyk_developer_id: `dev-${n % 9}` } }));
    }
    const { url, secret } = door;
    const { url: node, credential } = two.nodes[0];
    const gateway = { name: "City", connection: "synced", url, secret };
    const { id } = await fetchInPerson(node, credential, "/v1/gateways", gateway);
    this.#learning = `/v1/gateways/${id}/lazy-migration`;
    const body = {
      ends_at: new Date(Date.now() + 86_400_000).toISOString(),
      questions_per_second: 1000,
    };
    const learns = () => two.nodes[0].send("PUT", this.#learning, { body });
    await eventually("it teaches", async () => (await learns()).status === 200);
  }

  /** So many calls are told, without anything in their way. */
  async work(calls: number): Promise<void> {
    const until = this.#told + calls;
    await this.#callUntil(() => this.#told >= until);
  }

  /** Calls, revocations, switches; the gateway goes away and comes back, and nodes are killed. */
  async workAndKill(both: boolean): Promise<void> {
    const { two, random, door } = this;
    const after = this.#told + 1 + random.below(CALLS);
    let isOver = false;
    const working = this.#callUntil(() => isOver);
    const others = [this.#switch(() => isOver), this.#revoke(() => isOver)];
    while (this.#told < after) {
      this.#mayGoAway();
      if (two.engine === "postgres" && random.chance(0.1)) await this.#cut();
      await pause(20);
    }
    this.#kills++;
    if (both) {
      await two.killed();
      this.#loses(0, 1);
    } else {
      const victim = random.below(2) === 0 ? 0 : 1;
      await two.killedOne(victim);
      this.#loses(victim);
    }
    door.gateway.redisIsAway = false;
    this.#staysUntil = performance.now() + STAYS_MS;
    isOver = true;
    await Promise.all([working, ...others]);
  }

  /**
   * Its Redis goes away for a moment, and stays for a while in between: a question takes three
   * calls, and one that two absences hit is answered as of a key that is not there.
   */
  #mayGoAway(): void {
    const now = performance.now();
    const { gateway } = this.door;
    if (!gateway.redisIsAway && now > this.#staysUntil && this.random.chance(0.3)) {
      gateway.redisIsAway = true;
      this.#awayUntil = now + 20 + this.random.below(60);
    } else if (gateway.redisIsAway && now > this.#awayUntil) {
      gateway.redisIsAway = false;
      this.#staysUntil = now + STAYS_MS;
    }
  }

  /**
   * Whatever both nodes have counted so far is in the store: a key of its own, which is called last
   * at a node, is counted there.
   */
  async isWritten(): Promise<void> {
    const { two, door } = this;
    if (this.#isCut) this.#loses(0, 1);
    this.#isCut = false;
    await Promise.all(two.nodes.map(async (node) => {
      const key = legacyKey(ORG, textOf(100_000 + this.#marks++));
      await keep(door, key);
      await eventually("a mark is set", async () => {
        this.#marksSent++;
        return (await node.send("POST", "/v1/keys/shadow", { body: { key } })).body.valid === true;
      });
      await eventually("counts are written", async () => {
        const [row] = await two.sql(`select sum(asked) as n from observed_days
          where kind = 'key' and object_id = '${sha256(key)}'`);
        return Number(row?.n ?? 0) > 0;
      }, 250);
    }));
    this.#sinceWritten.fill(0);
  }

  /** The meter has no call that was not asked, and all but those that the documents name. */
  async assertCounts(): Promise<void> {
    const [row] = await this.two.sql(`select sum(asked) as asked, sum(opened) as opened
      from observed_days where kind = 'organisation' and verdict = 'valid'`);
    const [asked, opened] = [Number(row?.asked), Number(row?.opened)];
    const most = this.#sent + this.#marksSent;
    assert.ok(asked <= most, `${asked} of ${most} calls`);
    assert.ok(opened <= this.#reports, `${opened} of ${this.#reports} reports`);
    const [own] = await this.two.sql(`select sum(asked) as n from observed_days
      where kind = 'key' and verdict = 'valid' and object_id in (${
      this.#keys.map((key) => `'${sha256(key)}'`).join(", ")
    })`);
    const counted = Number(own?.n);
    this.#lost = Math.max(0, this.#told - counted);
    assert.ok(counted <= this.#sent, `${counted} of ${this.#sent} sent`);
    assert.ok(this.#lost <= this.#mayBeLost, `${this.#lost} lost, ${this.#mayBeLost} may be`);
  }

  async assertKeys(): Promise<void> {
    const { two, door } = this;
    // All are due to be asked anew.
    await two.sql(`update learned_keys set asked_at = '${PAST}'`);
    for (const [n, key] of this.#keys.entries()) {
      const isClosed = this.#here.has(n) || this.#there.has(n);
      if (this.#unsure.has(n) && !isClosed) continue;
      for (const node of two.nodes) {
        await eventually(`key ${n} is ${isClosed ? "closed" : "open"}`, async () => {
          if (isClosed) await this.#confirmLosses();
          const { status, body } = await node.send("POST", "/v1/keys/verify", { body: { key } });
          assert.ok(isClosed || status !== 200 || body.valid, `key ${n}: ${body.reason}`);
          return status === 200 && body.valid === !isClosed;
        });
      }
      if (!isClosed) assert.equal(await door.open(key), 200);
      else await eventually(`key ${n} is closed there`, async () => await door.open(key) !== 200);
    }
  }

  /** A person's yes to what would be lost at once, where more than some keys were revoked there. */
  async #confirmLosses(): Promise<void> {
    const [node] = this.two.nodes;
    const { awaiting } = (await node.send("GET", this.#learning)).body;
    if (!(awaiting > 0)) return;
    const yes = fetchInPerson(node.url, node.credential, `${this.#learning}/confirm`, { awaiting });
    // More may wait by now: then the next look has their count.
    await yes.catch((error) => assert.match(String(error), /precondition_failed/));
  }

  /** Of each key and each switch one row, and one key of each name. */
  async assertAuditLog(): Promise<void> {
    const { two } = this;
    const learned = await two.sql("select key_id, remote_id from learned_keys");
    const names = new Set(learned.map(({ remote_id }) => remote_id));
    assert.equal(names.size, learned.length, "no name is learned twice");
    const rows = await two.sql(
      "select object_id, count(*) as n from audit_events where action = 'credential.learned' group by object_id",
    );
    assert.ok(rows.every(({ n }) => Number(n) === 1), "each is told once");
    assert.deepEqual(
      rows.map(({ object_id }) => object_id).sort(),
      learned.map(({ key_id }) => key_id).sort(),
    );
    for (const [n, name] of this.#names.entries()) {
      const isClosed = this.#here.has(n) || this.#there.has(n) || this.#unsure.has(n);
      assert.ok(isClosed || names.has(name), `key ${n} is learned`);
    }
    const switches = await two.sql(
      "select id from audit_events where action = 'plan_switch.updated'",
    );
    assert.equal(switches.length, this.#switches);
  }

  told(): string {
    return `${this.#kills} kills, ${this.#cuts} cuts, ${this.#told} observed calls told, ` +
      `${this.#lost} of them lost to the meter where ${this.#mayBeLost} may be, ` +
      `${this.#here.size} keys revoked here and ${this.#there.size} there, ` +
      `${this.#switches} switches`;
  }

  #loses(...nodes: readonly number[]): void {
    for (const n of nodes) {
      this.#mayBeLost += this.#sinceWritten[n] ?? 0;
      this.#sinceWritten[n] = 0;
    }
  }

  async #callUntil(isOver: () => boolean): Promise<void> {
    const call = async () => {
      while (!isOver()) {
        const n = this.random.below(KEYS);
        const at = this.random.below(2);
        if (!await this.#observe(n, at)) await pause(20);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
  }

  /** A call that the gateway decides; false: nobody knows what Keydesk said. */
  async #observe(n: number, at: number): Promise<boolean> {
    const key = this.#keys[n] ?? "";
    const opens = await this.door.open(key) === 200;
    this.#sent++;
    const answer = await this.#ask(at, "POST", "/v1/keys/shadow", { key, api_id: API });
    if (answer?.status !== 200) return false;
    const { valid, reason, receipt } = answer.body;
    if (!valid) {
      // What opened there may have been revoked since.
      const isGood = opens && await this.door.open(key) === 200 && !this.#isClosed(n);
      assert.ok(!isGood, `key ${n} opens at the gateway, and is ${reason}`);
      return true;
    }
    this.#told++;
    this.#sinceWritten[at] = (this.#sinceWritten[at] ?? 0) + 1;
    if (!opens) return true;
    this.#reports++;
    await this.#ask(at, "POST", "/v1/keys/shadow/allowed", { receipt });
    return true;
  }

  #isClosed(n: number): boolean {
    return this.#here.has(n) || this.#there.has(n) || this.#unsure.has(n);
  }

  /** Ends keys at either side, each for good. */
  async #revoke(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const n = this.random.below(KEYS);
      await pause(30);
      // Most stay.
      if (this.#isClosed(n) || this.#here.size + this.#there.size > KEYS / 3) continue;
      if (this.random.chance(0.5)) {
        this.#there.add(n);
        if (!this.door.gateway.redisIsAway) this.door.gateway.revoke(this.#names[n] ?? "");
        else this.#there.delete(n);
        continue;
      }
      this.#unsure.add(n);
      const path = `/v1/keys/${sha256(this.#keys[n] ?? "")}/revoke`;
      const answer = await this.#ask(this.random.below(2), "POST", path, { reason: "rehearsed" });
      if (answer?.status === 200) this.#here.add(n);
      if (answer?.status === 200 || answer?.status === 404) this.#unsure.delete(n);
    }
  }

  /** Switches a plan over and back; one whose answer is lost is repeated until it is told. */
  async #switch(isOver: () => boolean): Promise<void> {
    const path = `/v1/plans/${SWITCHED}/decided`;
    while (!isOver()) {
      const decided = this.#switches % 2 === 0 ? "keydesk" : "gateway";
      let answer: Answer;
      while (answer?.status !== 200) {
        answer = await this.#ask(this.random.below(2), "PUT", path, { decided });
        if (answer?.status !== 200) await pause(20);
      }
      this.#switches++;
      await pause(20);
    }
  }

  async #cut(): Promise<void> {
    this.#cuts++;
    this.#isCut = true;
    await this.two.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  }

  async #ask(at: number, method: string, path: string, body: object): Promise<Answer> {
    const node = this.two.nodes[at];
    try {
      return await node?.send(method, path, { body, signal: AbortSignal.timeout(60_000) });
    } catch {
      return undefined;
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
