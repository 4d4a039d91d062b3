/** Keys from before a gateway, made in a real Redis that the gateway reads. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createClient } from "redis";
import { eventually } from "../../../test/support/eventually.ts";
import { standIn } from "../../../test/support/gateway.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../../test/support/processes.ts";
import { keepRecords } from "../../support/redis-gateway.ts";
import { startRedis } from "../../support/redis.ts";
import { fetchInPerson } from "../../../test/support/sign-in.ts";

const KEYS = 60;
const USER_PASSWORD = "what-opens-it-for-the-desk";
/** What the desk's user needs, as docs/provisioning.md says. */
const USER = ["acl", "setuser", "keydesk", "on", `>${USER_PASSWORD}`, "~apikey-*"]
  .concat("+get", "+set", "+select");

Deno.test("gateways: a real Redis is filled through TLS by a user of few rights, wiped and read-only meanwhile", async () => {
  await withFolder(async (folder) => {
    await using redis = await startRedis(folder);
    assert.equal((await redis.command(USER)).trim(), "OK");
    const client = createClient({
      password: "a-password-of-redis",
      socket: { port: redis.port, tls: true, ca: await Deno.readTextFile(redis.ca) },
    });
    client.on("error", () => {});
    await client.connect();
    try {
      const dataDir = join(folder, "data");
      const first = await startServerProcess({ dataDir });
      const keys = await issued(first);
      await first[Symbol.asyncDispose]();
      await using door = standIn(JSON.parse(atob(keys[0]?.RawKey ?? "")).org);
      const { open } = keepRecords(door, client);
      await using desk = await startServerProcess({
        dataDir,
        environment: {
          KEYDESK_OUTBOUND: `${door.host},127.0.0.1:${redis.port}`,
          KEYDESK_OUTBOUND_CA_FILE: redis.ca,
        },
      });
      const { url, secret } = door;
      const redis_url = `rediss://keydesk@127.0.0.1:${redis.port}/0`;
      const written = { name: "City", url, redis_url, calls_per_second: 200 };
      const body = { connection: "synced", ...written, secret, redis_password: USER_PASSWORD };
      const made = await fetchInPerson(desk.url, desk.credential, "/v1/gateways", body);
      const at = `/v1/gateways/${made.id}`;
      const countsAre = (isSo: (counts: Record<string, number>) => boolean) =>
        eventually(
          "the counts of its keys",
          async () => isSo((await desk.send("GET", at)).body.counts),
        );
      const opened = async () => {
        const statuses: number[] = [];
        for (const { RawKey } of keys) statuses.push(await open(RawKey));
        return statuses.filter((one) => one === 200).length;
      };
      // All that it holds is lost in the middle.
      await countsAre(({ delivered = 0 }) => delivered >= KEYS / 4);
      await redis.command(["flushdb"]);
      await countsAre(({ delivered }) => delivered === KEYS);
      await eventually("every key opens", async () => await opened() === KEYS);
      for (const { key_id } of keys) {
        assert.equal(await client.ttl(`apikey-${key_id}`), -1, "the gateway's own records stay");
      }
      // A replica takes no seed, and what is ended is not its concern.
      const [later] = await issued(desk, 1);
      await countsAre(({ delivered }) => delivered === KEYS + 1);
      await client.del(`apikey-${later?.key_id}`);
      await redis.command(["replicaof", "127.0.0.1", "1"]);
      await desk.send("POST", `${at}/now`, { body: { key_id: later?.key_id } });
      const stands = async () => {
        const { body: { data: [one] } } = await desk.send(
          "GET",
          `/v1/keys/${later?.key_id}/gateways`,
        );
        return `${one.state} ${one.reason}`;
      };
      await eventually(
        "the refusal is told",
        async () => await stands() === "stuck redis_refuses READONLY",
      );
      await redis.command(["replicaof", "no", "one"]);
      await desk.send("POST", `${at}/now`, { body: {} });
      await eventually("the key is delivered", async () => await stands() === "delivered ");
      assert.equal(await open(later?.RawKey ?? ""), 200);
    } finally {
      client.destroy();
    }
  });
});

/** Keys of a plan, issued to a developer. */
async function issued(
  desk: ServerProcess,
  n = KEYS,
): Promise<{ RawKey: string; key_id: string }[]> {
  await desk.send("POST", "/api/portal/policies", { body: { id: "plan-free", name: "Free" } });
  const developer = { id: "dev-ada", email: "ada@example.org" };
  await desk.send("POST", "/v1/developers", { body: developer });
  const made: { RawKey: string; key_id: string }[] = [];
  for (let i = 0; i < n; i++) {
    const body = { plans: ["plan-free"] };
    made.push((await desk.send("POST", "/v1/developers/dev-ada/keys", { body })).body);
  }
  return made;
}
