/** The memory of keys: which entries stay, and that none answers for another one. */
import assert from "node:assert/strict";
import { KeyMemory, type KeyQuotas } from "../../../src/features/verification/key-memory.ts";
import { type KeyFacts, KnownToken } from "../../../src/features/verification/known-key.ts";
import { grantsOf } from "../../../src/features/verification/plan-grants.ts";
import { takeCall } from "../../../src/features/verification/rate.ts";
import { UnknownNames } from "../../../src/features/verification/unknown-names.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";

const GRANTS = grantsOf([], "refuse");
const LOOK = { round: 0, at: 0 };

function factsOf(key_id: string, changed: Partial<KeyFacts> = {}): KeyFacts {
  return {
    kind: "token",
    state: "active",
    secret_hash: null,
    mask: `${key_id.slice(0, 4)}…`,
    developer_id: `developer of ${key_id}`,
    developer_email: "",
    email_verified: false,
    issuedAt: 1,
    quotaKey: key_id,
    expiresAt: Infinity,
    conditions: null,
    ...changed,
  };
}

function keep(memory: KeyMemory, name: string, changed?: Partial<KeyFacts>, org_id = "org") {
  const key_id = sha256(name);
  return memory.setKey(org_id, key_id, factsOf(key_id, changed), GRANTS, LOOK, 0);
}

function kept(memory: KeyMemory, name: string, org_id = "org") {
  const row = memory.use(org_id, sha256(name));
  return row < 0 ? undefined : memory.keyAt(row, sha256(name));
}

Deno.test("memory: entries among the last third of its size that were used stay", () => {
  const dropped: KeyQuotas[] = [];
  const memory = new KeyMemory(30, (quotas) => void dropped.push(...quotas));
  for (let n = 0; n < 1000; n++) {
    const key = keep(memory, `k${n}`);
    // As a quota that was leased.
    memory.quotaOf(key, "plan").left = n;
    for (let back = 0; back < 9; back++) {
      if (n >= back) assert.equal(kept(memory, `k${n - back}`)?.facts.issuedAt, 1);
    }
    assert.ok(memory.size <= 30);
  }
  assert.equal(new Set(dropped.map(({ uses }) => uses.left)).size, dropped.length);
  const left = memory.quotas();
  assert.deepEqual(
    [...dropped, ...left].map(({ uses }) => uses.left).sort((a, b) => a - b),
    Array.from({ length: 1000 }, (_, n) => n),
  );
  assert.ok(dropped.every(({ quotaKey, uses }) => quotaKey === sha256(`k${uses.left}`)));
  assert.ok(left.length - memory.size <= 10, "few wait to be handed over");
});

Deno.test("memory: entries go a few at a time, and one that is used meanwhile stays", () => {
  const dropped: KeyQuotas[] = [];
  const memory = new KeyMemory(3000, (quotas) => void dropped.push(...quotas));
  const sizes: number[] = [];
  for (let n = 0; n < 3000; n++) memory.quotaOf(keep(memory, `k${n}`), "plan").left = n;
  for (let n = 0; n < 2000; n++) {
    keep(memory, `n${n}`);
    assert.ok(kept(memory, "k2000") && kept(memory, "k2999"));
    sizes.push(memory.size);
  }
  assert.ok(sizes.every((size, at) => size - (sizes[at - 1] ?? size) >= -8), "three with each use");
  assert.ok(memory.size <= 3000);
  const gone = new Set(dropped.map(({ uses }) => uses.left));
  assert.ok(gone.has(1) && gone.has(1500) && !gone.has(2000) && !gone.has(2999));
});

