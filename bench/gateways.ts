/**
 * How soon changes reach a gateway: `deno run -A bench/gateways.ts`. One server on SQLite, and the
 * stand-in of the original's gateway in this process; `--changes 1000` keys are issued, then
 * revoked, sixteen at a time, and it counts from the last answer until nothing waits there.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { standIn } from "../test/support/gateway.ts";
import { startServerProcess } from "../test/support/processes.ts";
import { table } from "./tables.ts";
import { fetchInPerson } from "../test/support/sign-in.ts";
import "./machine.ts";

const { values } = parseArgs({ options: { changes: { type: "string", default: "1000" } } });
const CHANGES = Number(values.changes);
const AT_ONCE = 16;

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-gateways-" });
const dataDir = join(folder, "data");
const environment: Record<string, string> = {
  KEYDESK_ADMIN_TOKEN: "administrator-of-the-measurement",
};
try {
  const issue = (node: Awaited<ReturnType<typeof startServerProcess>>) =>
    node.send("POST", "/v1/developers/dev-bench/keys", { body: { plans: ["plan-free"] } });
  const first = await startServerProcess({ dataDir, environment });
  await first.send("POST", "/api/portal/policies", { body: { id: "plan-free", name: "Free" } });
  const body = { id: "dev-bench", email: "bench@example.org" };
  await first.send("POST", "/v1/developers", { body });
  const { org } = JSON.parse(atob((await issue(first)).body.RawKey));
  await first[Symbol.asyncDispose]();
  await using door = standIn(org);
  environment.KEYDESK_OUTBOUND = door.host;
  await using node = await startServerProcess({ dataDir, environment });
  const { url, secret } = door;
  const gateway = { name: "City", connection: "synced", url, secret };
  await fetchInPerson(node.url, environment.KEYDESK_ADMIN_TOKEN ?? "", "/v1/gateways", gateway);
  const waiting = async () => {
    const { body: { data: [gateway] } } = await node.send("GET", "/v1/gateways");
    return gateway.counts.waiting + Number(gateway.filling);
  };
  const settled = async () => {
    const from = performance.now();
    while (await waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    return (performance.now() - from) / 1000;
  };
  await settled();
  const keys: string[] = [];
  const measured = async (change: (n: number) => Promise<unknown>) => {
    const from = performance.now();
    let next = 0;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let n = next++; n < CHANGES; n = next++) await change(n);
    }));
    const changed = (performance.now() - from) / 1000;
    return [changed.toFixed(1), (await settled()).toFixed(1)];
  };
  const issued = await measured(async () => {
    const { body: { key_id } } = await issue(node);
    keys.push(key_id);
  });
  const revoked = await measured((n) =>
    node.send("POST", `/v1/keys/${keys[n]}/revoke`, { body: { reason: "gone" } })
  );
  console.log(
    table(["change", "answered within, s", "nothing waits after, s"], [
      [`${CHANGES} issued`, ...issued],
      [`${CHANGES} revoked`, ...revoked],
    ]).join("\n"),
  );
  console.log(`${door.calls.length} calls of the gateway`);
} finally {
  await Deno.remove(folder, { recursive: true });
}
