/** What verification says when the store is away, and how rarely it asks it. */
import assert from "node:assert/strict";
import { kdKey } from "../../../src/features/keys/key-form.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { call, KEYS } from "../../support/keys.ts";
import { ask, heeds, issueKnown, outcome, valid, watchReads } from "../../support/verification.ts";

/** So old the last look at the store may be: much longer than a busy machine stands still. */
const MAX_STALE_MS = 2000;
const environment = { KEYDESK_VERIFY_MAX_STALE_MS: String(MAX_STALE_MS) };

const gone = () => Promise.reject(new Failure("unavailable"));
const hangs = () => new Promise<void>(() => {});

for (const [how, before] of [["refuses", gone], ["hangs", hangs]] as const) {
  testOnEngines(
    `staleness: with a store that ${how} for longer than the setting it says 503, and goes on after`,
    async (desk) => {
      const { RawKey: key, key_id } = await issueKnown(desk);
      const gateway = await desk.token(["verify"]);
      await valid(desk, key);
      const watched = watchReads(desk);
      watched.before = before;
      // The gateway's own credential is looked up in the store too: within its second it is known.
      const { verifier } = desk.app.ctx;
      const check = () =>
        Promise.resolve(
          verifier.check(desk.org_id, { name: key, password: undefined }, undefined),
        );
      const awayAt = performance.now();
      let answered = 0;
      await eventually("503", async () => {
        const began = performance.now();
        try {
          const { valid } = await check();
          assert.equal(valid, true);
          assert.ok(began - awayAt <= MAX_STALE_MS, `answered after ${began - awayAt} ms`);
          answered++;
          await new Promise((resolve) => setTimeout(resolve, 5));
          return false;
        } catch (error) {
          assert.ok(error instanceof Failure && error.code === "unavailable", String(error));
          return true;
        }
      });
      assert.ok(answered > 0);
      watched.before = undefined;
      await eventually("the store is back", async () => {
        const response = await ask(desk, { key }, gateway);
        if (response.status === 503) {
          await assertFailure(response, "unavailable");
          return false;
        }
        return (await response.json()).valid;
      });
      await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "x" });
      await heeds(desk, key, "revoked");
    },
    { environment },
  );

  testOnEngines(
    `staleness: allowed, a store that ${how} leaves known keys valid and others 503`,
    async (desk) => {
      const { RawKey: key } = await issueKnown(desk);
      await valid(desk, key);
      const watched = watchReads(desk);
      watched.before = before;
      const { verifier } = desk.app.ctx;
      const check = async (name: string) => {
        return await verifier.check(desk.org_id, { name, password: undefined }, undefined);
      };
      const awayAt = performance.now();
      while (performance.now() - awayAt < 1500) {
        assert.equal((await check(key)).valid, true);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await assert.rejects(
        check("another"),
        (error) => error instanceof Failure && error.code === "unavailable",
      );
    },
    { environment: { KEYDESK_VERIFY_STALE: "allow" } },
  );
}

testOnEngines(
  "staleness: allowed or not, a store that is there is asked before the first answer",
  async (desk) => {
    const { RawKey: key, key_id } = await issueKnown(desk);
    await valid(desk, key);
    const { verifier } = desk.app.ctx;
    // Nobody looks any more, as after a pause.
    const watched = watchReads(desk);
    watched.before = (sql) => sql.includes("invalidation") ? gone() : Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, MAX_STALE_MS + 200));
    await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason: "x" });
    watched.before = undefined;
    const verdict = await verifier.check(
      desk.org_id,
      { name: key, password: undefined },
      undefined,
    );
    assert.equal(verdict.valid, false);
  },
  { environment: { ...environment, KEYDESK_VERIFY_STALE: "allow" } },
);

testOnEngines(
  "staleness: allowed, what memory does not have waits for a slow store as long as where it is not",
  async (desk) => {
    const { RawKey: key } = await issueKnown(desk);
    const watched = watchReads(desk);
    watched.before = () => new Promise((resolve) => setTimeout(resolve, 400));
    const { verifier } = desk.app.ctx;
    const verdict = await verifier.check(
      desk.org_id,
      { name: key, password: undefined },
      undefined,
    );
    assert.equal(verdict.valid, true);
  },
  { environment: { KEYDESK_VERIFY_STALE: "allow", KEYDESK_VERIFY_MAX_STALE_MS: "30000" } },
);

