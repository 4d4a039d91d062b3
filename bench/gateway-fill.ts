/**
 * How soon a gateway that is added later has every key: `deno run -A bench/gateway-fill.ts`. One
 * server on SQLite with `--keys 100000` from before; in turn a door that opens by hashes, and the
 * stand-in of the original's gateway, whose records this process serves by HTTP and as its Redis.
 * Counts from the answer that adds it until nothing waits, and opens `--tried 200` keys there. What
 * the desk's process uses meanwhile is told beside it, since that does not depend on other work.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { policy, standIn } from "../test/support/gateway.ts";
import { redisStandIn } from "../test/support/gateway-redis.ts";
import { startServerProcess } from "../test/support/processes.ts";
import { cpuMicros } from "./processes.ts";
import { table } from "./tables.ts";
import { fetchInPerson } from "../test/support/sign-in.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "100000" },
    tried: { type: "string", default: "200" },
  },
});
const KEYS = Number(values.keys);
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-fill-" });
const [dataDir, doors, list] = ["data", "doors", "keys"].map((one) => join(folder, one)) as [
  string,
  string,
  string,
];
await Deno.mkdir(doors);
const environment: Record<string, string> = {
  KEYDESK_ADMIN_TOKEN: "administrator-of-the-measurement",
  KEYDESK_GATEWAY_FOLDER: doors,
};
try {
  await (await startServerProcess({ dataDir, environment }))[Symbol.asyncDispose]();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", join(import.meta.dirname ?? ".", "fill-keys.ts")]
      .concat("--data", dataDir, "--rows", String(KEYS), "--used", values.tried, "--keys", list),
  }).output();
  if (!success) throw new Error("the store was not filled");
  const keys = (await Deno.readTextFile(list)).trim().split("\n");
  await using door = standIn(JSON.parse(atob(keys[0] ?? "")).org);
  for (let n = 0; n < 10; n++) {
    door.gateway.plans.push(policy(door.gateway.org_id, `plan-${n}`, -1));
  }
  await using redis = redisStandIn(door.gateway.records);
  environment.KEYDESK_OUTBOUND = `${door.host},${redis.host}`;
  await using node = await startServerProcess({ dataDir, environment });
  const { url, secret } = door;
  const filled = async (body: object) => {
    const made = await fetchInPerson(node.url, node.credential, "/v1/gateways", body);
    const from = performance.now();
    const used = await cpuMicros(node.pid);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      const { counts, filling, failure } = (await node.send("GET", `/v1/gateways/${made.id}`)).body;
      if (failure !== "") console.error(failure);
      if (filling || counts.waiting > 0) continue;
      const seconds = (performance.now() - from) / 1000;
      const processor = (await cpuMicros(node.pid) - used) / 1_000_000;
      await node.send("POST", `/v1/gateways/${made.id}/pause`, {});
      return { seconds, processor, delivered: counts.delivered, id: made.id };
    }
  };
  const hashes = await filled({ connection: "map", name: "Edge", map: {} });
  const lines = (await Deno.readTextFile(join(doors, `${hashes.id}.map`))).trim().split("\n");
  const tyk = await filled({
    name: "City",
    connection: "synced",
    url,
    secret,
    redis_url: redis.url,
  });
  let opened = 0;
  for (const key of keys) if (await door.open(key) === 200) opened++;
  console.log(
    table(
      ["kind", "keys", "s", "the desk's processor, s", "keys a second", "looked at"],
      [
        ["hashes, the file alone", hashes, `${lines.length - 1} lines of its file`] as const,
        ["tyk, by its Redis", tyk, `${opened} of ${keys.length} keys open`] as const,
      ].map(([kind, { delivered, seconds, processor }, looked]) => [
        kind,
        String(delivered),
        seconds.toFixed(1),
        processor.toFixed(1),
        (delivered / seconds).toFixed(0),
        looked,
      ]),
    ).join("\n"),
  );
  console.log(`${door.calls.length} calls of the gateway`);
} finally {
  await Deno.remove(folder, { recursive: true });
}
