/** Developers rotate, suspend, resume and end their own keys. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../../support/developers.ts";
import { eventually } from "../../../support/eventually.ts";
import { offer } from "../../../support/offer.ts";

type Key = { id: string; state: string; suspended_by: string | null };
type Shown = { RawKey: string; key_id: string; replaces: { expires_at: string }[] };

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
  const { id, email } = await registered(desk, "dev-ada");
  const body = { plans: [plans.Tides] };
  const key = await succeed<Shown>(desk, "POST", `/v1/developers/${id}/keys`, { body });
  return { id, key, path: `/v1/my/keys/${key.key_id}`, ada: await signInByCode(desk, email) };
}

/** Waits until a key opens its API, or opens nothing. */
async function until(desk: TestDesk, { RawKey: key }: Shown, opens: boolean): Promise<void> {
  const body = { key, api_id: "tides" };
  const verdict = () => succeed<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", { body });
  await eventually(`opens: ${opens}`, async () => (await verdict()).valid === opens);
}

testOnEngines("own keys: a fresh one is shown once, and the old one lives on", async (desk) => {
  const { key, path, ada } = await begin(desk);
  const fresh = await ada.get<Shown>("POST", `${path}/rotate`, {});
  await until(desk, fresh, true);
  await until(desk, key, true);
  const week = 7 * 24 * 60 * 60 * 1000;
  const end = Date.parse(fresh.replaces[0]?.expires_at ?? "") - desk.app.ctx.clock.now();
  assert.ok(end <= week && end > week - 60 * 60 * 1000, "7 days where nothing is said");
  await assertFailure(await ada.send("POST", `${path}/rotate`, { body: {} }), "key_rotated");
  const next = `/v1/my/keys/${fresh.key_id}/rotate`;
  const last = await ada.get<Shown>("POST", next, { overlap_seconds: 0 });
  await until(desk, last, true);
  await until(desk, fresh, false);
  const shown = JSON.stringify(await ada.get("GET", `/v1/my/keys/${last.key_id}`));
  assert.ok(!shown.includes(last.RawKey), "never again");
});

testOnEngines("own keys: one resumes what one suspended, and nothing else", async (desk) => {
  const { key, path, ada } = await begin(desk);
  const suspended = await ada.get<Key>("POST", `${path}/suspend`);
  assert.deepEqual([suspended.state, suspended.suspended_by], ["suspended", "me"]);
  await until(desk, key, false);
  await assertFailure(await ada.send("POST", `${path}/suspend`), "key_suspended");
  const resumed = await ada.get<Key>("POST", `${path}/resume`);
  assert.deepEqual([resumed.state, resumed.suspended_by], ["active", null]);
  await assertFailure(await ada.send("POST", `${path}/resume`), "key_not_suspended");
  const byPeople = (what: string) =>
    succeed(desk, "POST", `/v1/keys/${key.key_id}/${what}`, { body: { reason: "by people" } });
  // Suspended by herself, resumed by people, and suspended by people: it is theirs now.
  await ada.get("POST", `${path}/suspend`);
  await byPeople("resume");
  await byPeople("suspend");
  await assertFailure(await ada.send("POST", `${path}/resume`), "key_suspended_by_others");
  assert.equal((await ada.get<Key>("GET", path)).suspended_by, "others");
  assert.ok(!JSON.stringify(await ada.get("GET", path)).includes("by people"));
});

testOnEngines(
  "own keys: one that was ended opens nothing, and people may undo it",
  async (desk) => {
    const { key, path, ada } = await begin(desk);
    assert.equal((await ada.get<Key>("DELETE", path)).state, "revoked");
    await until(desk, key, false);
    for (const [method, what] of [["DELETE", ""], ["POST", "/rotate"], ["POST", "/resume"]]) {
      await assertFailure(await ada.send(method ?? "", `${path}${what}`), "key_revoked");
    }
    await succeed(desk, "POST", `/v1/keys/${key.key_id}/restore`, { body: { reason: "a slip" } });
    await until(desk, key, true);
  },
);
