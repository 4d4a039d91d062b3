/**
 * `deno run -A bench/developers.ts`: what the developer's pages cost as developers become many,
 * each with a key, its one-time link and two requests, one of which waits: processor time of the
 * server, and of PostgreSQL's processes, for each page, so that other work on the machine changes
 * little. Stores of each size are asked in turns. `--developers 1000,100000`, `--rounds 5`, `--each
 * 40`, `--engine sqlite,postgres`. Prints a table in Markdown for each engine.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { openServer } from "../src/open-server.ts";
import { findFirstOrganisation } from "../src/features/people/organisations.store.ts";
import { emptyDeveloper } from "../src/features/developers/developer.ts";
import { insertDeveloper } from "../src/features/developers/developers.store.ts";
import { draft, initially } from "../src/features/key-requests/draft-key-request.ts";
import { keyRequestInput } from "../src/features/key-requests/key-requests.contract.ts";
import { insertRequest, markIssued } from "../src/features/key-requests/key-requests.store.ts";
import { insertOneTimeLink } from "../src/features/keys/one-time-links/one-time-links.store.ts";
import { insertKey } from "../src/features/keys/keys.store.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { transactions } from "../src/transactions.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { middle } from "./compare.ts";
import { cpuOf, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    developers: { type: "string", default: "1000,100000" },
    rounds: { type: "string", default: "5" },
    each: { type: "string", default: "40" },
    engine: { type: "string", default: "sqlite,postgres" },
  },
});
const sizes = values.developers.split(",").map(Number);
const CHUNK = 1000;
/** Calls without an access token so far: each comes from another address. */
let called = 0;
/** Developers who look, far from each other. */
const WHO = 10;
const PLANS = 10;
const BEGAN_MS = Date.now() - 29 * 86_400_000;
const timeOf = (n: number) => BEGAN_MS + n * 20;
const keyOf = (n: number) => sha256(`key ${n}`);

const fillDevelopers = defineTransaction(
  "bench.developers",
  async (tx, { org_id, from, to, plans }: {
    org_id: string;
    from: number;
    to: number;
    plans: string[];
  }) => {
    for (let n = from; n < to; n++) {
      const id = `dev-${n}`;
      const at = new Date(timeOf(n)).toISOString();
      const plan = plans[n % PLANS] ?? "";
      const key_id = keyOf(n);
      const developer = { ...emptyDeveloper(id), org_id, email: `${id}@example.org` };
      await insertDeveloper(tx, org_id, {
        ...developer,
        date_created: at,
        keys: { [key_id]: [plan] },
      });
      const request = async (kind: string) => {
        const input = keyRequestInput.parse({ by_user: id, for_plan: plan, fields: { why: kind } });
        const request_id = sha256(`${kind} ${n}`).slice(0, 24);
        const { columns } = draft(input, { org_id, id: request_id }, initially(timeOf(n)));
        await insertRequest(tx, {
          ...columns,
          state: "pending",
          secrets: null,
          asked_end: null,
          policy: null,
          expires_at: null,
          due_at: null,
        });
        return columns;
      };
      const issued = await request("issued");
      await request("pending");
      await markIssued(tx, issued, {
        at,
        by: "bench",
        reason: null,
        message: null,
        granted: null,
        decided_on: "{}",
      });
      await insertKey(tx, {
        org_id,
        key_id,
        kind: "token",
        secret_hash: null,
        state: "active",
        developer_id: id,
        request_id: issued.id,
        plans: JSON.stringify([plan]),
        issued_at: at,
        mask: `${key_id.slice(0, 4)}…${key_id.slice(-4)}`,
        attempt_id: key_id,
        issued_by: "bench",
      });
      await insertOneTimeLink(tx, {
        org_id,
        key_id,
        id: sha256(`one-time link ${n}`).slice(0, 24),
        request_id: issued.id,
        hash: sha256(`token ${n}`),
        secret: "",
        created_by: "bench",
        created_at: at,
        expires_at: "2999-01-01T00:00:00.000Z",
      });
    }
  },
);

interface Store {
  readonly server: Server;
  readonly developers: number;
  readonly database: number | undefined;
  /** Who looks: the number and the cookie of each. */
  readonly who: readonly { n: number; cookie: string }[];
  readonly plans: readonly string[];
  readonly call: (method: string, path: string, body?: unknown) => Promise<Response>;
}

const pages: { name: string; path: (n: number, store: Store) => string }[] = [
  { name: "catalogue", path: () => "/portal" },
  { name: "keys", path: () => "/portal/keys" },
  { name: "one key", path: (n) => `/portal/keys/${keyOf(n)}` },
  { name: "requests", path: () => "/portal/requests" },
  { name: "ask", path: (n, { plans }) => `/portal/ask/${plans[n % PLANS]}` },
  { name: "account", path: () => "/portal/account" },
];

