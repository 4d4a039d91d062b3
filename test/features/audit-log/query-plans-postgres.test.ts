/** PostgreSQL at 60,000 events: a page of the audit log reads its own rows, wherever it is. */
import assert from "node:assert/strict";
import {
  type AuditLogPosition,
  type EventFilter,
  eventsBehind,
  logSize,
} from "../../../src/features/audit-log/audit-log.store.ts";
import { explaining, type Plan, testFilled } from "../../support/postgres-plans.ts";

const LOGGED = 60_000;
const WAITING = 3000;
/** Of everything that happens, each thing's own part. */
const THINGS = 600;

const columns = "org_id, id, at, actor, action, object, object_id, detail, leaf_index";
const event = (leaf: string) =>
  `'org', lpad(to_hex(n), 24, '0'), '2026-01-01T00:00:00.' || lpad((n % 1000)::text, 3, '0') || 'Z',
    'ada', 'key_request.created', 'key_request', 'thing-' || n % ${THINGS}, '{}', ${leaf}`;

/** Ids go another way than the log, as those of several processes do. */
const FILL = [
  `insert into audit_events (${columns})
    select ${event(`${LOGGED - 1} - n`)} from generate_series(0, ${LOGGED - 1}) as n`,
  `insert into audit_events (${columns})
    select ${event("null")} from generate_series(${LOGGED}, ${LOGGED + WAITING - 1}) as n`,
  "vacuum analyze",
];

const filter: EventFilter = {
  org_id: "org",
  q: "",
  typed: "",
  id_text: "",
  kind: "",
  actor: "",
  objects: "[]",
  object_id: "",
  actions: "[]",
  token_id: "",
  session: "",
  elevation: "",
  request_id: "",
  client_address: "",
  after: "",
  before: "~",
};

/** Rows of one statement. */
const PAGE = 101;

testFilled(
  "postgres: a page of the audit log reads its own rows, in the order of the log's index, and sorts nothing",
  FILL,
  async (reader, client) => {
    const places: [AuditLogPosition, Partial<EventFilter>, rows: number][] = [
      [{ in: "log", below: LOGGED }, {}, PAGE],
      [{ in: "log", below: LOGGED / 2 }, {}, PAGE],
      [{ in: "log", below: LOGGED }, { object_id: "thing-7" }, LOGGED / THINGS],
      [{ in: "waiting", size: LOGGED, at: "~", id: "" }, {}, PAGE],
    ];
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await client.query(`set plan_cache_mode = ${mode}`);
      for (const [place, more, rows] of places) {
        const seen: Plan[] = [];
        const watched = explaining(reader, client, (plan) => seen.push(...plan));
        const part = await eventsBehind(watched, { ...filter, ...more }, place, {
          from: 0,
          to: LOGGED,
        });
        assert.equal(part.rows.length, rows);
        const scans = seen.filter((node) => node["Relation Name"] === "audit_events");
        const said = JSON.stringify(scans);
        assert.ok(scans.every((node) => node["Node Type"].startsWith("Index")), said);
        const read = scans.reduce(
          (sum, node) =>
            sum + (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1) +
            (node["Rows Removed by Filter"] ?? 0),
          0,
        );
        // Of 63,000: those that it gives, and a few beside them.
        assert.ok(read <= rows * 1.1, `${mode} ${JSON.stringify(place)}: ${read}`);
        assert.ok(!seen.some((node) => node["Node Type"] === "Sort"), said);
      }
      const seen: Plan[] = [];
      const watched = explaining(reader, client, (plan) => seen.push(...plan));
      assert.equal(await logSize(watched, "org"), LOGGED);
      assert.ok(seen.every((node) => (node["Actual Rows"] ?? 0) <= 1), JSON.stringify(seen));
    }
  },
);
