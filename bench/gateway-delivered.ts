/**
 * How soon a new key is delivered: `deno run -A bench/gateway-delivered.ts`. One server on SQLite,
 * and the stand-in of the original's gateway in this process, with the traits that were recorded:
 * its session cache is on, calls write back, and members that are zero are left out. `--keys 1000`
 * are issued, one each `--every 20` ms: with an end and without one, of a plan with a quota and of
 * one without, and of both. Counts from the time at which the key was issued until that at which it
 * was read back there, both by the server's clock; then each key is called.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standIn } from "../test/support/gateway.ts";
import { startServerProcess } from "../test/support/processes.ts";
import { fetchInPerson } from "../test/support/sign-in.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "1000" },
    every: { type: "string", default: "20" },
  },
});
const KEYS = Number(values.keys);
const PLANS = [["plan-free"], ["plan-quota"], ["plan-free", "plan-quota"]];
const END = "2999-01-01T00:00:00Z";

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-delivered-" });
const dataDir = join(folder, "data");
const environment: Record<string, string> = {
  KEYDESK_ADMIN_TOKEN: "administrator-of-the-measurement",
};
type Node = Awaited<ReturnType<typeof startServerProcess>>;
const issue = async (node: Node, n: number) => {
  const plans = PLANS[n % PLANS.length];
  const expires_at = n % 2 === 0 ? END : null;
  const path = "/v1/developers/dev-bench/keys";
  const { body } = await node.send("POST", path, { body: { plans, expires_at } });
  return body as { key_id: string; RawKey: string };
};
try {
  const first = await startServerProcess({ dataDir, environment });
  for (const id of ["plan-free", "plan-quota"]) {
    await first.send("POST", "/api/portal/policies", { body: { id, name: id } });
  }
  const developer = { id: "dev-bench", email: "bench@example.org" };
  await first.send("POST", "/v1/developers", { body: developer });
  const { org } = JSON.parse(atob((await issue(first, 0)).RawKey));
  await first[Symbol.asyncDispose]();
  await using door = standIn(org);
  door.gateway.cachesSessions = true;
  environment.KEYDESK_OUTBOUND = door.host;
  await using node = await startServerProcess({ dataDir, environment });
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  await fetchInPerson(node.url, environment.KEYDESK_ADMIN_TOKEN ?? "", "/v1/gateways", gateway);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const isSettled = async () => {
    const { body: { data: [one] } } = await node.send("GET", "/v1/gateways");
    return one.checked_at !== null && !one.filling && one.counts.waiting === 0;
  };
  while (!await isSettled()) await pause(50);
  const keys: { key_id: string; RawKey: string }[] = [];
  const begun = performance.now();
  const issuing: Promise<unknown>[] = [];
  for (let n = 0; n < KEYS; n++) {
    issuing.push(issue(node, n).then((key) => keys.push(key)));
    await pause(Math.max(0, begun + (n + 1) * Number(values.every) - performance.now()));
  }
  await Promise.all(issuing);
  while (!await isSettled()) await pause(50);
  const took: number[] = [];
  let opened = 0;
  for (const { key_id, RawKey } of keys) {
    const { body: { data: [there] } } = await node.send("GET", `/v1/keys/${key_id}/gateways`);
    const { body: { created } } = await node.send("GET", `/v1/keys/${key_id}`);
    if (there.state !== "delivered") continue;
    took.push(Date.parse(there.delivered_at) - Date.parse(created));
    if (await door.open(RawKey) === 200) opened++;
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => `${((took[Math.ceil(took.length * share) - 1] ?? NaN) / 1000)} s`;
  console.log(
    table(["keys", "delivered", "open", "half", "99th", "slowest"], [
      [String(KEYS), String(took.length), String(opened), at(0.5), at(0.99), at(1)],
    ]).join("\n"),
  );
  console.log(`${door.calls.length} calls of the gateway`);
} finally {
  await Deno.remove(folder, { recursive: true });
}
