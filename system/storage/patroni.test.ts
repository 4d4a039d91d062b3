/**
 * Patroni with etcd, as docs/patroni.md sets them up: members are killed under load, and nothing
 * that was answered is lost.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { effort } from "../../test/support/effort.ts";
import { eventually } from "../../test/support/eventually.ts";
import { withFolder } from "../../test/support/processes.ts";
import { Random } from "../../test/support/random.ts";
import { check } from "../../test/whole/history/check.ts";
import {
  acknowledged,
  conclude,
  credentialsTwice,
  SEED,
  underLoad,
} from "../support/failover-load.ts";
import { PatroniCluster } from "../support/patroni-cluster.ts";
import { startProxy } from "../support/proxies.ts";

/**
 * In turns: the primary's PostgreSQL alone, and its whole machine, which is known after Patroni's
 * `ttl`.
 */
const ROUNDS = effort === 1 ? 1 : 2 * effort;

const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: `Patroni: the primary is killed ${ROUNDS} times, and another member takes over by itself`,
  ...options,
  fn: async () => {
    await using cluster = await PatroniCluster.start();
    assert.deepEqual([...new Set(await cluster.toStrangers())], [401]);
    const random = new Random(SEED);
    let kills = 0;
    let promotions = 0;
    const { crowd, hung } = await underLoad(cluster.url, {}, async (crowd) => {
      for (let round = 0; round < ROUNDS; round++) {
        await acknowledged(crowd, 30 + random.below(60));
        const name = await cluster.primary();
        assert.ok(name);
        const isWholeMachine = round % 2 === 1;
        if (isWholeMachine) await cluster.killMachine(name);
        else await cluster.killPostgres(name);
        kills++;
        await cluster.anotherThan(name);
        promotions++;
        await acknowledged(crowd, 30);
        if (isWholeMachine) {
          // Two of three members of etcd say who the primary is as well.
          await cluster.restartEtcd(name);
          cluster.restart(name);
        }
        await cluster.whole();
      }
      await acknowledged(crowd, 20);
    });
    const broken = check(crowd.history);
    const doubledRows = (await cluster.query("keydesk", credentialsTwice)).length;
    await conclude("Patroni", { kills, promotions, crowd, broken, doubledRows, hung });
    await throughHaproxy(cluster);
  },
});

/** Who takes one address finds the primary by the file for HAProxy. */
async function throughHaproxy(cluster: PatroniCluster): Promise<void> {
  await withFolder(async (folder) => {
    const file = new URL("../../deploy/patroni/haproxy.cfg", import.meta.url).pathname;
    await using proxy = await startProxy("haproxy", file, "PROXY_ADDRESS", cluster.words, folder, {
      isReady: listens,
    });
    // It takes every member for the primary until it has asked.
    const down = () => proxy.errors().match(/Server primary\/\w is DOWN/g) ?? [];
    await eventually("two members are told as down", () => down().length >= 2);
    const url = cluster.url.replace(/@.*\//, `@${new URL(proxy.url).host}/`).replace(/\?.*/, "");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("select pg_is_in_recovery() as standby");
    await client.end();
    assert.deepEqual(rows, [{ standby: false }]);
  });
}

async function listens(address: string): Promise<boolean> {
  const [hostname = "", port] = address.split(":");
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return true;
  } catch {
    return false;
  }
}
