/**
 * Walks every query member of every GET, and every member of a job's filter: whatever the contract
 * lists narrows, orders or cuts what is answered, by itself and beside each other one. A member
 * that nobody reads fails here without a line of this test.
 */
import assert from "node:assert/strict";
import { z } from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { toTimestamp } from "../../src/kernel/clock.ts";
import { startJob } from "../../src/features/jobs/jobs.operations.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../support/desk.ts";
import { type FilledLists, fillLists } from "../support/filled-lists.ts";
import { placeForGateway, standIn } from "../support/gateway.ts";
import { engineOf, laterEachTime, work } from "../support/jobs.ts";
import { openDesk } from "../support/leaks.ts";
import { call } from "../support/people.ts";
import { receiver } from "../support/receiver.ts";

/** Members that order, cut or regroup a list: with another value it is another answer. */
const ORDERS = ["limit", "cursor", "p", "sort", "direction", "format", "mode", "res", "by", "last"];

/** GETs that answer with figures: what is narrowed has others. */
const FIGURES = ["getUsage", "getUsageOfKeys", "getKeyActivity", "getKeysActivity"]
  .concat("countCertificates", "countSelection");

/** GETs whose query narrows nothing, and what it does. */
const NO_LISTS: Readonly<Record<string, string>> = {
  readyz: "`for` says to whom the node is to be ready",
  forwardAuth: "it says which API is called",
  downloadCertificate: "`chain` adds certificates",
  draftMigrationMails: "`language` is that of the texts",
  getKeyExpiry: "`plans` are those that the key would be given",
};

/** What lists are asked with besides, where they need it. */
const NEEDED: Readonly<Record<string, (filled: FilledLists) => string>> = {
  listMailedLinks: ({ requests }) => `ids=${requests.slice(0, 2)}`,
  listSignIns: ({ people }) => `ids=${people.slice(0, 2)}`,
  getUsageOfKeys: ({ keys }) => `keys=${keys.slice(0, 2)}`,
  exportClassicCertificates: () => "format=jsonl",
  listCanaryRuns: () => "hours=24",
  listClassicCertificates: () => "mode=detailed",
  // The log tells of its own exports.
  listAuditLog: ({ moment }) => `before=${moment}`,
  exportAuditLog: ({ moment }) => `before=${moment}`,
};

/** What members are tried with, where their schema does not tell. */
const TRIED: Readonly<Record<string, (filled: FilledLists) => readonly string[]>> = {
  "listMailedLinks ids": ({ requests }) => [`ids=${requests[0]}`],
  "listSignIns ids": ({ people }) => [`ids=${people[0]}`],
  "getUsageOfKeys keys": ({ keys }) => [`keys=${keys[0]}`],
  "listAuditLog before": () => ["before=1971-01-01T00:00:00Z"],
  "exportAuditLog before": () => ["before=1971-01-01T00:00:00Z"],
  "getUsage to": () => ["from=2020-01-01&to=2020-01-02"],
};

/** Members that ask for another list than the one without them. */
const OTHER_LISTS = ["listClassicKeyRequests declined", "listMigrationKeys seen"];

/** Ids and words of nobody and nothing, in the forms that there are. */
const NOBODYS = ["0123456789abcdef01234567", "0".repeat(64), "nobody-has-this", "1"];

interface Answer {
  readonly status: number;
  readonly rows: readonly string[];
  readonly text: string;
  readonly next: string | null;
}

/** One list, or what is like one, as it is asked with this query. */
type Ask = (query: string) => Promise<Answer>;

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const { status } = response;
  if (status !== 200) return { status, rows: [], text, next: null };
  if (response.headers.get("content-type")?.startsWith("text/csv")) {
    return { status, rows: text.trim().split("\r\n").slice(1), text, next: null };
  }
  if (response.headers.get("content-type")?.startsWith("application/jsonl")) {
    return { status, rows: text.split("\n").filter((line) => line !== ""), text, next: null };
  }
  if (response.headers.get("content-type")?.startsWith("application/x-pem-file")) {
    return { status, rows: text.split(/(?<=-----END CERTIFICATE-----\n)/), text, next: null };
  }
  const answer = JSON.parse(text);
  const rows = rowsIn(answer).map((row) => JSON.stringify(row));
  return { status, rows, text, next: answer.next_cursor ?? null };
}

