/** What earlier code stored of promised decisions harms nothing, and is shown nowhere. */
import assert from "node:assert/strict";
import { putPolicy } from "../../../src/features/key-requests/policies.store.ts";
import { change } from "../../../src/storage/statement-functions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { addMailChannel } from "../../support/mail-server.ts";
import { planWith } from "../../support/verification.ts";

const AT = "2026-01-01T00:00:00.000Z";
const TERMS = {
  outcome: "one",
  steps: [],
  not_by_filer: false,
  expires_after_days: 9,
  remind_before_days: null,
  decide_within_hours: 8,
};
const MAILS = {
  "key_request.late": { enabled: true, subject: "Late" },
  "key_request.waiting": { subject: "Waits" },
};

const writeChannel = change((db, p: { org_id: string; topics: string; config: string }) =>
  db.updateTable("delivery_targets").set({ topics: p.topics, config: p.config })
    .where("org_id", "=", p.org_id)
);
const asEarlier = defineTransaction(
  "test.as-earlier",
  async (tx, { org_id, plan }: { org_id: string; plan: string }) => {
    await putPolicy(tx, { org_id, plan, terms: JSON.stringify(TERMS), updated_at: AT });
    const topics = JSON.stringify(["key_request.late", "key_request.declined"]);
    await writeChannel(tx, { org_id, topics, config: JSON.stringify({ mail: { mails: MAILS } }) });
    return null;
  },
);

testOnEngines(
  "promises of earlier code: policies, requests and channels go on without them",
  async (desk) => {
    const plan = await planWith(desk, { rate: 100, per: 1 });
    await addMailChannel(desk);
    await desk.app.ctx.storage.commit(asEarlier, { org_id: desk.org_id, plan });
    const path = `/v1/plans/${plan}/approval-policy`;
    const policies = await succeed<{ data: (typeof TERMS & { plan: string })[] }>(
      desk,
      "GET",
      "/v1/approval-policies",
    );
    const policy = policies.data.find((one) => one.plan === plan);
    assert.equal(policy?.expires_after_days, 9);
    assert.ok(!("decide_within_hours" in policy));
    const { id: by_user } = await registered(desk, "dev-ada");
    const body = { by_user, for_plan: plan };
    const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
    const shown = await succeed<Record<string, unknown>>(desk, "GET", `/v1/key-requests/${id}`);
    assert.equal(typeof shown.expires_at, "string");
    assert.ok(!("decide_by" in shown) && !("late" in shown));
    const { data: [channel] } = await succeed<
      { data: { id: string; name: string; topics: string[]; mail: { mails: object } }[] }
    >(desk, "GET", "/v1/channels");
    assert.deepEqual(channel?.topics, ["key_request.declined"]);
    assert.deepEqual(channel.mail.mails, { "key_request.waiting": { subject: "Waits" } });
    const { mails } = channel.mail;
    const changed = { name: channel.name, topics: channel.topics, mail: { mails } };
    await succeed(desk, "PUT", `/v1/channels/${channel.id}`, { body: changed });
    const message = `unknown member "decide_within_hours"`;
    const { decide_within_hours, ...terms } = TERMS;
    await succeed(desk, "PUT", path, { body: terms });
    await assertFailure(
      await desk.send("PUT", path, { body: { ...terms, decide_within_hours } }),
      "invalid_input",
      { message, errors: [message] },
    );
  },
  { extra: [asEarlier] },
);
