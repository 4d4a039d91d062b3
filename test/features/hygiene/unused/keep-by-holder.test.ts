/** A developer who was warned that nobody uses their key says that they still do. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../../src/features/notifications/alerts/alert-engine.ts";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { movableClock, readKey } from "../../../support/keys.ts";
import { addMailTarget, mailEngine, mailServer } from "../../../support/mail-server.ts";
import { offer } from "../../../support/offer.ts";
import { allItems } from "../../../support/people.ts";
import { signInAtPages } from "../../../support/portal.ts";
import { deliver } from "../../../support/receiver.ts";

const DAY_MS = 86_400_000;
const START = "2026-03-01T00:00:00Z";
const clock = movableClock(START);
const options = { clock: { now: () => clock.at } };

// deno-lint-ignore no-explicit-any -- bodies of several forms
type Any = any;

/** A developer with a key that is suspended after two warnings, and days that pass. */
async function begin(desk: TestDesk, warnings: number) {
  clock.at = Date.parse(START);
  const smtp = await mailServer();
  await openPages(desk);
  await addMailTarget(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
  const mails = mailEngine(desk, smtp, { now: () => clock.at });
  const node = new AlertEngine(desk.app.ctx);
  const { id, email } = await registered(desk, "dev-ada");
  const body = { plans: [plans.Tides] };
  const key = await succeed<Any>(desk, "POST", `/v1/developers/${id}/keys`, { body });
  const terms = { action: "suspend", after_days: 90, warn_days: 10 };
  await succeed(desk, "PUT", `/v1/plans/${plans.Tides}/unused-keys`, { body: terms });
  const days = async (n: number) => {
    clock.at += n * DAY_MS;
    await node.turn();
    await deliver(mails);
    clock.at += 600_000;
    await node.turn();
  };
  if (warnings > 0) await days(90);
  if (warnings > 1) await days(10);
  return {
    key_id: key.key_id as string,
    path: `/v1/my/keys/${key.key_id}`,
    email,
    ada: await signInByCode(desk, email),
    days,
    async [Symbol.asyncDispose]() {
      await node.giveBack();
      await smtp[Symbol.asyncDispose]();
    },
  };
}

const keptOf = (desk: TestDesk, id: string) =>
  allItems(desk, `/v1/audit-log?action=key.kept&object_id=${id}`);
const stepOf = async (desk: TestDesk, id: string) =>
  (await succeed<Any>(desk, "GET", `/v1/keys/${id}/schedule`)).step;

testOnEngines(
  "keep by holder: the schedule begins anew, the audit log and administrators have it",
  async (desk) => {
    await using at = await begin(desk, 2);
    const { ada, key_id, path } = at;
    const before = await ada.get<Any>("GET", path);
    assert.equal(Date.parse(before.unused_warning.unused_since), Date.parse(START));
    const from = Date.parse(before.unused_warning.suspended_from);
    assert.ok(from > clock.at && from <= clock.at + 10 * DAY_MS);
    assert.equal(await stepOf(desk, key_id), "warned_again");
    assert.equal((await ada.get<Any>("POST", `${path}/keep`)).state, "active");
    assert.equal(await stepOf(desk, key_id), null);
    assert.equal((await ada.get<Any>("GET", path)).unused_warning, null);
    const [kept, ...others] = await keptOf(desk, key_id);
    assert.deepEqual([kept.object_id, others], [key_id, []]);
    assert.match(JSON.stringify(kept), /dev-ada/);
    // Nothing holds any more: once more says nothing.
    await ada.get("POST", `${path}/keep`);
    assert.equal((await keptOf(desk, key_id)).length, 1);
    await at.days(80);
    assert.equal(await stepOf(desk, key_id), null);
    await at.days(15);
    assert.equal(await stepOf(desk, key_id), "warned");
    assert.equal((await readKey(desk, key_id)).state, "active");
  },
  options,
);

testOnEngines(
  "keep by holder: nothing without a warning, nor once it is suspended, nor of another's key",
  async (desk) => {
    await using at = await begin(desk, 0);
    const { ada, key_id, path } = at;
    await ada.get("POST", `${path}/keep`);
    assert.equal((await ada.get<Any>("GET", path)).unused_warning, null);
    assert.deepEqual(await keptOf(desk, key_id), []);
    await at.days(90);
    const { email } = await registered(desk, "dev-eve");
    const eve = await signInByCode(desk, email);
    await assertFailure(await eve.send("POST", `${path}/keep`), "not_found");
    assert.equal(await stepOf(desk, key_id), "warned");
    await at.days(10);
    await at.days(10);
    assert.equal((await readKey(desk, key_id)).state, "suspended");
    const later = await signInByCode(desk, at.email);
    await assertFailure(await later.send("POST", `${path}/keep`), "key_suspended");
    assert.equal((await readKey(desk, key_id)).state, "suspended");
    assert.deepEqual(await keptOf(desk, key_id), []);
  },
  options,
);

testOnEngines(
  "keep by holder: the key's page has a form of its own that works without script",
  async (desk) => {
    await using at = await begin(desk, 1);
    const { email, key_id } = at;
    const browser = await signInAtPages(desk, email);
    const path = `/portal/keys/${key_id}`;
    const page = await browser.get(path);
    assert.match(page.words, /Do you still use this key\?/);
    const { hidden = {} } = page.forms().find(({ action }) => action === `${path}/keep`) ?? {};
    assert.notEqual(hidden.csrf ?? "", "");
    const forged = await browser.post(`${path}/keep`, { ...hidden, csrf: "" });
    assert.ok(forged.status >= 400);
    assert.equal(await stepOf(desk, key_id), "warned");
    const kept = await browser.submit(page, `${path}/keep`);
    assert.equal(kept.location, path);
    assert.equal(await stepOf(desk, key_id), null);
    assert.doesNotMatch((await browser.get(path)).words, /Do you still use this key\?/);
  },
  options,
);