/** The rows of a list of any of the interface's forms; what is no list is one row. */
function rowsIn(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  const members = Object.entries(answer ?? {});
  const inner = members.flatMap(([name, value]) => name === "data" ? Object.values(value) : []);
  const lists = [...members.map(([, value]) => value), ...inner].filter(Array.isArray);
  return lists.toSorted((a, b) => b.length - a.length)[0] ?? [answer];
}

/** The members of a GET's query, by name; but what marks a file (csv-mark.test.ts). */
function membersOf({ query }: Endpoint): [string, z.ZodType][] {
  if (query === undefined) return [];
  assert.ok(query instanceof z.ZodObject, "a query lists its members");
  // as: an object's shape holds schemas.
  return Object.entries(query.shape).filter(([name]) => name !== "bom") as [string, z.ZodType][];
}

function pathOf({ path, id }: Endpoint, { ids, keys, moment }: FilledLists): string {
  const [year = "", month = "", day = ""] = moment.slice(0, 10).split("-");
  const dates = { from_day: "1", from_month: "1", from_year: year };
  const [, list = ""] = /^\/v1\/([^/]+)\/\{/.exec(path) ?? [];
  const values: Record<string, string | undefined> = {
    ...dates,
    to_day: day,
    to_month: month,
    to_year: year,
    id: ids[list],
    api: "weather",
    hash: keys[0],
    keys: keys.slice(0, 2).join(","),
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    assert.ok(value, `${id} needs a value for ${name}`);
    return encodeURIComponent(value);
  });
}

/** Values of a member by its schema; those of text among the rows that go by its name, too. */
function valuesOf(name: string, schema: z.ZodType, rows: readonly string[]): string[] {
  const { $defs = {}, ...own } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  // A schema with a name of its own stands beside.
  const { enum: words, format, pattern } = { ...Object.values($defs)[0], ...own };
  if (words) return words.map(String);
  if (format === "date-time") return ["1971-01-01T00:00:00Z", "2097-01-01T00:00:00Z"];
  if (format === "date") return [toTimestamp(Date.now()).slice(0, 10)];
  if (/before|after|since/.test(name)) return ["1971-01-01T00:00:00Z", "2097-01-01T00:00:00Z"];
  if (pattern?.includes("\\d") || name === "hours") return ["1", "2"];
  return [...NOBODYS, ...wordsIn(name, rows)];
}

/** Texts of the first rows whose own names are like a member's. */
function wordsIn(name: string, rows: readonly string[]): string[] {
  const found = new Set<string>();
  const isLike = (own: string) =>
    own.startsWith(name) || (name === "q" && /name|cn|mail/.test(own));
  const look = (value: unknown, own: string): void => {
    if (typeof value === "string" && value !== "" && isLike(own)) found.add(value);
    if (typeof value !== "object" || value === null) return;
    for (const [inner, one] of Object.entries(value)) look(one, Array.isArray(value) ? own : inner);
  };
  for (const row of rows.slice(0, 20)) if (row.startsWith("{")) look(JSON.parse(row), "");
  return [...found].slice(0, 8);
}

const joined = (...queries: readonly string[]) => queries.filter((one) => one !== "").join("&");

/** What a member is tried with: whole queries. */
async function triesOf(
  name: string,
  members: readonly [string, z.ZodType][],
  ask: Ask,
  all: Answer,
): Promise<string[]> {
  const schemaOf = (one: string) => members.find(([other]) => other === one)?.[1];
  const own = (one: string) => {
    const schema = schemaOf(one);
    return schema ? valuesOf(one, schema, all.rows).map((value) => `${one}=${value}`) : [];
  };
  switch (name) {
    case "limit":
      return ["limit=1"];
    case "p":
      return ["p=2"];
    case "cursor": {
      const { next } = await ask("limit=1");
      assert.ok(next, "a list of two rows has a second page");
      return [`limit=1&cursor=${encodeURIComponent(next)}`];
    }
    case "sort":
    case "direction": {
      const directions = ["", ...own("direction")];
      return ["", ...own("sort")].flatMap((sort) => directions.map((one) => joined(sort, one)))
        .filter((query) => query.includes(`${name}=`));
    }
    default:
      return own(name).map((query) => query.replaceAll(" ", "%20").replaceAll("+", "%2B"));
  }
}

/** A query that narrows a list, and what it leaves. */
interface Narrowing {
  readonly name: string;
  readonly query: string;
  readonly rows: ReadonlySet<string>;
}

