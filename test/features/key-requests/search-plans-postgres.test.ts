/** PostgreSQL: a search by names of plans reads what it finds, however many requests there are. */
import assert from "node:assert/strict";
import { findMatches } from "../../../src/features/key-requests/search.store.ts";
import { explaining, type Plan, testFilled } from "../../support/postgres-plans.ts";

const ROWS = 60_000;
const org_id = "org";
const RARE = "5b000000000000000000beef";
const COMMON = "5b0000000000000000c0ffee";
const FILL = [
  `insert into key_request_positions (org_id, id, position, instant, text)
    select '${org_id}', lpad(n::text, 24, '0'), n, '',
      lpad(n::text, 24, '0') || E'\\n' || md5(n::text) || E'\\n' ||
        case when n % 6000 = 0 then '${RARE}' else '${COMMON}' end
    from generate_series(1, ${ROWS}) as n`,
  "vacuum analyze",
];
const page = { newestFirst: true, position: Number.MAX_SAFE_INTEGER, limit: 21 };

testFilled(
  "postgres: a search by plans in 60,000 requests reads about what it finds",
  FILL,
  async (reader, client) => {
    const asked = async (...texts: string[]) => {
      const seen: Plan[][] = [];
      const connection = explaining(reader, client, (plan) => seen.push(plan));
      const matches = await findMatches(connection, org_id, texts, page);
      const rows = seen.flat().filter((node) => node["Relation Name"] === "key_request_positions")
        .map((node) => (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0));
      return { found: matches.length, read: Math.max(...rows) };
    };
    // Of a name that no text holds, only by the plan's id.
    const rare = await asked("gold plan", RARE);
    assert.deepEqual(rare.found, 10);
    assert.ok(rare.read <= 50, `${rare.read} read for a rare plan`);
    const common = await asked("gold plan", COMMON, RARE, "5b00000000000000000000aa");
    assert.deepEqual(common.found, page.limit);
    assert.ok(common.read <= 50, `${common.read} read for a common plan`);
  },
);
