/** What each way to mint a key shares: the end that its plans set, its form, and that it is shown once. */
import assert from "node:assert/strict";
import type { Replacement } from "../../../src/features/keys/mint-key.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  addPlan,
  call,
  issue,
  KEYS,
  movableClock,
  planRecords,
  readKey,
} from "../../support/keys.ts";

const clock = movableClock();
const start = clock.at;

const PATH = "/api/portal/developers/dev-ada/keys";

testOnEngines(
  "expiry at issue: the shortest life of the plans counts; none, 0 and below mean for ever",
  async (desk) => {
    clock.at = start;
    await addPlan(desk, "hour", { key_expires_in: 3600 });
    await addPlan(desk, "day", { key_expires_in: 86400 });
    await addPlan(desk, "none");
    await addPlan(desk, "zero", { key_expires_in: 0 });
    await addPlan(desk, "minus", { key_expires_in: -1 });
    await addPlan(desk, "aeon", { key_expires_in: 9e15 });
    const hour = "2026-03-01T01:00:00.000Z";
    for (
      const [plans, expires_at] of [
        [["hour"], hour],
        [["day", "none", "hour", "minus"], hour],
        [["none"], null],
        [["zero", "minus"], null],
        [["aeon"], null],
        [["unknown"], null],
      ] as const
    ) {
      const { key_id } = await issue(desk, [...plans]);
      assert.equal((await readKey(desk, key_id)).expires_at, expires_at, `${plans}`);
    }
    const issued = await call<{ RawKey: string }>(desk, "POST", PATH, { apply_policies: ["hour"] });
    assert.equal((await readKey(desk, sha256(issued.RawKey))).expires_at, hour);
    clock.at = start + 1000;
    const rotated = await call<Replacement>(
      desk,
      "POST",
      `${KEYS}/${sha256(issued.RawKey)}/rotate`,
      { overlap_seconds: 5 },
    );
    assert.equal(rotated.expires_at, "2026-03-01T01:00:01.000Z");
  },
  { extra: planRecords, clock },
);

testOnEngines(
  "issue by hand: a developer's new key is shown once, and again to a repeat",
  async (desk) => {
    const fields = { name: " Grace Hopper " };
    await call(desk, "POST", "/v1/developers", {
      ...{ id: "dev-grace", email: "Grace@Example.org", fields },
    });
    const path = "/v1/developers/dev-grace/keys";
    const init = { body: { plans: ["a"] }, headers: { "idempotency-key": "issued-by-hand-once" } };
    const fresh: Replacement = await (await desk.send("POST", path, init)).json();
    const { RawKey, key_id } = fresh;
    assert.deepEqual(fresh, {
      ...{ RawKey, Password: "", key_id: sha256(RawKey), expires_at: null, replaces: [] },
      claim: null,
    });
    const shown = await readKey(desk, key_id);
    assert.deepEqual(
      [shown.plans, shown.developer_id, shown.developer_email, shown.request_id],
      [["a"], "dev-grace", "grace@example.org", null],
    );
    assert.equal(shown.developer_name, "Grace Hopper");
    const { data } = await (await desk.send("GET", "/v1/keys?developer=dev-grace")).json();
    assert.deepEqual(data, [shown]);
    assert.deepEqual(await (await desk.send("POST", path, init)).json(), fresh);
    const nobody = { body: { plans: ["a"] } };
    await assertFailure(await desk.send("POST", "/v1/developers/nobody/keys", nobody), "not_found");
  },
);

testOnEngines(
  "kd: with the setting every minted key has that form, and is known by its hash alone",
  async (desk) => {
    const old = await issue(desk);
    assert.match(old.RawKey, /^kd_test_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    const shown = await readKey(desk, old.key_id);
    const random = old.RawKey.split("_")[2] ?? "";
    assert.equal(shown.mask, `kd_test_${random.slice(0, 4)}…${random.slice(-4)}`);
    const bodies = [
      [`${KEYS}/${old.key_id}/rotate`, { overlap_seconds: 0 }],
      [`/v1/key-requests/${old.request_id}/reissue`, undefined],
      [PATH, { apply_policies: ["a"] }],
    ] as const;
    for (const [path, body] of bodies) {
      const { RawKey } = await call<{ RawKey: string }>(desk, "POST", path, body);
      assert.match(RawKey, /^kd_test_/);
    }
  },
  { environment: { KEYDESK_KEY_FORMAT: "kd", KEYDESK_KEY_ENV: "test" } },
);
