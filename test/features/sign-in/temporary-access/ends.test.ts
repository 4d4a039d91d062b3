/** When temporary access ends: by its time, and as what it stands on is taken away. */
import assert from "node:assert/strict";
import { TemporaryAccessTimes } from "../../../../src/features/people/temporary-access-times.ts";
import { Sessions } from "../../../../src/features/people/sessions.ts";
import { endOver } from "../../../../src/features/sign-in/temporary-access/end-temporary-access.ts";
import { statement } from "../../../../src/storage/statement.ts";
import { testOnEngines } from "../../../support/desk.ts";
import {
  heldBy,
  insider,
  REASON,
  ruleFor,
  sendStart,
  takeTemporaryAccess,
} from "../../../support/temporary-access.ts";
import { addProvider, enter, reach, standIn } from "../../../support/identity-provider.ts";
import { call, testClock } from "../../../support/people.ts";
import { bySession, signIn } from "../../../support/sign-in.ts";

const MINUTE = 60_000;
const OWN = ["portal:read"];

/** What is taken from under one, and why it ends then. */
const taken: [how: string, why: string, method: string, path: string, body?: unknown][] = [
  ["with its rule", "rule", "DELETE", "/v1/temporary-access-rules/RULE"],
  ["as its person may less", "person", "PUT", "/v1/people/PERSON", {
    name: "Grace",
    permissions: ["audit"],
  }],
  ["as its person is suspended", "person", "POST", "/v1/people/PERSON/suspend"],
  ["with its person", "person", "DELETE", "/v1/people/PERSON"],
];
for (const [how, why, method, path, body] of taken) {
  testOnEngines(
    `temporary access: ends ${how}`,
    async (desk) => {
      const grace = await insider(desk);
      const rule = await ruleFor(desk, [grace.id]);
      const { id } = await takeTemporaryAccess(desk, grace, rule);
      await call(desk, method, path.replace("RULE", rule).replace("PERSON", grace.id), body);
      const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
      assert.deepEqual([over.id, over.state, over.end_reason, over.reason], [
        id,
        "ended",
        why,
        null,
      ]);
    },
  );
}

{
  const clock = testClock();
  testOnEngines(
    "temporary access: ends by itself, and a clock that jumps prolongs none",
    async (desk) => {
      const grace = await insider(desk);
      const rule = await ruleFor(desk, [grace.id]);
      const began = clock.at;
      const { id } = await takeTemporaryAccess(desk, grace, rule, 10);
      const { ctx } = desk.app;
      const [, secret] = grace.browser.cookie.split("=");
      const hasTemporaryAccess = async (sessions: Sessions) =>
        (await sessions.find(secret))?.principal.temporaryAccess !== undefined;
      let measured = 0;
      const times = () => new TemporaryAccessTimes(ctx.storage, () => measured);
      const node = new Sessions(ctx, times());
      clock.at = began + 9 * MINUTE;
      assert.equal(await hasTemporaryAccess(node), true);
      // Set back: the time goes on from where it was.
      clock.at = began + MINUTE;
      measured = MINUTE - 1;
      assert.equal(await hasTemporaryAccess(node), true);
      measured = MINUTE;
      assert.equal(await hasTemporaryAccess(node), false);
      // A node that begins now goes by the latest time that any has stored.
      const seen = async () =>
        (await ctx.storage.reader.row(seenSql, { org_id: desk.org_id, id }))?.seen_at ?? "";
      while (Date.parse(await seen()) < began + 9 * MINUTE) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const after = new Sessions(ctx, times());
      measured += MINUTE;
      assert.equal(await hasTemporaryAccess(after), true);
      measured += MINUTE;
      assert.equal(await hasTemporaryAccess(after), false);
      // And a deed by whichever node, in its own transaction.
      assert.equal(
        (await ctx.storage.reader.row(seenSql, { org_id: desk.org_id, id }))?.state,
        "open",
      );
      clock.at = began + 10 * MINUTE;
      assert.deepEqual(await heldBy(desk, grace.browser), OWN);
      assert.equal(await endOver(ctx, times()), 1);
      assert.equal(await endOver(ctx, times()), 0);
      const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
      assert.deepEqual([over.state, over.end_reason, over.ended_by], ["ended", "time", "keydesk"]);
      clock.at = began;
      assert.deepEqual(await heldBy(desk, grace.browser), OWN);
    },
    { clock },
  );
}

const seenSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("elevations").select(["seen_at", "state"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

testOnEngines(
  "temporary access: ends with its session, and another does not take it up",
  async (desk) => {
    const grace = await insider(desk);
    const rule = await ruleFor(desk, [grace.id]);
    const { id } = await takeTemporaryAccess(desk, grace, rule);
    assert.equal((await bySession(desk, grace.browser, "DELETE", "/v1/session")).status, 200);
    const { ctx } = desk.app;
    assert.equal(await endOver(ctx, new TemporaryAccessTimes(ctx.storage)), 1);
    const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
    assert.deepEqual([over.id, over.end_reason], [id, "session"]);
    const browser = await signIn(desk, { credential: grace.credential });
    assert.deepEqual(await heldBy(desk, browser), OWN);
  },
);

testOnEngines("temporary access: another node ends it for this one at once", async (desk) => {
  const grace = await insider(desk);
  const rule = await ruleFor(desk, [grace.id]);
  const { id } = await takeTemporaryAccess(desk, grace, rule);
  const [, secret] = grace.browser.cookie.split("=");
  const elsewhere = new Sessions(desk.app.ctx);
  assert.equal((await elsewhere.find(secret))?.principal.temporaryAccess?.id, id);
  await call(desk, "DELETE", `/v1/temporary-access/${id}`);
  // Nothing of it is kept in memory.
  assert.equal((await elsewhere.find(secret))?.principal.temporaryAccess, undefined);
});

testOnEngines("temporary access: whose own role is weakened has none any more", async (desk) => {
  const team = { name: "Team", permissions: ["portal:read", "audit"] };
  const { id: role } = await call(desk, "POST", "/v1/roles", team);
  const grace = await insider(desk, { permissions: undefined, role });
  const { id } = await takeTemporaryAccess(desk, grace, await ruleFor(desk, [grace.id]));
  await call(desk, "PUT", `/v1/roles/${role}`, { ...team, permissions: ["portal:read"] });
  assert.deepEqual(await heldBy(desk, grace.browser), OWN);
  const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
  assert.deepEqual([over.id, over.state, over.end_reason], [id, "ended", "person"]);
});

testOnEngines("temporary access: whom a provider gives less has none any more", async (desk) => {
  await using provider = await standIn();
  const from = await addProvider(desk, provider);
  reach(desk, provider.host);
  const claims = { sub: "grace", name: "Grace", groups: ["admins"] };
  const grace = await enter(desk, provider, from, claims, true);
  const { id: person } = grace.session.person;
  const bob = await insider(desk, { name: "Bob" });
  const proof = { proof: "second_person", seconds: [bob.id] };
  const rule_id = await ruleFor(desk, [person], proof);
  const asked = await sendStart(desk, grace, { rule_id, reason: REASON, minutes: 30 });
  const { id } = await asked.json();
  const yes = await bySession(desk, bob.browser, "POST", `/v1/temporary-access/${id}/confirm`);
  assert.equal(yes.status, 200, await yes.text());
  await enter(desk, provider, from, { ...claims, groups: ["desk"] });
  const [over] = (await call(desk, "GET", "/v1/temporary-access")).data;
  assert.deepEqual([over.id, over.state, over.end_reason], [id, "ended", "person"]);
});
