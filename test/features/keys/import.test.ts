/**
 * Import of existing keys: what is taken, what is refused and why, and murmur hashes until their
 * first use.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { kdKey } from "../../../src/features/keys/key-form.ts";
import { hasMurmurKeys } from "../../../src/features/keys/murmur.store.ts";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { adoptImportedKey } from "../../../src/features/keys/adopt-imported-key.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  addPlan,
  allKeyIds,
  call,
  importKeys,
  issue,
  KEYS,
  movableClock,
  planRecords,
  readKey,
  storedDeveloper,
  tracesOf,
} from "../../support/keys.ts";
import { storedCredentials } from "../../support/stored.ts";

const clock = movableClock();
const now = clock.at;
const UNTIL = "2026-06-01T00:00:00.000Z";

/** Imports one line that must be refused, and gives the reason. */
async function reasonFor(desk: TestDesk, line: unknown, options = {}): Promise<string> {
  const [one] = await importKeys(desk, [line], options);
  assert.ok(one?.result === "refused", JSON.stringify(one));
  return one.reason;
}

const least = { developer: "dev-ada", plans: ["a"] };

testOnEngines(
  "import: plain keys and hashes open what they say, with their developers' maps",
  async (desk) => {
    const plain = "a-key-of-another-system-0123456789";
    const hash = createHash("sha256").update("another").digest("hex");
    const results = await importKeys(desk, [
      { ...least, key: plain, plans: ["a", "b", "a"], created: "2020-01-01T01:00:00+01:00" },
      {
        ...least,
        hash: hash.toUpperCase(),
        expires_at: "2027-01-01T00:00:00Z",
        algorithm: "sha256",
      },
      { ...least, key: "suspended-key", developer: "dev-bob", state: "suspended", kind: null },
      { ...least, key: "revoked-key", developer: "dev-bob", state: "revoked" },
    ]);
    assert.deepEqual(results, [1, 2, 3, 4].map((line) => ({ line, result: "added" })));
    const first = await readKey(desk, sha256(plain));
    assert.deepEqual(
      [first.plans, first.created, first.mask, first.state, first.request_id, first.expires_at],
      [["a", "b"], "2020-01-01T00:00:00.000Z", "a-ke…6789", "active", null, null],
    );
    assert.equal((await readKey(desk, hash)).expires_at, "2027-01-01T00:00:00.000Z");
    const suspended = await readKey(desk, sha256("suspended-key"));
    assert.deepEqual(
      [suspended.state, suspended.reason],
      ["suspended", "suspended when it was imported"],
    );
    assert.equal((await readKey(desk, sha256("revoked-key"))).state, "revoked");
    const ada = await storedDeveloper(desk);
    assert.deepEqual(ada.keys, { [first.key_id]: ["a", "b"], [hash]: ["a"] });
    assert.deepEqual(ada.subscriptions, { a: hash, b: first.key_id });
    assert.equal(ada.email, "");
    assert.deepEqual(Object.keys((await storedDeveloper(desk, "dev-bob")).keys), [
      suspended.key_id,
    ]);
    assert.deepEqual(await allKeyIds(desk, "plan=b"), [first.key_id]);
    assert.deepEqual(await tracesOf(desk, "run-1"), {
      audit: [["keys.imported", { added: 4 }]],
      topics: ["keys.imported"],
      invalidations: 0,
    });
    assert.deepEqual(await call(desk, "POST", `${KEYS}/find`, { key: plain }), first);
  },
  { clock },
);

testOnEngines("import: again, nothing is added, refused or changed", async (desk) => {
  const lines = [{ ...least, key: "one" }, { ...least, key: "two" }];
  await importKeys(desk, lines);
  await call(desk, "POST", `${KEYS}/${sha256("one")}/revoke`, { reason: "x" });
  const before = [await storedCredentials(desk), await storedDeveloper(desk)];
  const again = await importKeys(desk, [...lines, { ...least, key: "two", plans: ["other"] }]);
  assert.deepEqual(again.map(({ result }) => result), ["exists", "exists", "exists"]);
  assert.deepEqual([await storedCredentials(desk), await storedDeveloper(desk)], before);
  assert.equal((await tracesOf(desk, "run-1")).audit.length, 1);
  const twins = await importKeys(desk, [{ ...least, key: "three" }, { ...least, key: "three" }]);
  assert.deepEqual(twins.map(({ result }) => result), ["added", "exists"]);
});

