/**
 * What approvals and creates cost the thread that writes, this code against the code of other
 * working copies: `deno run -A bench/write-path.ts --trees before=DIR,now=.`. Groups as the server
 * makes them, in turns, on SQLite and in one process each; processor time of that thread alone, the
 * runtime's other threads excluded, in microseconds a change, with what the audit log's log takes
 * for taking the rows in apart, and the search for each request that was created. Every row names a
 * call with its address. `--rounds 20`, `--groups 12`, `--rows 40000`. Fit for a loaded machine.
 * `--profile DIR` writes a CPU profile of each.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    trees: { type: "string" },
    rounds: { type: "string", default: "20" },
    groups: { type: "string", default: "12" },
    rows: { type: "string", default: "40000" },
    profile: { type: "string" },
    measure: { type: "string" },
  },
});

/** Changes of a group: what 64 callers at once fall into. */
const GROUP = 27;
const kinds = ["approve", "append", "create", "index"] as const;
/**
 * Of one kind: microseconds of processor, and kibibytes written to log and store, for each change.
 */
interface Spent {
  micros: number;
  written: number;
}
type Figures = Record<typeof kinds[number], Spent>;

if (values.measure) await serve(values.measure);
else await compare();

async function compare(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-write-" });
  const trees = (values.trees ?? "now=.").split(",").map((word) => {
    const [name = "", tree = ""] = word.split("=");
    return { name, tree: resolve(tree) };
  });
  const sides: { name: string; side: Awaited<ReturnType<typeof start>> }[] = [];
  const seen = new Map<string, Figures[]>();
  try {
    for (const { name, tree } of trees) {
      sides.push({ name, side: await start(tree, join(folder, name)) });
      seen.set(name, []);
    }
    for (let round = 0; round <= roundsOf(values.rounds); round++) {
      for (const { name, side } of round % 2 === 0 ? sides : sides.toReversed()) {
        const figures = await side.round();
        if (round > 0) seen.get(name)?.push(figures);
      }
    }
  } finally {
    for (const { side } of sides) await side.stop();
    await Deno.remove(folder, { recursive: true });
  }
  const [first] = sides;
  const rows = kinds.flatMap((kind) =>
    sides.map(({ name }) => {
      const of = (name: string) => seen.get(name)?.map((one) => one[kind].micros) ?? [];
      const [own, base] = [of(name), of(first?.name ?? "")];
      const written = seen.get(name)?.map((one) => one[kind].written) ?? [];
      const ratios = own.map((value, i) => value / (base[i] ?? 1));
      const [low, middle, high] = [0, 0.5, 1].map((part) => quantile(ratios, part).toFixed(2));
      return [
        kind,
        name,
        quantile(own, 0.5).toFixed(1),
        quantile(own, 0).toFixed(1),
        middle ?? "",
        `${low} to ${high}`,
        quantile(written, 0.5).toFixed(1),
      ];
    })
  );
  console.log(
    table(["what", "code", "µs each", "least", "ratio", "rounds", "KiB written"], rows).join("\n"),
  );
}

async function start(tree: string, dataDir: string) {
  const profile = values.profile === undefined
    ? []
    : ["--cpu-prof", `--cpu-prof-dir=${resolve(values.profile)}`];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      ...profile,
      fileURLToPath(import.meta.url),
      "--measure",
      tree,
      "--rows",
      values.rows,
      "--groups",
      values.groups,
    ],
    cwd: tree,
    env: { BENCH_DATA: dataDir },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.read();
    if (done) throw new Error(`${tree}: the process ended`);
    return value.includes("{") ? value.slice(value.indexOf("{")) : await line();
  };
  await line();
  return {
    round: async (): Promise<Figures> => {
      await input.write(new TextEncoder().encode("go\n"));
      return JSON.parse(await line());
    },
    stop: async () => {
      await input.close();
      await child.status;
    },
  };
}

