/** Developers remind those who decide of their requests that wait longer than usual. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../../support/mail-server.ts";
import { offer } from "../../../support/offer.ts";
import { deliver } from "../../../support/receiver.ts";

type Mine = { id: string; late_from: string | null; reminded_at: string | null };

const HOUR_MS = 3_600_000;
const clock = { at: 0, now: () => clock.at };

/** A developer whose requests were declined after an hour each, with one that waits. */
async function begin(desk: TestDesk, decided = 5) {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "winds", plan: "Winds" }]);
  const { email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const ask = () => ada.get<Mine>("POST", "/v1/my/requests", { plan: plans.Winds });
  const decide = (id: string) =>
    succeed(desk, "POST", `/v1/key-requests/${id}/decline`, { body: {} });
  for (let n = 0; n < decided; n++) {
    const { id } = await ask();
    clock.at += HOUR_MS;
    await decide(id);
  }
  // What is usual is looked up anew.
  clock.at += HOUR_MS;
  const { id } = await ask();
  const path = `/v1/my/requests/${id}`;
  const remind = (client = ada) => client.send("POST", `${path}/remind`);
  const mine = () => ada.get<Mine>("GET", path);
  const told = async () =>
    (await succeed<{ data: unknown[] }>(desk, "GET", "/v1/audit-log?action=key_request.reminded"))
      .data.length;
  return { ada, id, email, remind, mine, told, decide };
}

function begun() {
  clock.at = Date.parse("2026-03-01T00:00:00Z");
  return { clock };
}

testOnEngines("reminders: once it is late, and once in 24 hours", async (desk) => {
  begun();
  const { id, email, remind, mine, told } = await begin(desk);
  const asked = clock.at;
  assert.equal((await mine()).late_from, new Date(asked + HOUR_MS).toISOString());
  await assertFailure(await remind(), "not_late");
  clock.at = asked + HOUR_MS;
  await assertFailure(await remind(), "not_late");
  clock.at += 1000;
  const first = await remind();
  assert.equal(first.status, 200);
  assert.equal((await first.json()).reminded_at, new Date(clock.at).toISOString());
  clock.at += 24 * HOUR_MS - 1;
  // The session is over by then.
  const later = await signInByCode(desk, email);
  await assertFailure(await remind(later), "reminded_already");
  clock.at += 1;
  assert.equal((await remind(later)).status, 200);
  assert.equal(await told(), 2);
  const seen = await succeed<{ reminded_at: string }>(desk, "GET", `/v1/key-requests/${id}`);
  assert.equal(seen.reminded_at, new Date(clock.at).toISOString());
}, { clock });

testOnEngines("reminders: of presses at the same time one reminds", async (desk) => {
  begun();
  const { remind, told } = await begin(desk);
  clock.at += 2 * HOUR_MS;
  const answers = await Promise.all([remind(), remind(), remind(), remind()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  assert.equal(await told(), 1);
}, { clock });

testOnEngines("reminders: where nobody knows what is usual nothing is late", async (desk) => {
  begun();
  const { remind, mine } = await begin(desk, 4);
  clock.at += 4 * HOUR_MS;
  assert.equal((await mine()).late_from, null);
  await assertFailure(await remind(), "not_late");
}, { clock });

testOnEngines("reminders: not of another's, nor once it is decided or offered", async (desk) => {
  begun();
  const { id, remind, told, decide } = await begin(desk);
  const bob = await signInByCode(desk, (await registered(desk, "dev-bob")).email);
  clock.at += 2 * HOUR_MS;
  await assertFailure(await remind(bob), "not_found");
  await succeed(desk, "POST", `/v1/key-requests/${id}/offer`, {
    body: { conditions: { rate: { calls: 1, seconds: 60 } } },
  });
  const message = "An offer waits for your answer.";
  await assertFailure(await remind(), "offer_waits", { message });
  await decide(id);
  await assertFailure(await remind(), "already_decided");
  assert.equal(await told(), 0);
}, { clock });

testOnEngines("reminders: approvers are mailed, but not of their own request", async (desk) => {
  begun();
  await using smtp = await mailServer();
  const { email, remind } = await begin(desk);
  await addMailChannel(desk, { digest_minutes: 0 });
  await addPerson(desk, "tomas@example.org");
  await addPerson(desk, email);
  const engine = mailEngine(desk, smtp);
  clock.at += 2 * HOUR_MS;
  assert.equal((await remind()).status, 200);
  await deliver(engine);
  assert.deepEqual(smtp.taken.map(({ to }) => to), [["tomas@example.org"]]);
  assert.match(smtp.taken[0]?.parsed.subject ?? "", /waits for .*Winds longer than usual$/);
  assert.match(smtp.taken[0]?.parsed.text ?? "", /\/console\/requests\//);
}, { clock });
