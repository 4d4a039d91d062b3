/**
 * A key whose plans grant nothing is called active nowhere without the reason why it is denied, in
 * the words of verification.
 */
import assert from "node:assert/strict";
import type { Key } from "../../../src/features/keys/show-key.ts";
import { pathTo, POLICIES, succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { call, issue as issueTo, listKeys, readKey } from "../../support/keys.ts";
import { signInAtPages } from "../../support/portal.ts";
import { changePlan, heeds, planWith } from "../../support/verification.ts";

type Reason = Key["denied"];
type MyKey = { id: string; state: string; denied: Reason; replaces: { id: string }[] };
type Page<T> = { data: T[] };

const LIMITS_ALONE = { rate: 5, per: 60, partitions: { rate_limit: true } };

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const issue = (plans: string[]) => issueTo(desk, plans, id);
  /** A key's reason wherever it is shown, which must be one, and verification's. */
  const reasonOf = async ({ key_id, RawKey }: { key_id: string; RawKey: string }) => {
    const one = await readKey(desk, key_id);
    assert.equal(one.state, "active");
    const inList = (await listKeys(desk)).data.find((key) => key.key_id === key_id);
    const found = await call(desk, "POST", "/v1/keys/find", { key: RawKey });
    const [mine] = [await ada.get<MyKey>("GET", `/v1/my/keys/${key_id}`)];
    const myList = await ada.get<Page<MyKey>>("GET", "/v1/my/keys?state=active");
    const inMine = myList.data.find((key) => key.id === key_id);
    const reasons = [one, inList, found, mine, inMine].map((key) => key?.denied);
    assert.equal(new Set(reasons).size, 1, JSON.stringify(reasons));
    await heeds(desk, RawKey, one.denied ?? "valid");
    return one.denied;
  };
  return { email, ada, issue, reasonOf };
}

testOnEngines("denied keys: by a plan that is off, gone, unknown or for limits", async (desk) => {
  const { issue, reasonOf } = await begin(desk);
  const [off, gone, open] = await Promise.all([
    planWith(desk, {}, ["tides"]),
    planWith(desk, {}, ["tides"]),
    planWith(desk, {}, ["tides"]),
  ]);
  const limits = await planWith(desk, LIMITS_ALONE, ["tides"]);
  const keys = {
    off: await issue([off]),
    gone: await issue([gone]),
    unknown: await issue(["plan-of-nobody"]),
    limits: await issue([limits]),
    offAndGone: await issue([off, gone]),
    offAndLimits: await issue([off, limits]),
    offAndOpen: await issue([off, open]),
  };
  assert.equal(await reasonOf(keys.off), null);
  await changePlan(desk, off, { active: false });
  await succeed(desk, "DELETE", pathTo(POLICIES, gone));
  const reasons: Record<string, Reason> = {};
  for (const [name, key] of Object.entries(keys)) reasons[name] = await reasonOf(key);
  assert.deepEqual(reasons, {
    off: "plan_inactive",
    gone: "unknown_plan",
    unknown: "unknown_plan",
    limits: "wrong_api",
    offAndGone: "plan_inactive",
    offAndLimits: "wrong_api",
    offAndOpen: null,
  });
  // What memory keeps of one key follows its plans.
  for (let n = 0; n < 3; n++) await readKey(desk, keys.off.key_id);
  await changePlan(desk, off, { active: true });
  assert.equal(await reasonOf(keys.off), null);
  assert.equal(await reasonOf(keys.offAndLimits), null);
});

testOnEngines("denied keys: a key that is not active has its state alone", async (desk) => {
  const { issue, ada } = await begin(desk);
  const { key_id } = await issue(["plan-of-nobody"]);
  const at = `/v1/keys/${key_id}`;
  for (const [move, state] of [["suspend", "suspended"], ["revoke", "revoked"]] as const) {
    const key = await call(desk, "POST", `${at}/${move}`, { reason: "for the test" });
    const mine = await ada.get<MyKey>("GET", `/v1/my/keys/${key_id}`);
    assert.deepEqual([key.state, key.denied], [state, null]);
    assert.deepEqual([mine.state, mine.denied], [state, null]);
  }
});

testOnEngines(
  "denied keys: the server's settings may let keys of unknown plans through",
  async (desk) => {
    const { issue, reasonOf } = await begin(desk);
    const gone = await planWith(desk, {}, ["tides"]);
    const key = await issue([gone]);
    await succeed(desk, "DELETE", pathTo(POLICIES, gone));
    assert.equal(await reasonOf(await issue(["plan-of-nobody"])), null);
    assert.equal(await reasonOf(key), "unknown_plan", "a deleted plan is no unknown one");
  },
  { environment: { KEYDESK_UNKNOWN_PLAN: "allow" } },
);

testOnEngines("denied keys: the pages count what works, and say why one does not", async (desk) => {
  const { email, issue } = await begin(desk);
  const plan = await planWith(desk, {}, ["tides"]);
  const { key_id } = await issue([plan]);
  await issue([await planWith(desk, {}, ["tides"])]);
  const browser = await signInAtPages(desk, email);
  assert.match((await browser.get("/portal/keys")).words, /Keys 2 2 keys work/);
  await changePlan(desk, plan, { active: false });
  const list = (await browser.get("/portal/keys")).words;
  assert.match(list, /Keys 1 1 key works/);
  assert.match(list, /Plan switched off/);
  const page = (await browser.get(`/portal/keys/${key_id}`)).words;
  assert.match(page, /Plan switched off.*Each call of this key is denied while its plan/);
  assert.doesNotMatch(page, /Active/);
  await succeed(desk, "DELETE", pathTo(POLICIES, plan));
  assert.match((await browser.get(`/portal/keys/${key_id}`)).words, /Plan gone/);
});

testOnEngines("denied keys: an old key that opens nothing still works for nobody", async (desk) => {
  const { issue, ada } = await begin(desk);
  const plan = await planWith(desk, {}, ["tides"]);
  const { key_id } = await issue([plan]);
  const fresh = await ada.get<{ key_id: string }>("POST", `/v1/my/keys/${key_id}/rotate`, {});
  const replaces = async () =>
    (await ada.get<MyKey>("GET", `/v1/my/keys/${fresh.key_id}`)).replaces.map(({ id }) => id);
  assert.deepEqual(await replaces(), [key_id]);
  await changePlan(desk, plan, { active: false });
  assert.deepEqual(await replaces(), []);
});

testOnEngines("denied keys: an export has the reason", async (desk) => {
  const { issue } = await begin(desk);
  const { key_id } = await issue(["plan-of-nobody"]);
  const file = await (await desk.send("GET", "/v1/keys/export")).text();
  const [head = "", ...lines] = file.trim().split(/\r?\n/);
  const at = head.split(",").indexOf("denied");
  assert.equal(lines.find((line) => line.includes(key_id))?.split(",").at(at), "unknown_plan");
});
