/**
 * What each way to mint a key shares: the end that its plans set, its form, and that it is shown
 * once.
 */
import assert from "node:assert/strict";
import type { Replacement } from "../../../src/features/keys/mint-key.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
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
    await addPlan(desk, "a");
    const fields = { name: " Grace Hopper " };
    await call(desk, "POST", "/v1/developers", {
      id: "dev-grace",
      email: "Grace@Example.org",
      fields,
    });
    const path = "/v1/developers/dev-grace/keys";
    const init = { body: { plans: ["a"] }, headers: { "idempotency-key": "issued-by-hand-once" } };
    const fresh: Replacement = await (await desk.send("POST", path, init)).json();
    const { RawKey, key_id } = fresh;
    assert.deepEqual(fresh, {
      RawKey,
      Password: "",
      key_id: sha256(RawKey),
      expires_at: null,
      replaces: [],
      one_time_link: null,
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
  },
  { extra: planRecords },
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

const END = "2026-03-01T00:30:00.000Z";

testOnEngines(
  "expiry at issue: an end that is asked for counts, at an issue as at an approval, and is told again",
  async (desk) => {
    clock.at = start;
    await addPlan(desk, "hour", { key_expires_in: 3600 });
    await addPlan(desk, "none");
    await call(desk, "POST", "/v1/developers", { id: "dev-ada", email: "ada@example.org" });
    const issueAt = "/v1/developers/dev-ada/keys";
    const headers = { "idempotency-key": "an end that was asked for" };
    for (const [plan, expires_at, end] of ENDS) {
      const body = { plans: [plan], expires_at };
      const issued = await call<Replacement>(desk, "POST", issueAt, body);
      assert.equal(issued.expires_at, end, plan);
      assert.equal((await readKey(desk, issued.key_id)).expires_at, end);
      const asked = { by_user: "dev-ada", for_plan: plan };
      const { id } = await call<{ id: string }>(desk, "POST", "/v1/key-requests", asked);
      const approve = `/v1/key-requests/${id}/approve`;
      const approved = await call<Approved>(desk, "POST", approve, { expires_at });
      assert.equal(approved.expires_at, end);
      assert.equal((await readKey(desk, approved.key_id)).expires_at, end);
    }
    const once = { headers, body: { plans: ["none"], expires_at: END } };
    const first = await (await desk.send("POST", issueAt, once)).text();
    clock.at = Date.parse(END) + 1;
    assert.equal(await (await desk.send("POST", issueAt, once)).text(), first);
    assert.equal((await readKey(desk, JSON.parse(first).key_id)).state, "expired");
  },
  { clock, extra: planRecords },
);

interface Approved {
  key_id: string;
  expires_at: string | null;
}

const ENDS = [
  ["none", "2026-03-01T01:30:00+01:00", END],
  ["hour", END, END],
  // Whoever approves may set any end, as they may later.
  ["hour", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00.000Z"],
  ["hour", null, "2026-03-01T01:00:00.000Z"],
] as const;

testOnEngines(
  "expiry at issue: of an approval that changes a key it is that key's",
  async (desk) => {
    clock.at = start;
    await addPlan(desk, "none");
    const { key_id, RawKey } = await issue(desk, ["none"]);
    const asked = { by_user: "dev-ada", for_plan: "none", key: key_id };
    const { id } = await call<{ id: string }>(desk, "POST", "/v1/key-requests", asked);
    const approved = await call<Approved>(
      desk,
      "POST",
      `/v1/key-requests/${id}/approve`,
      { expires_at: END },
    );
    assert.deepEqual([approved.key_id, approved.expires_at], [key_id, END]);
    assert.equal((await readKey(desk, key_id)).expires_at, END);
    assert.equal(sha256(RawKey), key_id);
  },
  { clock, extra: planRecords },
);
