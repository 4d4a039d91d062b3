/** Keys that are suspended for a while: resumed by themselves, once, where they still are. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import { toTimestamp } from "../../../../src/kernel/clock.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { movableClock, readKey } from "../../../support/keys.ts";
import { allItems } from "../../../support/people.ts";
import { heeds, issueKnown } from "../../../support/verification.ts";

const clock = movableClock("2026-03-01T00:00:00Z");
const options = { clock: { now: () => clock.at } };
const MINUTE_MS = 60_000;

const suspend = (desk: TestDesk, id: string, minutes?: number) =>
  succeed(desk, "POST", `/v1/keys/${id}/suspend`, {
    body: { reason: "see who knocks", ...minutes === undefined ? {} : { minutes } },
  });
// deno-lint-ignore no-explicit-any -- bodies of several forms
const scheduleOf = (desk: TestDesk, id: string): Promise<any> =>
  succeed(desk, "GET", `/v1/keys/${id}/schedule`);
const stateOf = async (desk: TestDesk, id: string) => (await readKey(desk, id)).state;

testOnEngines(
  "suspended for a while: it opens again behind its minutes, once, whichever node looks",
  async (desk) => {
    const { key_id, RawKey } = await issueKnown(desk);
    await suspend(desk, key_id, 60);
    const until = toTimestamp(clock.at + 60 * MINUTE_MS);
    assert.equal((await scheduleOf(desk, key_id)).resumes_at, until);
    const [one, other] = [new AlertEngine(desk.app.ctx), new AlertEngine(desk.app.ctx)];
    await one.turn();
    clock.at += 59 * MINUTE_MS;
    await one.turn();
    assert.equal(await stateOf(desk, key_id), "suspended");
    await heeds(desk, RawKey, "suspended");
    clock.at += 2 * MINUTE_MS;
    await Promise.all([one.turn(), other.turn()]);
    await Promise.all([other.turn(), one.turn()]);
    assert.equal(await stateOf(desk, key_id), "active");
    const told = await allItems(desk, "/v1/audit-log?action=key.resumed");
    assert.deepEqual(told.map(({ actor, actor_type }) => [actor, actor_type]), [[
      "schedule",
      "system",
    ]]);
    assert.equal((await scheduleOf(desk, key_id)).resumes_at, null);
    await one.giveBack();
    await other.giveBack();
  },
  options,
);

testOnEngines(
  "suspended for a while: what others did meanwhile stays, and a wrong clock keeps nothing shut",
  async (desk) => {
    const engine = new AlertEngine(desk.app.ctx);
    // Resumed by hand, and suspended anew until somebody resumes it.
    const { key_id: again } = await issueKnown(desk);
    await suspend(desk, again, 5);
    await succeed(desk, "POST", `/v1/keys/${again}/resume`, { body: { reason: "enough" } });
    clock.at += 1000;
    await suspend(desk, again);
    assert.equal((await scheduleOf(desk, again)).resumes_at, null);
    const { key_id: revoked } = await issueKnown(desk);
    await suspend(desk, revoked, 5);
    await succeed(desk, "POST", `/v1/keys/${revoked}/revoke`, { body: { reason: "gone" } });
    clock.at += 10 * MINUTE_MS;
    await engine.turn();
    assert.equal(await stateOf(desk, again), "suspended");
    assert.equal(await stateOf(desk, revoked), "revoked");
    // Suspended while the clock was a year ahead.
    const { key_id: ahead } = await issueKnown(desk);
    clock.at += 365 * 24 * 60 * MINUTE_MS;
    await suspend(desk, ahead, 5);
    clock.at -= 365 * 24 * 60 * MINUTE_MS;
    await engine.turn();
    await engine.turn();
    assert.equal(await stateOf(desk, ahead), "active");
    for (const minutes of [0, 1441, 1.5]) {
      const body = { reason: "see", minutes };
      const response = await desk.send("POST", `/v1/keys/${ahead}/suspend`, { body });
      assert.equal(response.headers.get("x-keydesk-error"), "invalid_input");
    }
    await engine.giveBack();
  },
  options,
);