testOnEngines("import: a key that was issued here is known already", async (desk) => {
  const { RawKey } = await issue(desk);
  const [one] = await importKeys(desk, [{ ...least, key: RawKey, developer: "dev-bob" }]);
  assert.equal(one?.result, "exists");
  assert.equal((await readKey(desk, sha256(RawKey))).developer_id, "dev-ada");
});

testOnEngines("import: a dry run says the same and writes nothing", async (desk) => {
  const lines = [{ ...least, key: "one" }, { ...least, key: "one" }, { ...least }, "x"];
  const results = (await importKeys(desk, lines, { dryRun: true })).map(({ result }) => result);
  assert.deepEqual(results, ["added", "exists", "refused", "refused"]);
  assert.deepEqual(await storedCredentials(desk), []);
  assert.deepEqual((await importKeys(desk, lines)).map(({ result }) => result), results);
});

const SECRET = "a-secret-that-no-reason-repeats";
const hash64 = "0".repeat(64);

testOnEngines("import: every refusal names what is wrong and repeats no value", async (desk) => {
  const members =
    "key, hash, algorithm, kind, secret_hash, password, developer, plans, expires_at, created, state, name, environment, note, tags";
  const cases: [line: unknown, reason: string][] = [
    [`{"key":"${SECRET}`, "is no JSON"],
    [`"${SECRET}"`, "is no JSON object"],
    [[SECRET], "is no JSON object"],
    [{ ...least, key: SECRET, pasword: SECRET }, `expected no other members than ${members}`],
    [least, "key or hash: expected one of them"],
    [{ ...least, key: SECRET, hash: hash64 }, "key or hash: expected one of them"],
    [{ key: SECRET, plans: ["a"] }, "developer: expected string, received undefined"],
    [{ key: SECRET, developer: "d" }, "plans: expected array, received undefined"],
    [{ ...least, key: SECRET, plans: [] }, "plans: Too small: expected array to have >=1 items"],
    [
      { ...least, key: SECRET, developer: "a\u0000" },
      "developer: must not hold control characters",
    ],
    [
      { ...least, key: SECRET, expires_at: "tomorrow" },
      "expires_at: expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
    ],
    [
      { ...least, key: SECRET, state: "gone" },
      'state: Invalid option: expected one of "active"|"suspended"|"revoked"',
    ],
    [
      { ...least, key: SECRET, algorithm: "sha256" },
      "algorithm: belongs to hash; a plain key is hashed anew",
    ],
    [
      { ...least, key: `kd_live_${SECRET}` },
      "key: begins like a key of the form kd and is none, so verification would refuse it",
    ],
    [{ ...least, hash: SECRET }, "hash: expected the 64 hexadecimal digits of sha256"],
    [
      { ...least, hash: hash64, algorithm: SECRET },
      "algorithm: expected sha256, murmur64 or murmur128",
    ],
    [
      { ...least, hash: "248bfa47", algorithm: "murmur32" },
      "algorithm: a hash of 32 bits is refused: a key that fits is found by trying",
    ],
    [
      { ...least, hash: "248bfa47" },
      "hash: a hash of 32 bits is refused: a key that fits is found by trying",
    ],
    [
      { ...least, hash: "0".repeat(32), algorithm: "murmur128" },
      "algorithm: murmur128 is taken with --allow-murmur only",
    ],
    [
      { ...least, hash: hash64, algorithm: "murmur128" },
      "hash: expected the 32 hexadecimal digits of murmur128",
    ],
    [
      { ...least, key: SECRET, password: SECRET },
      "password, secret_hash: a key of kind token has none",
    ],
    [{ ...least, key: SECRET, kind: "basic" }, "password or secret_hash: needed for kind basic"],
    [
      { ...least, key: SECRET, kind: "basic", secret_hash: SECRET },
      "secret_hash: expected the 64 hexadecimal digits of a SHA-256",
    ],
    [
      { ...least, key: SECRET, kind: "basic", password: "x", secret_hash: hash64 },
      "password and secret_hash: expected one of them",
    ],
    [
      { ...least, key: `${SECRET} `, kind: "oauth", password: "x" },
      "key: expected a client_id of 1 to 255 printable characters",
    ],
  ];
  for (const [line, reason] of cases) {
    const found = await reasonFor(desk, line);
    assert.equal(found, reason, JSON.stringify(line));
    assert.ok(!found.includes(SECRET));
  }
  assert.deepEqual(await storedCredentials(desk), []);
});

