/**
 * How long after an approval its key opens: `deno run -A bench/open-gateway.ts`. A server on SQLite
 * as README starts it; `--keys 300` requests are approved one after another, and each key is
 * verified from the moment that it was answered until it opens. Then the same beside `--writes 50`
 * creates a second.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fullKeyRequest } from "../src/features/key-requests/key-requests.example.ts";
import { startKeydesk } from "./processes.ts";
import { asAdministrator, planOf } from "./small-desk.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "300" },
    writes: { type: "string", default: "50" },
  },
});
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-open-door-" });
const dataDir = join(folder, "data");
try {
  const server = await startKeydesk(dataDir);
  try {
    const call = (method: string, path: string, body?: object) =>
      asAdministrator(server, dataDir, method, path, body);
    await planOf(server, dataDir, { id: "plan-open", name: "Open" });
    let n = 0;
    const { date_created: _, ...full } = fullKeyRequest;
    const create = async () => {
      const id = `developer-${n++}`;
      const portal_developer = { ...full.portal_developer, id, email: "" };
      const body = { ...full, by_user: id, for_plan: "plan-open", apply_policies: ["plan-open"] };
      const { Message } = await call("POST", "/api/portal/requests", { ...body, portal_developer });
      return String(Message);
    };
    const lines = [await round("quiet", create, call)];
    const every = setInterval(() => void create(), 1000 / Number(values.writes));
    lines.push(await round(`beside ${values.writes} creates a second`, create, call));
    clearInterval(every);
    const head = ["", "approval, ms: p50", "p99", "answer to open door, ms: p50", "p99", "asked"];
    console.log(table(head, lines).join("\n"));
  } finally {
    await server.stop();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function round(
  name: string,
  create: () => Promise<string>,
  call: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>,
): Promise<string[]> {
  const approvals: number[] = [];
  const opens: number[] = [];
  let most = 0;
  for (let key = 0; key < Number(values.keys); key++) {
    const id = await create();
    const sent = performance.now();
    const { RawKey } = await call("PUT", `/api/portal/requests/approve/${id}`);
    const answered = performance.now();
    approvals.push(answered - sent);
    let asked = 0;
    for (let isOpen = false; !isOpen; asked++) {
      isOpen = (await call("POST", "/v1/keys/verify", { key: RawKey })).valid === true;
    }
    opens.push(performance.now() - answered);
    most = Math.max(most, asked);
  }
  const at = (times: number[], part: number) =>
    (times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? NaN).toFixed(1);
  return [
    name,
    at(approvals, 0.5),
    at(approvals, 0.99),
    at(opens, 0.5),
    at(opens, 0.99),
    `${most} times at the most`,
  ];
}
