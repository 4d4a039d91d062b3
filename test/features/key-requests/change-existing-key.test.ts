/** A request whose `key` names a key: approve changes that key's plans instead of minting. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertAnswer, assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  read,
  type Sent,
  smallRequest,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { storedCredentials } from "../../support/stored.ts";

/** Issues a key for these plans. */
async function issueKey(desk: TestDesk, ...apply_policies: string[]) {
  const id = await create(desk, smallRequest({ for_plan: apply_policies[0], apply_policies }));
  const { RawKey } = await approve(desk, id);
  return { RawKey, key_id: sha256(RawKey) };
}

async function plansOf(desk: TestDesk, key_id: string): Promise<unknown> {
  const found = (await storedCredentials(desk)).find((stored) => stored.key_id === key_id);
  return JSON.parse(found?.plans ?? "null");
}

/** Approve refuses a request with this key, and leaves it pending. */
async function refuses(desk: TestDesk, sent: Sent): Promise<void> {
  const id = await create(desk, smallRequest(sent));
  const before = await storedCredentials(desk);
  await assertFailure(await desk.send("PUT", approvalOf(id)), "unknown_key");
  assert.equal((await read(desk, id)).approved, false);
  assert.deepEqual(await storedCredentials(desk), before);
}

testOnEngines(
  "key: approve adds the plans, drops the removed ones, and mints nothing",
  async (desk) => {
    const { key_id } = await issueKey(desk, "a", "b", "c");
    const sent = {
      key: key_id,
      for_plan: "d",
      apply_policies: ["d", "e"],
      remove_policies: ["a", "c", "x"],
    };
    const id = await create(desk, smallRequest(sent));
    await assertAnswer(await desk.send("PUT", approvalOf(id)), { RawKey: key_id, Password: "" });
    assert.equal((await storedCredentials(desk)).length, 1);
    assert.deepEqual(await plansOf(desk, key_id), ["b", "d", "e"]);
    const { approved, portal_developer } = await read(desk, id);
    assert.equal(approved, true);
    assert.deepEqual(portal_developer.keys, { [key_id]: ["b", "d", "e"] });
    assert.deepEqual(portal_developer.subscriptions, { b: key_id, d: key_id, e: key_id });
  },
);

testOnEngines(
  "key: a removed plan's subscription stays where another key holds it",
  async (desk) => {
    const first = await issueKey(desk, "a", "b");
    const second = await issueKey(desk, "b");
    const sent = { key: first.key_id, for_plan: "c", remove_policies: ["b"] };
    const id = await create(desk, smallRequest(sent));
    await approve(desk, id);
    assert.deepEqual((await read(desk, id)).portal_developer.subscriptions, {
      a: first.key_id,
      b: second.key_id,
      c: first.key_id,
    });
  },
);

testOnEngines("key: the second approval is refused, and plans stay", async (desk) => {
  const { key_id } = await issueKey(desk, "a");
  const id = await create(desk, smallRequest({ key: key_id, for_plan: "b" }));
  await approve(desk, id);
  await assertFailure(await desk.send("PUT", approvalOf(id)), "already_processed");
  assert.deepEqual(await plansOf(desk, key_id), ["a", "b"]);
});

testOnEngines(
  "key: a plain key works as well and is kept and shown as its hash only",
  async (desk) => {
    const { RawKey, key_id } = await issueKey(desk, "a");
    const id = await create(desk, smallRequest({ key: RawKey, for_plan: "b" }));
    assert.equal((await read(desk, id)).key, key_id);
    assert.deepEqual(await approve(desk, id), { RawKey: key_id, Password: "" });
    assert.deepEqual(await plansOf(desk, key_id), ["a", "b"]);
  },
);

testOnEngines(
  "key: whatever looks like a plain key is kept as its hash, known or not",
  async (desk) => {
    for (const key of ["some-plain-key", "A".repeat(64), "a".repeat(63), " ", "ключ"]) {
      assert.equal((await read(desk, await create(desk, smallRequest({ key })))).key, sha256(key));
    }
    const key = "0123456789abcdef".repeat(4);
    assert.equal((await read(desk, await create(desk, smallRequest({ key })))).key, key);
  },
);

testOnEngines(
  "key: a key of another developer, organisation or state is refused at approve",
  async (desk) => {
    const { key_id, RawKey } = await issueKey(desk, "a");
    await refuses(desk, { key: key_id, by_user: "dev-bob" });
    await refuses(desk, { key: RawKey, by_user: "dev-bob" });
    await refuses(desk, { key: "never-issued" });
    await refuses(desk, { key: "f".repeat(64) });
    await liveRecordsOf(desk).revoke(key_id);
    await refuses(desk, { key: key_id });
    assert.deepEqual(await plansOf(desk, key_id), ["a"]);
  },
  { extra: liveRecords },
);

testOnEngines(
  "key: another organisation's key of a developer with the same id is refused",
  async (desk) => {
    const { key_id } = await issueKey(desk, "a");
    const { admin: credential } = await desk.otherOrganisation();
    const id = await create(desk, smallRequest({ key: key_id }), { credential });
    await assertFailure(await desk.send("PUT", approvalOf(id), { credential }), "unknown_key");
    assert.deepEqual(await plansOf(desk, key_id), ["a"]);
  },
);

testOnEngines("key: keys that a developer brought along are no credentials", async (desk) => {
  const { key_id } = await issueKey(desk, "a");
  const brought = "e".repeat(64);
  const portal_developer = {
    id: "dev-eve",
    email: "eve@example.org",
    keys: { [brought]: ["a"], [key_id]: ["a"] },
    subscriptions: { a: key_id },
  };
  await create(desk, { for_plan: "a", portal_developer });
  await refuses(desk, { key: brought, by_user: "dev-eve" });
  await refuses(desk, { key: key_id, by_user: "dev-eve" });
  assert.deepEqual(await plansOf(desk, key_id), ["a"]);
});

testOnEngines("key: after a refusal the request can be corrected and approved", async (desk) => {
  const id = await create(desk, smallRequest({ key: "never-issued" }));
  await assertFailure(await desk.send("PUT", approvalOf(id)), "unknown_key");
  const response = await desk.send("UPDATE", `/api/portal/requests/${id}`, {
    body: smallRequest(),
  });
  assert.equal(response.status, 200);
  assert.equal((await approve(desk, id)).Password, "");
});

testOnEngines(
  "key: a known plain key that looks like a key id is still kept as its hash",
  async (desk) => {
    const plain = "0123456789abcdef".repeat(4);
    await approve(desk, await create(desk, smallRequest()));
    await liveRecordsOf(desk).importKey(sha256(plain), "dev-ada", "a");
    const id = await create(desk, smallRequest({ key: plain, for_plan: "b" }));
    assert.equal((await read(desk, id)).key, sha256(plain));
    const response = await desk.send("UPDATE", `/api/portal/requests/${id}`, {
      body: smallRequest({ key: plain, for_plan: "c" }),
    });
    assert.equal(response.status, 200);
    assert.equal((await read(desk, id)).key, sha256(plain));
    await approve(desk, id);
    assert.deepEqual(await plansOf(desk, sha256(plain)), ["a", "c"]);
  },
  { extra: liveRecords },
);