/** What is found of one member: what narrows by it, where it does; else why it fails. */
async function walkMember(
  id: string,
  name: string,
  { tries, ask, all }: { tries: readonly string[]; ask: Ask; all: Answer },
): Promise<Narrowing[] | string> {
  const narrowing: Narrowing[] = [];
  const isAnother = ORDERS.includes(name) || FIGURES.includes(id) ||
    OTHER_LISTS.includes(`${id} ${name}`);
  let differs = false;
  const known = new Set(all.rows);
  for (const query of tries) {
    const { status, rows, text } = await ask(query);
    // What does not go with a list's own order or kind is refused.
    if (status === 400) continue;
    assert.equal(status, 200, `${id}?${query}: ${text}`);
    if (text !== all.text) differs = true;
    if (isAnother) continue;
    const stranger = rows.find((row) => !known.has(row));
    if (stranger !== undefined) {
      return `${query} shows what the whole list does not: ${stranger.slice(0, 200)}`;
    }
    if (rows.length < all.rows.length) narrowing.push({ name, query, rows: new Set(rows) });
  }
  if (isAnother) {
    return differs ? [] : `no value changes the answer: ${tries.join(", ")}`;
  }
  return narrowing.length > 0
    ? narrowing
    : `no value narrows ${all.rows.length} rows: ${tries.join(", ")}`;
}

/** Whether each filter holds beside each other one: what both leave is what each of them leaves. */
async function walkPairs(found: readonly Narrowing[][], ask: Ask): Promise<string[]> {
  const wrong: string[] = [];
  // Of each member the one that leaves least, beside those of others that leave most.
  const bySize = found.filter((of) => of.length > 0)
    .map((of) => of.toSorted((a, b) => a.rows.size - b.rows.size));
  for (const [least] of bySize) {
    for (const others of bySize) {
      const most = others.at(-1);
      if (!least || !most || least.name === most.name) continue;
      const { status, rows } = await ask(joined(least.query, most.query));
      if (status === 400) continue;
      const stranger = rows.find((row) => !least.rows.has(row) || !most.rows.has(row));
      if (stranger !== undefined) {
        wrong.push(`${joined(least.query, most.query)} shows ${stranger.slice(0, 200)}`);
      }
    }
  }
  return wrong;
}

async function walkList(desk: TestDesk, endpoint: Endpoint, filled: FilledLists) {
  const { id, permission } = endpoint;
  const members = membersOf(endpoint);
  const path = pathOf(endpoint, filled);
  const base = NEEDED[id]?.(filled) ?? "";
  const ask: Ask = async (query) => {
    const names = new Set(new URLSearchParams(query).keys());
    const needed = [...new URLSearchParams(base)].filter(([name]) => !names.has(name))
      .map(([name, value]) => `${name}=${value}`);
    const whole = members.some(([name]) => name === "limit") && !names.has("limit")
      ? "limit=100"
      : "";
    const asked = `${path}?${joined(...needed, whole, query)}`;
    const send = async (one: string) =>
      await answerOf(
        permission === "developer" ? await filled.developer(one) : await desk.send("GET", one),
      );
    const first = await send(asked);
    const rows = [...first.rows];
    for (let { next } = first; next !== null && whole !== "";) {
      const page = await send(`${asked}&cursor=${encodeURIComponent(next)}`);
      rows.push(...page.rows);
      next = page.next;
    }
    return { ...first, rows };
  };
  const all = await ask("");
  assert.equal(all.status, 200, `${id}: ${all.text}`);
  if (!FIGURES.includes(id) && all.rows.length < 2) return [`${id} has ${all.rows.length} rows`];
  const wrong: string[] = [];
  const found: Narrowing[][] = [];
  for (const [name] of members) {
    const tries = TRIED[`${id} ${name}`]?.(filled) ?? await triesOf(name, members, ask, all);
    const of = await walkMember(id, name, { tries, ask, all });
    if (typeof of === "string") wrong.push(`${id} ${name}: ${of}`);
    else found.push(of);
  }
  return [...wrong, ...(await walkPairs(found, ask)).map((one) => `${id}: ${one}`)];
}

