/**
 * Two servers that are killed amid requests that end by themselves: each ends and is told
 * of once, and none is lost.
 */
import assert from "node:assert/strict";
import { effort } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { receiver } from "../../support/receiver.ts";
import { PAST, testTwoNodes } from "./support/two-nodes.ts";

/** Of each kind: several transactions. */
const REQUESTS = 160 * effort;
const KILLS = 3 * effort;
const TOPICS = ["key_request.declined", "key_request.expires_soon"];

const portal = receiver();

testTwoNodes(
  "requests: nodes that are killed amid their ends tell of each once",
  { KEYDESK_OUTBOUND: portal.host },
  async ({ sql, sent, killed }) => {
    portal.taken.splice(0);
    await sent("POST", "/v1/channels", { name: "Portal", url: portal.url, topics: TOPICS });
    const under = { ends: { expires_after_days: 9 } };
    const ids: Record<string, string[]> = {};
    for (const [plan, policy] of Object.entries(under)) {
      await sent("POST", "/v1/plans", { id: plan, name: plan });
      await sent("PUT", `/v1/plans/${plan}/approval-policy`, { outcome: "one", ...policy });
      ids[plan] = await Promise.all(Array.from({ length: REQUESTS }, async (_, n) => {
        const body = { by_user: `${plan}-${n}`, for_plan: plan };
        await sent("POST", "/v1/developers", {
          id: body.by_user,
          email: `${body.by_user}@example.org`,
        });
        return (await sent("POST", "/v1/key-requests", body)).id;
      }));
    }
    const done = async () => {
      const [row] = await sql(`select count(*) as n from key_requests
        where state = 'declined'`);
      return Number(row?.n);
    };
    await sql(`update key_requests set due_at = '${PAST}', expires_at = '${PAST}'
      where due_at is not null`);
    let kills = 0;
    for (let seen = 0; kills < KILLS && seen < REQUESTS; kills++) {
      await killed();
      await eventually("more is done", async () => await done() > seen);
      seen = await done();
    }
    await killed();
    await eventually("everything is done", async () => await done() === REQUESTS);
    await eventually(
      "everything is told",
      () => Promise.resolve(new Set(portal.taken.map(({ id }) => id)).size >= REQUESTS),
    );
    const messages = new Map<string, Set<string>>();
    for (const { id, json: { type, data } } of portal.taken) {
      const of = `${type} ${data.id}`;
      messages.set(of, (messages.get(of) ?? new Set()).add(id));
    }
    const expected = [
      ...ids.ends?.map((id) => `key_request.declined ${id}`) ?? [],
    ];
    assert.deepEqual([...messages.keys()].sort(), expected.sort());
    assert.ok([...messages.values()].every(({ size }) => size === 1), "each by one message");
    const rows = await sql(`select action, object_id, count(*) as n from audit_events
      where action = 'key_request.declined'
      group by action, object_id`);
    assert.deepEqual(
      rows.map(({ action, object_id }) => `${action} ${object_id}`).sort(),
      expected.sort(),
    );
    assert.ok(rows.every(({ n }) => Number(n) === 1), "each by one row of the audit log");
    const counts = await sent("GET", "/v1/key-requests/counts");
    assert.deepEqual([counts.pending, counts.declined], [0, REQUESTS]);
    console.log(`kills ${2 * kills + 2}, requests ${REQUESTS}, told ${messages.size}`);
  },
);