Deno.test("memory: an entry is given as it was kept, by its organisation alone", () => {
  const memory = new KeyMemory(1000, () => {});
  const changes: Partial<KeyFacts>[] = [
    {},
    { kind: "basic", secret_hash: sha256("password") },
    { kind: "oauth", state: "suspended", email_verified: true, developer_email: "é@ü.example" },
    { state: "revoked", quotaKey: sha256("before"), issuedAt: 1.5e12, expiresAt: 1.8e12 },
    { developer_id: "d".repeat(100), developer_email: `${"e".repeat(300)}@ü.example` },
    { mask: "\ud800…", developer_id: "\udfff" },
    { state: "damaged", conditions: { addresses: null, rate: null, quota: null } },
  ];
  changes.forEach((changed, n) => keep(memory, `k${n}`, changed));
  changes.forEach((changed, n) => {
    const key = kept(memory, `k${n}`);
    assert.deepEqual(key?.facts, factsOf(sha256(`k${n}`), changed));
    assert.deepEqual([key.org_id, key.key_id, key.grants], ["org", sha256(`k${n}`), GRANTS]);
    assert.equal(kept(memory, `k${n}`, "other"), undefined);
  });
  keep(memory, "k1", { mask: "new" });
  assert.deepEqual(kept(memory, "k1")?.facts, factsOf(sha256("k1"), { mask: "new" }));
  assert.equal(memory.size, changes.length);
});

Deno.test("memory: counters outlive a new look, and a key that is gone counts on no other one", () => {
  const memory = new KeyMemory(4, () => {});
  const first = keep(memory, "first");
  for (let n = 0; n < 3; n++) takeCall(memory.rateOf(first, "plan"), 10, 1000, 0);
  takeCall(memory.rateOf(first, "other"), 10, 1000, 0);
  memory.quotaOf(first, "plan").left = 7;
  assert.equal(memory.noteUse(first, 100_000, 60_000), true);
  const again = keep(memory, "first");
  assert.equal(memory.rateOf(again, "plan").fullAt, 300);
  assert.equal(memory.rateOf(again, "other").fullAt, 100);
  // By the older look too.
  assert.equal(memory.quotaOf(first, "plan").left, 7);
  assert.equal(memory.noteUse(first, 150_000, 60_000), false);
  for (let n = 0; n < 10; n++) keep(memory, `k${n}`);
  assert.equal(kept(memory, "first"), undefined);
  takeCall(memory.rateOf(again, "plan"), 10, 1000, 0);
  memory.quotaOf(again, "plan").left = 99;
  for (let n = 0; n < 10; n++) {
    const key = kept(memory, `k${n}`);
    if (key === undefined) continue;
    assert.equal(memory.rateOf(key, "plan").fullAt, 0);
    assert.equal(memory.quotaOf(key, "plan").left, 0);
    assert.equal(memory.noteUse(key, 60_000, 60_000), true);
  }
});

Deno.test("memory: a token is no key, and names its client and that client's look", () => {
  const memory = new KeyMemory(100, () => {});
  const client = keep(memory, "client", { kind: "oauth" });
  memory.setToken(sha256("token"), new KnownToken(client, 5000));
  const row = memory.use("org", sha256("token"));
  assert.equal(memory.keyAt(row, sha256("token")), undefined);
  assert.equal(memory.clientAt(row), client.key_id);
  assert.equal(memory.endAt(row), 5000);
  assert.equal(memory.looksAt(row), memory.looksAt(memory.peek("org", client.key_id)));
  keep(memory, "client", { kind: "oauth" });
  assert.notEqual(memory.looksAt(row), memory.looksAt(memory.peek("org", client.key_id)));
});

Deno.test("memory: a name that is no SHA-256 is not there, and forgetting it does nothing", () => {
  const memory = new KeyMemory(100, () => {});
  keep(memory, "key");
  for (const name of ["", "key", sha256("key").toUpperCase(), `${sha256("key")}0`]) {
    assert.equal(memory.peek("org", name), -1);
    memory.forget("org", name);
  }
  assert.ok(memory.isOf(memory.peek("org", sha256("key")), 0, -Infinity));
  memory.forget("org", sha256("key"));
  assert.ok(!memory.isOf(memory.peek("org", sha256("key")), 0, -Infinity));
});

Deno.test("memory: names that lead nowhere are bounded and end in their time", () => {
  const names = new UnknownNames(1000, 100);
  for (let n = 0; n < 500; n++) names.add(`n${n}`, n);
  assert.equal(names.size, 100);
  assert.ok(names.has("n499", 1498));
  assert.ok(!names.has("n499", 1499));
  assert.ok(!names.has("n300", 500));
  names.add("late", 5000);
  assert.equal(names.size, 1);
});
