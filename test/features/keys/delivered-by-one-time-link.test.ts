/**
 * Keys that are issued, rotated and issued anew for whoever opens a link: nobody else sees them.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertInvalid } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { tokenOf, tryOpen, v1 } from "../../support/v1-requests.ts";
import { call } from "../../support/people.ts";

const isValid = async (desk: TestDesk, key: string) =>
  (await call(desk, "POST", "/v1/keys/verify", { key })).valid;

/** Opens what an answer handed over; the key itself stood nowhere in it. */
async function openedOf(
  desk: TestDesk,
  answer: { RawKey: string; Password: string; key_id: string; one_time_link: { link: string } },
): Promise<string> {
  assert.deepEqual([answer.RawKey, answer.Password], ["", ""]);
  const { key: credential, key_id } = await v1.open(desk, tokenOf(answer.one_time_link));
  assert.equal(key_id, answer.key_id);
  assert.equal(sha256(credential.RawKey), answer.key_id);
  assert.equal(await isValid(desk, credential.RawKey), true);
  return credential.RawKey;
}

testOnEngines("delivery by one-time link: a key that is issued, and then rotated", async (desk) => {
  const { id } = await call(desk, "POST", "/v1/developers", { email: "ada@example.org" });
  const { id: plan } = await call(desk, "POST", "/v1/plans", { name: "Weather" });
  const issued = await call(desk, "POST", `/v1/developers/${id}/keys`, {
    plans: [plan],
    deliver: "one_time_link",
  });
  await openedOf(desk, issued);
  const rotated = await call(desk, "POST", `/v1/keys/${issued.key_id}/rotate`, {
    overlap_seconds: 0,
    deliver: "one_time_link",
  });
  assert.deepEqual(rotated.replaces.map(({ key_id }: { key_id: string }) => key_id), [
    issued.key_id,
  ]);
  await openedOf(desk, rotated);
  const { data } = await call(desk, "GET", `/v1/one-time-links?key_id=${rotated.key_id}`);
  assert.deepEqual(data.map(({ state }: { state: string }) => state), ["opened"]);
  const plain = await call(desk, "POST", `/v1/developers/${id}/keys`, {
    plans: [plan],
    reason: "Agreed with their team lead.",
  });
  assert.equal(plain.one_time_link, null);
  const { data: [told] } = await call(
    desk,
    "GET",
    `/v1/audit-log?object_id=${plain.key_id}&action=key.issued`,
  );
  assert.equal(told.detail.reason, "Agreed with their team lead.");
  assert.equal(await isValid(desk, plain.RawKey), true);
});

testOnEngines("delivery by one-time link: a request's key that is issued anew", async (desk) => {
  const { id: plan } = await call(desk, "POST", "/v1/plans", { name: "Weather" });
  const id = await create(desk, smallRequest({ for_plan: plan }));
  const first = await v1.approve(desk, id, "?deliver=one_time_link");
  const again = await call(desk, "POST", `/v1/key-requests/${id}/reissue?deliver=one_time_link`);
  // The first link hands over a key that is revoked.
  assert.equal((await tryOpen(desk, tokenOf(first.one_time_link))).status, 410);
  await openedOf(desk, again);
  const { data } = await call(desk, "GET", `/v1/one-time-links?key_request_id=${id}`);
  // By the older name too; by two that differ nothing is found out.
  for (const query of [`request_id=${id}`, `request_id=${id}&key_request_id=${id}`]) {
    assert.deepEqual((await call(desk, "GET", `/v1/one-time-links?${query}`)).data, data);
  }
  const differing = await desk.send(
    "GET",
    `/v1/one-time-links?request_id=${"0".repeat(24)}&key_request_id=${id}`,
  );
  await assertInvalid(differing, "request_id: expected the same as key_request_id");
  assert.deepEqual(data.map(({ key_id }: { key_id: string }) => key_id), [
    again.key_id,
    first.key_id,
  ]);
  const { admin } = await desk.otherOrganisation();
  const theirs = await call(desk, "GET", `/v1/one-time-links?request_id=${id}`, undefined, admin);
  assert.deepEqual(theirs.data, []);
});

testOnEngines(
  "delivery by one-time link: a repeat gives the same link, and mints nothing",
  async (desk) => {
    const { id } = await call(desk, "POST", "/v1/developers", { email: "ada@example.org" });
    const { id: plan } = await call(desk, "POST", "/v1/plans", { name: "Weather" });
    const issue = async () => {
      const answer = await desk.send("POST", `/v1/developers/${id}/keys`, {
        body: { plans: [plan], deliver: "one_time_link" },
        headers: { "idempotency-key": "the-very-same-call-01" },
      });
      assert.equal(answer.status, 200);
      return await answer.json();
    };
    assert.deepEqual(await issue(), await issue());
    const { data } = await call(desk, "GET", "/v1/keys");
    assert.equal(data.length, 1);
  },
);
