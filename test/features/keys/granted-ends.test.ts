/** The end that was granted stays: rotations, plan changes and new requests go by it. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { openTestDesk, type TestDesk, testEachEngine } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { call, issue, KEYS, movableClock, readKey } from "../../support/keys.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { newPerson } from "../../support/people.ts";
import { finishedJob } from "../../support/jobs.ts";

const DAY_S = 86_400;
const DAY_MS = DAY_S * 1000;
const START = "2026-03-01T00:00:00Z";

type Clock = ReturnType<typeof movableClock>;
type Shown = { key_id: string; RawKey: string; expires_at: string | null };

/** A desk whose clock stands, and its plans: a trial of 12 days, keys of 90 days, and no end. */
function testWithPlans(
  promise: string,
  test: (
    desk: TestDesk,
    plans: { trial: string; quarterly: string; professional: string },
    clock: Clock,
  ) => Promise<void>,
): void {
  testEachEngine(promise, async (engine) => {
    const clock = movableClock(START);
    await using desk = await openTestDesk(engine, { clock });
    const trial = await addPlan(desk, "Trial", 12, "access");
    const quarterly = await addPlan(desk, "Quarterly", 90, "key");
    const professional = await addPlan(desk, "Professional", 0, "key");
    await test(desk, { trial, quarterly, professional }, clock);
  });
}

async function addPlan(desk: TestDesk, name: string, days: number, applies: string) {
  const body = { name, key_expires_in: days * DAY_S, expiry_applies_to: applies };
  const plan = await call<{ _id: string; expiry_applies_to: string }>(
    desk,
    "POST",
    "/v1/plans",
    body,
  );
  assert.equal(plan.expiry_applies_to, applies);
  return plan._id;
}

function inDays(days: number): string {
  return new Date(Date.parse(START) + days * DAY_MS).toISOString();
}

async function endOf(desk: TestDesk, key_id: string): Promise<string | null> {
  return (await readKey(desk, key_id)).expires_at;
}

async function setPlans(desk: TestDesk, key_id: string, ...plans: string[]): Promise<void> {
  await call(desk, "PUT", `${KEYS}/${key_id}/plans`, { plans });
}

testWithPlans(
  "granted ends: no number of rotations makes a trial longer",
  async (desk, { trial }, clock) => {
    let { key_id } = await issue(desk, [trial]);
    assert.equal(await endOf(desk, key_id), inDays(12));
    for (let round = 0; round < 4; round++) {
      clock.at += 2 * DAY_MS;
      const expiry = await call<{ after_rotation: string }>(
        desk,
        "GET",
        `${KEYS}/${key_id}/expiry`,
      );
      const path = `${KEYS}/${key_id}/rotate`;
      const fresh = await call<Shown>(desk, "POST", path, { overlap_seconds: 60 });
      assert.equal(fresh.expires_at, inDays(12));
      assert.equal(expiry.after_rotation, fresh.expires_at, "as was said before");
      ({ key_id } = fresh);
    }
    clock.at += 4 * DAY_MS;
    const late = await desk.send("POST", `${KEYS}/${key_id}/rotate`, {
      body: { overlap_seconds: 60 },
    });
    await assertFailure(late, "key_expired");
  },
);

testWithPlans(
  "granted ends: a reissue and a rotation of several plans keep the access's end",
  async (desk, { trial, quarterly }, clock) => {
    const { request_id } = await issue(desk, [trial]);
    clock.at += 5 * DAY_MS;
    const again = await call<Shown>(desk, "POST", `/v1/key-requests/${request_id}/reissue`, {});
    assert.equal(again.expires_at, inDays(12));
    const both = await issue(desk, [trial, quarterly], "dev-bob");
    assert.equal(await endOf(desk, both.key_id), inDays(5 + 12));
    clock.at += 2 * DAY_MS;
    const fresh = await call<Shown>(desk, "POST", `${KEYS}/${both.key_id}/rotate`, {
      overlap_seconds: 60,
    });
    assert.equal(fresh.expires_at, inDays(5 + 12), "its access ends before its key's life");
  },
);

