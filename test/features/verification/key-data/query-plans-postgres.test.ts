/**
 * PostgreSQL at 30,000 rows: look-ups by sso_key, and what names a certificate, touch what they
 * give and no more.
 */
import assert from "node:assert/strict";
import { findDeveloperBySsoKey } from "../../../../src/features/developers/developer-accounts.store.ts";
import * as ssoKeys from "../../../../src/features/developers/sso-keys.store.ts";
import { requestsWithCertificate } from "../../../../src/features/key-requests/requests-with-certificate.store.ts";
import { usedOfKeys } from "../../../../src/features/verification/quotas.store.ts";
import type { Connection } from "../../../../src/storage/storage.ts";
import { explaining, type Plan, testFilled } from "../../../support/postgres-plans.ts";

const ROWS = 30_000;
const org_id = "org";
const FILL = [
  `insert into developers (org_id, id, email_key, document, secrets, date_created, instant,
      sso_key_hash)
    select '${org_id}', 'dev-' || n, 'dev-' || n, '{}', 'sealed', '', '', 'hash-' || n
    from generate_series(1, ${ROWS}) as n`,
  `insert into key_requests
    (org_id, id, state, approved, by_user, instant, for_plan, head, tail, sent_catalogues)
    select '${org_id}', lpad(n::text, 24, '0'), 'pending', 0, 'dev', '', 'plan', '',
      ',"certificate":"' || case when n % 3000 = 0 then 'the one' else '' end || '"', ''
    from generate_series(1, ${ROWS}) as n`,
  `insert into quota_uses (org_id, key_id, plan_id, period, used)
    select '${org_id}', 'key-' || n, 'plan', 0, 1 from generate_series(1, ${ROWS}) as n`,
  "vacuum analyze",
];

const calls: Record<string, (db: Connection) => Promise<unknown>> = {
  "a look-up": async (db) =>
    assert.ok(await findDeveloperBySsoKey(db, { org_id, hash: "hash-700" })),
  "its holder": async (db) =>
    assert.equal(await ssoKeys.findSsoKeyOwner(db, { org_id, hash: "hash-700" }), "dev-700"),
  "who waits": async (db) => assert.equal(await ssoKeys.hasUnhashed(db), false),
  "who waits here": async (db) => assert.equal(await ssoKeys.hasUnhashedOf(db, { org_id }), false),
  "who shares": async (db) => assert.deepEqual(await ssoKeys.sharedSsoKeysOf(db, { org_id }), []),
  "who shares anywhere": async (db) => assert.deepEqual(await ssoKeys.sharedSsoKeysOfAll(db), []),
  "who names a certificate": async (db) =>
    assert.equal((await requestsWithCertificate(db, org_id, "the one")).length, ROWS / 3000),
  "what is used": async (db) => assert.equal((await usedOfKeys(db, org_id, ["key-7"])).size, 1),
};

testFilled(
  "postgres: look-ups by sso_key, by certificate and of quotas go by an index in 30,000 rows",
  FILL,
  async (reader, client) => {
    await client.query("set plan_cache_mode = force_generic_plan");
    for (const [name, call] of Object.entries(calls)) {
      const seen: Plan[] = [];
      await call(explaining(reader, client, (plan) => seen.push(...plan)));
      const walked = seen.filter((node) => node["Relation Name"] !== undefined);
      assert.ok(walked.length > 0, name);
      for (const node of walked) {
        assert.match(node["Node Type"], /Index|Bitmap Heap/, `${name}: ${JSON.stringify(node)}`);
        const rows = (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0);
        assert.ok(rows <= 25, `${name}: ${rows} rows`);
      }
    }
  },
);
