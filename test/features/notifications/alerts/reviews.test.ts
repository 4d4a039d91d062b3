/** Keys that people want to look at again: on the day they are told, once. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { movableClock } from "../../../support/keys.ts";
import { addMailTarget, addPerson, mailEngine, mailServer } from "../../../support/mail-server.ts";
import { allItems } from "../../../support/people.ts";
import { deliver } from "../../../support/receiver.ts";
import { planWith } from "../../../support/verification.ts";

const START = "2026-03-01T00:00:00Z";
const clock = movableClock(START);
const DAY_MS = 86_400_000;

/** A key that is to be looked at again on this day; its id. */
async function grantedUntil(desk: TestDesk, plan: string, review_at: string): Promise<string> {
  const { id: by_user } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
    body: { email: `${crypto.randomUUID()}@example.org`, fields: { name: "Ada" } },
  });
  const body = { by_user, for_plan: plan };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  const path = `/v1/key-requests/${id}/approve`;
  return (await succeed<{ key_id: string }>(desk, "POST", path, {
    body: { deliver: "claim", conditions: { review_at } },
  })).key_id;
}

testOnEngines(
  "reviews: of each key people are told on its day, once, whichever node looks",
  async (desk) => {
    clock.at = Date.parse(START);
    await using smtp = await mailServer();
    await addMailTarget(desk);
    await addPerson(desk, "grace@example.org");
    const plan = await planWith(desk, {}, ["tides"]);
    const keys: string[] = [];
    for (const day of ["03", "04", "04", "05"]) {
      keys.push(await grantedUntil(desk, plan, `2026-03-${day}T00:00:00Z`));
    }
    const [first = "", second = "", third = "", fourth = ""] = keys;
    await succeed(desk, "POST", `/v1/keys/${third}/revoke`, { body: { reason: "gone" } });
    const engine = new AlertEngine(desk.app.ctx);
    const told = async () =>
      (await allItems(desk, "/v1/audit-log?action=key.review_due"))
        .map(({ object_id }) => object_id).reverse();
    await engine.turn();
    assert.deepEqual(await told(), []);

    clock.at += 2 * DAY_MS;
    await engine.turn();
    await engine.turn();
    assert.deepEqual(await told(), [first]);
    await deliver(mailEngine(desk, smtp, { now: () => clock.at }));
    const mails = smtp.taken.filter(({ parsed }) => /looked at again/.test(parsed.subject ?? ""));
    assert.deepEqual(mails.map(({ to }) => to), [["grace@example.org"]]);

    // The rules of ends have nothing to do with it, and another node goes on where this one was.
    await succeed(desk, "PUT", "/v1/settings/alerts", { body: { days: [7], at_end: false } });
    await engine.giveBack();
    clock.at += DAY_MS;
    const other = new AlertEngine(desk.app.ctx);
    await other.turn();
    assert.deepEqual(await told(), [first, second]);
    // A key in its place was looked at already, or is to be on the same day.
    await succeed(desk, "POST", `/v1/keys/${second}/rotate`, { body: { overlap_seconds: 60 } });
    const { key_id } = await succeed<{ key_id: string }>(
      desk,
      "POST",
      `/v1/keys/${fourth}/rotate`,
      { body: { overlap_seconds: 60 } },
    );
    await other.turn();
    assert.deepEqual(await told(), [first, second]);
    clock.at += DAY_MS;
    await other.turn();
    await other.turn();
    assert.deepEqual(await told(), [first, second, key_id]);
  },
  { clock: { now: () => clock.at } },
);
