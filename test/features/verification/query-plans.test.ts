/** What verification reads and writes finds its rows by an index, however many keys there are. */
import assert from "node:assert/strict";
import * as quotas from "../../../src/features/verification/quotas.store.ts";
import * as verification from "../../../src/features/verification/verification.store.ts";
import * as choices from "../../../src/features/developers/developer-choices.store.ts";
import * as invitations from "../../../src/features/developers/developer-invitations.store.ts";
import * as verified from "../../../src/features/developers/verified-emails.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { explaining, testFilled } from "../../support/postgres-plans.ts";
import { plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00.000Z";
const place = { org_id, key_id: "k", plan_id: "p", period: 1 };
const of = { org_id, id: "id" };

async function everything(tx: Tx): Promise<void> {
  await verification.findVerified(tx, { org_id, key_id: "k" });
  await quotas.lockUsed(tx, place);
  await quotas.setUsed(tx, { ...place, used: 1 });
  await quotas.setNotified(tx, { ...place, told: "80" });
  await quotas.forgetPeriodsBefore(tx, place);
  await choices.findChoices(tx, of);
  await choices.putChoices(tx, { ...of, language: "", quota_mails: 1, end_mails: 1 });
  await choices.forgetChoices(tx, of);
  await verified.findVerifiedEmail(tx, of);
  await invitations.findInvitation(tx, { org_id, email_key: "a", since: at });
  await invitations.findInvitationById(tx, of);
  await invitations.useInvitation(tx, { org_id, email_key: "a", now: at });
  await invitations.withdrawInvitationById(tx, { ...of, now: at });
  await invitations.removeInvitation(tx, { org_id, email_key: "a" });
}

Deno.test("sqlite: verification, quotas and what is mailed of them walk an index", async () => {
  const plans = await plansOf(everything);
  assert.equal(plans.length, 14 + 1, "lockUsed has two");
  for (const { sql, plan, steps } of plans) {
    assert.doesNotMatch(plan, /TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
    for (const step of steps) assert.doesNotMatch(step, /^SCAN/, `${sql}\n${plan}`);
  }
});

const FILL = [
  `insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans, mask, attempt_id,
      issued_at, issued_by, algorithm)
    select '${org_id}', lpad(to_hex(n), 64, '0'), 'token', 'active', 'dev-' || n, '', '["plan"]', 'abcd…wxyz', '',
      '${at}', 'user', 'sha256'
    from generate_series(1, 30000) as n`,
  `insert into verified_emails (org_id, id, email_key, address, verified_at)
    select org_id, developer_id, developer_id || '@example.org', developer_id || '@example.org', '${at}'
    from credentials`,
  `insert into credential_uses (org_id, key_id, last_used_at)
    select org_id, key_id, '${at}' from credentials`,
  "vacuum analyze",
];

testFilled(
  "postgres: a key is verified by four joins, each by its table's key",
  FILL,
  async (reader, client) => {
    let seen = 0;
    const watched = explaining(reader, client, (nodes, sql) => {
      seen++;
      for (const node of nodes) {
        assert.doesNotMatch(node["Node Type"], /Seq Scan/, `${sql}\n${JSON.stringify(nodes)}`);
      }
    });
    await verification.findVerified(watched, { org_id, key_id: "0".repeat(60) + "0fff" });
    assert.equal(seen, 1);
  },
);