/** One working copy: fills a store, then does a round for each line that comes in. */
async function serve(tree: string): Promise<void> {
  // Where a module stands in this code, and where it stood in earlier code.
  const load = (...paths: string[]) =>
    import(join(tree, paths.find((path) => existsSync(join(tree, path))) ?? paths[0] ?? ""));
  const { openServer } = await load("src/open-server.ts");
  const { openApplication } = await load("src/server.ts");
  const { readConfig } = await load("src/config.ts");
  const { createLog } = await load("src/kernel/log.ts");
  const { transactions } = await load("src/transactions.ts");
  const { approveTransaction } = await load("src/features/key-requests/approve.transactions.ts");
  const { createTransaction } = await load(
    "src/features/key-requests/key-requests.transactions.ts",
  );
  const { indexChanges } = await load("src/features/key-requests/search.transactions.ts");
  const { draft, initially } = await load("src/features/key-requests/draft-key-request.ts");
  const { keyRequestInput } = await load("src/features/key-requests/key-requests.contract.ts");
  const { fullKeyRequest } = await load("src/features/key-requests/key-requests.example.ts");
  const { newAttempt } = await load(
    "src/features/keys/key-kinds.ts",
    "src/features/keys/credential.ts",
    "src/features/credentials/credential.ts",
  );
  const { findFirstOrganisation } = await load(
    "src/features/people/organisations.store.ts",
    "src/features/people/access.store.ts",
  );
  const { newId } = await load("src/kernel/ids.ts");
  const appender = await load("src/maintenance/audit-log/appender.ts").catch(() => undefined);

  const data = Deno.env.get("BENCH_DATA") ?? "";
  const config = readConfig({ KEYDESK_DATA_DIR: data });
  const writer = { writer: { thread: false, transactions } };
  const app = await openApplication(config, { ...writer, log: createLog("silent", () => {}) });
  app.ctx.passwords.close();
  await app.ctx.storage.close();
  const fill = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "bench/fill.ts",
      "--data",
      data,
      "--rows",
      values.rows ?? "",
      "--ids",
      `${data}.ids`,
    ],
    stdout: "null",
  }).output();
  if (!fill.success) throw new Error(new TextDecoder().decode(fill.stderr));
  const ids = (await Deno.readTextFile(`${data}.ids`)).trim().split("\n").reverse();
  const desk = await openServer(config, writer);
  const { id: org_id } = await findFirstOrganisation(desk.storage.reader);
  const actor = (): unknown => ({
    org_id,
    user_id: newId(Date.now()),
    token_id: newId(Date.now()),
    now: Date.now(),
    call: { session: "", request_id: crypto.randomUUID(), client_address: "192.0.2.17" },
  });
  const approvals = (n: number) =>
    Array.from({ length: n }, () => ({
      actor: actor(),
      id: ids.pop() ?? "",
      attempt: newAttempt({ name: "legacy" }),
      mayApprove: true,
      by: { kind: "approver" },
      ifMatch: null,
      reason: null,
      idempotency: null,
    }));
  const creates = (n: number) =>
    Array.from({ length: n }, () => {
      const now = Date.now();
      const by_user = `developer-${Math.floor(Math.random() * ids.length / 20)}`;
      const body = keyRequestInput.parse({
        ...fullKeyRequest,
        by_user,
        for_plan: "plan-1",
        apply_policies: ["plan-1"],
        portal_developer: { ...fullKeyRequest.portal_developer, id: by_user },
      });
      return {
        actor: actor(),
        references: "lenient",
        draft: draft(body, { org_id, id: newId(now) }, initially(now)),
        limits: { developer: 1000, organisation: 1_000_000, careful: false },
        idempotency: null,
      };
    });
  const commitAll = async (transaction: unknown, inputs: readonly unknown[]) => {
    for (let i = 0; i < inputs.length; i += GROUP) {
      await Promise.all(
        inputs.slice(i, i + GROUP).map((input) => desk.storage.commit(transaction, input)),
      );
    }
  };
  const append = async () => await appender?.appendAll(desk);
  const index = async () => {
    while (await desk.storage.commit(indexChanges, { from: "" }) > 0);
  };
  await append();

  console.log("{}");
  const each = Number(values.groups) * GROUP;
  for await (const _ of Deno.stdin.readable) {
    const inputs = { approve: approvals(each), create: creates(each) };
    const figures: Figures = {
      approve: await spent(each, () => commitAll(approveTransaction, inputs.approve)),
      append: await spent(each, append),
      create: await spent(each, () => commitAll(createTransaction, inputs.create)),
      index: await spent(each, index),
    };
    await append();
    console.log(JSON.stringify(figures));
  }
  desk.passwords?.close();
  await desk.storage.close();
}

/** What the calling thread spends on `n` changes. */
async function spent(n: number, work: () => Promise<unknown>): Promise<Spent> {
  const look = async () => {
    const own = `/proc/self/task/${Deno.pid}`;
    const nanos = Number((await Deno.readTextFile(`${own}/schedstat`)).split(" ")[0]);
    const bytes = Number(/wchar: (\d+)/.exec(await Deno.readTextFile(`${own}/io`))?.[1]);
    return { nanos, bytes };
  };
  const before = await look();
  await work();
  const after = await look();
  return {
    micros: (after.nanos - before.nanos) / 1000 / n,
    written: (after.bytes - before.bytes) / 1024 / n,
  };
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}