await using folder = await temporary();
await using postgres = await startPostgres({ durable: true });
const [pid] = (await Deno.readTextFile(join(postgres.folder, "data/postmaster.pid"))).split("\n");
for (const engine of values.engine.split(",")) {
  const stores: Store[] = [];
  for (const size of sizes) stores.push(await open(engine, size));
  const costs = [...pages.map(({ name }) => name), "a code is asked for"].map((name) => ({
    name,
    of: sizes.map((): number[] => []),
  }));
  for (let round = 0; round <= roundsOf(values.rounds); round++) {
    for (const { name, of } of costs) {
      for (const [at, store] of stores.entries()) {
        const micros = await cost(store, name, round);
        if (round > 0) of[at]?.push(micros);
      }
    }
  }
  for (const { server } of stores) await server.stop();
  console.log(engine);
  const head = ["page", ...sizes.map((size) => `${size.toLocaleString("en")}, µs`), "ratio"];
  const rows = costs.map(({ name, of }) => {
    const ratios = (of.at(-1) ?? []).map((micros, round) => micros / (of[0]?.[round] ?? NaN));
    const each = of.map((micros) => String(Math.round(middle(micros))));
    return [name, ...each, middle(ratios).toFixed(2)];
  });
  console.log(table(head, rows).join("\n"));
}

/** Microseconds of processor time of one look at a page. */
async function cost(store: Store, name: string, round: number): Promise<number> {
  const { server, database, who } = store;
  const each = Number(values.each);
  const [ofServer, ofDatabase] = await Promise.all([
    cpuOf([server.pid]),
    database === undefined ? () => Promise.resolve(0) : cpuOf([database], { children: true }),
  ]);
  for (let n = 0; n < each; n++) {
    const one = who[n % who.length];
    if (!one) throw new Error("nobody looks");
    const page = pages.find((page) => page.name === name);
    const answer = page
      ? await fetch(server.url + page.path(one.n, store), { headers: { cookie: one.cookie } })
      // Each address once: they have few codes.
      : await store.call("POST", "/v1/my/codes", {
        email: `dev-${(round * each + n) * 7 % store.developers}@example.org`,
      });
    await answer.bytes();
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  }
  return (await ofServer() + await ofDatabase()) / each;
}

async function open(engine: string, developers: number): Promise<Store> {
  const dataDir = join(folder.path, `${engine}-${developers}`);
  const settings: Record<string, string> = {
    KEYDESK_SMTP_URL: "smtp://127.0.0.1:9",
    KEYDESK_MAIL_FROM: "desk@example.org",
    KEYDESK_TRUSTED_PROXIES: "127.0.0.1",
    KEYDESK_SEALING_KEY: `1:${btoa("0123456789abcdef0123456789abcdef")}`,
    ...engine === "postgres" ? { KEYDESK_DATABASE_URL: await postgres.createDatabase() } : {},
  };
  await (await startKeydesk(dataDir, settings)).stop();
  const admin = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
  const setUp = await startKeydesk(dataDir, settings);
  const plans: string[] = [];
  const apis = [];
  for (let n = 0; n < PLANS; n++) {
    const made = await callAt(setUp, admin, "POST", "/api/portal/policies", {
      name: `Plan ${n}`,
      active: true,
      quota_max: 1000,
      quota_renewal_rate: 86_400,
      access_rights: { [`api-${n}`]: { api_id: `api-${n}`, api_name: `API ${n}` } },
    });
    const { Message: policy_id } = await made.json();
    plans.push(policy_id);
    apis.push({ name: `API ${n}`, show: true, api_id: `api-${n}`, policy_id });
  }
  await callAt(setUp, admin, "POST", "/api/portal/catalogue", { apis });
  await callAt(setUp, admin, "PUT", "/v1/developer-pages", { enabled: true });
  await callAt(setUp, admin, "POST", "/v1/channels", {
    kind: "mail",
    name: "Mail",
    topics: ["developer.*"],
  });
  await setUp.stop();
  await fill(dataDir, settings, developers, plans);
  const server = await startKeydesk(dataDir, settings);
  const call: Store["call"] = (method, path, body) => callAt(server, admin, method, path, body);
  const who = [];
  for (let at = 0; at < WHO; at++) {
    const n = Math.floor(at * developers / WHO);
    const { token } = await (await call("POST", `/v1/developers/dev-${n}/sign-in-links`)).json();
    const answer = await call("POST", "/v1/my/session", { link: token });
    await answer.body?.cancel();
    who.push({ n, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" });
  }
  return {
    server,
    developers,
    who,
    plans,
    call,
    database: engine === "postgres" ? Number(pid) : undefined,
  };
}

async function callAt(
  { url }: Server,
  authorization: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const headers = new Headers({ "content-type": "application/json" });
  if (path.startsWith("/v1/my/")) {
    headers.set("x-forwarded-for", `198.51.${called >> 8}.${called++ & 255}`);
  } else headers.set("authorization", authorization);
  const answer = await fetch(url + path, {
    method,
    headers,
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function fill(
  dataDir: string,
  settings: Record<string, string>,
  developers: number,
  plans: string[],
): Promise<void> {
  const desk = await openServer(readConfig({ KEYDESK_DATA_DIR: dataDir, ...settings }), {
    writer: { thread: false, transactions: [...transactions, fillDevelopers] },
  });
  const organisation = await findFirstOrganisation(desk.storage.reader);
  if (!organisation) throw new Error("there is no organisation");
  const { id: org_id } = organisation;
  for (let from = 0; from < developers; from += CHUNK) {
    const to = Math.min(developers, from + CHUNK);
    await desk.storage.commit(fillDevelopers, { org_id, from, to, plans });
  }
  await desk.storage.close();
}

async function temporary() {
  const path = await Deno.makeTempDir({ prefix: "keydesk-bench-developers-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