/** A filled desk, for as long as `test` takes. */
async function withFilled(
  engine: "sqlite" | "postgres",
  test: (desk: TestDesk, filled: FilledLists) => Promise<void>,
): Promise<void> {
  const clock = laterEachTime();
  // A day and some hours later it is the day after.
  clock.at = Date.parse(`${toTimestamp(clock.at).slice(0, 10)}T08:00:00Z`);
  const place = placeForGateway();
  await using told = receiver();
  const environment = {
    ...openDesk,
    KEYDESK_OUTBOUND: place.host,
    KEYDESK_VERIFY_MAX_STALE_MS: "30000",
  };
  await using desk = await openTestDesk(engine, { clock, environment });
  await using door = standIn(desk.org_id, "sha256", place);
  await test(desk, await fillLists(desk, clock, { door, receiver: told }));
}

testEachEngine("query members: each narrows, orders or cuts its list", async (engine) => {
  await withFilled(engine, async (desk, filled) => {
    const lists = endpoints.filter((endpoint) =>
      endpoint.method === "GET" && membersOf(endpoint).length > 0 && !(endpoint.id in NO_LISTS)
    );
    assert.ok(lists.length > 50);
    const wrong: string[] = [];
    for (const endpoint of lists) {
      // Its members go by kinds: the walk of jobs has them.
      if (endpoint.id === "countSelection") continue;
      wrong.push(...await walkList(desk, endpoint, filled));
    }
    assert.deepEqual(wrong, []);
  });
});

/** A job over each kind of thing that changes little of it, and what it is told. */
const JOBS = [
  { kind: "assign", assignee: "nobody" },
  { kind: "tag_keys", tags: ["of-the-walk"] },
  { kind: "set_certificate_owner", owner: "walk@example.org" },
  { kind: "tag_developers", tags: ["of-the-walk"] },
] as const;

/** A filter's values, by member. */
type Filter = Readonly<Record<string, string>>;

/** What counts before a job, and the job itself; undefined: refused. */
function countersOf(desk: TestDesk, { kind, ...told }: typeof JOBS[number]) {
  const jobs = engineOf(desk);
  return {
    counted: async (filter: Filter): Promise<number | undefined> => {
      const answer = await desk.send(
        "GET",
        `/v1/jobs/selection?${new URLSearchParams({ kind, ...filter })}`,
      );
      const { total } = await answer.json();
      return answer.status === 400 ? undefined : total;
    },
    done: async (filter: Filter): Promise<number> => {
      const { id } = await call(desk, "POST", "/v1/jobs", { kind, ...told, filter });
      await work(jobs);
      return (await call(desk, "GET", `/v1/jobs/${id}`)).total;
    },
    giveBack: () => jobs.giveBack(),
  };
}

testEachEngine("query members: what narrows a job narrows its count, too", async (engine) => {
  await withFilled(engine, async (desk) => {
    const { filter } = startJob.body?.shape ?? {};
    const members = Object.entries(filter?.unwrap().shape ?? {});
    const wrong: string[] = [];
    const taken = new Set<string>();
    for (const job of JOBS) {
      const { counted, done, giveBack } = countersOf(desk, job);
      const all = await done({});
      assert.ok(all > 1 && all === await counted({}), `${job.kind}: ${all}`);
      const least: [Filter, number][] = [];
      for (const [name, schema] of members) {
        const totals: [Filter, number][] = [];
        for (const value of valuesOf(name, schema, [])) {
          const total = await counted({ [name]: value });
          if (total !== undefined) totals.push([{ [name]: value }, total]);
        }
        const [best] = totals.toSorted(([, a], [, b]) => a - b);
        if (!best) continue;
        taken.add(name);
        const [narrowed, total] = best;
        const found = await done(narrowed);
        if (total >= all || found !== total) {
          wrong.push(
            `${job.kind} ${JSON.stringify(narrowed)}: ${found} of ${all}, ${total} counted`,
          );
        }
        least.push(best, ...totals.slice(-1));
      }
      for (const [one, most] of least) {
        for (const [other, total] of least) {
          const both = await counted({ ...one, ...other });
          const isSame = Object.keys({ ...one, ...other }).length < 2;
          if (both !== undefined && !isSame && both > Math.min(most, total)) {
            wrong.push(`${job.kind} ${JSON.stringify({ ...one, ...other })}: ${both}`);
          }
        }
      }
      await giveBack();
    }
    const untaken = members.map(([name]) => name).filter((name) => !taken.has(name));
    assert.deepEqual([wrong, untaken], [[], []]);
  });
});