testWithPlans(
  "granted ends: a rotation begins the life of each key anew, as before, and keeps a chosen end",
  async (desk, { quarterly }, clock) => {
    const { key_id } = await issue(desk, [quarterly]);
    clock.at += 30 * DAY_MS;
    const fresh = await call<Shown>(desk, "POST", `${KEYS}/${key_id}/rotate`, {
      overlap_seconds: 60,
    });
    assert.equal(fresh.expires_at, inDays(120));
    await call(desk, "PUT", `${KEYS}/${fresh.key_id}/expiry`, { expires_at: inDays(40) });
    const chosen = await call<Shown>(desk, "POST", `${KEYS}/${fresh.key_id}/rotate`, {
      overlap_seconds: 60,
    });
    assert.equal(chosen.expires_at, inDays(40));
    const given = await call<Shown>(desk, "POST", `${KEYS}/${chosen.key_id}/rotate`, {
      overlap_seconds: 60,
      expires_at: inDays(200),
    });
    assert.equal(given.expires_at, inDays(200), "whoever approves may give another one");
    const expiry = await call(desk, "GET", `${KEYS}/${given.key_id}/expiry`);
    assert.deepEqual(expiry, {
      expires_at: inDays(200),
      is_chosen: true,
      after_rotation: inDays(200),
      with_plans: inDays(200),
    });
    const past = await desk.send("POST", `${KEYS}/${given.key_id}/rotate`, {
      body: { overlap_seconds: 60, expires_at: inDays(1) },
    });
    await assertInvalid(past, "expires_at: expected a time to come");
  },
);

/** Puts a plan that is granted at once into the catalogue; gives a developer's address. */
async function askedAtOnce(desk: TestDesk, policy_id: string): Promise<string> {
  await openPages(desk);
  const { email } = await registered(desk, "dev-ada");
  const config = { override: true, require_key_approval: false, key_request_fields: [] };
  const apis = [{ name: "tides", show: true, api_id: "tides", policy_id, config }];
  await succeed(desk, "POST", "/api/portal/catalogue", { body: { apis } });
  return email;
}

testWithPlans(
  "granted ends: of a plan that is granted at once a new key ends with the access, and then a person decides",
  async (desk, { trial }, clock) => {
    const email = await askedAtOnce(desk, trial);
    const ada = await signInByCode(desk, email);
    const ask = () =>
      ada.get<{ id: string; state: string; key: { id: string } | null }>(
        "POST",
        "/v1/my/requests",
        { plan: trial },
      );
    const first = await ask();
    assert.equal(first.state, "approved");
    clock.at += 3 * DAY_MS;
    const later = await signInByCode(desk, email);
    const opened = await later.get<Shown>("POST", `/v1/my/keys/${first.key?.id}/one-time-link`);
    assert.equal(opened.expires_at, inDays(12), "opening it grants nothing anew");
    const detail = await later.get<{ expires_at_if_rotated: string }>(
      "GET",
      `/v1/my/keys/${opened.key_id}`,
    );
    assert.equal(detail.expires_at_if_rotated, inDays(12));
    const rotated = await later.get<Shown>("POST", `/v1/my/keys/${opened.key_id}/rotate`);
    assert.equal(rotated.expires_at, inDays(12));
    await later.get("DELETE", `/v1/my/keys/${rotated.key_id}`);
    const again = await later.get<{ state: string; key: { id: string } | null }>(
      "POST",
      "/v1/my/requests",
      { plan: trial },
    );
    assert.equal(again.state, "approved");
    assert.equal(await endOf(desk, again.key?.id ?? ""), inDays(12));
    clock.at += 10 * DAY_MS;
    const late = await signInByCode(desk, email);
    const asked = await late.get<{ id: string; state: string }>("POST", "/v1/my/requests", {
      plan: trial,
    });
    assert.equal(asked.state, "pending", "the access is over");
    const portal = await desk.token(["portal:write"]);
    const denied = await desk.send("PUT", `/api/portal/requests/approve/${asked.id}`, {
      credential: portal,
    });
    assert.equal(denied.status, 403);
    const { RawKey } = await approve(desk, asked.id);
    assert.equal(await endOf(desk, sha256(RawKey)), inDays(13 + 12), "a person granted it anew");
  },
);

