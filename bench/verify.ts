/**
 * `deno run -A bench/verify.ts`: verify and forward-auth beside a bare server of the same runtime that answers
 * the same bytes and headers and reads the same bodies, under the same load in turns. One million keys are stored,
 * 100,000 of them presented one after the other. Prints a table in Markdown. `--keys`, `--used`, `--rounds`,
 * `--seconds`; `--keep DIR` keeps the store for another run.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Load, load, residentMiB, startBare, startKeydesk } from "./processes.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "1000000" },
    used: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    keep: { type: "string" },
  },
});
const API = "66f0a1b2c3d4e5f601234568";
const seconds = Number(values.seconds);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-" });
const dataDir = join(folder, `keys-${values.keys}`);
const keyList = join(folder, `used-${values.keys}-${values.used}.txt`);
await Deno.mkdir(folder, { recursive: true });
await fill();

const server = await startKeydesk(dataDir);
const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
const [firstKey = ""] = (await Deno.readTextFile(keyList)).split("\n", 1);
const rows: string[][] = [];
const atRest = await residentMiB(server.pid);

const forms = {
  verify: {
    path: "/v1/keys/verify",
    header: "Authorization",
    request: {
      method: "POST",
      headers: { authorization: credential },
      body: JSON.stringify({ key: firstKey, api_id: API }),
    },
  },
  forward: {
    path: "/v1/forward-auth",
    header: "X-Keydesk-Authorization",
    request: {
      headers: { "x-keydesk-authorization": credential, authorization: firstKey },
    },
  },
} as const;

for (const form of ["verify", "forward"] as const) await compare(form);
const afterwards = await residentMiB(server.pid);
await server.stop();
if (!values.keep) await Deno.remove(folder, { recursive: true });
console.log([
  "| what | Keydesk, requests/s | bare server | ratio | rounds |",
  "|---|---|---|---|---|",
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
  `| memory, ${Number(values.keys).toLocaleString("en")} keys stored | |`,
  "|---|---|",
  `| at rest | ${atRest.toFixed(0)} MiB |`,
  `| after ${Number(values.used).toLocaleString("en")} of them were used | ${
    afterwards.toFixed(0)
  } MiB |`,
].join("\n"));

async function compare(form: keyof typeof forms): Promise<void> {
  const { path, request } = forms[form];
  const query = form === "forward" ? `?api=${API}` : "";
  const answer = await fetch(`${server.url}${path}${query}`, request);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  const bodyFile = join(folder, "answer.txt");
  await Deno.writeTextFile(bodyFile, text);
  const bare = await startBare(bodyFile, ownHeaders(answer.headers));
  // Until every key has been seen once: afterwards nothing of it is read from the store.
  let seen = 0;
  while (seen < Number(values.used)) seen += (await run(form, server.url)).requests;
  await run(form, bare.url);
  const results: { ours: Load; bare: Load }[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const reference = await run(form, bare.url);
    const ours = await run(form, server.url);
    if (ours.failed > 0) throw new Error(`${path}: ${ours.failed} failed answers`);
    results.push({ ours, bare: reference });
  }
  await bare.stop();
  const ratios = results.map(({ ours, bare }) => ours.perSecond / bare.perSecond);
  const order = ratios.map((ratio, i) => ({ ratio, i })).sort((a, b) => a.ratio - b.ratio);
  const middle = order[Math.floor(order.length / 2)];
  const median = middle && results[middle.i];
  if (!median) return;
  rows.push([
    path,
    String(Math.round(median.ours.perSecond)),
    String(Math.round(median.bare.perSecond)),
    middle.ratio.toFixed(2),
    `${order.at(0)?.ratio.toFixed(2)}–${order.at(-1)?.ratio.toFixed(2)}`,
  ]);
  console.error(rows.at(-1)?.join("\t"));
}

/** What the answer says beyond what the runtime itself adds to every answer. */
function ownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => !["date", "vary", "content-length"].includes(name)),
  );
}

function run(form: keyof typeof forms, url: string): Promise<Load> {
  const { path, header } = forms[form];
  return load(url, seconds, {
    script: "bench/wrk/keys.lua",
    env: {
      ...{ BENCH_KEYS: keyList, BENCH_FORM: form, BENCH_PATH: path, BENCH_API: API },
      ...{ BENCH_HEADER: header, BENCH_CREDENTIAL: credential },
    },
  });
}

/** Starts once, so that the organisation is there, then fills. */
async function fill(): Promise<void> {
  try {
    await Deno.stat(keyList);
    return;
  } catch {
    await (await startKeydesk(dataDir)).stop();
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/fill-keys.ts", "--data", dataDir, "--keys", values.keys]
        .concat(["--used", values.used, "--list", keyList]),
    }).output();
    if (!success) throw new Error("filling the store failed");
  }
}