testOnEngines(
  "import: plans that don't fit together, or not the kind, are refused; else they decide it",
  async (desk) => {
    await addPlan(desk, "basic", {}, "basic");
    await addPlan(desk, "keyless", {}, "keyless");
    await addPlan(desk, "oauth", {}, "oauth");
    const reason = (plans: string[], more = {}) =>
      reasonFor(desk, { ...least, key: "k", plans, ...more });
    assert.match(await reason(["keyless"]), /^plans: key requests for key-less/);
    assert.match(await reason(["basic", "oauth"]), /^plans: .*same auth type/);
    assert.match(await reason(["basic"], { kind: "token" }), /^plans: their auth type/);
    const password = "of a person";
    await importKeys(desk, [
      { ...least, key: "user", plans: ["basic"], password },
      { ...least, key: "client", plans: ["oauth"], password },
      {
        ...least,
        hash: sha256("hashed"),
        plans: ["oauth"],
        secret_hash: sha256("s").toUpperCase(),
      },
    ]);
    const stored = await storedCredentials(desk);
    assert.deepEqual(
      Object.fromEntries(stored.map((row) => [row.key_id, [row.kind, row.secret_hash]])),
      {
        [sha256("user")]: ["basic", sha256(password)],
        [sha256("client")]: ["oauth", sha256(password)],
        [sha256("hashed")]: ["oauth", sha256("s")],
      },
    );
    const { oauth_clients } = await storedDeveloper(desk);
    const shown = oauth_clients.oauth?.map(({ client_id, secret }) => [client_id, secret]);
    assert.deepEqual(shown, [["client", ""]], "the secret is sealed apart");
  },
  { extra: planRecords },
);

testOnEngines(
  "import: where references are strict, unknown plans and developers are refused",
  async (desk) => {
    await addPlan(desk, "known");
    const line = { ...least, key: "k", plans: ["known"] };
    assert.equal(await reasonFor(desk, line), "developer: this developer does not exist");
    const portal_developer = { id: "dev-ada", email: "ada@example.org" };
    await call(desk, "POST", "/api/portal/requests", { for_plan: "known", portal_developer });
    assert.equal(
      await reasonFor(desk, { ...line, plans: ["unknown"] }),
      "plans: There is no such plan.",
    );
    assert.deepEqual((await importKeys(desk, [line])).map(({ result }) => result), ["added"]);
  },
  { environment: { KEYDESK_REFERENCES: "strict" }, extra: planRecords },
);