testWithPlans(
  "granted ends: the end follows the plans, by each way to change them",
  async (desk, { trial, quarterly, professional }, clock) => {
    // Approving a request that names a key, by the older interface.
    const byRequest = await issue(desk, [trial]);
    clock.at += DAY_MS;
    const request = await create(
      desk,
      smallRequest({
        for_plan: professional,
        apply_policies: [professional],
        remove_policies: [trial],
        key: byRequest.key_id,
        by_user: "dev-ada",
      }),
    );
    const said = await call<{ with_plans: string | null }>(
      desk,
      "GET",
      `${KEYS}/${byRequest.key_id}/expiry?plans=${professional}`,
    );
    assert.equal(said.with_plans, null);
    await approve(desk, request);
    assert.equal(await endOf(desk, byRequest.key_id), null, "Trial to Professional");

    // The same under /v1, with an end that the approver chose.
    const chosen = await issue(desk, [trial]);
    const second = await create(
      desk,
      smallRequest({ for_plan: quarterly, key: chosen.key_id, by_user: "dev-ada" }),
    );
    const end = inDays(33);
    await call(desk, "POST", `/v1/key-requests/${second}/approve`, { expires_at: end });
    assert.equal(await endOf(desk, chosen.key_id), end);
    await setPlans(desk, chosen.key_id, professional);
    assert.equal(await endOf(desk, chosen.key_id), end, "a chosen end stays");

    // By hand: from none to one, and from one to none.
    const byHand = await issue(desk, [professional]);
    assert.equal(await endOf(desk, byHand.key_id), null);
    await setPlans(desk, byHand.key_id, trial);
    assert.equal(await endOf(desk, byHand.key_id), inDays(1 + 12), "Professional to Trial");
    await setPlans(desk, byHand.key_id, trial);
    clock.at += DAY_MS;
    await setPlans(desk, byHand.key_id, trial);
    assert.equal(await endOf(desk, byHand.key_id), inDays(1 + 12), "nothing changed");

    // By a key's data, in the older interface, with the end as it was read.
    const byData = await issue(desk, [trial]);
    const { data } = await call<{ data: { expires: number } }>(
      desk,
      "GET",
      `/api/keys/${byData.key_id}`,
    );
    assert.equal(data.expires, Date.parse(inDays(2 + 12)) / 1000);
    await call(desk, "PUT", `/api/keys/${byData.key_id}`, {
      apply_policies: [professional],
      expires: data.expires,
    });
    assert.equal(
      await endOf(desk, byData.key_id),
      null,
      "an end that is brought back chooses none",
    );
    const until = Date.parse(inDays(50)) / 1000;
    await call(desk, "PUT", `/api/keys/${byData.key_id}`, {
      apply_policies: [trial],
      expires: until,
    });
    assert.equal(await endOf(desk, byData.key_id), inDays(50));
    await setPlans(desk, byData.key_id, professional);
    assert.equal(await endOf(desk, byData.key_id), inDays(50), "it was chosen");
  },
);

testWithPlans(
  "granted ends: a job that changes plans moves ends, and puts them back",
  async (desk, { trial, professional }) => {
    const free = await issue(desk, [trial]);
    const chosen = await issue(desk, [trial], "dev-bob");
    await call(desk, "PUT", `${KEYS}/${chosen.key_id}/expiry`, { expires_at: inDays(40) });
    const keys = [free.key_id, chosen.key_id];
    const ends = () => Promise.all(keys.map((key_id) => endOf(desk, key_id)));
    const { id: job } = await finishedJob(desk, {
      kind: "set_key_plans",
      ids: keys,
      plans: [professional],
    });
    assert.deepEqual(await ends(), [null, inDays(40)]);
    await finishedJob(desk, { kind: "undo", of_job: job });
    assert.deepEqual(await ends(), [inDays(12), inDays(40)]);
    await setPlans(desk, free.key_id, professional);
    assert.deepEqual(await ends(), [null, inDays(40)], "neither became chosen by that");
  },
);

