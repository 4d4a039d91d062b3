/**
 * `deno run -A bench/certificates.ts`: the certificate inventory at a thousand and at a million
 * certificates, beside a bare server of the same runtime that answers the same bytes. Prints tables
 * in Markdown. `--rows 1000000`, `--seconds 3`, `--rounds 3`, `--keep FOLDER` keeps the stores for
 * another run, `--fill` only makes them, with `--minutes 60` as many as there is time for,
 * `--skip-stream` leaves out what gives or takes all at once.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { openServer, type ServerCall } from "../src/open-server.ts";
import { findFirstOrganisation } from "../src/features/people/organisations.store.ts";
import { type CertificateEntry, toEntry } from "../src/features/certificates/certificate-entry.ts";
import { pageOf } from "../src/features/certificates/certificate-pages.ts";
import { kindOf } from "../src/features/certificates/certificate.ts";
import {
  allotPositions,
  insertCertificate,
} from "../src/features/certificates/certificates.store.ts";
import { readCertificate } from "../packages/x509/x509.ts";
import { select } from "../src/features/certificates/selection.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { transactions } from "../src/transactions.ts";
import { asn1Time, made } from "../test/support/certificates.ts";
import { load, residentMiB, startBare, startKeydesk } from "./processes.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    import: { type: "string", default: "10000" },
    keep: { type: "string" },
    fill: { type: "boolean", default: false },
    minutes: { type: "string", default: "Infinity" },
    "skip-stream": { type: "boolean", default: false },
  },
});
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-" });
await Deno.mkdir(folder, { recursive: true });
const DAY_MS = 86_400_000;
const CHUNK = 2000;
const NOW = Date.now();

const wanted = [1000, Number(values.rows)];
/** Of these as many as could be made. */
const sizes: number[] = [];
const calls: [name: string, query: (pages: number, rows: number) => string][] = [
  ["page 1", () => "mode=detailed&p=1"],
  ["page 1, basics", () => "p=1"],
  ["page 50", () => "mode=detailed&p=50"],
  ["page 500", () => "mode=detailed&p=500"],
  ["the middle page", (pages) => `mode=detailed&p=${Math.ceil(pages / 2)}`],
  ["the last page", (pages) => `mode=detailed&p=${pages}`],
  ["filter with_pk", () => "mode=detailed&filter=with_pk&p=2"],
  ["filter without_pk", () => "mode=detailed&filter=without_pk&p=2"],
  ["status expiring", () => "mode=detailed&status=expiring"],
  ["status expired, authorities", () => "mode=detailed&status=expired&is_ca=true"],
  ["expires_before", () => `mode=detailed&expires_before=${new Date(NOW).toISOString()}`],
  ["search, many matches", () => "mode=detailed&q=example.org"],
  ["search, one match", (_, rows) => `mode=detailed&q=host-${rows - 5}.`],
  ["search, no match", () => "mode=detailed&q=nothing-like-this"],
  ["search, sorted", () => "mode=detailed&q=example.org&sort=subject_cn"],
  ["sort not_after", () => "mode=detailed&sort=not_after"],
  ["sort subject_cn, page 500", () => "mode=detailed&sort=subject_cn&p=500"],
  ["sort subject_cn, last page", (pages) => `mode=detailed&sort=subject_cn&p=${pages}`],
  [
    "sort subject_cn, middle page",
    (pages) => `mode=detailed&sort=subject_cn&p=${Math.ceil(pages / 2)}`,
  ],
  ["sort not_after, newest, page 500", () => "mode=detailed&sort=not_after&direction=desc&p=500"],
  ["newest first", () => "mode=detailed&direction=desc"],
];

const table = new Map<string, string[]>();
const anew: string[] = [];
const notes: string[] = [];
if (values.fill) {
  for (const rows of wanted) await filled(rows);
} else {
  for (const rows of wanted) await measure(rows);
  if (!values["skip-stream"]) await measureImport(Number(values.import));
  print();
}
if (!values.keep) await Deno.remove(folder, { recursive: true });

