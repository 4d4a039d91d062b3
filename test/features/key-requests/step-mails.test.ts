/** Who is mailed of a request in steps: whoever may give the step that waits, and nobody else. */
import assert from "node:assert/strict";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { offer } from "../../support/offer.ts";
import { call, testClock } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";

const HOUR_MS = 3_600_000;
const clock = testClock();
const path = (id: string) => `/v1/key-requests/${id}`;

/** An approver with an address. */
async function mailed(desk: TestDesk, name: string) {
  const id = await addPerson(desk, `${name}@example.org`);
  const body = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${id}/access-tokens`,
    body,
  );
  return { id, credential };
}

testOnEngines(
  "step mails: each hears when it is their turn, and a reminder finds who is missing",
  async (desk) => {
    await using smtp = await mailServer();
    await openPages(desk);
    const { plans } = await offer(desk, [{ api: "winds", plan: "Winds" }]);
    const { email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    const ask = () => ada.get<{ id: string }>("POST", "/v1/my/requests", { plan: plans.Winds });
    // So many decisions say what is usual.
    for (let n = 0; n < 5; n++) {
      const { id } = await ask();
      clock.at += HOUR_MS;
      await succeed(desk, "POST", `${path(id)}/decline`);
    }
    clock.at += HOUR_MS;
    const [ann, bob, cleo, dan] = [
      await mailed(desk, "ann"),
      await mailed(desk, "bob"),
      await mailed(desk, "cleo"),
      await mailed(desk, "dan"),
    ];
    const steps = [
      { name: "Data", need: 2, people: [ann.id, bob.id] },
      { name: "Platform", need: 2, people: [ann.id, cleo.id, dan.id] },
    ];
    const body = { outcome: "steps", steps };
    await succeed(desk, "PUT", `/v1/plans/${plans.Winds}/approval-policy`, { body });
    await addMailChannel(desk, { digest_minutes: 0 });
    const engine = mailEngine(desk, smtp, { now: () => clock.at });
    const told = async () => {
      smtp.taken.length = 0;
      await deliver(engine);
      return smtp.taken.map(({ to }) => to[0]?.split("@")[0]).sort();
    };
    const approve = ({ credential }: { credential: string }) =>
      succeed(desk, "POST", `${path(id)}/approve`, { credential });
    await told();
    const { id } = await ask();
    assert.deepEqual(await told(), ["ann", "bob"]);
    clock.at += 1000;
    await approve(ann);
    assert.deepEqual(await told(), []);
    clock.at += 1000;
    await approve(bob);
    // Ann counts once, and so not in this step.
    assert.deepEqual(await told(), ["cleo", "dan"]);
    assert.match(smtp.taken[0]?.parsed.subject ?? "", /now it is your turn$/);
    clock.at += 1000;
    await approve(dan);
    assert.deepEqual(await told(), []);
    clock.at += 2 * HOUR_MS;
    const later = await signInByCode(desk, email);
    assert.equal((await later.send("POST", `/v1/my/requests/${id}/remind`)).status, 200);
    assert.deepEqual((await told()).filter((one) => one !== "dev-ada"), ["cleo"]);
  },
  { clock },
);
