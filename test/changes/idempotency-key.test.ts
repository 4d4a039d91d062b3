/** `Idempotency-Key` on approve: a repeat gets the first answer again, sealed for 24 hours. */
import assert from "node:assert/strict";
import { assertAnswer, assertFailure } from "../support/answers.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { approvalOf, create, smallRequest } from "../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../support/live-records.ts";
import { storedCredentials } from "../support/stored.ts";

const KEY = "0123456789abcdef";
const HOUR = 60 * 60 * 1000;

function approveWith(
  desk: TestDesk,
  id: string,
  key: string,
  init: { body?: unknown; credential?: string } = {},
) {
  return desk.send("PUT", approvalOf(id), { ...init, headers: { "idempotency-key": key } });
}

async function rawKey(response: Response): Promise<string> {
  assert.equal(response.status, 200);
  return (await response.json()).RawKey;
}

testOnEngines(
  "idempotency: a repeat gets the first answer again, and mints nothing",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const first = await (await approveWith(desk, id, KEY, { body: "{}" })).json();
    for (let i = 0; i < 3; i++) {
      await assertAnswer(await approveWith(desk, id, KEY, { body: "{}" }), first);
    }
    assert.equal((await storedCredentials(desk)).length, 1);
  },
);

testOnEngines(
  "idempotency: without the key, or with another, a repeat is refused",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await rawKey(await approveWith(desk, id, KEY));
    await assertFailure(await desk.send("PUT", approvalOf(id)), "already_processed");
    await assertFailure(await approveWith(desk, id, `${KEY}!`), "already_processed");
  },
);

testOnEngines(
  "idempotency: the same path with a slash at its end is the same call",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const first = await rawKey(await approveWith(desk, id, KEY));
    const response = await desk.send("PUT", `${approvalOf(id)}/?x=1`, {
      headers: { "idempotency-key": KEY },
    });
    assert.equal(await rawKey(response), first);
  },
);

testOnEngines("idempotency: another body or path with the same key is refused", async (desk) => {
  const [id, other] = [await create(desk, smallRequest()), await create(desk, smallRequest())];
  await rawKey(await approveWith(desk, id, KEY, { body: "{}" }));
  await rawKey(await approveWith(desk, id, KEY, { body: "{ }" }));
  const more = await approveWith(desk, id, KEY, { body: '{"a":1}' });
  await assertFailure(more, "idempotency_key_reused");
  await assertFailure(await approveWith(desk, id, KEY), "idempotency_key_reused");
  const reused = await approveWith(desk, other, KEY, { body: "{}" });
  await assertFailure(reused, "idempotency_key_reused");
  assert.equal((await storedCredentials(desk)).length, 1);
});

testOnEngines("idempotency: keys belong to one access token", async (desk) => {
  const id = await create(desk, smallRequest());
  await rawKey(await approveWith(desk, id, KEY));
  const credential = await desk.token(["approve"]);
  await assertFailure(await approveWith(desk, id, KEY, { credential }), "already_processed");
  const other = await desk.otherOrganisation();
  const foreign = await approveWith(desk, id, KEY, { credential: other.admin });
  await assertFailure(foreign, "not_found");
});

testOnEngines(
  "idempotency: a key shorter than 16 or that can't be a header's word is refused",
  async (desk) => {
    const id = await create(desk, smallRequest());
    for (const key of ["", "short", "x".repeat(15), "x".repeat(256), `${"x".repeat(16)}\u00e9`]) {
      await assertFailure(await approveWith(desk, id, key), "idempotency_key_invalid");
    }
    assert.deepEqual(await storedCredentials(desk), []);
    await rawKey(await approveWith(desk, id, "x".repeat(16)));
  },
);

testOnEngines("idempotency: failures are not kept", async (desk) => {
  const id = await create(desk, smallRequest({ key: "never-issued" }));
  await assertFailure(await approveWith(desk, id, KEY), "unknown_key");
  await desk.send("UPDATE", `/api/portal/requests/${id}`, { body: smallRequest() });
  const first = await rawKey(await approveWith(desk, id, KEY));
  assert.equal(await rawKey(await approveWith(desk, id, KEY)), first);
});

testOnEngines(
  "idempotency: a key that failed elsewhere is free for another request",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await assertFailure(await approveWith(desk, "f".repeat(24), KEY), "not_found");
    await rawKey(await approveWith(desk, id, KEY));
  },
);

testOnEngines("idempotency: twins at once both get the one credential", async (desk) => {
  const id = await create(desk, smallRequest());
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => await rawKey(await approveWith(desk, id, KEY))),
  );
  assert.equal(new Set(answers).size, 1);
  assert.equal((await storedCredentials(desk)).length, 1);
});

testOnEngines(
  "idempotency: a repeat works after the request is deleted or declined",
  async (desk) => {
    const [deleted, declined] = [
      await create(desk, smallRequest()),
      await create(desk, smallRequest()),
    ];
    const first = await rawKey(await approveWith(desk, deleted, KEY));
    const second = await rawKey(await approveWith(desk, declined, `${KEY}-2`));
    await desk.send("DELETE", `/api/portal/requests/${deleted}`);
    await liveRecordsOf(desk).decline(declined);
    assert.equal(await rawKey(await approveWith(desk, deleted, KEY)), first);
    assert.equal(await rawKey(await approveWith(desk, declined, `${KEY}-2`)), second);
  },
  { extra: liveRecords },
);

const clock = { at: 0, now: () => clock.at };

testOnEngines(
  "idempotency: the answer is kept for 24 hours and not a moment longer",
  async (desk) => {
    const start = Date.parse("2026-03-01T12:00:00Z");
    clock.at = start;
    const id = await create(desk, smallRequest());
    const first = await rawKey(await approveWith(desk, id, KEY));
    clock.at = start + 24 * HOUR - 1;
    assert.equal(await rawKey(await approveWith(desk, id, KEY)), first);
    clock.at = start + 24 * HOUR;
    await assertFailure(await approveWith(desk, id, KEY), "already_processed");
    const next = await create(desk, smallRequest());
    assert.notEqual(await rawKey(await approveWith(desk, next, KEY)), first);
  },
  { clock },
);