testOnEngines(
  "look-ups: a key that is unknown touches the store once in its second",
  async (desk) => {
    await issueKnown(desk);
    await outcome(desk, "warm");
    const watched = watchReads(desk);
    const looks = () => watched.sql.filter((sql) => /oauth_tokens/.test(sql)).length;
    let began = performance.now();
    const guesses = Array.from({ length: 50 }, () => outcome(desk, "guess"));
    assert.deepEqual(new Set(await Promise.all(guesses)), new Set(["unknown"]));
    for (let n = 0; n < 50; n++) await outcome(desk, "guess");
    // However long that took: two reads find out, for a second each time.
    const windows = Math.floor((performance.now() - began) / 1000) + 1;
    assert.ok(looks() <= windows, `${looks()} in ${windows}`);
    const before = looks();
    await eventually("the window ends", async () => {
      began = performance.now();
      await outcome(desk, "guess");
      return looks() > before;
    });
  },
);

testOnEngines("look-ups: guesses can't push known keys out of memory", async (desk) => {
  const { RawKey: key } = await issueKnown(desk);
  await valid(desk, key);
  const { verifier } = desk.app.ctx;
  const check = async (name: string) => {
    return await verifier.check(desk.org_id, { name, password: undefined }, undefined);
  };
  for (let n = 0; n < 3000; n++) assert.equal((await check(`guess-${n}`)).valid, false);
  const watched = watchReads(desk);
  assert.equal((await check(key)).valid, true);
  assert.equal(watched.lookUps(), 0);
});

testOnEngines(
  "look-ups: a key of our form with a typing error, or one that is too long, asks nobody",
  async (desk) => {
    await outcome(desk, "warm");
    const good = kdKey("live", "A".repeat(43));
    const watched = watchReads(desk);
    const typos = [good.slice(0, -1), `${good}A`, good.replace("AAA", "AAB"), "kd_live_x"];
    for (const one of [...typos, "x".repeat(4097)]) {
      assert.equal(await outcome(desk, one), "unknown");
      assert.equal(await outcome(desk, { username: one, password: "x" }), "unknown");
    }
    assert.equal(watched.lookUps(), 0);
    assert.equal(await outcome(desk, good), "unknown");
    assert.equal(watched.lookUps(), 2);
  },
);

testOnEngines(
  "look-ups: unknown, suspended, revoked and valid keys cost the same reads, first and later",
  async (desk) => {
    const keys = await Promise.all(
      Array.from({ length: 12 }, (_, n) => issueKnown(desk, ["plan-weather"], `dev-${n}`)),
    );
    const warm = await issueKnown(desk, ["plan-weather"], "dev-warm");
    for (const [n, { key_id }] of keys.entries()) {
      const step = ["", "suspend", "revoke"][n % 3];
      if (step) await call(desk, "POST", `${KEYS}/${key_id}/${step}`, { reason: "x" });
    }
    const expected = ["valid", "suspended", "revoked"];
    // The plan and whether there are imported keys are known from here on.
    await valid(desk, warm.RawKey);
    const watched = watchReads(desk);
    const reads = async (key: string, expected: string) => {
      const before = watched.sql.length;
      assert.equal(await outcome(desk, key), expected);
      // Without what goes on by itself: the looks at changes, and each second at whether any key is
      // imported and at the caller's own access token.
      return watched.sql.slice(before).filter((sql) =>
        !/invalidation|<> 'sha256'|from "access_tokens"/.test(sql)
      );
    };
    let first: string[] | undefined;
    for (const [n, { RawKey }] of keys.entries()) {
      const result = expected[n % 3] ?? "";
      for (const [key, is] of [[RawKey, result], [`unknown-key-${n}`, "unknown"]] as const) {
        const asked = await reads(key, is);
        first ??= asked;
        assert.deepEqual(asked, first, is);
        assert.deepEqual(await reads(key, is), [], is);
      }
    }
    assert.equal(first?.length, 2);
  },
);

testOnEngines(
  "staleness: where it is allowed, a gateway's calls are answered while the store hangs",
  async (desk) => {
    const { RawKey: key } = await issueKnown(desk);
    const gateway = await desk.token(["verify"]);
    await valid(desk, key);
    const first = await ask(desk, { key }, gateway);
    assert.equal((await first.json()).valid, true);
    const watched = watchReads(desk);
    watched.before = hangs;
    const awayAt = performance.now();
    // Longer than the gateway's own credential is known without a look.
    while (performance.now() - awayAt < 3000) {
      // The store hangs to the end: an answer did not wait for it.
      const answer = await ask(desk, { key }, gateway);
      assert.equal(answer.status, 200, await answer.text());
    }
  },
  { environment: { KEYDESK_VERIFY_STALE: "allow" } },
);
