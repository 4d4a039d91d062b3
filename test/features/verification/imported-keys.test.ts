/**
 * Keys that were imported by their murmur hash open from their first use on, and are known by
 * SHA-256 then.
 */
import assert from "node:assert/strict";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, importKeys, KEYS, movableClock, readKey } from "../../support/keys.ts";
import { makeKnown, outcome, valid, watchReads, withSecond } from "../../support/verification.ts";

const UNTIL = "2026-06-01T00:00:00.000Z";
const clock = movableClock();
const start = clock.at;

/** Imports these keys by their hashes, the first by 128 bits, the next by 64, and so on. */
async function imported(desk: TestDesk, keys: string[]): Promise<string[]> {
  const ids = await Promise.all(keys.map(async (key, n) => (await murmurIdsOf(key))[n % 2] ?? ""));
  const lines = ids.map((hash, n) => ({
    developer: "dev-ada",
    plans: ["plan-weather"],
    kind: "token",
    hash,
    algorithm: n % 2 === 0 ? "murmur128" : "murmur64",
  }));
  await makeKnown(desk, ["plan-weather"]);
  const results = await importKeys(desk, lines, { murmurUntil: UNTIL });
  assert.deepEqual(new Set(results.map(({ result }) => result)), new Set(["added"]));
  return ids;
}

const onEngines = (promise: string, test: (desk: TestDesk) => Promise<void>) =>
  testOnEngines(
    promise,
    async (desk) => {
      clock.at = start;
      await test(desk);
    },
    // A busy machine is late with its looks at changes; here they decide nothing.
    { clock, environment: { KEYDESK_VERIFY_MAX_STALE_MS: "30000" } },
  );

onEngines(
  "imported: the first use of a murmur key passes, and makes its SHA-256 known",
  async (desk) => {
    const keys = ["first-key-of-old", "second-key-of-old"];
    const ids = await imported(desk, keys);
    for (const [n, key] of keys.entries()) {
      assert.equal((await valid(desk, key)).key_id, sha256(key));
      assert.equal((await readKey(desk, sha256(key))).algorithm, "sha256");
      assert.equal((await desk.send("GET", `${KEYS}/${ids[n]}`)).status, 404);
      // The hash was never a key.
      assert.equal(await outcome(desk, ids[n] ?? ""), "unknown");
    }
    assert.equal(await outcome(desk, "third-key-of-old"), "unknown");
  },
);

onEngines(
  "imported: asking the door of a key that was never used changes nothing",
  async (desk) => {
    const [id = ""] = await imported(desk, ["key-that-is-asked-about"]);
    const ask = () =>
      call<{ valid: boolean; key_id: string }>(desk, "POST", "/v1/keys/check", {
        key: "key-that-is-asked-about",
      });
    for (let i = 0; i < 2; i++) {
      const told = await ask();
      assert.deepEqual([told.valid, told.key_id], [true, id]);
    }
    assert.equal((await readKey(desk, id)).algorithm, "murmur128");
    assert.equal(await outcome(desk, "key-that-is-asked-about"), "valid");
    assert.equal((await ask()).key_id, sha256("key-that-is-asked-about"));
  },
);

onEngines("imported: first uses at once, through two desks, all pass", async (desk) => {
  const keys = Array.from({ length: 20 }, (_, n) => `imported-key-number-${n}`);
  await imported(desk, keys);
  await withSecond(desk, async (second) => {
    const outcomes = await Promise.all(
      keys.flatMap((key) => [desk, second, desk, second].map((one) => outcome(one, key))),
    );
    assert.deepEqual(new Set(outcomes), new Set(["valid"]));
  }, clock);
});

onEngines(
  "imported: what nobody used until its day, and what is suspended, opens nothing",
  async (desk) => {
    const keys = ["suspended-key-of-old", "late-key-of-old", "used-key-of-old"];
    const [suspended = ""] = await imported(desk, keys);
    await call(desk, "POST", `${KEYS}/${suspended}/suspend`, { reason: "x" });
    assert.equal(await outcome(desk, keys[0] ?? ""), "unknown");
    assert.equal(await outcome(desk, keys[2] ?? ""), "valid");
    clock.at = Date.parse(UNTIL);
    assert.equal(await outcome(desk, keys[1] ?? ""), "unknown");
    assert.equal(await outcome(desk, keys[2] ?? ""), "valid");
  },
);

onEngines("imported: an unknown key is looked for once in its second there too", async (desk) => {
  await imported(desk, ["some-key-of-old"]);
  await outcome(desk, "warm");
  const watched = watchReads(desk);
  const began = performance.now();
  await Promise.all(Array.from({ length: 40 }, () => outcome(desk, "guess")));
  const tokens = watched.sql.filter((sql) => /oauth_tokens/.test(sql)).length;
  assert.ok(tokens <= Math.floor((performance.now() - began) / 1000) + 1, String(tokens));
  assert.ok(watched.lookUps() <= tokens * 6, String(watched.lookUps()));
});
