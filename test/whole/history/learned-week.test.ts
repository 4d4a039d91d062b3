/**
 * A week of a move in fast motion: two nodes learn the keys of a gateway whose hashes can't be
 * imported, while it goes away, ends keys, and garbage comes; a node is killed each day.
 */
import assert from "node:assert/strict";
import { legacyKey } from "../../../examples/moving/keys.ts";
import { MigrationEngine } from "../../../src/features/migration/lazy-migration/migration-engine.ts";
import type { Application } from "../../../src/server.ts";
import { shortOr } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { movableClock } from "../../support/keys.ts";
import {
  comesTo,
  keep,
  learn,
  type Learning,
  testLearning,
  textOf,
} from "../../support/learning.ts";
import { call } from "../../support/people.ts";
import { Random } from "../../support/random.ts";
import { ask, close, openSecond, outcome } from "../../support/verification.ts";

const KEYS = shortOr(200, 100);
const SEED = Number(Deno.env.get("HISTORY_SEED") ?? "20261128");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const clock = movableClock();

testLearning(
  "history: a week in which every key of murmur32 comes home, and none is refused that opens there",
  async (learning) => {
    const { desk, door, id } = learning;
    const random = new Random(SEED);
    const keys = Array.from({ length: KEYS }, (_, n) => legacyKey(desk.org_id, textOf(n)));
    const names: string[] = [];
    for (const [n, key] of keys.entries()) {
      names.push(await keep(door, key, { meta_data: { tyk_developer_id: `dev-${n % 20}` } }));
    }
    await learn(learning, {
      ends_at: new Date(clock.at + 30 * 24 * HOUR_MS).toISOString(),
      questions_per_second: 1000,
    });
    const asked = watched(learning);
    let second = await openSecond(desk, clock);
    const told = { valid: 0, unsure: 0, refused: 0, garbage: 0 };
    /** Presents a key at either node; `until`: again where 503 says nothing. */
    const present = async (n: number, until = false): Promise<string> => {
      for (;;) {
        const at = random.below(2) === 0 ? desk.app : second;
        const opens = await door.open(keys[n] ?? "") === 200;
        const answer = await ask({ app: at, admin: desk.admin }, { key: keys[n] });
        const { valid, reason } = await answer.json();
        if (answer.status === 503) {
          told.unsure++;
          if (!until) return "unsure";
          await new Promise((resolve) => setTimeout(resolve, 50));
          continue;
        }
        if (valid) told.valid++;
        else told.refused++;
        // What opens there is never refused here, whatever happens beside it.
        assert.ok(valid || !opens, `key ${n}: ${reason}`);
        return valid ? "valid" : reason;
      }
    };
    const ended = new Set<number>();
    for (let day = 0; day < 7; day++) {
      const those = keys.map((_, n) => n).filter(() => day === 6 || random.below(3) === 0);
      await inGroups(those, async (n) => void await present(n, true));
      for (let n = 0; n < 20; n++) {
        const garbage = { key: legacyKey(desk.org_id, textOf(100_000 + 100 * day + n)) };
        assert.equal(await outcome(desk, garbage), "unknown");
        told.garbage++;
      }
      // For an hour it knows nobody: what was learned opens on, and of others nobody can tell.
      door.gateway.redisIsAway = true;
      await inGroups(those.slice(0, 20), async (n) => {
        const said = await present(n);
        assert.equal(said, ended.has(n) ? "revoked" : "valid");
      });
      const fresh = { key: legacyKey(desk.org_id, textOf(200_000 + day)) };
      const unsure = await ask(desk, fresh);
      await unsure.body?.cancel();
      assert.equal(unsure.status, 503);
      told.unsure++;
      door.gateway.redisIsAway = false;
      // Some are ended there; whoever uses one is told so within a minute of the next question.
      for (const n of those.slice(0, 3)) {
        if (ended.has(n)) continue;
        door.gateway.revoke(names[n] ?? "");
        ended.add(n);
      }
      clock.at += 2 * MINUTE_MS;
      for (const n of ended) await present(n);
      await writeUses(desk.app, second);
      // The node goes without a word, and another one takes over.
      await close(second);
      second = await openSecond(desk, clock);
      await asksAnew([desk.app, second]);
      for (const n of ended) await comesTo(() => present(n), "revoked");
      clock.at += 24 * HOUR_MS;
    }
    for (const n of keys.keys()) {
      await comesTo(() => present(n, true), ended.has(n) ? "revoked" : "valid");
    }
    const { migrated: learned } = await call(desk, "GET", `/v1/gateways/${id}/lazy-migration`);
    assert.equal(learned, KEYS, "every key is at home");
    assert.ok(ended.size >= 7, `${ended.size} ended`);
    let questions = 0;
    let least = Infinity;
    for (const [n, name] of names.entries()) {
      const all = asked.get(name) ?? [];
      // A busy machine may lose the answer to the first question, which is then asked again.
      const at = all.filter((time, i) => i === 0 || time !== all[0]);
      const spans = at.slice(1).map((one, i) => one - (at[i] ?? 0));
      assert.ok(at.length > 0 && spans.every((ms) => ms >= MINUTE_MS), `key ${n}: ${at}`);
      questions += at.length;
      least = Math.min(least, ...spans);
    }
    await close(second);
    console.log(
      `learned week: ${desk.engine}, seed ${SEED}: ${learned} of ${KEYS} keys at home, ` +
        `${told.valid} calls let in, none refused that the gateway lets in, ${told.refused} ` +
        `refused of ${ended.size} keys that ended there, ${told.unsure} told to ask again; ` +
        `${questions} questions, of one key never two within ${Math.floor(least / 1000)} s`,
    );
  },
  // Both nodes take turns by the database's clock.
  { clock, storeClock: null },
);

/** When the gateway was asked about each name while it could tell, by the test's clock. */
function watched({ door }: Learning): ReadonlyMap<string, number[]> {
  const asked = new Map<string, number[]>();
  door.instead = (request) => {
    const name = /\/tyk\/keys\/([0-9a-f]+)\?hashed=true$/.exec(request.url)?.[1];
    const at = asked.get(name ?? "") ?? [];
    // What ended there is asked about again behind the canary.
    const isAgain = at.at(-1) === clock.at && !door.gateway.session(name ?? "");
    if (request.method === "GET" && name !== undefined && !door.gateway.redisIsAway && !isAgain) {
      asked.set(name, [...at, clock.at]);
    }
    assert.ok(!request.url.includes("/tyk/keys/") || name !== undefined, "by hashes alone");
    return undefined;
  };
  return asked;
}

/** Has nodes ask anew until nothing is due. */
async function asksAnew(apps: readonly Application[]): Promise<void> {
  const nodes = apps.map((app) => new MigrationEngine(app.ctx));
  await eventually(
    "the asking comes to an end",
    async () => !(await Promise.all(nodes.map((node) => node.turn()))).includes(true),
    0,
  );
  for (const node of nodes) await node.giveBack();
}

async function writeUses(...apps: readonly Application[]): Promise<void> {
  for (const app of apps) await app.ctx.verifier.writeUses();
}

async function inGroups(all: readonly number[], work: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < all.length; n += 8) await Promise.all(all.slice(n, n + 8).map(work));
}