/** A store of so many certificates, made where it is not there yet, and how many there are. */
async function filled(wanted: number): Promise<{ data: string; rows: number }> {
  const data = join(folder, `certificates-${wanted}`);
  const made = await Deno.readTextFile(join(data, "filled")).catch(() => undefined);
  if (made !== undefined) return { data, rows: Number(made) };
  await Deno.remove(data, { recursive: true }).catch(() => {});
  const started = performance.now();
  const rows = await fill(data, wanted);
  await Deno.writeTextFile(join(data, "filled"), String(rows));
  const { size } = await Deno.stat(join(data, "keydesk.db"));
  const took = ((performance.now() - started) / 1000).toFixed(0);
  notes.push(`${rows} certificates made in ${took} s, ${(size / 2 ** 20).toFixed(0)} MiB`);
  console.error(notes.at(-1));
  return { data, rows };
}

async function measure(wanted: number): Promise<void> {
  const { data, rows } = await filled(wanted);
  sizes.push(rows);
  // A file that was not read yet would measure the disk.
  for await (const _ of (await Deno.open(join(data, "keydesk.db"))).readable);
  const server = await startKeydesk(data);
  const authorization = (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
  const pages = Math.ceil(rows / 10);
  const [ready, rest] = [server.readyMs.toFixed(0), (await residentMiB(server.pid)).toFixed(0)];
  notes.push(`${rows} certificates: ready after ${ready} ms, ${rest} MiB`);
  for (const [name, query] of calls) {
    const url = `${server.url}/api/certs?${query(pages, rows)}`;
    const cells = table.get(name) ?? [];
    table.set(name, [...cells, ...await compare(url, authorization)]);
    console.error(name, rows, table.get(name)?.join("  "));
  }
  await anyPage(server.url, authorization, pages);
  await server.stop();
  await threadTimes(data, rows);
  if (values["skip-stream"]) return;
  for (
    const path of [
      "?p=-1&mode=detailed&sort=subject_cn",
      "?p=-1&mode=detailed",
      "?p=-1",
      "/export?format=csv",
    ]
  ) {
    await stream(data, rows, path);
  }
}

/** Pages at random: hardly one of them is among the answers that are kept. */
async function anyPage(url: string, authorization: string, pages: number): Promise<void> {
  const list = join(folder, "pages.txt");
  const random = Array.from({ length: 50_000 }, () => 1 + Math.floor(Math.random() * pages));
  await Deno.writeTextFile(list, random.join("\n"));
  const answer = await fetch(`${url}/api/certs?mode=detailed&p=7`, { headers: { authorization } });
  const file = join(folder, "answer.json");
  await Deno.writeTextFile(file, await answer.text());
  const bare = await startBare(file);
  const headers = [`Authorization: ${authorization}`];
  const env = { BENCH_IDS: list, BENCH_PREFIX: "/api/certs?mode=detailed&p=" };
  const ratios: number[] = [];
  let best = 0;
  for (let round = 0; round < roundsOf(values.rounds); round++) {
    const reference = await load(bare.url, Number(values.seconds), { headers });
    const options = { headers, env, script: "bench/wrk/from-list.lua" };
    const ours = await load(url, Number(values.seconds), options);
    ratios.push(ours.perSecond / reference.perSecond);
    best = Math.max(best, ours.perSecond);
  }
  await bare.stop();
  const ratio = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  const cells = table.get("any page at random") ?? [];
  table.set("any page at random", [...cells, best.toFixed(0), "", ratio.toFixed(2)]);
}

/** Milliseconds of the serving thread for a page made anew, by selection and place. */
async function threadTimes(data: string, rows: number): Promise<void> {
  const desk = await openServer(readConfig({ KEYDESK_DATA_DIR: data }), {
    writer: { thread: false, transactions },
  });
  const organisation = await findFirstOrganisation(desk.storage.reader);
  if (!organisation) throw new Error("the store has no organisation");
  const principal = { org_id: organisation.id, user_id: "", token_id: "", permissions: [] };
  // as: a page needs the store, the caller and the size of pages only.
  const ctx = { ...desk, settings: { pageSize: 10 }, principal } as unknown as ServerCall;
  const narrowings = [{}, { has_private: true }, { has_private: false }];
  for (const sort of ["date_added", "not_after", "subject_cn"] as const) {
    for (const direction of ["asc", "desc"] as const) {
      const cells: string[] = [];
      for (const narrowed of narrowings) {
        const selection = select({ sort, direction, ...narrowed }, NOW);
        const { total } = await pageOf(ctx, selection, "details", 0);
        for (const offset of [0, 4990, total >> 1, total - 10]) {
          const at = Math.min(offset, total - 10);
          const times: number[] = [];
          for (let i = 0; i < 101; i++) {
            const started = performance.now();
            await pageOf(ctx, selection, "details", at);
            times.push(performance.now() - started);
          }
          cells.push((times.sort((a, b) => a - b)[50] ?? 0).toFixed(2));
        }
      }
      anew.push(`| ${rows} | ${sort} ${direction} | ${cells.join(" | ")} |`);
    }
  }
  await desk.storage.close();
}

/**
 * Answers per second, the time of one alone in milliseconds, and the share of what the bare server
 * gives.
 */
async function compare(url: string, authorization: string): Promise<string[]> {
  const ask = async () => {
    const started = performance.now();
    const answer = await fetch(url, { headers: { authorization } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`);
    return { text, ms: performance.now() - started };
  };
  const { text } = await ask();
  const alone = [];
  for (let i = 0; i < 11; i++) alone.push((await ask()).ms);
  const median = alone.sort((a, b) => a - b)[5] ?? 0;
  const file = join(folder, "answer.json");
  await Deno.writeTextFile(file, text);
  const bare = await startBare(file);
  const headers = [`Authorization: ${authorization}`];
  const ratios: number[] = [];
  let best = 0;
  for (let round = 0; round < roundsOf(values.rounds); round++) {
    const reference = await load(bare.url, Number(values.seconds), { headers });
    const ours = await load(url, Number(values.seconds), { headers });
    if (ours.failed > 0) throw new Error(`${url}: ${ours.failed} failed`);
    ratios.push(ours.perSecond / reference.perSecond);
    best = Math.max(best, ours.perSecond);
  }
  await bare.stop();
  const ratio = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  return [best.toFixed(0), median.toFixed(2), ratio.toFixed(2)];
}

/** Everything out of a fresh server, and its resident memory meanwhile. */
async function stream(data: string, rows: number, path: string): Promise<void> {
  const server = await startKeydesk(data);
  const authorization = (await Deno.readTextFile(join(data, "administrator-credential"))).trim();
  const started = performance.now();
  const answer = await fetch(`${server.url}/api/certs${path}`, { headers: { authorization } });
  let bytes = 0;
  let sampled = 0;
  let peak = await residentMiB(server.pid);
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes - sampled < 8 * 1024 * 1024) continue;
    sampled = bytes;
    peak = Math.max(peak, await residentMiB(server.pid));
  }
  const seconds = (performance.now() - started) / 1000;
  notes.push(
    `${path} of ${rows}: ${(bytes / 2 ** 20).toFixed(0)} MiB in ${seconds.toFixed(1)} s, ` +
      `${(rows / seconds).toFixed(0)} certificates/s, server at most ${peak.toFixed(0)} MiB`,
  );
  console.error(notes.at(-1));
  await server.stop();
}

/** `keydesk certs import` of one bundle into an empty store, durable. */
async function measureImport(count: number): Promise<void> {
  const data = join(folder, "import");
  await Deno.remove(data, { recursive: true }).catch(() => {});
  await (await startKeydesk(data)).stop();
  const file = join(folder, "bundle.pem");
  const pems = Array.from({ length: count }, (_, n) => pemOf(n, count));
  await Deno.writeTextFile(file, pems.join(""));
  const started = performance.now();
  const { success } = await new Deno.Command("node", {
    args: ["bin/keydesk.js", "certs", "import", file],
    env: { KEYDESK_DATA_DIR: data },
  }).output();
  const seconds = (performance.now() - started) / 1000;
  if (!success) throw new Error("the import was refused");
  notes.push(
    `import of ${count}: ${seconds.toFixed(1)} s, ${
      (count / seconds).toFixed(0)
    } certificates/s, ` +
      "start of the command included",
  );
}

function pemOf(n: number, total: number): string {
  // From three years ago to seven years ahead: a few in the next thirty days, nearly a third has
  // ended.
  const ends = NOW + Math.floor(((n * 7919) % total) / total * 3650 - 1095) * DAY_MS;
  const domain = `host-${n}.example.org`;
  return made({
    cn: domain,
    dns: [domain, `*.${domain}`],
    from: asn1Time(ends - 398 * DAY_MS),
    to: asn1Time(ends),
    ca: n % 50 === 0,
    serial: (0x1000000 + n).toString(16).padStart(8, "0"),
  });
}

/**
 * Rows out of one real certificate, with names, times and fingerprint of their own: parsing a
 * million would only measure the parser.
 */
function entryOf(org_id: string, template: CertificateTemplate, n: number, total: number) {
  const domain = `host-${n}.example.org`;
  const ends = NOW + Math.floor(((n * 7919) % total) / total * 3650 - 1095) * DAY_MS;
  const time = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const fingerprint = createHash("sha256").update(`certificate ${n}`).digest("hex");
  return toEntry(org_id, {
    ...template,
    fingerprint,
    is_ca: n % 50 === 0,
    dns_names: [domain, `*.${domain}`],
    subject_cn: domain,
    subject: { ...template.subject, CommonName: domain },
    issuer_cn: `Issuing CA ${n % 20}`,
    serial_number: (0x1000000 + n).toString(16),
    not_before: time(ends - 398 * DAY_MS),
    not_after: time(ends),
  }, NOW);
}

type CertificateTemplate = ReturnType<typeof readCertificate>;

/** Gives how many there was time for. */
async function fill(data: string, total: number): Promise<number> {
  await (await startKeydesk(data)).stop();
  const body = made({ cn: "template" }).replaceAll(/-----.*?-----|\n/g, "");
  const template = readCertificate(new Uint8Array(Buffer.from(body, "base64")));
  const fillRows = defineTransaction(
    "bench.certificates",
    async (tx, input: { org_id: string; from: number; to: number }) => {
      const { org_id, from, to } = input;
      const first = await allotPositions(tx, org_id, to - from);
      for (let n = from; n < to; n++) {
        const entry: CertificateEntry = entryOf(org_id, template, n, total);
        const private_key = n % 10 === 0 ? "1.c2VhbGVk" : null;
        const place = {
          position: first + n - from,
          kind: kindOf(private_key !== null, entry.is_ca),
        };
        await insertCertificate(tx, org_id, { ...entry, private_key }, place);
      }
    },
  );
  const desk = await openServer(readConfig({ KEYDESK_DATA_DIR: data }), {
    writer: { thread: false, transactions: [...transactions, fillRows] },
  });
  const organisation = await findFirstOrganisation(desk.storage.reader);
  if (!organisation) throw new Error("the store has no organisation");
  const ends = performance.now() + Number(values.minutes) * 60_000;
  let from = 0;
  for (; from < total && performance.now() < ends; from += CHUNK) {
    const to = Math.min(total, from + CHUNK);
    await desk.storage.commit(fillRows, { org_id: organisation.id, from, to });
    if (from % 100_000 === 0) console.error(`${from} of ${total}`);
  }
  await desk.storage.close();
  return Math.min(from, total);
}

function print(): void {
  const heads = sizes.flatMap((rows) => [`${rows}: /s`, "ms", "of bare"]);
  console.log(`| call | ${heads.join(" | ")} |`);
  console.log(`|---|${heads.map(() => "---:").join("|")}|`);
  for (const [name, cells] of table) console.log(`| ${name} | ${cells.join(" | ")} |`);
  const places = ["all", "with_pk", "without_pk"].flatMap((filter) =>
    ["1", "500", "middle", "last"].map((page) => `${filter}: ${page}`)
  );
  console.log(`\n| rows | order | ${places.join(" | ")} |`);
  console.log(`|---:|---|${places.map(() => "---:").join("|")}|\n${anew.join("\n")}`);
  console.log(`\n${notes.map((note) => `* ${note}`).join("\n")}`);
}
