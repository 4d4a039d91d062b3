/**
 * Nodes of one PostgreSQL that fails over, with a crowd of clients, and what is told in the end.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { eventually } from "../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { Random } from "../../test/support/random.ts";
import { Crowd, type Node } from "../../test/whole/history/clients.ts";
import { sitDown, sumUp } from "../../test/whole/history/committee-nodes.ts";
import { History } from "../../test/whole/history/history.ts";

const CLIENTS = 10;
/** Of a committee that decides in steps, beside them. */
const SEATS = 4;
/** After this a client gives up: a call without an answer or an error by then hung. */
const HUNG_MS = 60_000;
/** One text file for each case. */
const TABLES = fileURLToPath(new URL("../../.tmp/fail-over", import.meta.url));

export const SEED = Number(Deno.env.get("FAILOVER_SEED") ?? "20260601");

/** Rows of keys that were issued for a request that has one already. */
export const credentialsTwice =
  "select request_id from credentials group by request_id having count(*) > 1";

/**
 * Nodes of one database with a crowd of clients, for as long as `work` lasts; and the calls that
 * hung.
 */
export async function underLoad(
  url: string,
  how: { under?: string[]; host?: string },
  work: (crowd: Crowd, node: ServerProcess, spare: () => Promise<ServerProcess>) => Promise<void>,
): Promise<{ crowd: Crowd; hung: string[] }> {
  const crowds: Crowd[] = [];
  const decided: Awaited<ReturnType<typeof sumUp>>[] = [];
  const hung: string[] = [];
  await withFolder(async (dataDir) => {
    const environment = {
      KEYDESK_ADMIN_TOKEN: "administrator-of-the-failover-test",
      KEYDESK_DATABASE_URL: url,
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
      KEYDESK_HOST: how.host ?? "127.0.0.1",
    };
    const servers: ServerProcess[] = [];
    const start = async (more: Record<string, string> = {}) => {
      const server = await startServerProcess({
        dataDir,
        environment: { ...environment, ...more },
        ...how.under ? { under: how.under } : {},
      });
      servers.push(server);
      return server;
    };
    try {
      const first = await start();
      await start();
      const nodes = servers.map((server): Node => async (method, path, body, headers = {}) => {
        const signal = AbortSignal.timeout(HUNG_MS);
        try {
          return await server.send(method, path, { body, headers, signal });
        } finally {
          if (signal.aborted) hung.push(`${method} ${path}`);
        }
      });
      const crowd = new Crowd(new History(), nodes);
      await crowd.addPlan();
      const sitting = await sitDown(nodes, environment.KEYDESK_SEALING_KEY);
      crowds.push(crowd);
      let isOver = false;
      const working = Promise.all(Array.from(
        { length: CLIENTS + SEATS },
        (_, n) =>
          (n < CLIENTS ? crowd : sitting.committee).work(new Random(SEED + n), () => isOver),
      ));
      try {
        await work(crowd, first, () => start({ KEYDESK_VERIFY_STALE: "allow" }));
      } finally {
        isOver = true;
        await working;
      }
      await crowd.lookAtEverything();
      decided.push(await sumUp("postgres", { ...environment, KEYDESK_HOST: "127.0.0.1" }, sitting));
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  });
  const [crowd] = crowds;
  assert.ok(crowd);
  const [sum] = decided;
  assert.deepEqual(sum?.problems, []);
  console.log(`Steps and offers: ${sum?.told}`);
  return { crowd, hung };
}

/** Waits until this many more changes are acknowledged. */
export async function acknowledged(crowd: Crowd, more: number): Promise<void> {
  const wanted = crowd.acknowledged + more;
  await eventually("the nodes find the primary", () => crowd.acknowledged >= wanted);
}

interface Result {
  kills: number;
  promotions: number;
  crowd: Crowd;
  broken: string[];
  doubledRows: number;
  hung: readonly string[];
}

/**
 * The table that `npm run test:system` ends with, which reads it from this folder; and the
 * assertions behind it.
 */
export async function conclude(
  title: string,
  { kills, promotions, crowd, broken, doubledRows, hung }: Result,
): Promise<void> {
  const { changes, sights, verdicts } = crowd.history;
  const done = (kind: string) =>
    changes.filter((change) => change.kind === kind && change.outcome === "ok").length;
  const twice = broken.filter((text) => /succeeded \d+ times/.test(text)).length;
  const calls = [...changes, ...sights, ...verdicts].filter(({ end }) => end < Infinity);
  const tookMs = ({ begin, end }: { begin: number; end: number }) => end - begin;
  const longest = calls.reduce((most, call) => tookMs(call) > tookMs(most) ? call : most);
  const kinds = ["create", "update", "approve", "revoke", "delete"];
  const rows: [string, string | number][] = [
    ["kills of the primary", kills],
    ["promotions", promotions],
    ["acknowledged changes", crowd.acknowledged],
    ...kinds.map((kind): [string, number] => [`  ${kind}`, done(kind)]),
    ["unknown outcomes", changes.filter(({ outcome }) => outcome === "unknown").length],
    ["reads and verdicts", sights.length + verdicts.length],
    ["lost", broken.length - twice],
    ["doubled", twice + doubledRows],
    ["hung", hung.length],
    ["longest write gap", `${(crowd.longestGapMs / 1000).toFixed(1)} s`],
    [
      "longest answered call",
      `${(tookMs(longest) / 1000).toFixed(1)} s (${"kind" in longest ? longest.kind : "read"})`,
    ],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(24)}${value}`);
  await Deno.mkdir(TABLES, { recursive: true });
  const text = ["", `${title} (seed ${SEED})`, ...lines, ""].join("\n");
  await Deno.writeTextFile(join(TABLES, `${title.replaceAll(/\W+/g, "-")}.txt`), text);
  assert.deepEqual(broken, []);
  assert.equal(doubledRows, 0);
  assert.deepEqual(hung, []);
  console.log(`${title}, ${rows.map(([name, value]) => `${name.trim()}: ${value}`).join(", ")}`);
  // A share of a thirtieth: fewer changes may well be without one of a kind.
  const expected = crowd.acknowledged > 400 ? kinds : ["create", "approve"];
  for (const kind of expected) assert.ok(done(kind) > 0, `no ${kind} was acknowledged`);
}
