/** A move of some weeks, as the meter tells of it: no desk of a test has observed so long. */
import type { z } from "zod";
import type {
  getMigration,
  listMigrationDifferences,
} from "../../src/features/migration/shadow-mode/migration-report.operations.ts";

type MigrationReport = z.output<typeof getMigration.response>;
type Plan = MigrationReport["plans"][number];
type Differences = z.output<typeof listMigrationDifferences.response>;

const DAY_MS = 24 * 60 * 60 * 1000;
const CALLS = 1_441_024;

/** A move that began 30 days before `now`, in milliseconds. */
export function meterFigures(now: number): MigrationReport {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const dateOf = (days: number) => new Date(today + days * DAY_MS).toISOString().slice(0, 10);
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString();
  const days = Array.from({ length: 30 }, (_, n) => {
    const here = Math.round(CALLS * 0.975 / (1 + Math.exp((12 - n) / 3)));
    return { date: dateOf(n - 30), in_keydesk: here, at_gateway: CALLS - here };
  });
  const sumOf = (last: number, side: "in_keydesk" | "at_gateway") =>
    days.slice(-last).reduce((sum, day) => sum + day[side], 0);
  const plan = (n: number, name: string, keys: number, more: Partial<Plan>): Plan => ({
    plan: `5f0c0b0d54e86f0001a1b2c${n}`,
    name,
    keys,
    keys_in_keydesk: keys,
    keys_at_gateway: 0,
    never_seen: 0,
    in_keydesk: 4000 * keys,
    at_gateway: 0,
    last_at_gateway: at(-15),
    compared: 2_000_000,
    allowed_at_gateway_only: [],
    denied_at_gateway_only: 0,
    decided: "gateway",
    decided_at: null,
    decided_by: null,
    safe: true,
    safe_on: dateOf(0),
    ...more,
  });
  return {
    connected: true,
    since: dateOf(-30),
    reports: true,
    now: {
      in_keydesk: 312_440,
      at_gateway: 8120,
      allowed_at_gateway_only: [{ reason: "expired", calls: 3 }],
      denied_at_gateway_only: 12,
      unknown: { calls: 41, opened: 17 },
    },
    unknown: { calls: 310, opened: 122 },
    shares: [1, 7, 30].map((last) => ({
      // as: one of the three.
      days: last as 1 | 7 | 30,
      in_keydesk: sumOf(last, "in_keydesk"),
      at_gateway: sumOf(last, "at_gateway"),
    })),
    days,
    plans: [
      plan(1, "Ticket shop, live", 58, {
        at_gateway: 37_114,
        in_keydesk: 394_000,
        keys_at_gateway: 3,
        last_at_gateway: at(-0.01),
        allowed_at_gateway_only: [{ reason: "expired", calls: 84 }, {
          reason: "over_rate",
          calls: 12,
        }],
        safe: false,
        safe_on: null,
      }),
      plan(2, "Fares, partner", 21, {
        at_gateway: 1792,
        in_keydesk: 147_500,
        keys_in_keydesk: 19,
        keys_at_gateway: 1,
        last_at_gateway: at(-0.2),
        safe: false,
        safe_on: null,
      }),
      plan(3, "Departures, free", 592, { never_seen: 33, last_at_gateway: at(-21) }),
      plan(4, "Timetables, open data", 64, {
        last_at_gateway: at(-18),
        decided: "keydesk",
        decided_at: at(-2),
        decided_by: "ada",
      }),
      plan(5, "Departures, professional", 41, {
        never_seen: 8,
        last_at_gateway: at(-9),
        safe: false,
        safe_on: dateOf(6),
      }),
      plan(6, "Vehicle positions, poll", 36, {
        decided: "keydesk",
        decided_at: at(-12),
        decided_by: "ada",
      }),
    ],
    more_plans: 0,
    safe_plans: 3,
    keys: {
      all: 812,
      safe: 692,
      at_gateway_yesterday: 4,
      never_seen: 41,
      migrated: 1204,
      never_seen_developers: 41,
      mailable_developers: 29,
    },
    lazy_migrations: [{
      gateway_id: "69b28a60a1b2c3d4e5f60718",
      gateway_name: "City gateway",
      on: true,
      started_at: at(-30),
      ends_at: at(17),
      migrated: 1204,
      waiting: 2,
      alarms: 1,
      not_followed: 2,
      awaiting: 0,
      awaiting_since: null,
    }],
    still_at_gateway: [
      ["Hopline shop", "Noor Haddad", 33_140],
      ["Nordlys tickets", "Bjørn Halvorsen", 3420],
      ["Fare board", "Chiara Bellandi", 1792],
      ["Season tickets", "Gaurav Menon", 554],
    ].map(([name, developer_name, calls], n) => ({
      key_id: `${n}b0c7d9d61f0b7a1c2e94fd0a3b81e6f2d77c05b49e18a3c6f9d204b7e51d2a7`,
      mask: `5e9d…${n}f3a`,
      name: String(name),
      developer_id: `dev-${n}`,
      developer_name: String(developer_name),
      plans: [],
      calls: Number(calls),
    })),
    all_safe_on: null,
  };
}

/** Calls that were let in there alone: of a key that is known, and of one that nobody knows. */
export function differenceFigures(now: number): Differences {
  const call = {
    id: "69b28a60a1b2c3d4e5f60720",
    at: new Date(now - 60_000).toISOString(),
    key_id: "5b0c7d9d61f0b7a1c2e94fd0a3b81e6f2d77c05b49e18a3c6f9d204b7e51d2a7",
    key_mask: "5e9d…4f3a",
    developer_id: "dev-0",
    developer_name: "Noor Haddad",
    plan_id: "5f0c0b0d54e86f0001a1b2c1",
    api_id: "tickets",
    gateway: "other",
    at_gateway: "allowed" as const,
    in_keydesk: "expired" as const,
  };
  const unknown = {
    ...call,
    id: "69b28a60a1b2c3d4e5f60710",
    key_id: null,
    key_mask: null,
    developer_id: null,
    developer_name: "",
    plan_id: null,
    in_keydesk: "unknown" as const,
  };
  return { data: [call, unknown], next_cursor: null };
}