testWithPlans(
  "granted ends: a plan's life changes for new keys alone, or by a job for those that are there",
  async (desk, { trial, quarterly }, clock) => {
    const { key_id } = await issue(desk, [trial]);
    const other = await issue(desk, [quarterly], "dev-bob");
    clock.at += 8 * DAY_MS;
    await call(desk, "PUT", `/v1/plans/${trial}`, { key_expires_in: 30 * DAY_S });
    await succeed(desk, "PUT", `/api/portal/policies/${quarterly}`, {
      body: { key_expires_in: 4 * DAY_S },
    });
    assert.equal(await endOf(desk, key_id), inDays(12), "new keys alone");
    const keys = [key_id, other.key_id];
    const { id: job } = await finishedJob(desk, { kind: "follow_plan_life", ids: keys });
    const ends = () => Promise.all(keys.map((one) => endOf(desk, one)));
    assert.deepEqual(await ends(), [inDays(30), inDays(8)], "one longer, one ends at once");
    await finishedJob(desk, { kind: "undo", of_job: job });
    assert.deepEqual(await ends(), [inDays(12), inDays(90)]);
    const { expiry_applies_to } = await call<{ expiry_applies_to: string }>(
      desk,
      "GET",
      `/v1/plans/${trial}`,
    );
    assert.equal(expiry_applies_to, "access", "no change of the plan's object loses it");
  },
);

testWithPlans(
  "granted ends: an expired key stays so when its plans change, unless an end is chosen",
  async (desk, { trial, professional }, clock) => {
    const { key_id } = await issue(desk, [trial]);
    clock.at += 13 * DAY_MS;
    await setPlans(desk, key_id, professional);
    assert.equal((await readKey(desk, key_id)).state, "expired");
    const body = { plans: [trial], expires_at: inDays(20) };
    await call(desk, "PUT", `${KEYS}/${key_id}/plans`, body);
    const { state, expires_at } = await readKey(desk, key_id);
    assert.deepEqual([state, expires_at], ["active", inDays(20)]);
  },
);

testWithPlans(
  "granted ends: an access from before its plan's rule ends with the key that it gave",
  async (desk, { quarterly }, clock) => {
    const email = await askedAtOnce(desk, quarterly);
    const request = async () =>
      await (await signInByCode(desk, email)).get<{ state: string; key: { id: string } | null }>(
        "POST",
        "/v1/my/requests",
        { plan: quarterly },
      );
    const { key } = await request();
    const key_id = key?.id ?? "";
    assert.equal(await endOf(desk, key_id), inDays(90));
    await call(desk, "PUT", `/v1/plans/${quarterly}`, { expiry_applies_to: "access" });
    clock.at += 10 * DAY_MS;
    await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "gone" });
    const again = await request();
    assert.equal(again.state, "approved");
    assert.equal(await endOf(desk, again.key?.id ?? ""), inDays(90), "no new access begins");
    clock.at += 81 * DAY_MS;
    assert.equal((await request()).state, "pending", "the access is over");
  },
);

testWithPlans(
  "granted ends: what a key's end would be with plans outside of a scope is refused",
  async (desk, { trial, professional }) => {
    const { key_id } = await issue(desk, [trial]);
    const scope = { plans: [trial], apis: [], tags: [] };
    const { id, credential } = await newPerson(desk, ["portal:read"]);
    await call(desk, "PUT", `/v1/people/${id}`, {
      name: "Grace",
      permissions: ["portal:read"],
      scope,
    });
    const read = (plans: string) =>
      desk.send("GET", `${KEYS}/${key_id}/expiry?plans=${plans}`, { credential });
    const { with_plans } = await (await read(trial)).json();
    assert.equal(with_plans, inDays(12));
    const refused = await read(`${trial},${professional}`);
    assert.deepEqual([refused.status, (await refused.json()).code], [403, "access_denied"]);
  },
);
