/**
 * PostgreSQL at 100,000 certificates: what a look reads is what falls due, by the indexes on ends
 * and names.
 */
import assert from "node:assert/strict";
import { findMute } from "../../../../src/changes/alert-mutes.store.ts";
import {
  endingBehind,
  findAlert,
} from "../../../../src/features/notifications/alerts/alerts.store.ts";
import { renewalsOf } from "../../../../src/features/certificates/certificate-renewals.store.ts";
import { explaining, testFilled } from "../../../support/postgres-plans.ts";

const org_id = "org";

/**
 * Of each name two, one a year behind the other; ends over eleven years, few authorities, some
 * muted.
 */
const FILL = [
  `insert into certificates
    (org_id, fingerprint, position, kind, not_before, not_after, subject_key, head, tail, details, search, renewal_names)
    select '${org_id}', lpad(to_hex(n), 64, '0'), n,
      case when n % 50 = 0 then 1 else 0 end + case when n % 100 < 3 then 2 else 0 end,
      '2020-01-01T00:00:00Z', to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      '', '', '', repeat('d', 500), '', md5((n % 50000)::text)
    from (select n, timestamp '2024-01-01' + (n % 50000) * interval '1 hour' + (n / 50000) * interval '365 days' as t
      from generate_series(1, 100000) as n) as rows`,
  `insert into alert_mutes (org_id, object, object_id, reason, muted_by, muted_at, expires_at)
    select org_id, 'certificate', org_id || fingerprint, 'r', 'u', '2026-01-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z' from certificates where position % 7 = 0`,
  "vacuum analyze",
];

testFilled(
  "postgres: a look at 100,000 certificates reads those that fall due, and no others",
  FILL,
  async (reader, client) => {
    // Which of two cheap ways it takes hangs on its sample.
    await client.query("set enable_hashjoin = off; set enable_mergejoin = off");
    const read = new Map<string, number>();
    const watched = explaining(reader, client, (nodes, sql) => {
      const context = `${sql}\n${JSON.stringify(nodes)}`;
      for (const node of nodes) {
        const relation = node["Relation Name"];
        if (relation === undefined) continue;
        assert.doesNotMatch(node["Node Type"], /Seq Scan/, context);
        const rows = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1) +
          (node["Rows Removed by Filter"] ?? 0);
        read.set(relation, (read.get(relation) ?? 0) + rows);
        // A hundred of each kind, and what renews a hundred.
        assert.ok(rows <= 404, context);
      }
    });
    const now = "2026-06-01T00:00:00.000Z";
    const from = { ends_at: "2026-06-01T00:00:00Z", tie: "0" };
    const rows = await endingBehind(watched, "certificate", org_id, {
      from,
      to: "2026-07-31T00:00:00Z",
      now,
    });
    assert.equal(rows.length, 100);
    assert.ok(rows.some(({ renewed_by }) => renewed_by !== null));
    assert.ok(rows.some(({ muted_until }) => muted_until !== null));
    assert.ok((read.get("certificates") ?? 0) <= 1000, JSON.stringify([...read]));
    // Where nothing fell due, next to nothing is read.
    read.clear();
    const nothing = { from: { ...from, tie: "9999999" }, to: from.ends_at, now };
    assert.deepEqual(await endingBehind(watched, "certificate", org_id, nothing), []);
    assert.ok((read.get("certificates") ?? 0) <= 4, JSON.stringify([...read]));
    read.clear();
    const of = { org_id, object: "certificate", object_id: rows[0]?.object_id ?? "" } as const;
    await findAlert(watched, of);
    await findMute(watched, { ...of, now });
    const fingerprints = rows.map(({ object_id }) => object_id.slice(org_id.length));
    assert.ok((await renewalsOf(watched, { org_id, now: "" }, fingerprints)).size > 0);
  },
);