testOnEngines("import: a key of the kd form is taken and masked as such", async (desk) => {
  const key = kdKey("old", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg");
  await importKeys(desk, [{ ...least, key }]);
  assert.equal((await readKey(desk, sha256(key))).mask, "kd_old_0123…defg");
});

testOnEngines(
  "murmur: a hash stands for its key until the first use, then the SHA-256 does",
  async (desk) => {
    clock.at = now;
    const { storage: { reader } } = desk.app.ctx;
    assert.equal(await hasMurmurKeys(reader, { org_id: desk.org_id }), false);
    const keys = ["first-key-of-old", "second-key-of-old"];
    const [[a128 = ""] = [], [, b64 = ""] = []] = await Promise.all(keys.map(murmurIdsOf));
    const lines = [
      { ...least, hash: a128, algorithm: "murmur128" },
      { ...least, hash: b64, algorithm: "murmur64", plans: ["b"] },
    ];
    const murmurUntil = UNTIL;
    await importKeys(desk, lines, { murmurUntil });
    assert.equal(await hasMurmurKeys(reader, { org_id: desk.org_id }), true);
    assert.equal(await hasMurmurKeys(reader, { org_id: "another" }), false);
    const found = await call(desk, "POST", `${KEYS}/find`, { key: keys[0] });
    assert.deepEqual(
      [found.key_id, found.algorithm, found.use_before, found.state],
      [a128, "murmur128", UNTIL, "active"],
    );
    for (const [i, murmur_id] of [a128, b64].entries()) {
      const key_id = sha256(keys[i] ?? "");
      const actor = { org_id: desk.org_id, user_id: "gateway", token_id: "t", now };
      const adopt = () =>
        desk.app.ctx.storage.commit(adoptImportedKey, {
          actor,
          former_id: murmur_id,
          key_id,
          isWeak: false,
        });
      // Two uses at once.
      assert.deepEqual((await Promise.all([adopt(), adopt()])).sort(), [false, true]);
      const adopted = await readKey(desk, key_id);
      assert.deepEqual([adopted.algorithm, adopted.use_before], ["sha256", null]);
      await assertFailure(await desk.send("GET", `${KEYS}/${murmur_id}`), "not_found");
      const before = { before: murmur_id, algorithm: i === 0 ? "murmur128" : "murmur64" };
      const traces = await tracesOf(desk, key_id);
      assert.deepEqual(traces.audit, [["key.rehashed", before]]);
      assert.equal(traces.invalidations, 1);
      assert.equal((await tracesOf(desk, murmur_id)).invalidations, 1);
    }
    const [one = "", two = ""] = keys.map(sha256);
    const { keys: held, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(held, { [one]: ["a"], [two]: ["b"] });
    assert.deepEqual(subscriptions, { a: one, b: two });
    assert.deepEqual(await allKeyIds(desk, "plan=a"), [one]);
    assert.equal(await hasMurmurKeys(reader, { org_id: desk.org_id }), false);
    // A revoked one must not come back to life with the file.
    await call(desk, "POST", `${KEYS}/${one}/revoke`, { reason: "x" });
    const again = await importKeys(desk, lines, { murmurUntil });
    assert.deepEqual(again.map(({ result }) => result), ["exists", "exists"]);
    assert.equal((await storedCredentials(desk)).length, 2);
  },
  { clock },
);

testOnEngines(
  "murmur: what nobody used until its day is expired, and is adopted no more",
  async (desk) => {
    clock.at = now;
    const [murmur_id] = await murmurIdsOf("never-used");
    const line = { ...least, hash: murmur_id, algorithm: "murmur128" };
    await importKeys(desk, [line], { murmurUntil: UNTIL });
    const states = async () => ({
      shown: (await readKey(desk, murmur_id)).state,
      active: await allKeyIds(desk, "state=active"),
      expired: await allKeyIds(desk, "state=expired"),
    });
    clock.at = Date.parse(UNTIL) - 1;
    assert.deepEqual(await states(), { shown: "active", active: [murmur_id], expired: [] });
    clock.at++;
    assert.deepEqual(await states(), { shown: "expired", active: [], expired: [murmur_id] });
    const actor = { org_id: desk.org_id, user_id: "gateway", token_id: "t", now: clock.at };
    const adoption = {
      actor,
      former_id: murmur_id,
      key_id: sha256("never-used"),
      isWeak: false,
    };
    assert.equal(await desk.app.ctx.storage.commit(adoptImportedKey, adoption), false);
  },
  { clock },
);

testOnEngines(
  "murmur: a suspended key, and one whose SHA-256 is taken, are not adopted",
  async (desk) => {
    const [murmur_id] = await murmurIdsOf("a-key");
    const line = { ...least, hash: murmur_id, algorithm: "murmur128" };
    await importKeys(desk, [line, { ...least, key: "a-key" }], {
      murmurUntil: "2099-01-01T00:00:00Z",
    });
    const actor = { org_id: desk.org_id, user_id: "gateway", token_id: "t", now: Date.now() };
    const adopt = (to: string) =>
      desk.app.ctx.storage.commit(adoptImportedKey, {
        actor,
        former_id: murmur_id,
        key_id: to,
        isWeak: false,
      });
    assert.equal(await adopt(sha256("a-key")), false);
    await call(desk, "POST", `${KEYS}/${murmur_id}/suspend`, { reason: "x" });
    assert.equal(await adopt(sha256("other")), false);
    assert.equal((await readKey(desk, murmur_id)).algorithm, "murmur128");
  },
);

testOnEngines(
  "import: what a key holds inside stops no run and stands in no list",
  async (desk) => {
    const inside = "\0\0\0\0 0123456789 0123456789 \u001b[2J";
    const legacy = btoa(JSON.stringify({ org: "a".repeat(24), id: inside, h: "sha256" }));
    const halved = `abc\u{1f600}${"0123456789".repeat(3)}\u{1f600}def`;
    const beside = "a-key-of-another-system-0123456789";
    const keys = [legacy, halved, beside];
    const results = await importKeys(desk, keys.map((key) => ({ ...least, key })));
    assert.deepEqual(results, [1, 2, 3].map((line) => ({ line, result: "added" })));
    for (const key of [legacy, halved]) {
      const key_id = sha256(key);
      const { mask, state } = await readKey(desk, key_id);
      assert.deepEqual([mask, state], [`${key_id.slice(0, 4)}…${key_id.slice(-4)}`, "active"]);
    }
    assert.equal((await readKey(desk, sha256(beside))).mask, "a-ke…6789");
  },
  { clock },
);
