/**
 * What checksums cost, against the code of another working copy: approvals, and looks at keys that
 * are not in memory. `deno run -A bench/checksums.ts --before DIR`: both in turns, in process and
 * on SQLite; medians. `--rounds 7`, `--keys 1000`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "7" },
    keys: { type: "string", default: "1000" },
    measure: { type: "string" },
  },
});

/** Milliseconds of each kind of work, a thousand times. */
interface Measured {
  approve: number;
  cold: number;
}

if (values.measure) console.log(JSON.stringify(await measure(values.measure)));
else if (values.before) await compare(values.before);
else console.error("--before DIR: the working copy to compare with");

async function compare(before: string): Promise<void> {
  const now = fileURLToPath(new URL("..", import.meta.url));
  const sides = [["before", before], ["now", now]] as const;
  const seen: Record<string, Measured[]> = { before: [], now: [] };
  for (let round = 0; round < roundsOf(values.rounds); round++) {
    for (const [name, tree] of round % 2 === 0 ? sides : sides.toReversed()) {
      const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          fileURLToPath(import.meta.url),
          "--measure",
          tree,
          "--keys",
          values.keys,
        ],
        cwd: tree,
      }).output();
      if (!success) throw new Error(new TextDecoder().decode(stderr));
      const line = new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";
      seen[name]?.push(JSON.parse(line));
    }
  }
  for (const kind of ["approve", "cold"] as const) {
    const [old = 0, new_ = 0] = sides.map(([name]) =>
      median(seen[name]?.map((m) => m[kind]) ?? [])
    );
    const change = ((new_ / old - 1) * 100).toFixed(1);
    console.log(`${kind}: ${old.toFixed(3)} ms before, ${new_.toFixed(3)} ms now, ${change} %`);
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** One working copy's figures, a piece of work each. */
async function measure(tree: string): Promise<Measured> {
  const { openApplication } = await import(join(tree, "src/server.ts"));
  const { readConfig } = await import(join(tree, "src/config.ts"));
  const { transactions } = await import(join(tree, "src/transactions.ts"));
  const { createLog } = await import(join(tree, "src/kernel/log.ts"));
  const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-" });
  const admin = "administrator-of-the-benchmark-0000001";
  const config = readConfig({ KEYDESK_DATA_DIR: folder, KEYDESK_ADMIN_TOKEN: admin });
  const open = () =>
    openApplication(config, {
      writer: { thread: false, transactions },
      log: createLog("silent", () => {}),
    });
  const app = await open();
  const send = async (to: typeof app, method: string, path: string, body: unknown) => {
    const init = { method, headers: { authorization: admin }, body: JSON.stringify(body) };
    const answer = await to.fetch(new Request(`http://desk${path}`, init));
    const told = await answer.json();
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(told)}`);
    return told;
  };
  const count = Number(values.keys);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const request = {
      by_user: `dev-${n}`,
      for_plan: "plan",
      apply_policies: ["plan"],
      version: "v2",
    };
    ids.push((await send(app, "POST", "/api/portal/requests", request)).Message);
  }
  const keys: string[] = [];
  const approving = performance.now();
  for (const id of ids) {
    keys.push((await send(app, "PUT", `/api/portal/requests/approve/${id}`, {})).RawKey);
  }
  const approve = (performance.now() - approving) / count;
  // A memory of its own: every key is looked for in the store.
  const fresh = await open();
  await send(fresh, "POST", "/v1/keys/verify", { key: "warm" });
  const looking = performance.now();
  for (const key of keys) await send(fresh, "POST", "/v1/keys/verify", { key });
  const cold = (performance.now() - looking) / count;
  for (const one of [app, fresh]) {
    one.ctx.passwords.close();
    await one.ctx.storage.close();
  }
  await Deno.remove(folder, { recursive: true });
  return { approve, cold };
}
